//! Every candidate gives what the others give, and is the one that was chosen.

use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use candle_rocm::quantized::{Algorithm, QStorage};
use candle_rocm::{GemmEngine, RocmDevice, RocmError, Tuning};

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
            if cfg!(feature = "rocblas") {
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
                        if candidate != "half" || cfg!(feature = "rocblas") {
                            assert_eq!(by_choice, by_name, "{context}");
                        }
                    }
                }
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
