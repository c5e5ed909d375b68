//! Which kernels elementwise operations and copies launch for each way in which operands lie in memory: launches.txt has them,
//! and a change of it is a change of speed. `CANDLE_ROCM_WRITE_LAUNCHES=1` writes the file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{Add, CmpOp, Exp, Maximum};
use candle_core::scalar::Scalar;
use candle_core::{DType, Layout, Result, Shape};
use candle_rocm::platform::HOST;
use candle_rocm::{RocmDevice, RocmStorage, nn};

use crate::common;

type Operand<'a> = (&'a RocmStorage, &'a Layout);

/// Fewer and more elements than make a transposed operand large.
const SIDES: [usize; 2] = [40, 1100];

/// Letters for the layouts of a square matrix: contiguous, at an offset, transposed, every second element, one row or one
/// column or one element for all, rows narrowed from longer ones.
fn layouts(side: usize) -> [(char, Layout); 8] {
    let view = |stride: [usize; 2], offset| Layout::new((side, side).into(), stride.to_vec(), offset);
    [
        ('c', view([side, 1], 0)),
        ('o', view([side, 1], 3)),
        ('t', view([1, side], 0)),
        ('s', view([2 * side, 2], 0)),
        ('r', view([0, 1], 0)),
        ('k', view([1, 0], 0)),
        ('e', view([0, 0], 0)),
        ('n', view([side + 3, 1], 0)),
    ]
}

struct Op {
    name: &'static str,
    dtypes: &'static [DType],
    operands: usize,
    run: fn(&[Operand<'_>]) -> Result<()>,
}

const BOTH: &[DType] = &[DType::F32, DType::U8];
const FLOAT: &[DType] = &[DType::F32];

const OPS: [Op; 11] = [
    Op { name: "affine", dtypes: BOTH, operands: 1, run: |x| x[0].0.affine(x[0].1, 2.0, 1.0).map(drop) },
    Op { name: "exp", dtypes: FLOAT, operands: 1, run: |x| x[0].0.unary_impl::<Exp>(x[0].1).map(drop) },
    Op { name: "powf", dtypes: FLOAT, operands: 1, run: |x| x[0].0.powf(x[0].1, 1.5).map(drop) },
    Op { name: "square", dtypes: FLOAT, operands: 1, run: |x| x[0].0.powf(x[0].1, 2.0).map(drop) },
    Op {
        name: "to_dtype",
        dtypes: BOTH,
        operands: 1,
        run: |x| x[0].0.to_dtype(x[0].1, DType::F16).map(drop),
    },
    Op { name: "copy", dtypes: BOTH, operands: 1, run: copy },
    Op { name: "const_set", dtypes: BOTH, operands: 1, run: const_set },
    Op {
        name: "add",
        dtypes: BOTH,
        operands: 2,
        run: |x| x[0].0.binary_impl::<Add>(x[1].0, x[0].1, x[1].1).map(drop),
    },
    Op {
        name: "maximum",
        dtypes: FLOAT,
        operands: 2,
        run: |x| x[0].0.binary_impl::<Maximum>(x[1].0, x[0].1, x[1].1).map(drop),
    },
    Op {
        name: "lt",
        dtypes: FLOAT,
        operands: 2,
        run: |x| x[0].0.cmp(CmpOp::Lt, x[1].0, x[0].1, x[1].1).map(drop),
    },
    Op {
        name: "sigmoid_backward",
        dtypes: FLOAT,
        operands: 2,
        run: |x| Ok(nn::sigmoid_backward(x[0], x[1]).map(drop)?),
    },
];

fn copy(x: &[Operand<'_>]) -> Result<()> {
    let (src, layout) = x[0];
    let mut dst = src.device().zeros_impl(layout.shape(), src.dtype())?;
    src.copy_strided_src(&mut dst, 0, layout)
}

fn const_set(x: &[Operand<'_>]) -> Result<()> {
    let (src, layout) = x[0];
    let mut dst = src.try_clone(layout)?;
    dst.const_set(Scalar::zero(src.dtype()), layout)
}

/// The kernels of one call; a copy by the runtime is none.
fn launched(device: &RocmDevice, op: &Op, operands: &[Operand<'_>]) -> String {
    device.synchronize().expect("nothing failed");
    (op.run)(operands).unwrap_or_else(|error| panic!("{}: {error}", op.name));
    device.stream().recent_kernels().join(" + ")
}

fn table(device: &RocmDevice) -> String {
    let mut table = String::new();
    for op in OPS {
        for (&dtype, side) in op.dtypes.iter().flat_map(|dtype| SIDES.map(|side| (dtype, side))) {
            let layouts = layouts(side);
            let memory = device.zeros_impl(&Shape::from(2 * side * side + 3 * side), dtype).expect("memory");
            let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (first, x) in &layouts {
                if op.operands == 1 {
                    let kernels = launched(device, &op, &[(&memory, x)]);
                    groups.entry(kernels).or_default().push(first.to_string());
                    continue;
                }
                for (second, y) in &layouts {
                    let kernels = launched(device, &op, &[(&memory, x), (&memory, y)]);
                    groups.entry(kernels).or_default().push(format!("{first}{second}"));
                }
            }
            writeln!(table, "{} of {side} x {side} {}", op.name, dtype.as_str()).expect("memory");
            for (kernels, layouts) in groups {
                let kernels = if kernels.is_empty() { "no kernel" } else { &kernels };
                writeln!(table, "  {kernels}: {}", layouts.join(" ")).expect("memory");
            }
        }
    }
    table
}

#[test]
fn kernels_by_layout() {
    let devices = common::devices();
    let Some(device) = devices.first().filter(|device| device.platform() == HOST) else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/elementwise/launches.txt");
    device.set_fusion(candle_rocm::Fusion::Off);
    let table = table(device);
    if std::env::var_os("CANDLE_ROCM_WRITE_LAUNCHES").is_some() {
        std::fs::write(&path, &table).expect("launches.txt is written");
    }
    let known = std::fs::read_to_string(&path).expect("launches.txt");
    for (line, (got, want)) in table.lines().zip(known.lines()).enumerate() {
        assert_eq!(got, want, "line {} of launches.txt", line + 1);
    }
    assert_eq!(table.lines().count(), known.lines().count());
}
