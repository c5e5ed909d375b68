//! Kernels of tiles: of each size, in each order, and with each epilogue.

use candle_core::Layout;
use candle_core::backend::BackendStorage;
use candle_core::op::{Add, Gelu, GeluErf, Relu, Silu};
use candle_core::quantized::GgmlDType as G;
use candle_rocm::RocmDevice;
use candle_rocm::hip::{Buffer, LaunchConfig};
use candle_rocm::products::Activation;
use candle_rocm::quantized::{Algorithm, BlockType};
use rocm_kernels::{Module, QUANTIZED_GRID_MAT_MAT, QUANTIZED_MAT_MAT};

use crate::common;
use crate::weights::{
    activations, bits, blocks, download, gate_by_gate, kernel_name, module_of, multiplied, near, products,
    q8_steps, seen, tiles_of, upload, weights_of,
};

/// Matrices of a type and vectors in device memory, and how their products are launched.
struct Operands {
    device: RocmDevice,
    dtype: BlockType,
    sizes: [usize; 3],
    weights: Vec<Buffer<u8>>,
    x: Buffer<u8>,
    want: Vec<(f64, f64)>,
}

/// An addend, the distance of its rows, and an activation.
type Epilogue<'a> = (Option<&'a Buffer<f32>>, usize, u32);
const NONE: Epilogue<'_> = (None, 0, 0);

impl Operands {
    fn new(device: &RocmDevice, dtype: BlockType, sizes: [usize; 3], matrices: u64) -> Self {
        let [columns, rows, vectors] = sizes;
        let data: Vec<_> =
            (0..matrices).map(|i| blocks(dtype, rows * columns / dtype.block_size(), 42 + i)).collect();
        let x = activations(vectors * columns, 43);
        let want = products(&weights_of(dtype, &data[0]), columns, &seen(Algorithm::Tiles, &x));
        let weights = data.iter().map(|data| device.upload(data).expect("upload")).collect();
        let x = device.upload(&q8_steps(&x, columns)).expect("upload");
        Self { device: device.clone(), dtype, sizes, weights, x, want }
    }

    fn module(&self) -> &'static Module {
        module_of(self.dtype, [&QUANTIZED_MAT_MAT, &QUANTIZED_GRID_MAT_MAT])
    }

    /// The results of a kernel, which writes nothing behind them.
    fn run(
        &self,
        kernel: &str,
        matrices: &[usize],
        grid: [u32; 2],
        epilogue: Option<Epilogue<'_>>,
    ) -> Vec<f32> {
        let [_, rows, vectors] = self.sizes;
        let mut out = self.device.upload(&vec![f32::NAN; 2 * vectors * rows]).expect("upload");
        let mut launch = self.device.launch(self.module(), kernel);
        matrices.iter().for_each(|&i| _ = launch.buffer(&self.weights[i], 0));
        launch.buffer(&self.x, 0).buffer_mut(&mut out, 0);
        self.sizes.iter().for_each(|&size| _ = launch.arg(&(size as u32)));
        if let Some((addend, stride, activation)) = epilogue {
            match addend {
                Some(addend) => launch.buffer(addend, 1),
                None => launch.null(),
            };
            launch.arg(&(stride as u32)).arg(&activation);
        }
        let config = LaunchConfig { grid: [grid[0], grid[1], 1], block: [256, 1, 1], shared_bytes: 0 };
        // SAFETY: tiles_*_*(blocks, y, out, columns, rows, vectors, addend, its stride, activation), tiles_silu_mul_*_*(gate, up, y, out,
        // columns, rows, vectors): all were made for these sizes, and what is added from element 1 on, too.
        unsafe { launch.run(config) }.expect("tiles");
        let mut out = self.device.download(&out).expect("download");
        let behind = out.split_off(vectors * rows);
        assert!(behind.iter().all(|v| v.is_nan()), "{kernel} {:?}: a result after the last", self.sizes);
        out
    }

    fn tiles(&self, matrix: usize, wide: usize, grid: [u32; 2], epilogue: Epilogue<'_>) -> Vec<f32> {
        let name = format!("tiles_{}_{wide}", kernel_name(self.dtype));
        self.run(&name, &[matrix], grid, Some(epilogue))
    }
}

/// Of blocks of 32, an odd number of steps, the last of which is half; of larger ones, each of their steps.
fn columns_of(dtype: BlockType) -> usize {
    if dtype.block_size() == 32 { 5 * 32 } else { 2 * dtype.block_size() }
}

/// Tiles of each size, by one block and by more than there are, with rows, vectors and columns that fill none.
#[test]
fn tiles_of_any_size() {
    for device in common::devices() {
        for dtype in multiplied() {
            for (high, wide) in tiles_of(&device) {
                for (rows, vectors, grid) in [(high + 3, wide + 1, [1, 1]), (5, 3, [2, 2])] {
                    let operands = Operands::new(&device, dtype, [columns_of(dtype), rows, vectors], 1);
                    let what = format_args!("{dtype:?} {wide}: {:?}", operands.sizes);
                    near(&operands.tiles(0, wide, grid, NONE), &operands.want, what);
                }
            }
        }
    }
}

/// Tiles along the vectors in more than one band of them, the last of which is not full.
#[test]
fn bands_of_tiles() {
    for device in common::devices() {
        let (high, wide) = tiles_of(&device)[0];
        let operands = Operands::new(&device, G::Q4_0.into(), [32, high + 1, 18 * wide + 1], 1);
        // As many blocks as tiles, and fewer.
        for grid in [[2, 19], [3, 11]] {
            near(&operands.tiles(0, wide, grid, NONE), &operands.want, format_args!("{grid:?}"));
        }
    }
}

/// The same bits as separate operations, by fewer blocks than there are tiles.
#[test]
fn epilogues() {
    for device in common::devices() {
        for (high, wide) in tiles_of(&device) {
            let (rows, vectors) = (high + 3, 2 * wide + 1);
            let operands = Operands::new(&device, G::Q4_0.into(), [96, rows, vectors], 1);
            let plain = upload(&device, &operands.tiles(0, wide, [1, 1], NONE));
            // Not aligned, and with rows that are further apart than they are long.
            let stride = rows + 2;
            let mut added = activations(vectors * stride + 1, 44);
            (added[3], added[rows + 1], added[stride + 4]) = (f32::NAN, f32::NEG_INFINITY, -0.0);
            let (memory, buffer) = (upload(&device, &added), device.upload(&added).expect("upload"));
            let whole = Layout::contiguous((vectors, rows));
            let addends = [None, Some(0), Some(stride)];
            let activations = [
                None,
                Some(Activation::Relu),
                Some(Activation::Gelu),
                Some(Activation::GeluErf),
                Some(Activation::Silu),
            ];
            for (addend, activation) in addends.iter().flat_map(|&addend| activations.map(|a| (addend, a))) {
                let epilogue = (
                    addend.map(|_| &buffer),
                    addend.unwrap_or(0),
                    activation.map_or(0, |number| number as u32),
                );
                let got = operands.tiles(0, wide, [1, 2], epilogue);
                let sum = addend.map(|stride| {
                    let layout = Layout::new((vectors, rows).into(), vec![stride, 1], 1);
                    plain.binary_impl::<Add>(&memory, &whole, &layout).expect("add")
                });
                let sum = sum.as_ref().unwrap_or(&plain);
                let activated = activation.map(|activation| match activation {
                    Activation::Relu => sum.unary_impl::<Relu>(&whole),
                    Activation::Gelu => sum.unary_impl::<Gelu>(&whole),
                    Activation::GeluErf => sum.unary_impl::<GeluErf>(&whole),
                    Activation::Silu => sum.unary_impl::<Silu>(&whole),
                });
                let activated = activated.transpose().expect("activation");
                let want = download::<f32>(activated.as_ref().unwrap_or(sum));
                assert_eq!(bits(&got), bits(&want), "{wide}, {addend:?}, {activation:?}");
            }
        }
    }
}

/// A gate and what it gates, with rows that end in the middle of a fragment of either.
#[test]
fn gates() {
    for device in common::devices() {
        let Some((high, wide)) = tiles_of(&device).pop().filter(|&(_, wide)| wide == 128) else { continue };
        for dtype in multiplied() {
            for (rows, vectors, grid) in [(high / 2 + 19, wide + 1, [1, 1]), (5, 3, [2, 2])] {
                let operands = Operands::new(&device, dtype, [columns_of(dtype), rows, vectors], 2);
                let name = format!("tiles_silu_mul_{}_{wide}", kernel_name(dtype));
                let got = operands.run(&name, &[0, 1], grid, None);
                let one = |matrix| upload(&device, &operands.tiles(matrix, wide, grid, NONE));
                let want = download::<f32>(&gate_by_gate(&one(0), &one(1)));
                assert_eq!(bits(&got), bits(&want), "{name}: {:?}", operands.sizes);
            }
        }
    }
}
