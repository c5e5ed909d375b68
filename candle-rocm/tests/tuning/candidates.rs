//! Every candidate gives what the others give, and is the one that was chosen.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{Add, ReduceOp};
use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use candle_rocm::nn::{Attention, FullyMasked, sdpa};
use candle_rocm::quantized::{Algorithm, QStorage};
use candle_rocm::{ConvEngine, Convolution, Fusion, GemmEngine, RocmDevice, RocmError, RocmStorage, Tuning};

use crate::common::LibraryKind;
use crate::{Product, common, download, kernels, numbers, rounded, text, upload};

/// Devices that go by choices, whatever the environment says. None where libraries may not run: they are among the candidates.
fn devices() -> Vec<RocmDevice> {
    let devices = if common::libraries() { common::devices() } else { Vec::new() };
    devices.iter().for_each(|device| device.set_tuning(Tuning::Stored));
    devices
}

const MATMUL: [&str; 9] = [
    "rocblas",
    "matvec_rows",
    "matvec_cols",
    "matvec_cols_1024",
    "gemm_small",
    "gemm_medium",
    "gemm_large",
    "gemm_matrix_64",
    "gemm_matrix_128",
];

/// Lines that choose the candidate for this product, whatever matrix cores and engines there are.
fn lines(product: &Product, candidate: &str) -> Vec<String> {
    let [batch, m, n, k] = product.shape.map(rounded);
    let dtype = product.dtype.as_str();
    // With one row or column, a matrix is dense in both directions.
    let right = if product.transposed && product.shape[3] > 1 { "columns" } else { "rows" };
    let mut lines = Vec::new();
    for cores in ["plain", "matrix_cores"] {
        for engine in ["kernels", "rocblas"] {
            lines.push(format!(
                "matmul {dtype} rows {right} rows {cores} {engine} batch={batch} m={m} n={n} k={k} -> {candidate}"
            ));
        }
    }
    lines
}

#[test]
fn matrix_products() {
    let shapes = [
        [1, 1, 33, 40],
        [1, 1, 131, 250],
        [3, 5, 37, 19],
        [1, 8, 64, 64],
        [1, 40, 3, 24],
        [2, 17, 33, 48],
        [1, 70, 130, 72],
        [1, 129, 136, 136],
    ];
    // Each kernel once, where that takes long.
    let shapes: &[[usize; 4]] = if common::checked() { &shapes[5..7] } else { &shapes };
    for device in devices() {
        for matrix_cores in [false, true] {
            device.set_matrix_cores(matrix_cores);
            for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
                if matrix_cores && !matches!(dtype, DType::F16 | DType::BF16) {
                    continue;
                }
                for (&shape, transposed) in shapes.iter().flat_map(|shape| [(shape, false), (shape, true)]) {
                    let product = Product { dtype, shape, transposed };
                    let want = product.want();
                    for candidate in MATMUL {
                        assert_eq!(
                            device.import_tuning(&text(&device, &lines(&product, candidate))).unwrap(),
                            4
                        );
                        let got = product.on(&device);
                        let context = format!("{candidate}, {dtype:?} {shape:?}, transposed {transposed}");
                        assert!(got == want, "{context}, matrix cores {matrix_cores}, {}", device.label());
                    }
                }
            }
        }
    }
}

#[test]
fn the_choice_serves() {
    for device in devices() {
        let (row, tiles) = ([1, 1, 40, 60], [1, 40, 40, 60]);
        for (shape, transposed, candidate, kernel) in [
            (row, true, "matvec_rows", "matvec_rows_f32"),
            (row, false, "matvec_cols", "matvec_cols_f32"),
            (row, false, "matvec_cols_1024", "matvec_cols_f32"),
            (tiles, true, "gemm_small", "gemm_small_f32"),
            (tiles, true, "gemm_medium", "gemm_medium_f32"),
            (tiles, true, "gemm_large", "gemm_large_f32"),
        ] {
            let product = Product { dtype: DType::F32, shape, transposed };
            device.set_tuning(Tuning::Off);
            let by_rule = product.run(&device).1;
            device.set_tuning(Tuning::Stored);
            let choose = |candidate| {
                device.import_tuning(&text(&device, &lines(&product, candidate))).unwrap();
                product.run(&device).1
            };
            if common::has_library(&device, LibraryKind::Rocblas) {
                assert_eq!(choose("rocblas"), [""; 0]);
            }
            // No kernel for these operands.
            assert_eq!(choose("gemm_matrix_64"), by_rule, "{candidate}");
            assert_eq!(choose(candidate), [kernel], "{candidate}");
            device.set_deterministic(true);
            assert_eq!(product.run(&device).1, by_rule, "{candidate}, deterministic");
            device.set_deterministic(false);
            device.set_gemm_engine(GemmEngine::Kernels);
            assert_ne!(choose("rocblas"), [""; 0]);
            device.set_gemm_engine(GemmEngine::Auto);
        }
    }
}

/// Results in f32 are classes of their own.
#[test]
fn products_in_f32() {
    for device in devices() {
        device.set_matrix_cores(true);
        let product = Product { dtype: DType::BF16, shape: [1, 40, 48, 64], transposed: true };
        for (candidate, kernel) in [("gemm_matrix_128", Some("gemm_matrix_128_bf16_f32")), ("rocblas", None)]
        {
            let in_f32 = |line: String| line.replace("matmul bf16 ", "matmul bf16_f32 ");
            let mut both = lines(&product, "gemm_matrix_64");
            both.extend(lines(&product, candidate).into_iter().map(in_f32));
            assert_eq!(device.import_tuning(&text(&device, &both)).unwrap(), 8);
            assert_eq!(product.run(&device).1, ["gemm_matrix_64_bf16"]);
            let (result, kernels) = product.run_in(&device, DType::F32);
            assert_eq!(result.dtype(), DType::F32);
            assert_eq!(download(&result, 40 * 48), product.want(), "{candidate}");
            if kernel.is_some() || common::has_library(&device, LibraryKind::Rocblas) {
                assert_eq!(kernels, kernel.as_slice(), "{candidate}");
            }
        }
    }
}

/// For each candidate numbers of vectors that it is for, and the algorithm that it is.
const QUANTIZED: [(&str, &[usize], Algorithm); 9] = [
    ("exact", &[1], Algorithm::Exact),
    ("vectors", &[1, 5, 19], Algorithm::Vectors),
    ("streamed", &[1, 3, 19], Algorithm::Streamed),
    ("streamed_128", &[1, 3, 19], Algorithm::Streamed),
    ("streamed_256", &[1, 3, 19], Algorithm::Streamed),
    ("streamed_512", &[1], Algorithm::Streamed),
    ("tiles", &[9, 70], Algorithm::Tiles),
    ("dequantized", &[8, 33], Algorithm::Dequantized),
    ("half", &[9], Algorithm::Half),
];

/// As the same algorithm gives it when it is asked for: tests of products compare that with sums in f64. More threads share the
/// same sums differently among blocks only.
#[test]
fn quantized_products() {
    for device in devices() {
        for (dtype, name) in [(G::Q4_0, "q4_0"), (G::Q8_0, "q8_0"), (G::Q4K, "q4_K"), (G::Q6K, "q6_K")] {
            let small = common::checked() || dtype != G::Q4K;
            for (rows, columns) in [(67, 256), if small { (9, 512) } else { (650, 512) }] {
                let mut weights = QStorage::zeros(&device, rows * columns, dtype).unwrap();
                weights.quantize_from(&numbers(rows * columns, 3), None).unwrap();
                for (candidate, numbers_of_vectors, algorithm) in QUANTIZED {
                    for &vectors in numbers_of_vectors {
                        let x = upload(&device, &numbers(vectors * columns, 4), DType::F32);
                        let layout = Layout::contiguous((vectors, columns));
                        let (v, r, c) = (rounded(vectors), rounded(rows), rounded(columns));
                        let line = |engine| {
                            format!(
                                "quantized_matmul {name} f32 {engine} vectors={v} rows={r} columns={c} -> {candidate}"
                            )
                        };
                        let lines = ["kernels", "rocblas"].map(line);
                        device.import_tuning(&text(&device, &lines)).unwrap();
                        let shape = (rows, columns);
                        let (got, by_choice) =
                            kernels(&device, || weights.forward(shape, &x, &layout).unwrap());
                        let (want, by_name) =
                            kernels(&device, || weights.forward_with(algorithm, shape, &x, &layout).unwrap());
                        let context = format!("{candidate}, {dtype:?} {vectors} x {rows} x {columns}");
                        let same = download(&got, vectors * rows) == download(&want, vectors * rows);
                        assert!(same, "{context}, {}", device.label());
                        // Without rocBLAS there is no such candidate.
                        if candidate != "half" || common::has_library(&device, LibraryKind::Rocblas) {
                            assert_eq!(by_choice, by_name, "{context}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn experts() {
    let (experts, n, k, tokens, topk) = (3, 64, 256, 5, 2);
    for device in devices() {
        let mut weights = QStorage::zeros(&device, experts * n * k, G::Q4K).unwrap();
        weights.quantize_from(&numbers(experts * n * k, 3), None).unwrap();
        let x = (upload(&device, &numbers(tokens * k, 4), DType::F32), Layout::contiguous((tokens, 1, k)));
        let ids: Vec<u32> = (0..(tokens * topk) as u32).map(|i| i % experts as u32).collect();
        let ids = (device.storage_from_slice(&ids).unwrap(), Layout::contiguous((tokens, topk)));
        let (x, ids) = ((&x.0, &x.1), (&ids.0, &ids.1));
        for (candidate, algorithm) in [("vectors", Algorithm::Vectors), ("tiles", Algorithm::Tiles)] {
            let line = format!("experts q4_K experts=3 products=10 rows=64 columns=256 -> {candidate}");
            let run = || weights.experts_forward((experts, n, k), x, ids).unwrap();
            let (got, by_choice) = by(&device, line, tokens * topk * n, run);
            let (want, by_name) = kernels(&device, || {
                weights.experts_forward_with(algorithm, (experts, n, k), x, ids).unwrap()
            });
            assert_eq!((got, by_choice), (download(&want, tokens * topk * n), by_name), "{candidate}");
        }
    }
}

/// Imports a choice, and runs with it: what it gives, and the kernels.
fn by(
    device: &RocmDevice,
    line: String,
    len: usize,
    run: impl FnOnce() -> RocmStorage,
) -> (Vec<f32>, Vec<String>) {
    assert_eq!(device.import_tuning(&text(device, &[line])).unwrap(), 1);
    let (result, kernels) = kernels(device, run);
    (download(&result, len), kernels)
}

/// Keys in parts: weights add up in another order.
#[test]
fn attention_of_few_queries() {
    let fully_masked = FullyMasked::Zeros;
    let attention = Attention { scale: 0.25, softcapping: None, causal: true, fully_masked };
    for device in devices() {
        for (t, s, d) in [(1, 700, 32), (1, 1500, 64), (3, 1100, 40)] {
            let [batch, heads, kv_heads] = [2, 4, 2];
            let [q, k, v] =
                [heads * t, kv_heads * s, kv_heads * s].map(|rows| numbers(batch * rows * d, rows as u32));
            let upload = |values: &[f32]| upload(&device, values, DType::F32);
            let [q, k, v] = [q, k, v].map(|values| upload(&values));
            let (of_q, of_k) =
                (Layout::contiguous((batch, heads, t, d)), Layout::contiguous((batch, kv_heads, s, d)));
            let run = || sdpa((&q, &of_q), (&k, &of_k), (&v, &of_k), None, attention).unwrap();
            let len = batch * heads * t * d;
            device.set_tuning(Tuning::Off);
            let want = download(&run(), len);
            device.set_tuning(Tuning::Stored);
            let sizes = [batch * kv_heads, heads / kv_heads * t, s, d].map(rounded);
            for candidate in ["whole", "blocks_1", "blocks_2", "blocks_4", "blocks_8"] {
                let [heads, queries, keys, columns] = sizes;
                let line = format!(
                    "attention f32 heads={heads} queries={queries} keys={keys} columns={columns} -> {candidate}"
                );
                let (got, kernels) = by(&device, line, len, run);
                // Sums of s weights, in f32.
                let close = got.iter().zip(&want).all(|(got, want)| (got - want).abs() < 1e-5);
                assert!(close, "{candidate}, {t} {s} {d}, {}", device.label());
                let at_once = if t == 1 { 2 } else { 4 };
                assert_eq!(kernels, [format!("sdpa_few_{at_once}_f32")], "{candidate}");
            }
        }
    }
}

/// Rows in parts; sums of these numbers are exact.
#[test]
fn reductions_of_long_rows() {
    for device in devices() {
        let (rows, len) = (3, 20_000);
        let values = numbers(rows * len, 5);
        let x = upload(&device, &values, DType::F32);
        let wide = Layout::contiguous((rows, len));
        let (tall, narrow) = (Layout::contiguous((600, 100)), Layout::contiguous((1200, 50)));
        for (layout, dim, form, kernel) in [
            (&wide, 1, "rows", "fast_sum_f32"),
            (&tall, 0, "matrices", "columns_sum_f32"),
            (&narrow, 0, "columns", "fast_sum_f32"),
        ] {
            let [outer, inner] = [layout.dims()[0], layout.dims()[1]];
            let (count, length) = if dim == 1 { (outer, inner) } else { (inner, outer) };
            let at = |row: usize, i: usize| if dim == 1 { row * inner + i } else { i * inner + row };
            let sum = |row| (0..length).map(|i| values[at(row, i)]).sum::<f32>();
            let want: Vec<f32> = (0..count).map(sum).collect();
            let mut served = Vec::new();
            for candidate in
                ["whole", "blocks_1", "blocks_2", "blocks_3", "blocks_4", "blocks_8", "blocks_16"]
            {
                let (r, l) = (rounded(count), rounded(length));
                let line = format!("reduction sum 4_bytes {form} rows={r} length={l} -> {candidate}");
                let run = || x.reduce_op(ReduceOp::Sum, layout, &[dim]).unwrap();
                let (got, kernels) = by(&device, line, count, run);
                assert!(got == want, "{candidate}, {form}, {}", device.label());
                served.push(kernels);
            }
            assert_eq!(served[0], [kernel], "{form}");
            let parts = served[6].iter().filter(|name| *name == "split_sum_f32").count();
            assert_eq!(parts, if form == "columns" { 2 } else { 1 }, "{form}, {served:?}");
        }
    }
}

/// Of each size of elements, and with arithmetic on the way; whole tiles and parts of them.
#[test]
fn large_transposes() {
    for device in devices() {
        device.set_fusion(Fusion::Off);
        for dtype in [DType::U8, DType::F16, DType::F32, DType::F64] {
            let computes = matches!(dtype, DType::F16 | DType::F32) && !common::checked();
            let shapes: &[_] =
                if computes { &[(1, 600, 450), (2, 2080, 1024)] } else { &[(1, 600, 450), (2, 288, 512)] };
            for &(matrices, rows, columns) in shapes {
                let len = matrices * rows * columns;
                let values: Vec<f32> = (0..len).map(|i| (i * 37 % 101) as f32).collect();
                let x = upload(&device, &values, dtype);
                let layout = Layout::contiguous((matrices, columns, rows)).transpose(1, 2).unwrap();
                let at = |i: usize| {
                    let (matrix, row, column) = (i / (rows * columns), i / columns % rows, i % columns);
                    values[(matrix * columns + column) * rows + row]
                };
                let contiguous = Layout::contiguous((matrices, rows, columns));
                for task in ["copy", "affine", "binary"] {
                    // Arithmetic is left to other kernels unless there is much of it.
                    if task != "copy" && rows < 2000 {
                        continue;
                    }
                    let run = || match task {
                        "copy" => {
                            let mut out = device.zeros_impl(&(len,).into(), dtype).unwrap();
                            x.copy_strided_src(&mut out, 0, &layout).unwrap();
                            out
                        }
                        "affine" => x.affine(&layout, 2., 1.).unwrap(),
                        _ => x.binary_impl::<Add>(&x, &layout, &contiguous).unwrap(),
                    };
                    let want: Vec<f32> = (0..len)
                        .map(|i| match task {
                            "copy" => at(i),
                            "affine" => at(i) * 2. + 1.,
                            _ => at(i) + values[i],
                        })
                        .collect();
                    for candidate in ["tiles_128", "tiles_256", "tiles_512", "tiles_1024", "elements"] {
                        let size = match dtype.size_in_bytes() {
                            1 => "1_byte".to_owned(),
                            size => format!("{size}_bytes"),
                        };
                        let line = |aligned| {
                            format!(
                                "transposition {task} {size} {aligned} matrices={matrices} rows={} columns={} -> {candidate}",
                                rounded(columns),
                                rounded(rows)
                            )
                        };
                        let lines = ["aligned", "unaligned"].map(line);
                        device.import_tuning(&text(&device, &lines)).unwrap();
                        let (got, kernels) = kernels(&device, run);
                        let context = format!("{candidate}, {task} {dtype:?}, {}", device.label());
                        assert!(download(&got, len) == want, "{context}");
                        let tiles = kernels.iter().any(|name| name.starts_with("transpose"));
                        assert_eq!(
                            tiles,
                            task != "copy" || candidate != "elements",
                            "{context}: {kernels:?}"
                        );
                    }
                }
            }
        }
    }
}

/// The smallest that is measured; sums of these numbers are exact.
#[test]
fn large_convolutions() {
    if common::checked() {
        return eprintln!(
            "SKIPPED: candidates of convolutions under a checker: they are too large, and other tests run their kernels"
        );
    }
    let (channels, side) = (64, 46);
    let [of_x, of_w] = [(1, channels, side, side), (channels, channels, 3, 3)].map(Layout::contiguous);
    let len = channels * side * side;
    for device in devices() {
        let [x, w] =
            [of_x.shape().elem_count(), of_w.shape().elem_count()].map(|len| numbers(len, len as u32));
        let [x, w] = [upload(&device, &x, DType::F32), upload(&device, &w, DType::F32)];
        let run =
            || x.convolve(&of_x, (&w, &of_w), &Convolution { padding: 1, ..Convolution::default() }).unwrap();
        device.set_conv_engine(ConvEngine::Kernels);
        let (want, direct) = kernels(&device, run);
        let want = download(&want, len);
        device.set_conv_engine(ConvEngine::Auto);
        for candidate in ["miopen_0", "miopen_3", "im2col", "direct"] {
            let (taps, pixels) = (rounded(9), rounded(side * side));
            let line = |engine| {
                format!(
                    "convolution f32 contiguous steps_of_1 one_group {engine} in=64 out=64 taps={taps} pixels={pixels} -> {candidate}"
                )
            };
            device.import_tuning(&text(&device, &["kernels", "miopen"].map(line))).unwrap();
            let (got, kernels) = kernels(&device, run);
            assert!(download(&got, len) == want, "{candidate}, {}", device.label());
            match candidate {
                "direct" => assert_eq!(kernels, direct),
                "im2col" => assert!(kernels[0].starts_with("im2col"), "{kernels:?}"),
                _ => {}
            }
        }
    }
}

#[test]
fn texts_are_refused() {
    for device in common::devices_without_kernels() {
        let good = text(&device, &[]);
        assert_eq!(device.import_tuning(&good).unwrap(), 0);
        for (wrong, why) in [
            (String::new(), "ends before"),
            (good.replace("tuning 1", "tuning 9"), "line 1"),
            (good.replace("end 0", "end 1"), "says 1 choices"),
            (text(&device, &["matmul nonsense -> rocblas".to_owned()]), "line 6"),
        ] {
            let error = device.import_tuning(&wrong).unwrap_err();
            let named = matches!(&error, RocmError::InvalidArgument { op: "import_tuning", message } if message.contains(why));
            assert!(named, "{error}");
        }
    }
}
