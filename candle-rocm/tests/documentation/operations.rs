//! The table of operations, dtypes and engines in docs/book/src/operations.md, made by running each operation with each dtype on the CPU
//! platform, and compared with what is there. `cargo xtask ops-table --write` runs this test so that it writes instead.

use std::fs;
use std::path::Path;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::*;
use candle_core::{DType, Layout, Result, Shape};
use candle_rocm::joined::{Wanted, group_norm_with};
use candle_rocm::platform::HOST;
use candle_rocm::{Convolution, RocmDevice, RocmError, RocmStorage, nn};

use crate::common;

const COLUMNS: [(DType, &str); 10] = [
    (DType::U8, "u8"),
    (DType::U32, "u32"),
    (DType::I16, "i16"),
    (DType::I32, "i32"),
    (DType::I64, "i64"),
    (DType::F16, "f16"),
    (DType::BF16, "bf16"),
    (DType::F32, "f32"),
    (DType::F64, "f64"),
    (DType::F8E4M3, "f8"),
];

const BEGIN: &str = "<!-- made by cargo xtask ops-table --write -->\n";
const END: &str = "<!-- end of what is made -->\n";

/// What an operation is run on: storages full of ones.
struct Ones<'a> {
    device: &'a RocmDevice,
    dtype: DType,
}

impl Ones<'_> {
    fn of(&self, dtype: DType, len: usize) -> Result<RocmStorage> {
        self.device
            .zeros_impl(&Shape::from(len), DType::U8)?
            .affine(&flat(len), 0., 1.)?
            .to_dtype(&flat(len), dtype)
    }

    fn ones(&self, len: usize) -> Result<RocmStorage> {
        self.of(self.dtype, len)
    }

    fn unary<B: UnaryOpT>(&self) -> Result<()> {
        drop(self.ones(16)?.unary_impl::<B>(&flat(16))?);
        Ok(())
    }

    fn binary<B: BinaryOpT>(&self) -> Result<()> {
        drop(self.ones(16)?.binary_impl::<B>(&self.ones(16)?, &flat(16), &flat(16))?);
        Ok(())
    }

    fn reduce(&self, op: ReduceOp) -> Result<()> {
        drop(self.ones(16)?.reduce_op(op, &Layout::contiguous((4, 4)), &[1])?);
        Ok(())
    }

    fn convolve(&self, rank: usize, transposed: bool) -> Result<()> {
        let (input, kernel) = match rank {
            1 => (Layout::contiguous((1, 2, 36)), Layout::contiguous((2, 2, 3))),
            _ => (Layout::contiguous((1, 2, 6, 6)), Layout::contiguous((2, 2, 3, 3))),
        };
        let weights = self.ones(kernel.shape().elem_count())?;
        let params = Convolution { transposed, ..Default::default() };
        drop(self.ones(72)?.convolve(&input, (&weights, &kernel), &params)?);
        Ok(())
    }

    /// `f` with the angles that it takes.
    fn rope(&self, f: impl Fn(&RocmStorage, &Layout, Operand<'_>, Operand<'_>) -> Made) -> Result<()> {
        let (x, angles) = (Layout::contiguous((1, 2, 2, 4)), Layout::contiguous((2, 2)));
        let (cos, sin) = (self.ones(4)?, self.ones(4)?);
        drop(f(&self.ones(16)?, &x, (&cos, &angles), (&sin, &angles))?);
        Ok(())
    }
}

type Operand<'a> = (&'a RocmStorage, &'a Layout);
type Made = std::result::Result<RocmStorage, RocmError>;
type Run = fn(&Ones<'_>) -> Result<()>;

fn made(result: Made) -> Result<()> {
    drop(result?);
    Ok(())
}

fn flat(len: usize) -> Layout {
    Layout::contiguous(len)
}

/// The operations: neighbours with the same dtypes share a line. The letter is that of the library which computes where
/// no kernel of ours was launched.
fn operations() -> Vec<(&'static str, char, Run)> {
    vec![
        ("abs", '?', |x| x.unary::<Abs>()),
        ("neg", '?', |x| x.unary::<Neg>()),
        ("sqr", '?', |x| x.unary::<Sqr>()),
        ("relu", '?', |x| x.unary::<Relu>()),
        ("sign", '?', |x| x.unary::<Sign>()),
        ("ceil", '?', |x| x.unary::<Ceil>()),
        ("floor", '?', |x| x.unary::<Floor>()),
        ("round", '?', |x| x.unary::<Round>()),
        ("exp", '?', |x| x.unary::<Exp>()),
        ("log", '?', |x| x.unary::<Log>()),
        ("sin", '?', |x| x.unary::<Sin>()),
        ("cos", '?', |x| x.unary::<Cos>()),
        ("tanh", '?', |x| x.unary::<Tanh>()),
        ("recip", '?', |x| x.unary::<Recip>()),
        ("sqrt", '?', |x| x.unary::<Sqrt>()),
        ("erf", '?', |x| x.unary::<Erf>()),
        ("gelu", '?', |x| x.unary::<Gelu>()),
        ("gelu_erf", '?', |x| x.unary::<GeluErf>()),
        ("silu", '?', |x| x.unary::<Silu>()),
        ("powf", '?', |x| x.ones(16)?.powf(&flat(16), 1.5).map(drop)),
        ("elu", '?', |x| x.ones(16)?.elu(&flat(16), 1.5).map(drop)),
        ("affine", '?', |x| x.ones(16)?.affine(&flat(16), 2., 1.).map(drop)),
        ("add", '?', |x| x.binary::<Add>()),
        ("sub", '?', |x| x.binary::<Sub>()),
        ("mul", '?', |x| x.binary::<Mul>()),
        ("div", '?', |x| x.binary::<Div>()),
        ("maximum", '?', |x| x.binary::<Maximum>()),
        ("minimum", '?', |x| x.binary::<Minimum>()),
        ("cmp", '?', |x| x.ones(16)?.cmp(CmpOp::Lt, &x.ones(16)?, &flat(16), &flat(16)).map(drop)),
        ("where_cond", '?', |x| {
            x.of(DType::U8, 16)?
                .where_cond(&flat(16), &x.ones(16)?, &flat(16), &x.ones(16)?, &flat(16))
                .map(drop)
        }),
        ("to_dtype", '?', |x| x.ones(16)?.to_dtype(&flat(16), DType::F32).map(drop)),
        ("copy_strided_src", '?', |x| {
            let layout = Layout::contiguous((2, 2, 4)).transpose(0, 2)?;
            x.ones(16)?.copy_strided_src(&mut x.ones(16)?, 0, &layout)
        }),
        ("copy2d", '?', |x| x.ones(16)?.copy2d(&mut x.ones(16)?, 2, 3, 8, 4, 0, 0)),
        ("const_set", '?', |x| x.ones(16)?.const_set(candle_core::scalar::Scalar::one(x.dtype), &flat(16))),
        ("rand_uniform", '?', |x| x.device.rand_uniform(&Shape::from(16), x.dtype, 0., 1.).map(drop)),
        ("rand_normal", '?', |x| x.device.rand_normal(&Shape::from(16), x.dtype, 0., 1.).map(drop)),
        ("sum", '?', |x| x.reduce(ReduceOp::Sum)),
        ("min", '?', |x| x.reduce(ReduceOp::Min)),
        ("max", '?', |x| x.reduce(ReduceOp::Max)),
        ("argmin", '?', |x| x.reduce(ReduceOp::ArgMin)),
        ("argmax", '?', |x| x.reduce(ReduceOp::ArgMax)),
        ("argsort", '?', |x| made(x.ones(16)?.argsort(&flat(16), true, 16))),
        ("index_select", '?', |x| {
            x.ones(16)?.index_select(&x.of(DType::U32, 2)?, &rows_of_four(), &flat(2), 0).map(drop)
        }),
        ("gather", '?', |x| {
            x.ones(16)?.gather(&rows_of_four(), &x.of(DType::U32, 16)?, &rows_of_four(), 0).map(drop)
        }),
        ("scatter_set", '?', |x| {
            let (ids, l) = (x.of(DType::U32, 16)?, rows_of_four());
            x.ones(16)?.scatter_set(&l, &ids, &l, &x.ones(16)?, &l, 0)
        }),
        ("scatter_add_set", '?', |x| {
            let (ids, l) = (x.of(DType::U32, 16)?, rows_of_four());
            x.ones(16)?.scatter_add_set(&l, &ids, &l, &x.ones(16)?, &l, 0)
        }),
        ("index_add", '?', |x| {
            let (ids, l) = (x.of(DType::U32, 4)?, rows_of_four());
            x.ones(16)?.index_add(&l, &ids, &flat(4), &x.ones(16)?, &l, 0).map(drop)
        }),
        ("matmul", 'B', |x| {
            let l = Layout::contiguous((1, 4, 4));
            x.ones(16)?.matmul(&x.ones(16)?, (1, 4, 4, 4), &l, &l).map(drop)
        }),
        ("conv1d", 'M', |x| x.convolve(1, false)),
        ("conv2d", 'M', |x| x.convolve(2, false)),
        ("conv_transpose1d", 'M', |x| x.convolve(1, true)),
        ("conv_transpose2d", 'M', |x| x.convolve(2, true)),
        ("avg_pool2d", 'M', |x| x.ones(16)?.avg_pool2d(&image(), (2, 2), (2, 2)).map(drop)),
        ("max_pool2d", 'M', |x| x.ones(16)?.max_pool2d(&image(), (2, 2), (2, 2)).map(drop)),
        ("upsample_nearest1d", '?', |x| {
            x.ones(16)?.upsample_nearest1d(&Layout::contiguous((1, 4, 4)), 8).map(drop)
        }),
        ("upsample_nearest2d", '?', |x| x.ones(16)?.upsample_nearest2d(&image(), 8, 8).map(drop)),
        ("upsample_bilinear2d", '?', |x| {
            x.ones(16)?.upsample_bilinear2d(&image(), 8, 8, false, None, None).map(drop)
        }),
        ("softmax-last-dim", '?', |x| made(nn::softmax_last_dim(&x.ones(16)?, &rows_of_four()))),
        ("rms-norm", '?', |x| made(nn::rms_norm(&x.ones(16)?, &rows_of_four(), None, 1e-5))),
        ("layer-norm", '?', |x| made(nn::layer_norm(&x.ones(16)?, &rows_of_four(), None, None, 1e-5))),
        ("group-norm", '?', |x| {
            let (factors, channels) = (x.ones(4)?, Layout::contiguous(4));
            let factors = (&factors, &channels);
            made(nn::group_norm(&x.ones(16)?, &rows_of_four(), factors, factors, 2, 1e-5))
        }),
        ("group-norm-silu", '?', |x| {
            let (factors, channels) = (x.ones(4)?, Layout::contiguous(4));
            let factors = (&factors, &channels);
            let (x, layout) = (x.ones(16)?, rows_of_four());
            made(group_norm_with((&x, &layout), [factors; 2], 2, 1e-5, Wanted::Silu).map(|(silu, _)| silu))
        }),
        ("rope", '?', |x| x.rope(nn::rope)),
        ("rope-i", '?', |x| x.rope(nn::rope_i)),
        ("rope-thd", '?', |x| x.rope(nn::rope_thd)),
    ]
}

fn rows_of_four() -> Layout {
    Layout::contiguous((4, 4))
}

fn image() -> Layout {
    Layout::contiguous((1, 1, 4, 4))
}

/// What computes the operation: our kernel, the library, or nothing at all.
fn cell(device: &RocmDevice, dtype: DType, name: &str, library: char, run: Run) -> char {
    let what = Ones { device, dtype };
    // Operands are made by kernels, too: how often, a run that fails early or late does not change.
    let known = |kernel: &String| {
        ["affine_", "cast_", "transpose_"].iter().any(|of_operand| kernel.starts_with(of_operand))
    };
    let compute = |kernels: &[String]| kernels.iter().filter(|kernel| !known(kernel)).count();
    device.synchronize().expect("synchronize");
    let result = run(&what);
    let kernels = device.stream().recent_kernels();
    device.synchronize().expect("synchronize");
    match result {
        Ok(()) if compute(&kernels) == 0 && library != '?' => library,
        Ok(()) => '●',
        Err(error) => match RocmError::of(&error) {
            Some(RocmError::UnsupportedDType { .. }) => '·',
            _ => panic!("{name} of {dtype:?}: {error}"),
        },
    }
}

fn table(device: &RocmDevice) -> String {
    let mut lines: Vec<(Vec<&str>, Vec<char>)> = Vec::new();
    for (name, library, run) in operations() {
        let cells: Vec<char> =
            COLUMNS.iter().map(|&(dtype, _)| cell(device, dtype, name, library, run)).collect();
        match lines.last_mut() {
            Some((names, same)) if *same == cells => names.push(name),
            _ => lines.push((vec![name], cells)),
        }
    }
    let header: Vec<&str> = COLUMNS.iter().map(|&(_, name)| name).collect();
    let mut text = format!("| Operation | {} |\n|---|{}\n", header.join(" | "), ":-:|".repeat(COLUMNS.len()));
    for (names, cells) in lines {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let cells: Vec<String> = cells.iter().map(char::to_string).collect();
        text += &format!("| {} | {} |\n", names.join(" "), cells.join(" | "));
    }
    text + "\n● our kernels; B: rocBLAS; M: MIOpen; ours where these are missing or unable; · a typed error.\n"
}

#[test]
fn the_chapter_is_current() {
    if common::platform() != HOST {
        return;
    }
    let Some(device) = common::devices().into_iter().next() else { return };
    // What is refused only when it runs is no result, either.
    device.set_fusion(candle_rocm::Fusion::Off);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/src/operations.md");
    let readme = fs::read_to_string(&path).expect("operations.md");
    let (before, rest) = readme.split_once(BEGIN).expect("operations.md has a place for the table");
    let (there, after) = rest.split_once(END).expect("the table in operations.md has an end");
    let table = table(&device);
    if std::env::var_os("CANDLE_ROCM_WRITE_OPS_TABLE").is_some() {
        fs::write(&path, [before, BEGIN, &table, END, after].concat()).expect("operations.md is written");
        return;
    }
    assert!(
        there == table,
        "operations.md is not current; cargo xtask ops-table --write. It should be:\n{table}"
    );
}
