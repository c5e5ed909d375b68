//! A benchmark case: an operation with operands of given shapes and type.

use candle_core::{DType, Result, Tensor};

use crate::bars::Bar;
use crate::side::Side;

/// The operation with its operands prepared. Each call runs it once.
pub(crate) type Run = Box<dyn FnMut() -> Result<Tensor>>;

/// An operation that can be run on either side.
pub(crate) struct Case {
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    pub(crate) dtype: String,
    pub(crate) shape: String,
    /// Minimum bytes to read and write.
    pub(crate) bytes: f64,
    /// Additions and multiplications.
    pub(crate) flops: f64,
    /// Operations in one call of [`Run`]: 64 for 64 tokens.
    pub(crate) calls: usize,
    pub(crate) bars: Vec<Bar>,
    /// Largest allowed difference of the results, relative to the largest value. `None`: do not compare.
    pub(crate) tolerance: Option<f64>,
    pub(crate) torch: Option<Torch>,
    pub(crate) build: Box<Build>,
    /// Maps a result to what is compared, if that is not the result itself: for indices, the elements that they select.
    pub(crate) project: Option<Box<Project>>,
}

type Build = dyn Fn(&Side) -> Result<Run>;
type Project = dyn Fn(&Side, &Tensor) -> Result<Tensor>;

/// The same in Python: `setup` runs once, then `code` is timed. torch.py defines the names that they may use.
pub(crate) struct Torch {
    pub(crate) setup: String,
    pub(crate) code: String,
}

impl Case {
    /// A case with default settings; the tolerance depends on the data type.
    pub(crate) fn new(
        group: &'static str,
        name: &'static str,
        dtype: DType,
        shape: impl Into<String>,
        build: impl Fn(&Side) -> Result<Run> + 'static,
    ) -> Self {
        let tolerance = match dtype {
            DType::F16 => 5e-3,
            DType::BF16 => 3e-2,
            _ => 2e-4,
        };
        Self {
            group,
            name,
            dtype: dtype.as_str().to_owned(),
            shape: shape.into(),
            bytes: 0.,
            flops: 0.,
            calls: 1,
            bars: Vec::new(),
            tolerance: Some(tolerance),
            torch: None,
            build: Box::new(build),
            project: None,
        }
    }

    pub(crate) fn dtype(mut self, text: impl Into<String>) -> Self {
        self.dtype = text.into();
        self
    }

    pub(crate) fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes as f64;
        self
    }

    pub(crate) fn flops(mut self, flops: usize) -> Self {
        self.flops = flops as f64;
        self
    }

    pub(crate) fn calls(mut self, calls: usize) -> Self {
        self.calls = calls;
        self
    }

    pub(crate) fn bar(mut self, bar: Bar) -> Self {
        self.bars.push(bar);
        self
    }

    /// Adds the bar if the operands are large.
    pub(crate) fn bar_if(self, large: bool, bar: Bar) -> Self {
        if large { self.bar(bar) } else { self }
    }

    pub(crate) fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Does not compare results, because they are random or undefined.
    pub(crate) fn unchecked(mut self) -> Self {
        self.tolerance = None;
        self
    }

    pub(crate) fn torch(mut self, setup: impl Into<String>, code: impl Into<String>) -> Self {
        self.torch = Some(Torch { setup: setup.into(), code: code.into() });
        self
    }

    /// The same in Python: a function of these arguments, by PyTorch's compiler or without it, whichever is faster.
    pub(crate) fn torch_faster(self, setup: &str, function: &str, arguments: &str) -> Self {
        self.torch(format!("{setup}\ncompute = faster({function}, {arguments})"), "compute()")
    }

    pub(crate) fn project(mut self, project: impl Fn(&Side, &Tensor) -> Result<Tensor> + 'static) -> Self {
        self.project = Some(Box::new(project));
        self
    }

    pub(crate) fn label(&self) -> String {
        format!("{} {} {} {}", self.group, self.name, self.dtype, self.shape)
    }

    /// Whether it is one of those that somebody asks for by a word, or by several that follow each other in its label.
    pub(crate) fn matches(&self, words: &[String]) -> bool {
        words.is_empty()
            || words.iter().any(|word| match word.contains(' ') {
                true => self.label().contains(&**word),
                false => self.group.contains(&**word) || self.name.contains(&**word) || self.dtype == *word,
            })
    }

    /// Whether candle's CPU backend can serve as a reference: with 16-bit types it rounds every sum on the way, and it is slow.
    pub(crate) fn runs_on_cpu(&self) -> bool {
        self.dtype.starts_with("f32") || self.dtype.ends_with("/f32")
    }
}
