//! All that a kernel can be made of compiles.

use std::env;

use candle_core::DType;
use candle_core::op::{CmpOp, ReduceOp};
use smallvec::{SmallVec, smallvec};

use super::elementwise::Expression;
use super::rows::{Per, RowExpression};
use super::steps::{Function, Source, Step, type_name};
use super::{Code, Generated, compile};
use crate::elementwise::affine::Affine;
use crate::elementwise::binary::Binary;
use crate::elementwise::binary::Compare;
use crate::elementwise::cast::Cast;
use crate::elementwise::unary;
use crate::elementwise::unary::Elu;
use crate::elementwise::unary::Unary;
use crate::fusion::Operation;
use crate::hip::{HipError, Platform, Runtime};
use crate::layout::copy::Copied;
use crate::{RocmDevice, platform};

#[path = "../../../../rocm-hip/tests/common/process.rs"]
mod process;

const DTYPES: [DType; 9] = [
    DType::U8,
    DType::U32,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::BF16,
    DType::F16,
    DType::F32,
    DType::F64,
];

#[test]
fn all_dtypes_are_listed() {
    let others = [DType::F8E4M3, DType::F6E2M3, DType::F6E3M2, DType::F4, DType::F8E8M0];
    assert!(DTYPES.iter().all(|&dtype| type_name(dtype).is_some()));
    assert!(others.iter().all(|&dtype| type_name(dtype).is_none()));
}

/// The names of the functions in the tables of a module that begin so.
fn names(source: &'static str, tables: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    source.lines().filter_map(move |line| {
        let rest = tables.iter().find_map(|table| line.strip_prefix(table))?;
        rest.split(',').next().map(str::trim)
    })
}

/// Whatever is recorded of one or two operands of the dtype, and the result's dtype.
fn operations(of: DType) -> Vec<(Operation, DType)> {
    let unary = names(rocm_kernels::UNARY.source, &["FLOAT_UNARY(", "FLOAT_QUICK(", "UNARY_KERNEL("]);
    let unary = unary.filter(|kernel| kernel.starts_with('u') && unary::takes(kernel, of));
    let unary = unary.map(|kernel| (Operation::Unary(Unary { op: "test", kernel }), of));
    let binary = ["badd", "bsub", "bmul", "bdiv", "bmaximum", "bminimum"];
    let binary = binary.map(|kernel| (Operation::Binary(Binary { op: "test", kernel }), of));
    let compared = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge];
    let compared = compared.map(|op| (Operation::Compare(Compare(op)), DType::U8));
    let casts = DTYPES.map(|to| (Operation::Cast(Cast(to)), to));
    let mut all = vec![(Operation::Copy(Copied), of), (Operation::Affine(Affine { mul: 2., add: 1. }), of)];
    if of.is_float() {
        all.push((Operation::Elu(Elu(1.)), of));
    }
    all.extend(unary.chain(binary).chain(compared).chain(casts));
    all
}

/// A kernel with a step for each of them.
fn elementwise(of: DType) -> Code {
    let mut steps: SmallVec<[Step; 8]> = SmallVec::new();
    for (operation, dtype) in operations(of) {
        let Some((function, _)) = Function::of(&operation) else { continue };
        let sources = match function {
            Function::Binary(_) => smallvec![Source::Operand(0), Source::Operand(1)],
            _ => smallvec![Source::Operand(0)],
        };
        steps.push(Step { function, sources, dtype });
    }
    // Conditions of each dtype that is one.
    for condition in DTYPES.into_iter().filter(|dtype| !dtype.is_float()) {
        let made = |step: &Step| step.function == Function::Cast && step.dtype == condition;
        let made = steps.iter().position(made).expect("a cast") as u8;
        let sources = smallvec![Source::Step(made), Source::Operand(0), Source::Operand(1)];
        steps.push(Step { function: Function::Where, sources, dtype: of });
    }
    Code::Elementwise(Expression { operands: smallvec![of, of], steps })
}

/// A kernel with all reductions of rows.
fn rows(of: DType) -> Code {
    let reductions = [ReduceOp::Sum, ReduceOp::Min, ReduceOp::Max].into_iter().filter_map(Function::of_rows);
    let step = |function| Step { function, sources: smallvec![Source::Operand(0)], dtype: of };
    let steps: SmallVec<[Step; 8]> = reductions.map(step).collect();
    let results = (0..steps.len() as u8).map(|step| (step, Per::Row)).collect();
    let width = 16 / of.size_in_bytes();
    Code::Rows(RowExpression { operands: smallvec![(of, Per::Element)], steps, results, width, vectors: 2 })
}

/// Those of a process's only platform, if it has a device and a compiler.
fn compile_all(platform: Platform) -> Result<(), HipError> {
    let device = Runtime::get(platform)?.device(0)?;
    device.compile("probe", r#"extern "C" __global__ void probe() {}"#)?;
    for dtype in DTYPES {
        let codes = [Some(elementwise(dtype)), dtype.is_float().then(|| rows(dtype))];
        for code in codes.into_iter().flatten() {
            let compiled = compile(device, &code);
            assert!(matches!(compiled, Ok(Some(_))), "{dtype:?} on {device}: {compiled:?}");
        }
    }
    Ok(())
}

/// On the host platform, and on the one that tests are run on.
#[test]
fn all_operations_and_dtypes_compile() {
    const PLATFORM: &str = "CANDLE_ROCM_PLATFORM";
    let own = env::var(PLATFORM).unwrap_or_default();
    let other = Some(&*own).filter(|&own| !own.is_empty() && own != "host");
    // A process's runtime is of one platform.
    for name in ["host"].into_iter().chain(other) {
        let this = "fusion::generated::tests::all_operations_and_dtypes_compile";
        if process::in_child(this, &[(PLATFORM, Some(name))]) {
            let compiled = platform::named(&own).and_then(|platform| Ok(compile_all(platform)?));
            compiled.unwrap_or_else(|error| {
                process::skip(&format!("generated kernels on {own}"), &error.to_string())
            });
            return;
        }
    }
}

/// Trees are joined only if their kernel is one of those that are built in.
#[test]
fn without_a_compiler_there_are_those_that_are_built_in() {
    let device = RocmDevice::on(platform::HOST, 0).expect("the host platform");
    let generated = device.extension::<Generated>();
    assert_eq!((generated.has_compiler.set(false), generated.has_built_in.set(true)), (Ok(()), Ok(())));
    assert!(generated.has_kernels(&device));
    assert!(generated.kernel(&device, elementwise(DType::F32)).is_none());
    // Nor without any.
    let without = RocmDevice::on(platform::HOST, 0).expect("the host platform");
    let generated = without.extension::<Generated>();
    assert_eq!((generated.has_compiler.set(false), generated.has_built_in.set(false)), (Ok(()), Ok(())));
    assert!(!generated.has_kernels(&without));
    assert!(generated.kernel(&without, elementwise(DType::F32)).is_none());
}
