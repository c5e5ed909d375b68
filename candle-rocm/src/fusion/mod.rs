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

/// Whether operations wait for each other to become fewer launches. See [`RocmDevice::set_fusion`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fusion {
    /// Operations are recorded, and put on the stream together when somebody needs a result.
    #[default]
    On,
    /// An operation is on the stream when its call returns.
    Off,
}

impl Choice for Fusion {
    const ALL: &'static [Self] = &[Self::On, Self::Off];
}

impl RocmDevice {
    /// Chooses whether operations are recorded and joined, as they are by default; `CANDLE_ROCM_FUSION=off` in the environment sets
    /// another default for new devices.
    ///
    /// Joined kernels compute what the single ones do, with the same rounding or less of it: elementwise operations on f16 and bf16, and
    /// reductions of rows of bf16, stay in f32 between each other, also before their kernel is there. Of these types `log`, `tanh`,
    /// `erf`, `gelu`, `silu`, `sigmoid` and `elu` may differ by an ulp from what they give alone, where they are computed more cheaply.
    ///
    /// Errors of memory and of launches are reported by the call that needs the result, not by the one that recorded the operation.
    /// What copies a whole tensor, such as `Var::set`, shares its memory until one of both is written to, so the address of a
    /// variable's memory changes.
    ///
    /// Attention that is spelled out, `softmax(q k^T * scale + mask) v`, keeps scores in f32 where the product, the scale and softcapping
    /// would each round, so that products beyond 65504 stay finite in f16. Where a mask of f16 or bf16 is not 0, the score and its sum
    /// with the mask are rounded as they are one by one: beside -65504, f16 keeps nothing of a score, or the sum is -infinity.
    /// [`sdpa`](crate::nn::sdpa) and candle-nn's add masks in f32.
    ///
    /// Attention that is spelled out gives NaN for a query whose keys are all masked by -infinity, joined or not, as softmax of such
    /// scores is NaN; `sdpa` and candle-nn's give zeros.
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

    /// What [`RocmDevice::set_fusion`] set.
    pub fn fusion(&self) -> Fusion {
        self.pending::<Window>().map_or(Fusion::Off, |window| window.fusion.get())
    }
}

impl RocmStorage {
    /// The result of an operation of another crate: `len` elements of this storage's dtype.
    ///
    /// With [fusion](crate::Fusion) this and all that was recorded before goes to the thread that launches recorded operations, and the
    /// caller goes on. What may be refused is to be checked before.
    ///
    /// # Errors
    /// The operation's own, if it ran at once.
    pub fn apply(&self, layout: &Layout, op: Arc<dyn ExternalOp>, len: usize) -> candle_core::Result<Self> {
        record(External { op, len }, One { x: (self, layout) })
    }
}
