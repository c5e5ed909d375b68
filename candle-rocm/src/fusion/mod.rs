//! Operations that are recorded, looked at together, and put on the stream as fewer launches.
//!
//! candle's API is eager: an operation returns its result. Here that result is a promise ([`Value`](crate::storage::Value)), and what
//! makes it waits in the device's [`Window`], until somebody needs the elements, or enough of them wait. Then the recorded operations
//! are planned as a whole: results that nobody will read are not computed, patterns of several operations ([`join`]) become one
//! launch, and everything else runs just as if it had not been recorded ([`Operation::run`] is the only way to run it).
//!
//! Only operations that are known to succeed are recorded. Whatever might be refused (a dtype without kernels, shapes that do not fit)
//! runs at once, so that the error comes from the call.

mod batch;
mod external;
mod f32_accumulation;
mod generated;
mod graph;
mod join;
mod known;
mod operands;
mod operation;
mod panics;
mod planning;
mod plans;
mod record;
mod reentrancy;
mod retired;
mod submission;
mod window;
mod worker;

use std::sync::Arc;

use candle_core::Layout;

use crate::common::operation::One;
use crate::common::setting::Choice;
use crate::{RocmDevice, RocmStorage};
use external::External;
pub use external::ExternalOp;
#[doc(hidden)] // for `cargo xtask fused-kernels`
pub use generated::fused_source;
pub(crate) use operation::Operation;
pub(crate) use record::{record, write};
use window::Window;
pub(crate) use window::whole_copy;

/// A recorded operation.
type Node = graph::Node<Operation>;

/// Whether operations are recorded, so that several of them become one launch. See [`RocmDevice::set_fusion`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fusion {
    /// Operations are recorded, and submitted to the stream together when a result is needed.
    #[default]
    On,
    /// Each operation is submitted to the stream before its call returns.
    Off,
}

impl Choice for Fusion {
    const ALL: &'static [Self] = &[Self::On, Self::Off];
}

impl RocmDevice {
    /// Sets whether operations are recorded and fused. On by default; the environment variable `CANDLE_ROCM_FUSION=off` changes the default
    /// of new devices.
    ///
    /// Fused kernels compute the same as individual ones, with the same or less rounding: between fused elementwise operations on f16 and
    /// bf16, and between reductions of bf16 rows, values stay in f32, even before the fused kernel has been compiled. For these types,
    /// `log`, `tanh`, `erf`, `gelu`, `silu`, `sigmoid` and `elu` may differ by one ulp from their individual results, where a cheaper
    /// formula is used.
    ///
    /// Errors of allocations and launches are reported by the call that needs the result, not by the one that recorded the operation. A
    /// copy of a whole tensor, such as `Var::set`, shares the memory until either tensor is written to, so the address of a variable's
    /// memory changes.
    ///
    /// Attention written as separate operations, `softmax(q k^T * scale + mask) v`, keeps scores in f32 where the product, the scale and
    /// softcapping would each round, so f16 products beyond 65504 stay finite. Where an f16 or bf16 mask is not 0, the score and its sum
    /// with the mask are rounded as they are without fusion: next to -65504, f16 keeps nothing of a score, or the sum is -infinity.
    /// [`sdpa`](crate::nn::sdpa) and candle-nn add masks in f32.
    ///
    /// For a query whose keys are all masked by -infinity, attention written as separate operations returns NaN, fused or not, as the
    /// softmax of such scores is NaN. By default, `sdpa` and candle-nn return zeros.
    ///
    /// ```
    /// use candle_rocm::{Fusion, RocmDevice, platform::HOST};
    /// let device = RocmDevice::on(HOST, 0)?;
    /// assert_eq!(device.fusion(), Fusion::On);
    /// device.set_fusion(Fusion::Off); // to see which call fails
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn set_fusion(&self, fusion: Fusion) {
        self.flush();
        if let Some(window) = self.pending::<Window>() {
            window.fusion.set(fusion);
        }
    }

    /// The setting of [`RocmDevice::set_fusion`].
    pub fn fusion(&self) -> Fusion {
        self.pending::<Window>().map_or(Fusion::Off, |window| window.fusion.get())
    }
}

impl RocmStorage {
    /// Runs an operation of another crate. Its result has `len` elements of this storage's dtype.
    ///
    /// With [fusion](crate::Fusion), the operation and everything recorded before it are handed to the thread that launches recorded
    /// operations, and the caller continues. Validate the operands before calling this.
    ///
    /// # Errors
    /// The error of the operation, if it ran immediately.
    pub fn apply(&self, layout: &Layout, op: Arc<dyn ExternalOp>, len: usize) -> candle_core::Result<Self> {
        record(External { op, len }, One { x: (self, layout) })
    }
}
