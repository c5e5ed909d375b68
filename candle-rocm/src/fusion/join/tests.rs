//! What a plan depends on is in its key, and what it does not depend on is not.

use candle_core::op::{CmpOp, ReduceOp};
use candle_core::quantized::GgmlDType;
use candle_core::{DType, Layout};

use super::*;
use crate::GemmEngine;
use crate::attention::{Attention, FullyMasked};
use crate::conv::{Convolution, Convolve};
use crate::elementwise::affine::Affine;
use crate::elementwise::binary::{Binary, Compare};
use crate::elementwise::cast::Cast;
use crate::elementwise::ternary::WhereCond;
use crate::elementwise::unary::{Elu, Powf, Unary};
use crate::fusion::graph::{Graph, Key, Node, Outline, Recordable as _, View};
use crate::fusion::join;
use crate::indexing::{Gather, IndexAdd, IndexSelect};
use crate::layout::cat::Cat;
use crate::layout::copy::Copied;
use crate::matmul::{GemmShape, MatMul};
use crate::nn::experts::Moe;
use crate::nn::group_norm::GroupNorm;
use crate::nn::norm::{LayerNorm, RmsNorm};
use crate::nn::rotary::Arrangement;
use crate::nn::softmax::SoftmaxLastDim;
use crate::platform::HOST;
use crate::quantized::QStorage;
use crate::reduce::Reduce;
use crate::reduce::scan::CumSum;
use crate::reduce::sort::ArgSort;
use crate::storage::{Timestamp, Value};

/// Operations as a program makes them: each reads values, of which the first are there, and the others are those operations'.
#[derive(Clone)]
struct Program {
    there: Vec<(DType, usize)>,
    operations: Vec<Recipe>,
    end: usize,
}

#[derive(Clone)]
struct Recipe {
    operation: Operation,
    operands: Vec<(usize, Layout)>,
    result: (DType, usize),
    held: bool,
}

const ROWS: usize = 4;
const COLUMNS: usize = 64;

impl Program {
    /// A residual connection and its norm, a product with a bias, and a tree of elementwise operations.
    fn new() -> Self {
        let of = |value| (value, Layout::contiguous((ROWS, COLUMNS)));
        let row = |value: usize| (value, Layout::contiguous(COLUMNS));
        let spread = Layout::new((ROWS, COLUMNS).into(), vec![0, 1], 0);
        let shape = GemmShape { batch: 1, m: ROWS, n: COLUMNS, k: COLUMNS };
        let recipe = |operation, operands: &[(usize, Layout)]| Recipe {
            operation,
            operands: operands.to_vec(),
            result: (DType::F32, ROWS * COLUMNS),
            held: false,
        };
        let binary = |kernel| Operation::Binary(Binary { op: "test", kernel });
        let unary = |kernel| Operation::Unary(Unary { op: "test", kernel });
        let there = [ROWS * COLUMNS, ROWS * COLUMNS, COLUMNS, COLUMNS * COLUMNS, COLUMNS];
        let matrix = (3, Layout::new((COLUMNS, COLUMNS).into(), vec![1, COLUMNS], 0));
        let mut operations = vec![
            recipe(binary("badd"), &[of(0), of(1)]),
            recipe(Operation::RmsNorm(RmsNorm { eps: 1e-5 }), &[of(5), row(2)]),
            recipe(Operation::MatMul(MatMul { shape }), &[of(6), matrix]),
            recipe(binary("badd"), &[of(7), (4, spread)]),
            recipe(Operation::Affine(Affine { mul: 2., add: 1. }), &[of(8)]),
            recipe(unary("usqr"), &[of(9)]),
            recipe(binary("bmul"), &[of(10), of(0)]),
            recipe(unary("uabs"), &[of(5)]),
        ];
        operations[6].held = true;
        operations[7].held = true;
        Self { there: there.map(|len| (DType::F32, len)).to_vec(), end: operations.len(), operations }
    }

    fn recorded(&self) -> (Vec<Node<Operation>>, Timestamp) {
        let mut values: Vec<Arc<Value>> =
            self.there.iter().map(|&(dtype, len)| Arc::new(Value::recorded(dtype, len))).collect();
        let mut nodes = Vec::new();
        for Recipe { operation, operands, result: (dtype, len), held } in &self.operations {
            let operands =
                operands.iter().map(|(of, layout)| (values[*of].clone(), View::new(layout.clone())));
            let (operands, result) = (operands.collect(), Arc::new(Value::recorded(*dtype, *len)));
            if !held {
                result.release();
            }
            values.push(result.clone());
            nodes.push(Node { operation: operation.clone(), operands, result });
        }
        (nodes, Timestamp::now())
    }

    fn key(&self) -> Key {
        let (nodes, at) = self.recorded();
        Graph::new(&Outline::new(&nodes, at)).key(self.end)
    }

    fn plan(&self, device: &RocmDevice, plans: &mut Plans<Action>) -> Vec<Action> {
        let (nodes, at) = self.recorded();
        join::plan(device, plans, &nodes, self.end, at)
    }
}

type Change = fn(&mut Program);

/// One thing each.
const CHANGES: &[(&str, Change)] = &[
    ("a parameter", |p| p.operations[4].operation = Operation::Affine(Affine { mul: 2.5, add: 1. })),
    ("another parameter", |p| p.operations[4].operation = Operation::Affine(Affine { mul: 2., add: -1. })),
    ("the sign of zero", |p| p.operations[4].operation = Operation::Affine(Affine { mul: 2., add: -0. })),
    ("no sign of zero", |p| p.operations[4].operation = Operation::Affine(Affine { mul: 2., add: 0. })),
    ("an epsilon", |p| p.operations[1].operation = Operation::RmsNorm(RmsNorm { eps: 1e-6 })),
    ("an operation", |p| p.operations[5].operation = Operation::Unary(Unary { op: "test", kernel: "uneg" })),
    ("a dtype that is there", |p| p.there[3].0 = DType::F16),
    ("a length that is there", |p| p.there[3].1 += 1),
    ("a result's dtype", |p| p.operations[4].result.0 = DType::F64),
    ("a result's length", |p| p.operations[4].result.1 += 1),
    ("a view's dims", |p| p.operations[4].operands[0].1 = Layout::contiguous(ROWS * COLUMNS)),
    ("a view's rank", |p| p.operations[4].operands[0].1 = Layout::contiguous((1, ROWS, COLUMNS))),
    ("a view's strides", |p| {
        p.operations[4].operands[0].1 = Layout::new((ROWS, COLUMNS).into(), vec![1, ROWS], 0);
    }),
    ("a view's offset", |p| {
        p.operations[2].operands[1].1 = Layout::new((COLUMNS, COLUMNS).into(), vec![1, COLUMNS], 1)
    }),
    ("what an operation reads", |p| p.operations[6].operands[1].0 = 1),
    ("which recorded result it reads", |p| p.operations[6].operands[1].0 = 5),
    ("that two operands are the same", |p| p.operations[0].operands[1].0 = 0),
    ("the order of operands", |p| p.operations[6].operands.swap(0, 1)),
    ("an operand more", |p| {
        let operand = p.operations[1].operands[1].clone();
        p.operations[1].operands.push(operand);
    }),
    ("a result that a tensor has", |p| p.operations[2].held = true),
    ("a result that nobody has", |p| p.operations[7].held = false),
    ("how many stay", |p| p.end -= 1),
    ("an operation more", |p| {
        let operation = p.operations[7].clone();
        p.operations.push(operation);
        p.end += 1;
    }),
];

#[test]
fn a_key_has_all_that_a_plan_depends_on() {
    let program = Program::new();
    let key = program.key();
    let mut keys = vec![("nothing", key.clone())];
    for &(what, change) in CHANGES {
        let mut changed = program.clone();
        change(&mut changed);
        keys.push((what, changed.key()));
    }
    for (i, (what, key)) in keys.iter().enumerate() {
        for (other, earlier) in &keys[..i] {
            assert!(key != earlier, "{what} and {other} have the same key");
        }
    }
    // Other values, of which nothing else is another.
    assert!(program.key() == key);
}

/// None is the beginning of another one.
#[test]
fn operations_have_words_of_their_own() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let matmul = |batch, m, n, k| Operation::MatMul(MatMul { shape: GemmShape { batch, m, n, k } });
    let weights = |dtype, shape: (usize, usize)| {
        let weights = QStorage::zeros(&device, shape.0 * shape.1, dtype).unwrap();
        Operation::QMatMul(weights.matrix("test", shape).unwrap())
    };
    let unary = |kernel| Operation::Unary(Unary { op: "test", kernel });
    let binary = |kernel| Operation::Binary(Binary { op: "test", kernel });
    let convolution = |params| Operation::Convolve(Convolve::new(params, 4));
    let attention = |scale, softcapping| {
        let fully_masked = FullyMasked::Zeros;
        Operation::Sdpa(Attention { scale, softcapping, causal: false, fully_masked })
    };
    let reduce = |op, dims: &[usize]| Operation::Reduce(Reduce { op, dims: dims.into() });
    let operations = [
        Operation::Affine(Affine { mul: 1., add: 2. }),
        Operation::Affine(Affine { mul: 2., add: 1. }),
        Operation::Powf(Powf(1.)),
        Operation::Powf(Powf(2.)),
        Operation::Elu(Elu(1.)),
        Operation::Elu(Elu(2.)),
        unary("usqr"),
        unary("uneg"),
        binary("badd"),
        binary("bmul"),
        Operation::Compare(Compare(CmpOp::Eq)),
        Operation::Compare(Compare(CmpOp::Lt)),
        Operation::Cast(Cast(DType::F16)),
        Operation::Cast(Cast(DType::F32)),
        Operation::WhereCond(WhereCond),
        Operation::Copy(Copied),
        reduce(ReduceOp::Sum, &[0]),
        reduce(ReduceOp::Max, &[0]),
        reduce(ReduceOp::Sum, &[1]),
        reduce(ReduceOp::Sum, &[0, 1]),
        matmul(1, 2, 3, 4),
        matmul(2, 2, 3, 4),
        matmul(1, 3, 3, 4),
        matmul(1, 2, 4, 4),
        matmul(1, 2, 3, 5),
        Operation::Softmax(SoftmaxLastDim),
        Operation::RmsNorm(RmsNorm { eps: 1. }),
        Operation::RmsNorm(RmsNorm { eps: 2. }),
        Operation::LayerNorm(LayerNorm { eps: 1. }),
        Operation::LayerNorm(LayerNorm { eps: 2. }),
        Operation::GroupNorm(GroupNorm { groups: 1, eps: 1. }),
        Operation::GroupNorm(GroupNorm { groups: 2, eps: 1. }),
        Operation::GroupNorm(GroupNorm { groups: 1, eps: 2. }),
        Operation::Rope(Arrangement::Halves),
        Operation::Rope(Arrangement::Neighbours),
        Operation::Rope(Arrangement::Thd),
        Operation::Cat(Cat { dim: 0 }),
        Operation::Cat(Cat { dim: 1 }),
        Operation::Gather(Gather { dim: 0 }),
        Operation::IndexSelect(IndexSelect { dim: 0 }),
        Operation::IndexSelect(IndexSelect { dim: 1 }),
        Operation::IndexAdd(IndexAdd { dim: 0 }),
        Operation::CumSum(CumSum { dim: 0, reverse: false }),
        Operation::CumSum(CumSum { dim: 0, reverse: true }),
        Operation::ArgSort(ArgSort { ascending: true, last_dim: 8 }),
        Operation::ArgSort(ArgSort { ascending: false, last_dim: 8 }),
        convolution(Convolution::default()),
        convolution(Convolution { padding: 1, ..Convolution::default() }),
        convolution(Convolution { stride: 2, ..Convolution::default() }),
        convolution(Convolution { transposed: true, ..Convolution::default() }),
        attention(1., None),
        attention(2., None),
        attention(1., Some(1.)),
        Operation::Moe(Moe { topk: 1 }),
        Operation::Moe(Moe { topk: 2 }),
        weights(GgmlDType::Q8_0, (32, 64)),
        weights(GgmlDType::Q4_0, (32, 64)),
        weights(GgmlDType::Q8_0, (64, 32)),
    ];
    let words = |operation: &Operation| {
        let mut words = Vec::new();
        operation.write_key(&mut words);
        words
    };
    for (i, a) in operations.iter().enumerate() {
        for (j, b) in operations.iter().enumerate().filter(|&(j, _)| i != j) {
            assert!(!words(b).starts_with(&words(a)), "{i} {} and {j} {}", a.name(), b.name());
        }
    }
    // Weights are looked up when it runs.
    assert_eq!(words(&weights(GgmlDType::Q8_0, (32, 64))), words(&operations[operations.len() - 3]));
}

#[test]
fn what_was_met_is_not_planned_again() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let plans = &mut Plans::default();
    let made = || (device.counters().plans_made, device.counters().plans_kept);
    let program = Program::new();
    let first = program.plan(&device, plans);
    assert_eq!(made(), (1, 0));
    let joined = |steps: &[Action]| {
        let joined = |step: &Action| match step {
            Action::Joined(found) => Some(Arc::as_ptr(found)),
            _ => None,
        };
        steps.iter().filter_map(joined).collect::<Vec<_>>()
    };
    assert!(joined(&first).len() > 1, "{first:?}");
    for n in 1..4 {
        let again = program.plan(&device, plans);
        assert_eq!(made(), (1, n));
        assert_eq!(joined(&again), joined(&first));
        assert_eq!(format!("{again:?}"), format!("{first:?}"));
    }
    for (n, &(what, change)) in (1..).zip(CHANGES) {
        let mut changed = program.clone();
        change(&mut changed);
        changed.plan(&device, plans);
        assert_eq!(made(), (1 + n, 3), "{what}");
    }
}

#[test]
fn other_settings_have_other_plans() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let plans = &mut Plans::default();
    let program = Program::new();
    program.plan(&device, plans);
    let settings: [(&str, &dyn Fn()); 4] = [
        ("engine", &|| device.set_gemm_engine(GemmEngine::Kernels)),
        ("matrix cores", &|| device.set_matrix_cores(!device.matrix_cores())),
        ("tuning", &|| device.set_tuning(crate::Tuning::On)),
        ("deterministic", &|| device.set_deterministic(true)),
    ];
    for (n, (what, set)) in (1..).zip(settings) {
        set();
        program.plan(&device, plans);
        assert_eq!(device.counters().plans_made, 1 + n, "{what}");
        program.plan(&device, plans);
        assert_eq!(device.counters().plans_made, 1 + n, "{what}");
    }
}
