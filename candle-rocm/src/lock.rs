//! This crate's locks, in the order in which a thread takes them; those of [`crate::hip`] come behind them.

pub(crate) use crate::hip::lock::{Guard, Mutex, RwLock};

crate::hip::lock_order! {
    0;

    /// candle's devices by their numbers: one is opened.
    pub(crate) OpenDevices,
    /// A device's recorded operations: one is recorded.
    pub(crate) Recording,
    /// The right to plan: a segment is planned.
    pub(crate) Planner,
    /// The right to put recorded operations on the stream: one is put there.
    pub(crate) Running,
    /// Generated kernels: those that were not met lately are forgotten, and their modules unloaded.
    pub(crate) GeneratedKernels,
    /// The right to drop operations that ran, which any allocation may do, and with them what other crates made and what that calls: under
    /// later locks, memory comes from [`Pool::alloc_without_reclaim`](crate::hip::Pool::alloc_without_reclaim).
    pub(crate) Retired,
    /// Modules that programs loaded: one is asked for a function.
    pub(crate) ProgramModules,
    /// Open trials: candidates are asked whether they fit, events for their times.
    pub(crate) Trials,
    /// A device's MIOpen: a library is opened, a convolution is run.
    pub(crate) Miopen,
    /// Counters of blocks: a launch that uses them is put on the stream.
    pub(crate) Arrivals,
    /// A built-in module: it is loaded, maybe compiled.
    pub(crate) Loading,
    /// Errors that nobody was told of yet: each is asked whether somebody was.
    pub(crate) Failures,
}
