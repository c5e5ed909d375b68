//! Matrix products through both engines against a plain loop, over dtypes, sizes and layouts.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::{GemmEngine, RocmDevice, RocmError, RocmStorage, Tuning};
use float8::F8E4M3;
use half::{bf16, f16};

use crate::common::{self, LibraryKind, Random};
use crate::harness::bits::Number;
use crate::harness::{DTYPES, FLOATS, rocm_error};

/// And whether on matrix cores: other kernels.
const ENGINES: [(GemmEngine, bool); 3] =
    [(GemmEngine::Rocblas, false), (GemmEngine::Kernels, false), (GemmEngine::Kernels, true)];

/// Numbers as elements of a dtype.
fn encode(dtype: DType, values: &[f64]) -> CpuStorage {
    macro_rules! each {
        ($($variant:ident $convert:expr;)*) => {
            match dtype {
                $(DType::$variant => CpuStorage::$variant(values.iter().map(|&v| $convert(v)).collect()),)*
                _ => panic!("no numbers: {dtype:?}"),
            }
        };
    }
    each! {
        U8 |v| v as i64 as u8;
        U32 |v| v as i64 as u32;
        I16 |v| v as i64 as i16;
        I32 |v| v as i64 as i32;
        I64 |v| v as i64;
        BF16 bf16::from_f64;
        F16 f16::from_f64;
        F32 |v| v as f32;
        F64 |v| v;
        F8E4M3 |v| F8E4M3::from_f32(v as f32);
    }
}

/// What integers are modulo 2^64, and floats as f64.
enum Numbers {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

fn decode(storage: &CpuStorage) -> Numbers {
    macro_rules! each {
        (ints: $($int:ident)*; floats: $($float:ident)*) => {
            match storage {
                $(CpuStorage::$int(v) => Numbers::Ints(v.iter().map(|&v| v as i64).collect()),)*
                $(CpuStorage::$float(v) => Numbers::Floats(v.iter().map(|&v| v.value()).collect()),)*
                _ => panic!("no numbers: {storage:?}"),
            }
        };
    }
    each!(ints: U8 U32 I16 I32 I64; floats: BF16 F16 F32 F64 F8E4M3)
}

/// Ordinary numbers: a few of many, so that sums in f8 stay within its range; integers wrap.
fn numbers(dtype: DType, len: usize, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let mut next = || match dtype {
        DType::F8E4M3 => random.below(9) as f64 / 8.0 - 0.5,
        _ if dtype.is_int() => (random.next() >> 32) as i32 as f64,
        _ => random.below(1 << 20) as f64 / (1 << 19) as f64 - 1.0,
    };
    (0..len).map(|_| next()).collect()
}

struct Case {
    dtype: DType,
    /// Dimensions that count the matrices.
    batch: Vec<usize>,
    m: usize,
    n: usize,
    k: usize,
}

/// How an operand may lie, given its dimensions; the memory it needs is that of the layout.
type Arrangement = (&'static str, fn(&[usize]) -> Layout);

fn row_major(dims: &[usize]) -> Vec<usize> {
    Layout::contiguous(dims).stride().to_vec()
}

const ARRANGEMENTS: &[Arrangement] = &[
    ("contiguous", |dims| Layout::contiguous(dims)),
    ("offset", |dims| Layout::contiguous_with_offset(dims, 3)),
    ("transposed", |dims| {
        let rank = dims.len();
        let mut turned = dims.to_vec();
        turned.swap(rank - 2, rank - 1);
        let mut stride = row_major(&turned);
        stride.swap(rank - 2, rank - 1);
        Layout::new(dims.into(), stride, 1)
    }),
    ("longer rows", |dims| {
        let mut longer = dims.to_vec();
        *longer.last_mut().unwrap() += 3;
        Layout::new(dims.into(), row_major(&longer), 2)
    }),
    ("every second element", |dims| {
        Layout::new(dims.into(), row_major(dims).iter().map(|stride| 2 * stride).collect(), 0)
    }),
    ("one matrix for all", |dims| {
        let rank = dims.len();
        let mut stride = vec![0; rank - 2];
        stride.extend(row_major(&dims[rank - 2..]));
        Layout::new(dims.into(), stride, 5)
    }),
    ("one row for all", |dims| {
        let mut stride = row_major(dims);
        stride[dims.len() - 2] = 0;
        Layout::new(dims.into(), stride, 0)
    }),
    ("one element for all", |dims| Layout::new(dims.into(), vec![0; dims.len()], 4)),
    ("batch dimensions inside", |dims| {
        // [rows, batch.., cols] in memory, the batch's dimensions in reverse.
        let rank = dims.len();
        let mut stride = vec![0; rank];
        stride[rank - 1] = 1;
        let mut step = dims[rank - 1];
        for dim in (0..rank - 2).chain([rank - 2]) {
            stride[dim] = step;
            step *= dims[dim];
        }
        Layout::new(dims.into(), stride, 0)
    }),
];

fn memory(layout: &Layout) -> usize {
    let reach =
        layout.dims().iter().zip(layout.stride()).map(|(size, stride)| size.saturating_sub(1) * stride);
    layout.start_offset() + reach.sum::<usize>() + 1
}

/// Where each element lies, in the order of indices.
fn offsets(layout: &Layout) -> Vec<usize> {
    let mut offsets = vec![layout.start_offset()];
    for (&size, &stride) in layout.dims().iter().zip(layout.stride()) {
        offsets = offsets.iter().flat_map(|&at| (0..size).map(move |i| at + i * stride)).collect();
    }
    offsets
}

impl Case {
    fn new(dtype: DType, batch: &[usize], [m, n, k]: [usize; 3]) -> Self {
        Self { dtype, batch: batch.to_vec(), m, n, k }
    }

    fn check(&self, devices: &[RocmDevice], arrangements: [&Arrangement; 2]) {
        let Self { dtype, ref batch, m, n, k } = *self;
        let dims = |rows, cols| [batch.as_slice(), &[rows, cols]].concat();
        let (lhs_l, rhs_l) = ((arrangements[0].1)(&dims(m, k)), (arrangements[1].1)(&dims(k, n)));
        let lhs = encode(dtype, &numbers(dtype, memory(&lhs_l), 1));
        let rhs = encode(dtype, &numbers(dtype, memory(&rhs_l), 2));
        self.compare(devices, (&lhs, &lhs_l), (&rhs, &rhs_l), &|| {
            format!("{} x {}", arrangements[0].0, arrangements[1].0)
        });
    }

    fn compare(
        &self,
        devices: &[RocmDevice],
        (lhs, lhs_l): (&CpuStorage, &Layout),
        (rhs, rhs_l): (&CpuStorage, &Layout),
        what: &dyn Fn() -> String,
    ) {
        let Self { dtype, ref batch, m, n, k } = *self;
        let count = batch.iter().product();
        let (a, b) = (offsets(lhs_l), offsets(rhs_l));
        for device in devices {
            let upload = |data| device.storage_from_cpu_storage(data).unwrap();
            let (x, y) = (upload(lhs), upload(rhs));
            let rocblas = common::libraries() && common::has_library(device, LibraryKind::Rocblas);
            let half = matches!(dtype, DType::F16 | DType::BF16);
            let results: &[DType] = if half { &[dtype, DType::F32] } else { &[dtype] };
            for ((engine, matrix_cores), &result) in
                ENGINES.iter().flat_map(|&engine| results.iter().map(move |result| (engine, result)))
            {
                if (matrix_cores && !half) || (engine == GemmEngine::Rocblas && !rocblas) {
                    continue;
                }
                device.set_gemm_engine(engine);
                device.set_matrix_cores(matrix_cores);
                let size = (count, m, n, k);
                let got = match result == dtype {
                    true => x.matmul(&y, size, lhs_l, rhs_l),
                    false => x.matmul_f32(&y, size, lhs_l, rhs_l).map_err(Into::into),
                };
                let got = got.and_then(|out| out.to_cpu_storage());
                let context = || {
                    format!(
                        "{dtype:?} in {result:?}, {batch:?} {m} x {n}, {k} deep, {}, {engine:?}{}, {}",
                        what(),
                        if matrix_cores { " on matrix cores" } else { "" },
                        device.label()
                    )
                };
                let got = got.unwrap_or_else(|error| panic!("{}: {error}", context()));
                assert_eq!(got.dtype(), result);
                let each = (0..count).flat_map(|i| (0..m).flat_map(move |r| (0..n).map(move |c| (i, r, c))));
                let terms = |(i, r, c): (usize, usize, usize)| {
                    (0..k).map(move |l| (i * m * k + r * k + l, i * k * n + l * n + c))
                };
                match (decode(lhs), decode(rhs), decode(&got)) {
                    (Numbers::Ints(lhs), Numbers::Ints(rhs), Numbers::Ints(got)) => {
                        assert_eq!(got.len(), count * m * n, "{}", context());
                        for (at, &got) in each.zip(&got) {
                            let sum = terms(at).fold(0i64, |sum, (p, q)| {
                                sum.wrapping_add(lhs[a[p]].wrapping_mul(rhs[b[q]]))
                            });
                            let bits = 8 * dtype.size_in_bytes() as u32;
                            let differ = (sum ^ got) << (64 - bits);
                            assert_eq!(differ, 0, "{} at {at:?}: got {got}, want {sum}", context());
                        }
                    }
                    (Numbers::Floats(lhs), Numbers::Floats(rhs), Numbers::Floats(got)) => {
                        assert_eq!(got.len(), count * m * n, "{}", context());
                        for (at, &got) in each.zip(&got) {
                            let (mut sum, mut magnitude) = (0.0, 0.0);
                            for (p, q) in terms(at) {
                                let term = lhs[a[p]] * rhs[b[q]];
                                sum += term;
                                magnitude += f64::abs(term);
                            }
                            let slack = slack(result, k, sum, magnitude);
                            let same =
                                (got.is_nan() && sum.is_nan()) || got == sum || (got - sum).abs() <= slack;
                            assert!(same, "{} at {at:?}: got {got}, want {sum} within {slack}", context());
                        }
                    }
                    _ => panic!("{}: another dtype", context()),
                }
            }
        }
    }
}

/// However k products are added up, in whatever order, fused or not, the sum is off by at most k roundings of the terms'
/// magnitude, in the precision of sums (and the reference's own, in f64, doubles that for f64); then it is rounded once.
fn slack(dtype: DType, k: usize, sum: f64, magnitude: f64) -> f64 {
    let (sums, result, least) = match dtype {
        DType::F64 => (2.0 * f64::EPSILON, f64::EPSILON, 0.0),
        DType::F32 => (f64::from(f32::EPSILON), f64::from(f32::EPSILON), 0.0),
        DType::F16 => (f64::from(f32::EPSILON), f16::EPSILON.to_f64(), f16::MIN_POSITIVE_SUBNORMAL.to_f64()),
        DType::BF16 => (f64::from(f32::EPSILON), bf16::EPSILON.to_f64(), 0.0),
        // Half of the 2^-3 between 1 and the number after it, and of the least subnormal number.
        _ => (f64::from(f32::EPSILON), 0.0625, 0.5 * 0.001953125),
    };
    k as f64 * sums * magnitude + result * sum.abs() + least
}

fn arrangement(name: &str) -> &'static Arrangement {
    ARRANGEMENTS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no arrangement {name}"))
}

/// Every pair of layouts, for batches of no, one and two dimensions.
#[test]
fn layouts() {
    let devices = common::devices();
    for batch in [&[][..], &[3], &[2, 3]] {
        let case = Case::new(DType::F32, batch, [5, 7, 6]);
        for lhs in ARRANGEMENTS {
            for rhs in ARRANGEMENTS {
                case.check(&devices, [lhs, rhs]);
            }
        }
    }
}

/// Every dtype, sizes around those of tiles, vectors and waves.
#[test]
fn sizes() {
    let devices = common::devices();
    let plain = ["contiguous", "transposed"].map(arrangement);
    for dtype in DTYPES {
        for (batch, size) in [
            (&[][..], [1, 1, 1]),
            (&[2], [1, 1, 65]),
            (&[2], [33, 3, 17]),
            (&[], [16, 16, 16]),
            (&[], [65, 66, 15]),
            (&[5, 1], [9, 10, 2]),
            (&[2], [0, 3, 4]),
            (&[2], [3, 0, 4]),
            (&[0], [3, 2, 4]),
            (&[2], [3, 2, 0]),
        ] {
            let case = Case::new(dtype, batch, size);
            for lhs in plain {
                for rhs in plain {
                    case.check(&devices, [lhs, rhs]);
                }
            }
        }
    }
}

/// Products large enough for each size of tile: the choice depends on how many of them there are per compute unit.
#[test]
fn tiles() {
    let devices = common::devices();
    let units = devices.iter().map(|device| device.hip_device().compute_units() as usize).max().unwrap_or(1);
    for dtype in FLOATS {
        // A batch that has each compute unit take a tile.
        Case::new(dtype, &[units], [65, 67, 18])
            .check(&devices, [arrangement("contiguous"), arrangement("transposed")]);
        Case::new(dtype, &[units.min(16)], [33, 35, 18])
            .check(&devices, [arrangement("transposed"), arrangement("contiguous")]);
        Case::new(dtype, &[], [129, 130, 33])
            .check(&devices, [arrangement("offset"), arrangement("longer rows")]);
        // All arrangements in which kernels on matrix cores take operands, and one in which they do not.
        for lhs in ["contiguous", "transposed"] {
            for rhs in ["contiguous", "transposed"] {
                for (batch, size) in [(2, [72, 136, 40]), (1, [24, 40, 16])] {
                    Case::new(dtype, &[batch], size).check(&devices, [arrangement(lhs), arrangement(rhs)]);
                }
            }
        }
    }
}

/// Few rows, or few columns: kernels of their own, whose vectors need some length.
#[test]
fn vectors() {
    let devices = common::devices();
    for dtype in FLOATS {
        // The last three take matrix cores: less than a piece of k, and more than wavefronts have at a time.
        for (few, many, k) in [
            (1, 9, 2100),
            (1, 70, 1030),
            (2, 9, 1200),
            (8, 5, 300),
            (7, 130, 3),
            (1, 131, 7),
            (3, 16, 24),
            (8, 40, 512),
            (5, 37, 2056),
        ] {
            for arrangements in [
                ["contiguous", "transposed"],
                ["contiguous"; 2],
                ["transposed", "longer rows"],
                ["offset"; 2],
            ] {
                let [few_rows, many_rows] = arrangements.map(arrangement);
                Case::new(dtype, &[2], [few, many, k]).check(&devices, [few_rows, many_rows]);
                Case::new(dtype, &[], [many, few, k]).check(&devices, [many_rows, few_rows]);
            }
        }
        Case::new(dtype, &[2], [1, 20, 40]).check(&devices, ["every second element"; 2].map(arrangement));
        Case::new(dtype, &[3], [1, 20, 40])
            .check(&devices, ["contiguous", "one matrix for all"].map(arrangement));
    }
}

/// Long sums stay within the bound that the tests allow for, and have no place where they are cut.
#[test]
fn long_sums() {
    let devices = common::devices();
    for dtype in [DType::F32, DType::F16] {
        Case::new(dtype, &[], [9, 10, 20_011]).check(&devices, ["contiguous", "transposed"].map(arrangement));
        Case::new(dtype, &[], [1, 3, 100_003]).check(&devices, ["contiguous", "transposed"].map(arrangement));
    }
}

#[test]
fn nan_and_infinity_reach_what_they_belong_to() {
    let devices = common::devices();
    for dtype in FLOATS {
        for [m, n, k] in [[9, 10, 20], [1, 40, 33], [40, 1, 33], [3, 40, 40]] {
            let mut a = numbers(dtype, m * k, 1);
            let mut b = numbers(dtype, k * n, 2);
            a[k / 2] = f64::NAN;
            b[n - 1] = f64::INFINITY;
            // 0 times infinity.
            a[(m - 1) * k] = 0.0;
            b[(k - 1) * n] = f64::NEG_INFINITY;
            let (lhs, rhs) = (encode(dtype, &a), encode(dtype, &b));
            let (lhs_l, rhs_l) = (Layout::contiguous((m, k)), Layout::contiguous((k, n)));
            Case::new(dtype, &[], [m, n, k])
                .compare(&devices, (&lhs, &lhs_l), (&rhs, &rhs_l), &|| "special".into());
        }
    }
}

/// More matrices than a grid has room for along its third dimension.
#[test]
fn large_batches() {
    let devices = common::devices();
    let Some(device) = devices.first() else { return };
    let case = Case::new(DType::F32, &[65_600], [1, 1, 2]);
    case.check(std::slice::from_ref(device), ["contiguous", "transposed"].map(arrangement));
}

/// candle's own CPU backend agrees where it serves.
#[test]
fn as_on_the_cpu() {
    for dtype in FLOATS {
        for device in common::devices() {
            if !common::libraries() {
                device.set_gemm_engine(GemmEngine::Kernels);
            }
            let (m, n, k) = (12, 34, 56);
            let lhs = encode(dtype, &numbers(dtype, 2 * m * k, 1));
            let rhs = encode(dtype, &numbers(dtype, k * n, 2));
            let (lhs_l, rhs_l) =
                (Layout::contiguous((2, m, k)), Layout::new((2, k, n).into(), vec![0, 1, k], 0));
            let want = lhs.matmul(&rhs, (2, m, n, k), &lhs_l, &rhs_l).unwrap();
            let upload = |data| device.storage_from_cpu_storage(data).unwrap();
            let got = upload(&lhs).matmul(&upload(&rhs), (2, m, n, k), &lhs_l, &rhs_l).unwrap();
            let (Numbers::Floats(got), Numbers::Floats(want)) =
                (decode(&got.to_cpu_storage().unwrap()), decode(&want))
            else {
                panic!("no floats")
            };
            for (got, want) in got.iter().zip(&want) {
                // Terms are below 1; both sides are off.
                assert!(
                    (got - want).abs() <= 2.0 * slack(dtype, k, *want, k as f64),
                    "{dtype:?}: {got} {want}"
                );
            }
        }
    }
}

#[test]
fn engines_are_chosen_per_device() {
    for device in common::devices() {
        assert_eq!(device.gemm_engine(), GemmEngine::Auto);
        let clone = device.clone();
        for engine in [GemmEngine::Kernels, GemmEngine::Rocblas, GemmEngine::Auto] {
            device.set_gemm_engine(engine);
            assert_eq!(clone.gemm_engine(), engine);
        }
        // A handle that has been used goes with its device.
        let x = device.storage_from_slice(&[1f32, 2., 3., 4.]).unwrap();
        let l = Layout::contiguous((2, 2));
        for deterministic in [false, true] {
            device.set_deterministic(deterministic);
            let y = x.matmul(&x, (1, 2, 2, 2), &l, &l).unwrap().to_cpu_storage().unwrap();
            assert!(matches!(y, CpuStorage::F32(y) if y == [7., 10., 15., 22.]));
        }
    }
}

/// A launch of this crate's, which counts its own.
#[test]
fn one_vector_takes_one_launch() {
    for device in common::devices() {
        device.set_tuning(Tuning::Off);
        let (x, weights) = (vec![1f32; 96], (0..40 * 96).map(|i| (i / 96) as f32).collect::<Vec<_>>());
        let upload = |data: &[f32]| device.storage_from_slice(data).expect("upload");
        let (x, weights) = (upload(&x), upload(&weights));
        let (row, columns) = (Layout::contiguous((1, 96)), Layout::new((96, 40).into(), vec![1, 96], 0));
        let before = device.counters().launches;
        let y = x.matmul(&weights, (1, 1, 40, 96), &row, &columns).expect("matmul");
        assert_eq!(device.counters().launches - before, 1);
        let want: Vec<f32> = (0..40).map(|row| (row * 96) as f32).collect();
        assert!(matches!(y.to_cpu_storage().expect("download"), CpuStorage::F32(got) if got == want));
    }
}

/// By two launches that widen it, the product, and one that rounds: of 8-bit floats that are sums of few bits, exactly.
#[test]
fn f8_is_multiplied_as_bf16_on_matrix_cores() {
    let (m, n, k) = (40, 24, 72);
    let values = |len, seed| numbers(DType::F8E4M3, len, seed);
    let (x, y) = (values(m * k, 1), values(k * n, 2));
    let product = |i: usize| (0..k).map(|c| x[i / n * k + c] * y[c * n + i % n]).sum::<f64>();
    let want: Vec<_> = (0..m * n).map(|i| F8E4M3::from_f32(product(i) as f32)).collect();
    for device in common::devices() {
        device.set_tuning(Tuning::Off);
        device.set_gemm_engine(GemmEngine::Kernels);
        let upload = |data: &[f64]| device.storage_from_cpu_storage(&encode(DType::F8E4M3, data)).unwrap();
        let (x, y) = (upload(&x), upload(&y));
        for (matrix_cores, launches) in [(true, 4), (false, 1)] {
            device.set_matrix_cores(matrix_cores);
            let before = device.counters().launches;
            let at = (Layout::contiguous((m, k)), Layout::contiguous((k, n)));
            let got = x.matmul(&y, (1, m, n, k), &at.0, &at.1).unwrap().to_cpu_storage().unwrap();
            assert_eq!(device.counters().launches - before, launches, "matrix cores {matrix_cores}");
            assert!(matches!(got, CpuStorage::F8E4M3(got) if got == want), "matrix cores {matrix_cores}");
        }
    }
}

/// Products go to the kernels, unless rocBLAS was asked for.
#[test]
fn without_rocblas() {
    check_without_rocblas("products::without_rocblas", ("CANDLE_ROCM_HOST_ROCBLAS", "off"), "arch_mismatch");
}

#[test]
fn where_rocblas_is_not_installed() {
    let name = "products::where_rocblas_is_not_installed";
    check_without_rocblas(name, ("CANDLE_ROCM_HOST_RUNTIME_ONLY", "on"), "rocblas_create_handle");
}

fn check_without_rocblas(name: &str, (variable, value): (&str, &str), expected: &str) {
    if !common::in_child(name, &[(variable, Some(value))]) {
        return;
    }
    for device in common::devices_without_kernels() {
        if device.platform() != candle_rocm::platform::HOST {
            continue;
        }
        let x = device.storage_from_slice(&[1f32, 2., 3., 4.]).unwrap();
        let l = Layout::contiguous((2, 2));
        for _ in 0..2 {
            let y = x.matmul(&x, (1, 2, 2, 2), &l, &l).unwrap().to_cpu_storage().unwrap();
            assert!(matches!(y, CpuStorage::F32(y) if y == [7., 10., 15., 22.]));
        }
        device.set_gemm_engine(GemmEngine::Rocblas);
        let error = x.matmul(&x, (1, 2, 2, 2), &l, &l).map(drop).unwrap_err();
        let expected = if cfg!(feature = "rocblas") { expected } else { "feature `rocblas`" };
        let why =
            matches!(rocm_error(&error), RocmError::RocblasUnavailable { why, .. } if why.contains(expected));
        assert!(why && error.to_string().contains("set_gemm_engine"), "{error}");
    }
}

#[test]
fn wrong_calls_are_named() {
    let devices = common::devices_without_kernels();
    let Some(device) = devices.first() else { return };
    let x: RocmStorage = device.storage_from_slice(&[0f32; 6]).unwrap();
    let l = |dims: &[usize]| Layout::contiguous(dims);
    let call = |y: &RocmStorage, size, lhs: &Layout, rhs: &Layout| x.matmul(y, size, lhs, rhs).unwrap_err();
    // Layouts that are not those of the product.
    for (size, lhs, rhs) in [
        ((1, 2, 2, 3), l(&[2, 3]), l(&[2, 3])),
        ((2, 2, 2, 3), l(&[2, 3]), l(&[3, 2])),
        ((1, 2, 2, 3), l(&[6]), l(&[3, 2])),
        ((usize::MAX, 1, 1, 1), l(&[1, 1]), l(&[1, 1])),
    ] {
        let error = call(&x, size, &lhs, &rhs);
        assert!(matches!(rocm_error(&error), RocmError::ShapeMismatch { op: "matmul", .. }), "{error}");
    }
    // Only half types have results in f32 of their own.
    let error = x.matmul_f32(&x, (1, 2, 2, 3), &l(&[2, 3]), &l(&[3, 2])).unwrap_err();
    assert!(matches!(error, RocmError::UnsupportedDType { op: "matmul", dtype: DType::F32 }), "{error}");
    let outside = Layout::contiguous_with_offset((2, 3), 1);
    let error = call(&x, (1, 2, 2, 3), &outside, &l(&[3, 2]));
    assert!(matches!(rocm_error(&error), RocmError::LayoutOutOfBounds { op: "matmul", .. }), "{error}");
    let other = device.storage_from_slice(&[0f64; 6]).unwrap();
    let error = call(&other, (1, 2, 2, 3), &l(&[2, 3]), &l(&[3, 2]));
    let mismatch = matches!(
        rocm_error(&error),
        RocmError::DTypeMismatch { op: "matmul", lhs: DType::F32, rhs: DType::F64 }
    );
    assert!(mismatch, "{error}");
    let elsewhere = RocmDevice::on(device.platform(), 0).unwrap().storage_from_slice(&[0f32; 6]).unwrap();
    let error = call(&elsewhere, (1, 2, 2, 3), &l(&[2, 3]), &l(&[3, 2]));
    assert!(matches!(rocm_error(&error), RocmError::WrongDevice { op: "matmul", .. }), "{error}");
}
