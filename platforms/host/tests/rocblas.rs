//! Matrix products against a plain loop in f64, and invalid arguments.

mod runtime_common;

use half::{bf16, f16};
use rocm_sys::rocblas::*;
use runtime_common::*;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::LazyLock;

fn rocblas() -> &'static Rocblas {
    static ROCBLAS: LazyLock<Rocblas> =
        LazyLock::new(|| Rocblas::from_resolver("candle-rocm-host", candle_rocm_host::symbol));
    &ROCBLAS
}

macro_rules! blas {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the test passes what the function asks for, or what the function must refuse.
        unsafe { rocblas().$function($($argument),*) }.expect(stringify!($function))
    };
}

use rocblas_status_ as status;

const NONE: rocblas_operation = rocblas_operation_::rocblas_operation_none;
const TRANSPOSE: rocblas_operation = rocblas_operation_::rocblas_operation_transpose;
const F16: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f16_r;
const BF16: rocblas_datatype = rocblas_datatype_::rocblas_datatype_bf16_r;
const F32: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f32_r;
const F64: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f64_r;

struct Handle(rocblas_handle);

impl Handle {
    fn new() -> Self {
        let mut handle = ptr::null_mut();
        assert_eq!(blas!(rocblas_create_handle(&mut handle)), status::rocblas_status_success);
        Self(handle)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        assert_eq!(blas!(rocblas_destroy_handle(self.0)), status::rocblas_status_success);
    }
}

/// The bytes of numbers as elements of a type, and the numbers that they are then.
fn encode(values: &[f64], datatype: rocblas_datatype) -> (Vec<u8>, Vec<f64>) {
    macro_rules! each {
        ($convert:expr, $back:expr) => {
            values.iter().map(|&v| $convert(v)).map(|v| (v.to_ne_bytes().to_vec(), $back(v))).unzip()
        };
    }
    let (bytes, values): (Vec<Vec<u8>>, Vec<f64>) = match datatype {
        F16 => each!(f16::from_f64, f16::to_f64),
        BF16 => each!(bf16::from_f64, bf16::to_f64),
        F32 => each!(|v| v as f32, f64::from),
        _ => each!(|v: f64| v, |v| v),
    };
    (bytes.concat(), values)
}

fn decode(bytes: &[u8], datatype: rocblas_datatype) -> Vec<f64> {
    match datatype {
        F16 => bytes.as_chunks().0.iter().map(|&b| f16::from_ne_bytes(b).to_f64()).collect(),
        BF16 => bytes.as_chunks().0.iter().map(|&b| bf16::from_ne_bytes(b).to_f64()).collect(),
        F32 => bytes.as_chunks().0.iter().map(|&b| f64::from(f32::from_ne_bytes(b))).collect(),
        _ => bytes.as_chunks().0.iter().map(|&b| f64::from_ne_bytes(b)).collect(),
    }
}

/// Numbers in [-1, 1).
fn numbers(len: usize, seed: u64) -> Vec<f64> {
    pattern(2 * len, seed).as_chunks().0.iter().map(|&b| f64::from(i16::from_ne_bytes(b)) / 32768.0).collect()
}

/// One product: column-major matrices with gaps between columns and between matrices.
struct Problem {
    types: [rocblas_datatype; 3],
    operations: [rocblas_operation; 2],
    size: [usize; 3],
    batch: usize,
    /// The same B for all of the batch.
    broadcast: bool,
    alpha: f64,
    beta: f64,
}

impl Problem {
    fn run(&self, handle: &Handle) {
        let [of_a, of_c, compute] = self.types;
        let [m, n, k] = self.size;
        let stored =
            |operation, rows, columns| if operation == NONE { (rows, columns) } else { (columns, rows) };
        let (a_rows, a_columns) = stored(self.operations[0], m, k);
        let (b_rows, b_columns) = stored(self.operations[1], k, n);
        let (lda, ldb, ldc, ldd) = (a_rows + 3, b_rows, m + 1, m + 2);
        let (stride_a, stride_b) = (lda * a_columns + 5, if self.broadcast { 0 } else { ldb * b_columns });
        let (stride_c, stride_d) = (ldc * n, ldd * n + 1);
        let (a_bytes, a) = encode(&numbers(stride_a * self.batch, 1), of_a);
        let (b_bytes, b) = encode(&numbers((ldb * b_columns * self.batch).max(1), 2), of_a);
        let mut c_numbers = numbers(stride_c * self.batch, 3);
        if self.beta == 0.0 {
            // Must not be read.
            c_numbers.fill(f64::NAN);
        }
        let (c_bytes, c) = encode(&c_numbers, of_c);
        let before = numbers(stride_d * self.batch, 4);
        let (d_bytes, d_before) = encode(&before, of_c);
        let [a_at, b_at, c_at, d_at] = [&a_bytes, &b_bytes, &c_bytes, &d_bytes].map(|bytes| upload(bytes));
        let scalar = |value: f64| encode(&[value], compute).0;
        let (alpha, beta) = (scalar(self.alpha), scalar(self.beta));
        let int = |n: usize| n as i32;
        let result = blas!(rocblas_gemm_strided_batched_ex(
            handle.0,
            self.operations[0],
            self.operations[1],
            int(m),
            int(n),
            int(k),
            alpha.as_ptr().cast(),
            a_at,
            of_a,
            int(lda),
            stride_a as i64,
            b_at,
            of_a,
            int(ldb),
            stride_b as i64,
            beta.as_ptr().cast(),
            c_at,
            of_c,
            int(ldc),
            stride_c as i64,
            d_at,
            of_c,
            int(ldd),
            stride_d as i64,
            int(self.batch),
            compute,
            rocblas_gemm_algo_::rocblas_gemm_algo_standard,
            0,
            0
        ));
        assert_eq!(result, status::rocblas_status_success, "{self:?}");
        ok!(hipDeviceSynchronize());
        let got = decode(&download(d_at, d_bytes.len()), of_c);

        let mut want = d_before;
        let mut slack = vec![0.0; want.len()];
        for index in 0..self.batch {
            for column in 0..n {
                for row in 0..m {
                    let (mut sum, mut magnitude) = (0.0, 0.0);
                    for l in 0..k {
                        let (i, j) = stored(self.operations[0], row, l);
                        let (p, q) = stored(self.operations[1], l, column);
                        let term = a[index * stride_a + i + j * lda] * b[index * stride_b + p + q * ldb];
                        sum += term;
                        magnitude += term.abs();
                    }
                    let old = c[index * stride_c + row + column * ldc];
                    let mut value = self.alpha * sum;
                    if self.beta != 0.0 {
                        value += self.beta * old;
                        magnitude += old.abs();
                    }
                    let at = index * stride_d + row + column * ldd;
                    want[at] = value;
                    // Any order of k additions, then one rounding to the result's type.
                    let (sums, result) = match (compute, of_c) {
                        (F64, _) => (f64::EPSILON, f64::EPSILON),
                        (_, F16) => (f64::from(f32::EPSILON), f16::EPSILON.to_f64()),
                        (_, BF16) => (f64::from(f32::EPSILON), bf16::EPSILON.to_f64()),
                        _ => (f64::from(f32::EPSILON), f64::from(f32::EPSILON)),
                    };
                    slack[at] = (k + 3) as f64 * sums * magnitude + result * value.abs() + 1e-7;
                }
            }
        }
        for (at, ((got, want), slack)) in got.iter().zip(&want).zip(&slack).enumerate() {
            assert!((got - want).abs() <= *slack, "{self:?} at {at}: got {got}, want {want} within {slack}");
        }
        for address in [a_at, b_at, c_at, d_at] {
            ok!(hipFree(address));
        }
    }
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { types, operations, size, batch, broadcast, alpha, beta } = self;
        write!(f, "{types:?} {operations:?} {size:?} x {batch}, broadcast {broadcast}, {alpha} {beta}")
    }
}

#[test]
fn products() {
    let handle = Handle::new();
    let types = [
        [F32, F32, F32],
        [F64, F64, F64],
        [F16, F16, F32],
        [F16, F16, F16],
        [BF16, BF16, F32],
        [F16, F32, F32],
        [BF16, F32, F32],
    ];
    for types in types {
        for operations in [[NONE, NONE], [NONE, TRANSPOSE], [TRANSPOSE, NONE], [TRANSPOSE, TRANSPOSE]] {
            for (size, batch) in
                [([1, 1, 1], 1), ([5, 7, 3], 3), ([33, 1, 70], 2), ([1, 19, 40], 1), ([2, 3, 0], 2)]
            {
                for (alpha, beta) in [(1.0, 0.0), (-0.5, 0.75), (0.0, 2.0), (0.0, 0.0)] {
                    let broadcast = batch == 3;
                    Problem { types, operations, size, batch, broadcast, alpha, beta }.run(&handle);
                }
            }
        }
    }
    // Large enough for several threads.
    let size = [130, 65, 129];
    let types = [F32, F32, F32];
    Problem { types, operations: [NONE; 2], size, batch: 1, broadcast: false, alpha: 1.0, beta: 0.0 }
        .run(&handle);
}

#[test]
fn typed_functions() {
    let handle = Handle::new();
    let a = upload(&encode(&[1.0, 2.0, 3.0, 4.0], F64).0);
    let d = malloc(4 * 8);
    let [one, zero] = [1.0f64, 0.0];
    let (r#in, out) = (a.cast::<f64>(), d.cast::<f64>());
    let result = blas!(rocblas_dgemm(handle.0, NONE, NONE, 2, 2, 2, &one, r#in, 2, r#in, 2, &zero, out, 2));
    assert_eq!(result, status::rocblas_status_success);
    assert_eq!(decode(&download(d, 32), F64), [7.0, 10.0, 15.0, 22.0]);
    let half_a = upload(&encode(&[1.0, 2.0, 3.0, 4.0], F16).0);
    let [one, zero] = [1.0, 0.0].map(|v| rocblas_half { data: f16::from_f64(v).to_bits() });
    let (r#in, out) = (half_a.cast(), d.cast());
    let result = blas!(rocblas_hgemm_strided_batched(
        handle.0, TRANSPOSE, NONE, 1, 1, 2, &one, r#in, 2, 2, r#in, 2, 2, &zero, out, 1, 1, 2
    ));
    assert_eq!(result, status::rocblas_status_success);
    assert_eq!(decode(&download(d, 4), F16), [5.0, 25.0]);
    let single = upload(&encode(&[3.0], F32).0).cast::<f32>();
    let [one, zero] = [1.0f32, 0.0];
    let result =
        blas!(rocblas_sgemm(handle.0, NONE, NONE, 1, 1, 1, &one, single, 1, single, 1, &zero, d.cast(), 1));
    assert_eq!(result, status::rocblas_status_success);
    assert_eq!(decode(&download(d, 4), F32), [9.0]);
}

#[test]
fn scalars_on_the_device() {
    let handle = Handle::new();
    let mode = rocblas_pointer_mode_::rocblas_pointer_mode_device;
    assert_eq!(blas!(rocblas_set_pointer_mode(handle.0, mode)), status::rocblas_status_success);
    let numbers = upload(&encode(&[2.0, 3.0, 10.0], F32).0).cast::<f32>();
    let (two, three, ten) = (numbers, numbers.wrapping_add(1), numbers.wrapping_add(2));
    // 2 * (3 * 3) + 3 * 10
    let result = blas!(rocblas_sgemm(handle.0, NONE, NONE, 1, 1, 1, two, three, 1, three, 1, three, ten, 1));
    assert_eq!(result, status::rocblas_status_success);
    assert_eq!(decode(&download(ten.cast(), 4), F32), [48.0]);
}

#[test]
fn products_are_queued() {
    let _alone = exclusive();
    let handle = Handle::new();
    let stream = stream(1);
    assert_eq!(blas!(rocblas_set_stream(handle.0, stream)), status::rocblas_status_success);
    let x = upload(&encode(&[3.0], F32).0).cast::<f32>();
    let mut factor = 2.0f32;
    let gate = gate();
    gate.block(stream);
    let result = blas!(rocblas_sgemm(handle.0, NONE, NONE, 1, 1, 1, &factor, x, 1, x, 1, &0.0, x, 1));
    assert_eq!(result, status::rocblas_status_success);
    // Factors on the host were read by the call.
    factor = 5.0;
    assert_eq!(decode(&download(x.cast(), 4), F32), [3.0], "{factor}");
    gate.open();
    ok!(hipStreamSynchronize(stream));
    assert_eq!(decode(&download(x.cast(), 4), F32), [18.0]);
    ok!(hipStreamDestroy(stream));
    let result = blas!(rocblas_sgemm(handle.0, NONE, NONE, 1, 1, 1, &factor, x, 1, x, 1, &0.0, x, 1));
    assert_eq!(result, status::rocblas_status_internal_error);
}

#[test]
fn wrong_arguments() {
    let handle = Handle::new();
    let x = upload(&[0; 64]).cast::<f32>();
    let null = ptr::null_mut::<f32>();
    let (one, zero) = (1.0f32, 0.0f32);
    let call =
        |handle, operation, [m, n, k]: [i32; 3], [a, b, c]: [*mut f32; 3], [lda, ldb, ldc]: [i32; 3]| {
            blas!(rocblas_sgemm(handle, operation, NONE, m, n, k, &one, a, lda, b, ldb, &zero, c, ldc))
        };
    use status as s;
    let cases = [
        (call(ptr::null_mut(), NONE, [1; 3], [x; 3], [1; 3]), s::rocblas_status_invalid_handle),
        (call(handle.0, rocblas_operation_(7), [1; 3], [x; 3], [1; 3]), s::rocblas_status_invalid_value),
        (call(handle.0, NONE, [-1, 1, 1], [x; 3], [1; 3]), s::rocblas_status_invalid_size),
        (call(handle.0, NONE, [2, 1, 1], [x; 3], [1, 1, 2]), s::rocblas_status_invalid_size),
        (call(handle.0, TRANSPOSE, [2, 1, 3], [x; 3], [2, 3, 2]), s::rocblas_status_invalid_size),
        (call(handle.0, NONE, [2, 2, 2], [x; 3], [2, 2, 1]), s::rocblas_status_invalid_size),
        (call(handle.0, NONE, [1; 3], [null, x, x], [1; 3]), s::rocblas_status_invalid_pointer),
        (call(handle.0, NONE, [1; 3], [x, x, null], [1; 3]), s::rocblas_status_invalid_pointer),
        // Nothing to do: nothing is needed.
        (call(handle.0, NONE, [0, 1, 1], [null; 3], [1; 3]), s::rocblas_status_success),
        // C = 0 needs neither A nor B.
        (call(handle.0, NONE, [1, 1, 0], [null, null, x], [1; 3]), s::rocblas_status_success),
        (
            blas!(rocblas_sgemm(handle.0, NONE, NONE, 1, 1, 1, ptr::null(), x, 1, x, 1, &zero, x, 1)),
            s::rocblas_status_invalid_pointer,
        ),
    ];
    for (index, (got, want)) in cases.into_iter().enumerate() {
        assert_eq!(got, want, "case {index}");
    }
    let at: *mut c_void = x.cast();
    let mixed = |of_b, of_c, compute, ldd| {
        blas!(rocblas_gemm_ex(
            handle.0,
            NONE,
            NONE,
            2,
            2,
            2,
            at,
            at,
            F16,
            2,
            at,
            of_b,
            2,
            at,
            at,
            of_c,
            2,
            at,
            of_c,
            ldd,
            compute,
            rocblas_gemm_algo_::rocblas_gemm_algo_standard,
            0,
            0
        ))
    };
    assert_eq!(mixed(BF16, F32, F32, 2), s::rocblas_status_not_implemented);
    assert_eq!(mixed(F16, F64, F64, 2), s::rocblas_status_not_implemented);
    assert_eq!(
        mixed(F16, rocblas_datatype_::rocblas_datatype_i8_r, F32, 2),
        s::rocblas_status_not_implemented
    );
    // In place, with different layouts.
    assert_eq!(mixed(F16, F32, F32, 3), s::rocblas_status_invalid_value);
    // Serialised, so that no product of this test is running when others check for faults.
    ok!(hipDeviceSynchronize());
}

#[test]
fn handles_and_versions() {
    let gone = Handle::new().0;
    assert_eq!(blas!(rocblas_destroy_handle(gone)), status::rocblas_status_invalid_handle);
    assert_eq!(blas!(rocblas_create_handle(ptr::null_mut())), status::rocblas_status_invalid_handle);
    let handle = Handle::new();
    let (stream, mut got) = (stream(0), NULL);
    assert_eq!(blas!(rocblas_set_stream(handle.0, stream)), status::rocblas_status_success);
    assert_eq!(blas!(rocblas_get_stream(handle.0, &mut got)), status::rocblas_status_success);
    assert_eq!(got, stream);
    ok!(hipStreamDestroy(stream));
    assert_eq!(blas!(rocblas_set_stream(handle.0, stream)), status::rocblas_status_invalid_value);
    let mut len = 0;
    assert_eq!(blas!(rocblas_get_version_string_size(&mut len)), status::rocblas_status_success);
    let mut text = vec![0; len];
    assert_eq!(
        blas!(rocblas_get_version_string(text.as_mut_ptr(), len - 1)),
        status::rocblas_status_invalid_size
    );
    assert_eq!(blas!(rocblas_get_version_string(text.as_mut_ptr(), len)), status::rocblas_status_success);
    let name = blas!(rocblas_status_to_string(status::rocblas_status_invalid_size));
    // SAFETY: both are C strings: the buffer was filled, the name is a constant.
    let (version, name) = unsafe { (CStr::from_ptr(text.as_ptr()), CStr::from_ptr(name)) };
    assert!(version.to_str().unwrap().starts_with("4."), "{version:?}");
    assert_eq!(name, c"rocblas_status_invalid_size");
}

/// A matrix out of bounds is reported when the stream reaches the product, as a fault of the device.
#[test]
fn matrices_that_are_not_there() {
    let _alone = exclusive();
    ok!(hipSetDevice(1));
    let handle = Handle::new();
    let short = upload(&[0; 15]).cast::<f32>();
    let result =
        blas!(rocblas_sgemm(handle.0, NONE, NONE, 2, 2, 2, &1.0, short, 2, short, 2, &0.0, short, 2));
    assert_eq!(result, status::rocblas_status_success);
    fails!(hipErrorIllegalAddress, hipDeviceSynchronize());
    let why = candle_rocm_host::last_fault().unwrap();
    assert!(why.contains("rocblas_sgemm") && why.contains("matrix D"), "{why}");
    ok!(hipDeviceReset());
    ok!(hipSetDevice(0));
}
