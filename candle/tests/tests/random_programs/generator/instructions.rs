//! The instructions of a program, each with operands that suit it.

use candle_core::DType;
use candle_core::quantized::GgmlDType;
use candle_rocm_tests::FLOATS;
use rand::Rng;

use super::super::interpreter::{Machine, caught};
use super::super::operations::{Slot, UNARY};
use super::super::program::{Info, Instruction, Op, Values, View};
use super::super::reference::Reference;
use super::{Builder, MOST};

impl Builder {
    /// Any instruction, and now and then the last of a tensor.
    pub(super) fn instruction(&mut self) {
        let count = self.program.tensors.len();
        let new = match self.below(100) {
            0..6 => self.new_float().map(drop),
            6..20 => self.any_view(),
            20..32 => self.any_unary(),
            32..46 => self.any_binary(),
            46..56 => self.elementwise(),
            56..64 => self.reduce(),
            64..68 => self.product(),
            68..73 => self.indexed(),
            73..77 => self.several(),
            77..81 => self.of_rows(),
            81..87 => self.in_place(),
            87..90 => self.integers(),
            90..92 => self.other_device(),
            92 => self.refused(),
            93..95 => self.any(|_| true).map(|x| self.read(x)),
            95 => self.push(Op::Synchronize(0), &[]).map(drop),
            _ => self.idiom(),
        };
        // What an instruction needed besides is mostly forgotten.
        for tensor in (count..self.program.tensors.len().saturating_sub(1)).rev() {
            if self.slots.contains_key(&tensor) && self.chance(0.6) {
                self.drop(tensor);
            }
        }
        if new.is_some()
            && self.chance(0.45)
            && let Some(x) = self.any(|_| true)
        {
            self.drop(x);
        }
    }

    fn any_view(&mut self) -> Option<()> {
        let x = self.any(|_| true)?;
        let dims = self.dims(x);
        let rank = dims.len();
        let dim = if rank == 0 { 0 } else { self.below(rank) };
        let op = match self.below(10) {
            0 | 1 if rank > 0 && dims[dim] > 0 => {
                // candle's `to_vec1` panics for what begins behind the end of no elements.
                let start = if dims.contains(&0) { 0 } else { self.below(dims[dim]) };
                Op::View(View::Narrow { dim, start, len: 1 + self.below(dims[dim] - start) })
            }
            2 if rank > 1 => Op::View(View::Transpose(dim, self.below(rank))),
            3 if rank > 1 => {
                let mut order: Vec<usize> = (0..rank).collect();
                for i in (1..rank).rev() {
                    order.swap(i, self.below(i + 1));
                }
                Op::View(View::Permute(order))
            }
            4 => {
                let mut wide: Vec<usize> =
                    dims.iter().map(|&size| if size == 1 { 1 + self.below(5) } else { size }).collect();
                if rank < 4 && self.chance(0.5) {
                    wide.insert(0, 1 + self.below(3));
                }
                Op::View(View::BroadcastAs(wide))
            }
            5 => Op::View(View::Reshape(self.regrouped(&dims))),
            6 if rank > 0 && dims[dim] == 1 => Op::View(View::Squeeze(dim)),
            6 if rank < 4 => Op::View(View::Unsqueeze(self.below(rank + 1))),
            7 if rank > 0 => Op::Flip(dim),
            8 => Op::Contiguous,
            9 if self.chance(0.5) => Op::Copy,
            _ => Op::Clone,
        };
        self.op(op, &[x]).map(drop)
    }

    /// The same number of elements in other dimensions.
    fn regrouped(&mut self, dims: &[usize]) -> Vec<usize> {
        let mut dims = dims.to_vec();
        if dims.len() > 1 && self.chance(0.6) {
            let at = self.below(dims.len() - 1);
            let size = dims.remove(at);
            dims[at] *= size;
        } else if !dims.is_empty() {
            let at = self.below(dims.len());
            for by in [8, 4, 3, 2] {
                if dims[at] > by && dims[at].is_multiple_of(by) {
                    dims[at] /= by;
                    dims.insert(at, by);
                    break;
                }
            }
        }
        dims
    }

    fn any_unary(&mut self) -> Option<()> {
        let x = self.float()?;
        let name = self.of(UNARY);
        self.op(Op::Unary(name), &[x]).map(drop)
    }

    fn any_binary(&mut self) -> Option<()> {
        let x = self.float()?;
        let name = self.of(&["add", "add", "sub", "mul", "mul", "div", "maximum", "minimum"]);
        if self.chance(0.6) {
            let y = self.partner(x)?;
            return self.op(Op::Binary(name), &[x, y]).map(drop);
        }
        let mut dims = self.dims(x);
        for size in &mut dims {
            if self.numbers.random_ratio(1, 2) {
                *size = 1;
            }
        }
        if self.chance(0.4) && !dims.is_empty() {
            dims.remove(0);
        }
        let y = self.beside(x, &dims)?;
        self.op(Op::Broadcast(name), &[x, y]).map(drop)
    }

    fn elementwise(&mut self) -> Option<()> {
        let x = self.float()?;
        let op = match self.below(10) {
            0..3 => Op::Affine(self.of(&[1., 2., -0.5, 0.1, 3.]), self.of(&[0., 1., -0.25, 0.3])),
            3 => Op::Powf(self.of(&[2., 0.5, 3., -1., 1.5])),
            4 => Op::Elu(self.of(&[1., 0.75])),
            5 => Op::Clamp(self.of(&[-1., -0.1, 0.]), self.of(&[0.5, 2.])),
            6 | 7 => Op::Cast(self.of(&FLOATS)),
            _ => {
                let name = self.of(&["eq", "ne", "lt", "le", "gt", "ge"]);
                let y = self.partner(x)?;
                let mask = self.op(Op::Compare(name), &[x, y])?;
                let other = self.partner(x)?;
                return self.op(Op::WhereCond, &[mask, x, other]).map(drop);
            }
        };
        self.op(op, &[x]).map(drop)
    }

    fn reduce(&mut self) -> Option<()> {
        let x = self.float()?;
        let dims = self.dims(x);
        if dims.is_empty() || dims.contains(&0) {
            return None;
        }
        let dim = if self.chance(0.5) { dims.len() - 1 } else { self.below(dims.len()) };
        let keepdim = self.chance(0.6);
        let name = self.of(&["sum", "sum", "mean", "max", "min", "argmax", "argmin", "cumsum", "var"]);
        let op = match name {
            "cumsum" => Op::Cumsum(dim),
            "argmax" | "argmin" => Op::Arg { name, dim, keepdim },
            "sum" | "mean" if dims.len() > 1 && self.chance(0.3) => {
                let mut all = vec![dim, (dim + 1) % dims.len()];
                all.sort_unstable();
                Op::Reduce { name, dims: all, keepdim }
            }
            _ => Op::Reduce { name, dims: vec![dim], keepdim },
        };
        self.op(op, &[x]).map(drop)
    }

    fn product(&mut self) -> Option<()> {
        let x = self.any(|info| info.dtype.is_float() && info.dims.len() > 1)?;
        let (dims, dtype) = (self.dims(x), self.dtype_of(x));
        let (k, n) = (*dims.last()?, self.size());
        if dtype != DType::F64 && dims[dims.len() - 1].is_multiple_of(32) && self.chance(0.5) {
            let dtype = self.of(&[GgmlDType::Q4_0, GgmlDType::Q8_0, GgmlDType::Q5_1]);
            let op = Op::QMatMul { dtype, n, seed: self.numbers.random_range(0..100) };
            let x = self.op(Op::Contiguous, &[x])?;
            return self.op(op, &[x]).map(drop);
        }
        let mut of_rhs = dims[..dims.len() - 2].to_vec();
        let broadcast = self.chance(0.3);
        if broadcast {
            of_rhs.clear();
        }
        let turned = self.chance(0.4);
        of_rhs.extend(if turned { [n, k] } else { [k, n] });
        let mut rhs = self.beside(x, &of_rhs)?;
        if turned {
            let rank = of_rhs.len();
            rhs = self.op(Op::View(View::Transpose(rank - 2, rank - 1)), &[rhs])?;
        }
        let y = self.op(if broadcast { Op::BroadcastMatMul } else { Op::MatMul }, &[x, rhs])?;
        if self.chance(0.4) {
            let bias = self.beside(y, &[n])?;
            let sum = self.op(Op::Broadcast("add"), &[y, bias])?;
            self.drop(y);
            if self.chance(0.5) {
                let name = self.of(&["relu", "gelu", "silu"]);
                self.op(Op::Unary(name), &[sum])?;
                self.drop(sum);
            }
        }
        Some(())
    }

    /// Indices below `end`, on the device of `x`.
    fn indices(&mut self, x: usize, dims: &[usize], end: usize) -> Option<usize> {
        let device = self.info(x).device;
        let before = std::mem::replace(&mut self.device, device);
        let dtype = self.of(&[DType::U32, DType::U32, DType::I64, DType::U8]);
        let end = if dtype == DType::U8 { end.min(255) } else { end };
        // Now and then the same one many times.
        let end = if self.chance(0.2) { 1 } else { end };
        let indices = self.new_tensor(Values::Below(end), dims, dtype);
        self.device = before;
        indices
    }

    fn indexed(&mut self) -> Option<()> {
        let x = self.float()?;
        let dims = self.dims(x);
        if dims.is_empty() || dims.contains(&0) {
            return None;
        }
        let dim = self.below(dims.len());
        let count = if self.chance(0.1) { 300 } else { self.size() };
        let mut others = dims.clone();
        others[dim] = count;
        if others.iter().product::<usize>() > 4 * MOST {
            return None;
        }
        match self.below(5) {
            0 => {
                let indices = self.indices(x, &[count], dims[dim])?;
                self.op(Op::IndexSelect(dim), &[x, indices])
            }
            1 => {
                let indices = self.indices(x, &others, dims[dim])?;
                self.op(Op::Gather(dim), &[x, indices])
            }
            2 => {
                let (indices, source) = (self.indices(x, &[count], dims[dim])?, self.beside(x, &others)?);
                self.op(Op::IndexAdd(dim), &[x, indices, source])
            }
            3 => {
                let (indices, source) = (self.indices(x, &others, dims[dim])?, self.beside(x, &others)?);
                self.op(Op::ScatterAdd(dim), &[x, indices, source])
            }
            // Each element once: whoever comes last would win.
            _ => {
                let (indices, source) = (self.distinct(x, &dims, dim)?, self.partner(x)?);
                self.op(Op::Scatter(dim), &[x, indices, source])
            }
        }
        .map(drop)
    }

    /// Indices along a dimension, each once: in order or reversed.
    fn distinct(&mut self, x: usize, dims: &[usize], dim: usize) -> Option<usize> {
        let device = self.info(x).device;
        let before = std::mem::replace(&mut self.device, device);
        let row = self.new_tensor(Values::Range, &[dims[dim]], DType::U32);
        self.device = before;
        let mut row = row?;
        if self.chance(0.5) {
            row = self.op(Op::Flip(0), &[row])?;
        }
        let mut shape = vec![1; dims.len()];
        shape[dim] = dims[dim];
        let row = self.op(Op::View(View::Reshape(shape)), &[row])?;
        let all = self.op(Op::View(View::BroadcastAs(dims.to_vec())), &[row])?;
        self.op(Op::Contiguous, &[all])
    }

    fn several(&mut self) -> Option<()> {
        let x = self.any(|info| !info.dims.is_empty())?;
        let dims = self.dims(x);
        let dim = self.below(dims.len());
        let mut all = vec![x];
        for _ in 0..1 + self.below(3) {
            let mut other = dims.clone();
            if self.chance(0.5) {
                other[dim] = 1 + self.below(4);
            }
            all.push(if other == dims { self.partner(x)? } else { self.beside(x, &other)? });
        }
        self.op(Op::Cat(dim), &all).map(drop)
    }

    fn of_rows(&mut self) -> Option<()> {
        let x = self.any(|info| info.dtype.is_float() && info.dims.last().is_some_and(|&size| size > 0))?;
        let x = self.op(Op::Contiguous, &[x])?;
        let n = *self.dims(x).last()?;
        let op = match self.below(3) {
            0 => return self.op(Op::Softmax, &[x]).map(drop),
            1 => Op::RmsNorm(1e-5),
            _ => Op::LayerNorm(1e-3),
        };
        let mut inputs = vec![x, self.beside(x, &[n])?];
        if let Op::LayerNorm(_) = op {
            inputs.push(self.beside(x, &[n])?);
        }
        for input in &mut inputs[1..] {
            *input = self.op(Op::Contiguous, &[*input])?;
        }
        self.op(op, &inputs).map(drop)
    }

    fn is_turned(&self, x: usize) -> bool {
        let turned = |op: &Op| matches!(op, Op::View(View::Transpose(..) | View::Permute(_)));
        self.program.instructions.iter().any(|other| other.output == Some(x) && turned(&other.op))
    }

    /// Tensors of other threads are read meanwhile.
    fn in_place(&mut self) -> Option<()> {
        if self.thread > 0 {
            return None;
        }
        let x = self.any(|info| info.dtype.is_float() && !info.dims.is_empty() && !info.dims.contains(&0))?;
        let dims = self.dims(x);
        let dim = self.below(dims.len());
        match self.below(8) {
            0 => {
                let value = self.of(&[-2., -1., 0., 1., 3.]);
                self.push(Op::ConstSet(value), &[x])
            }
            1 => self.push(Op::ZeroSet, &[x]),
            // Only what is contiguous can be written so: a tensor that is turned may be so on one device alone, as `cat` is.
            2 | 3 if !self.is_turned(x) => {
                let mut part = dims.clone();
                part[dim] = 1 + self.below(dims[dim]);
                let start = self.below(dims[dim] - part[dim] + 1);
                let source = if part == dims { self.partner(x)? } else { self.beside(x, &part)? };
                self.push(Op::SliceSet { dim, start }, &[x, source])
            }
            4 => {
                let (indices, source) = (self.distinct(x, &dims, dim)?, self.partner(x)?);
                self.push(Op::ScatterSet(dim), &[x, indices, source])
            }
            5 => {
                let mut others = dims.clone();
                others[dim] = 1 + self.below(40);
                if others.iter().product::<usize>() > MOST {
                    return None;
                }
                let (indices, source) = (self.indices(x, &others, dims[dim])?, self.beside(x, &others)?);
                self.push(Op::ScatterAddSet(dim), &[x, indices, source])
            }
            _ => {
                let variable = self.op(Op::Var, &[x])?;
                if self.chance(0.3) {
                    return Some(());
                }
                let mut source = self.partner(variable)?;
                if self.chance(0.5) {
                    let sum = self.op(Op::Binary("add"), &[variable, source])?;
                    source = self.op(Op::Affine(0.5, 0.25), &[sum])?;
                    self.drop(sum);
                }
                self.push(Op::VarSet, &[variable, source])
            }
        }
        .map(drop)
    }

    fn integers(&mut self) -> Option<()> {
        let is_integer = |info: &Info| !info.dtype.is_float();
        match self.any(is_integer) {
            Some(x) if self.chance(0.7) => match self.below(5) {
                0 => {
                    let name = self.of(&["abs", "relu", "ceil", "floor", "round", "sign"]);
                    self.op(Op::Unary(name), &[x])
                }
                1 => {
                    let (name, y) = (self.of(&["add", "sub", "mul", "maximum", "minimum"]), self.partner(x)?);
                    self.op(Op::Binary(name), &[x, y])
                }
                2 => {
                    let dims = self.dims(x);
                    if dims.is_empty() || dims.contains(&0) {
                        return None;
                    }
                    let (dim, name) = (self.below(dims.len()), self.of(&["sum", "max", "min"]));
                    let keepdim = self.chance(0.5);
                    self.op(Op::Reduce { name, dims: vec![dim], keepdim }, &[x])
                }
                3 => {
                    let (mul, add) = (self.of(&[1., 2., 3.]), self.of(&[0., 1., 5.]));
                    self.op(Op::Affine(mul, add), &[x])
                }
                _ => {
                    let to = self.of(&[DType::F32, DType::F16, DType::BF16, DType::I64, DType::U32]);
                    self.op(Op::Cast(to), &[x])
                }
            },
            _ => {
                let x = self.float()?;
                // Integers have no NaN, and no negative numbers but i64.
                let x = self.op(Op::Clamp(0., 100.), &[x])?;
                let to = self.of(&[DType::U8, DType::U32, DType::I64]);
                self.op(Op::Cast(to), &[x])
            }
        }
        .map(drop)
    }

    fn other_device(&mut self) -> Option<()> {
        let x = self.any(|_| true)?;
        let to = 1 - self.info(x).device;
        let y = self.op(Op::ToDevice(to), &[x])?;
        // What is written behind a copy is not in it.
        if self.thread == 0 && self.chance(0.6) && self.dtype_of(x).is_float() {
            self.push(Op::ConstSet(2.), &[x])?;
            if self.chance(0.5) {
                self.op(Op::Affine(2., 1.), &[y])?;
            }
        }
        Some(())
    }

    /// What must be an error, behind which all goes on.
    fn refused(&mut self) -> Option<()> {
        let x = self.any(|info| info.dtype.is_float() && !info.dims.is_empty() && !info.dims.contains(&0))?;
        let dims = self.dims(x);
        let mut other = dims.clone();
        other[0] += 1;
        // A wrong index is told to whichever thread waits for the device next.
        let (op, inputs) = match self.below(if self.thread == 0 { 5 } else { 4 }) {
            0 => (Op::Binary("add"), vec![x, self.beside(x, &other)?]),
            1 => (Op::MatMul, vec![x, self.beside(x, &other)?]),
            2 => (Op::View(View::Narrow { dim: 0, start: dims[0], len: 1 }), vec![x]),
            3 => (Op::View(View::Reshape(other)), vec![x]),
            _ => (Op::BadIndex, vec![x]),
        };
        let output = match op {
            Op::BadIndex => None,
            _ => {
                let info = self.info(x).clone();
                self.program.tensors.push(info);
                Some(self.program.tensors.len() - 1)
            }
        };
        let thread = self.thread;
        let instruction = Instruction { op, inputs, output, thread, refused: true };
        let slots: Vec<Slot> = instruction.inputs.iter().map(|input| self.slots[input].clone()).collect();
        let reference = Reference::exact(&self.program);
        let result = caught(|| Ok(reference.apply(0, &instruction, &slots).is_err()));
        if result == Ok(true) {
            self.program.instructions.push(instruction);
        }
        Some(())
    }
}
