//! Programs from seeds. Each instruction runs on the reference as soon as it is proposed: what is refused there, or gives numbers that
//! tell nothing, is not taken.

mod instructions;

use std::collections::BTreeMap;

use candle_core::{DType, Tensor};
use candle_rocm_tests::FLOATS;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::idioms::{FILLERS, IDIOMS};
use super::interpreter::{Machine, caught};
use super::operations::Slot;
use super::program::{Info, Instruction, Op, Program, Values, View};
use super::reference::Reference;

/// One of so many programs runs until its kernels are compiled.
const COMPILED: u64 = 10;
/// Elements of a tensor at most.
const MOST: usize = 3000;
const SIZES: &[usize] = &[1, 2, 3, 4, 5, 7, 8, 16, 17, 24, 31, 32, 33, 40, 64, 65, 70];

/// A program in the making.
pub struct Builder {
    pub numbers: StdRng,
    pub program: Program,
    /// What new tensors mostly are.
    pub dtype: DType,
    device: usize,
    slots: BTreeMap<usize, Slot>,
    /// Tensors that may be used: those of another thread may not.
    visible: Vec<usize>,
    thread: usize,
    /// Of threads, so far.
    pairs: usize,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut numbers = StdRng::seed_from_u64(seed);
    let program = Program {
        seed,
        instructions: Vec::new(),
        tensors: Vec::new(),
        deterministic: numbers.random_ratio(3, 4),
        compiled: seed.is_multiple_of(COMPILED),
        elsewhere: numbers.random_ratio(1, 2),
    };
    let dtype = *[DType::F32, DType::F32, DType::F16, DType::BF16, FLOATS[numbers.random_range(0..4)]]
        .choose(&mut numbers)
        .expect("not empty");
    let mut builder = Builder {
        numbers,
        program,
        dtype,
        device: 0,
        slots: BTreeMap::new(),
        visible: Vec::new(),
        thread: 0,
        pairs: 0,
    };
    let idioms = if builder.program.compiled { 1. } else { [0., 0.2, 0.6][builder.below(3)] };
    let length = if builder.program.compiled { 8 } else { 5 + builder.below(35) };
    if builder.program.compiled {
        builder.of_idioms();
    }
    while builder.program.instructions.len() < length {
        if builder.chance(idioms) {
            builder.idiom();
        } else if builder.chance(0.03) && !builder.program.compiled {
            builder.threads();
        } else {
            builder.instruction();
        }
    }
    builder.program
}

impl Builder {
    /// Choices of tuning count.
    pub fn needs_choices(&mut self) {
        self.program.deterministic = false;
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.numbers.random_range(0..end)
    }

    pub fn chance(&mut self, of: f64) -> bool {
        self.numbers.random_bool(of)
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub fn info(&self, tensor: usize) -> &Info {
        &self.program.tensors[tensor]
    }

    pub fn dims(&self, tensor: usize) -> Vec<usize> {
        self.info(tensor).dims.clone()
    }

    pub fn dtype_of(&self, tensor: usize) -> DType {
        self.info(tensor).dtype
    }

    /// Appends an instruction, if it is right and tells something. The outer `None` says that it is not; the inner one, that it has no
    /// result.
    fn push(&mut self, op: Op, inputs: &[usize]) -> Option<Option<usize>> {
        let first = inputs.first().map(|&input| self.program.tensors[input].clone());
        let device = match &op {
            Op::New { device, .. } | Op::ToDevice(device) => *device,
            _ => first.as_ref().map_or(0, |info| info.device),
        };
        if inputs.iter().any(|&input| self.info(input).device != first.as_ref().map_or(0, |info| info.device))
        {
            return None;
        }
        let dtype = match &op {
            Op::New { dtype, .. } | Op::Cast(dtype) => *dtype,
            Op::Compare(_) => DType::U8,
            Op::Arg { .. } | Op::ArgSort(_) => DType::U32,
            Op::WhereCond => self.dtype_of(inputs[1]),
            _ => first.as_ref().map_or(DType::F32, |info| info.dtype),
        };
        let slots: Vec<Slot> = inputs.iter().map(|input| self.slots[input].clone()).collect();
        // It has a result, as far as dtypes go; if not, that is not used.
        let output = self.program.tensors.len();
        self.program.tensors.push(Info { dims: Vec::new(), dtype, device });
        let has_result = !op.is_in_place() && !matches!(op, Op::Synchronize(_));
        let instruction = Instruction {
            op,
            inputs: inputs.to_vec(),
            output: has_result.then_some(output),
            thread: self.thread,
            refused: false,
        };
        let reference = Reference::exact(&self.program);
        // What candle's CPU panics at is nothing to compare with.
        let result = caught(|| reference.apply(self.program.instructions.len(), &instruction, &slots));
        let taken = match &result {
            Ok(Some(slot)) => self.tells_something(&instruction, slot.tensor()),
            Ok(None) => true,
            Err(_) => false,
        };
        match result {
            Ok(Some(slot)) if taken => {
                self.program.tensors[output].dims = slot.tensor().dims().to_vec();
                self.slots.insert(output, slot);
                self.visible.push(output);
            }
            _ => drop(self.program.tensors.pop()),
        }
        if !taken {
            return None;
        }
        let output = instruction.output;
        self.program.instructions.push(instruction);
        Some(output)
    }

    /// Whether numbers are not all the same, nor beyond what the dtype has.
    fn tells_something(&mut self, instruction: &Instruction, x: &Tensor) -> bool {
        if x.elem_count() > 4 * MOST {
            return false;
        }
        if !x.dtype().is_float() || matches!(instruction.op, Op::New { .. }) {
            return true;
        }
        let nan = |all: &[f64]| all.iter().any(|x| x.is_nan());
        let values = |x: &Tensor| x.flatten_all().and_then(|x| x.to_vec1::<f64>()).unwrap_or_default();
        let all = values(x);
        let largest = all.iter().filter(|x| x.is_finite()).fold(0f64, |largest, x| largest.max(x.abs()));
        let most = match instruction.output.map(|output| self.dtype_of(output)) {
            Some(DType::F16) => 1e3,
            _ => 1e5,
        };
        let mut inputs = instruction.inputs.iter().map(|input| self.slots[input].tensor());
        let of_nan = inputs.any(|x| x.dtype().is_float() && nan(&values(x)));
        let is_new = (nan(&all) && !of_nan) || all.iter().all(|x| x.is_nan());
        ((all.is_empty() || !is_new) && largest < most) || self.chance(0.05)
    }

    /// Appends an instruction that has a result.
    pub fn op(&mut self, op: Op, inputs: &[usize]) -> Option<usize> {
        self.push(op, inputs)?
    }

    pub fn new_tensor(&mut self, values: Values, dims: &[usize], dtype: DType) -> Option<usize> {
        let (seed, device) = (self.numbers.random_range(0..1 << 20), self.device);
        self.op(Op::New { values, seed, dims: dims.to_vec(), dtype, device }, &[])
    }

    /// A new tensor of normal numbers, of the program's dtype.
    pub fn normal(&mut self, dims: &[usize]) -> Option<usize> {
        self.new_tensor(Values::Normal, dims, self.dtype)
    }

    pub fn drop(&mut self, tensor: usize) {
        if self.thread > 0 {
            return;
        }
        self.slots.remove(&tensor);
        self.visible.retain(|&other| other != tensor);
        self.without_result(Op::Drop, tensor);
    }

    /// Gives a variable other elements.
    pub fn set(&mut self, variable: usize, source: usize) -> Option<()> {
        self.push(Op::VarSet, &[variable, source]).map(drop)
    }

    pub fn read(&mut self, tensor: usize) {
        self.without_result(Op::Read, tensor);
    }

    fn without_result(&mut self, op: Op, tensor: usize) {
        let thread = self.thread;
        self.program.instructions.push(Instruction {
            op,
            inputs: vec![tensor],
            output: None,
            thread,
            refused: false,
        });
    }

    /// Drops what was made since, as a function does that returns `kept`; now and then something stays.
    pub fn return_from(&mut self, first: usize, kept: &[usize]) {
        for tensor in first..self.program.tensors.len() {
            if self.slots.contains_key(&tensor) && !kept.contains(&tensor) && !self.chance(0.03) {
                self.drop(tensor);
            }
        }
    }

    /// One of the tensors, mostly one of the last.
    pub fn any(&mut self, is_wanted: impl Fn(&Info) -> bool) -> Option<usize> {
        let wanted = self.visible.iter().rev().copied().filter(|&tensor| is_wanted(self.info(tensor)));
        let wanted: Vec<usize> = wanted.collect();
        if wanted.is_empty() {
            return None;
        }
        let [a, b] = [self.below(wanted.len()), self.below(wanted.len())];
        Some(wanted[a.min(b)])
    }

    /// One of the tensors of float dtypes, or a new one.
    pub fn float(&mut self) -> Option<usize> {
        let found = self.any(|info| info.dtype.is_float());
        match found {
            Some(found) if self.chance(0.9) => Some(found),
            _ => self.new_float(),
        }
    }

    fn new_float(&mut self) -> Option<usize> {
        let dims = self.shape();
        let values = match self.below(24) {
            0 => Values::Zeros,
            1 => Values::Ones,
            2 => Values::Special,
            3 | 4 => Values::Mixed,
            5 | 6 => Values::Positive,
            7 => Values::Small,
            8 => Values::Below(3),
            9 => Values::Full(-0.5),
            _ => Values::Normal,
        };
        let dtype = if self.chance(0.9) { self.dtype } else { self.of(&FLOATS) };
        self.new_tensor(values, &dims, dtype)
    }

    pub fn size(&mut self) -> usize {
        self.of(SIZES)
    }

    pub fn shape(&mut self) -> Vec<usize> {
        match self.below(60) {
            0 => return vec![self.below(3), 0, 4],
            1 => return vec![1 + self.below(3), 1000],
            2 => return vec![2, 1024],
            3 => return vec![],
            _ => {}
        }
        loop {
            let dims: Vec<usize> = (0..1 + self.below(4)).map(|_| self.size()).collect();
            if dims.iter().product::<usize>() <= MOST {
                return dims;
            }
        }
    }

    /// Of the same shape, dtype and device: one that there is, or a new one.
    pub fn partner(&mut self, x: usize) -> Option<usize> {
        let Info { dims, dtype, device } = self.info(x).clone();
        let found = self.any(|info| info.dims == dims && info.dtype == dtype && info.device == device);
        if let Some(found) = found
            && found != x
            && self.chance(0.7)
        {
            return Some(found);
        }
        self.beside(x, &dims)
    }

    /// A new tensor of that shape on the device and of the dtype of another one, in some layout.
    pub fn beside(&mut self, x: usize, dims: &[usize]) -> Option<usize> {
        let Info { dtype, device, .. } = self.info(x).clone();
        let values = match dtype.is_float() {
            false => Values::Below(7),
            true if self.chance(0.2) => Values::Mixed,
            true => Values::Normal,
        };
        let before = std::mem::replace(&mut self.device, device);
        let layout = self.below(8);
        let new = if dims.len() > 1 && layout == 0 {
            let (mut turned, last) = (dims.to_vec(), dims.len() - 1);
            turned.swap(0, last);
            self.new_tensor(values, &turned, dtype)
                .and_then(|new| self.op(Op::View(View::Transpose(0, last)), &[new]))
        } else if !dims.is_empty() && layout == 1 {
            let (mut wide, dim) = (dims.to_vec(), self.below(dims.len()));
            let start = if dims.contains(&0) { 0 } else { self.below(3) };
            wide[dim] += start + self.below(2);
            self.new_tensor(values, &wide, dtype)
                .and_then(|new| self.op(Op::View(View::Narrow { dim, start, len: dims[dim] }), &[new]))
        } else {
            self.new_tensor(values, dims, dtype)
        };
        self.device = before;
        new
    }

    fn idiom(&mut self) -> Option<()> {
        let (_, idiom) = IDIOMS[self.below(IDIOMS.len())];
        let first = self.program.tensors.len();
        let results = idiom(self).unwrap_or_default();
        self.return_from(first, &results);
        Some(())
    }

    /// An idiom after some operations that no kernel is generated for, so that it may begin anywhere in a window.
    fn of_idioms(&mut self) {
        let count = self.below(34);
        if let Some(mut x) = self.new_tensor(Values::Normal, &[2, 8], DType::F32) {
            for _ in 0..count {
                let name = self.of(FILLERS);
                let Some(next) = self.op(Op::Unary(name), &[x]) else { break };
                self.drop(x);
                x = next;
            }
        }
        self.idiom();
    }

    /// Two threads that read the same tensors.
    fn threads(&mut self) -> Option<()> {
        let visible = self.visible.clone();
        self.pairs += 1;
        for thread in [2 * self.pairs - 1, 2 * self.pairs] {
            self.thread = thread;
            for _ in 0..3 + self.below(6) {
                self.instruction();
            }
            self.visible.clone_from(&visible);
        }
        self.thread = 0;
        self.visible = self.slots.keys().copied().collect();
        Some(())
    }
}
