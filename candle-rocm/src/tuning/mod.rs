//! Choices by measurement: which of several kernels or libraries serves a class of shapes on this card.
//!
//! The fixed rules were found on a few cards, and the best choice differs by card. With [`Tuning::On`] the candidates of a
//! [decision] take turns serving a program's own calls, each [timed](timed_call) by events that nobody waits for. One that is
//! clearly faster than the fixed choice [takes its place](trial); the outcome is [kept](store) for later processes. Classes of shapes
//! are [so fine](class) that one choice serves all members.
//!
//! A family of operations asks `Tuner::serve` with the class, the fixed choice, and a way to run each candidate. This folder knows
//! nothing of what candidates do, nor which decisions there are: each stands with its family.

mod class;
mod contest;
mod decision;
mod report;
mod shipped;
mod store;
mod text;
mod timed_call;
mod trial;
mod tuner;
mod watch;

use std::fmt;
use std::str::FromStr;

use crate::common::setting::Choice;
use crate::hip::variable;
use crate::{Result, RocmDevice, RocmError};
pub(crate) use class::Class;
pub use contest::Contest;
pub(crate) use decision::{Candidate, Decision, ELEMENTS, FLOATS, FLOATS_OF_32_BITS, candidates, float};
pub use report::TuningReport;
pub(crate) use trial::Candidates;
pub(crate) use tuner::{Served, Tuner};

/// Whether kernels and libraries are chosen by measurement. See [`RocmDevice::set_tuning`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tuning {
    /// Fixed rules.
    Off,
    /// The choices measured earlier on a card with this name, driver and release of candle-rocm, or shipped with candle-rocm for its
    /// processor, measured or predicted; otherwise the fixed rules. Only large convolutions are measured.
    #[default]
    Stored,
    /// As [`Tuning::Stored`], but everything unknown or only predicted is measured, and the choices are kept in the user's cache.
    On,
}

const NAMED: [(&str, Tuning); 3] = [("off", Tuning::Off), ("stored", Tuning::Stored), ("on", Tuning::On)];

impl Choice for Tuning {
    const ALL: &'static [Self] = &[Self::Stored, Self::Off, Self::On];
}

impl FromStr for Tuning {
    type Err = RocmError;

    /// `off`, `stored` or `on`, as in `CANDLE_ROCM_TUNING`.
    fn from_str(name: &str) -> Result<Self> {
        variable::find(name, &NAMED).ok_or_else(|| RocmError::InvalidArgument {
            op: "tuning",
            message: format!("`{name}` is not one of off, stored, on"),
        })
    }
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMED.iter().find(|(_, tuning)| tuning == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// Where a choice is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Shipped,
    /// Shipped, and predicted by a model of the card. What is measured takes its place.
    Predicted,
    Stored,
    Imported,
    Measured,
    /// There is one candidate. Nobody else needs to know.
    Unopposed,
}

impl RocmDevice {
    /// Sets whether implementations are chosen by what was fastest on the card. This applies to the device's matrix products, products with
    /// quantized weights, also of experts, attention of few queries, reductions of long rows, large transposes and convolutions. The
    /// environment variable `CANDLE_ROCM_TUNING` (`off`, `stored` or `on`) sets the default of new devices.
    ///
    /// With [`Tuning::On`], candidates take turns serving calls of one class of shapes, about ten times each. A candidate replaces the
    /// fixed choice only if both its median and its shortest time are at least 5 % shorter, or 40 % if the card was otherwise idle, as
    /// times then include the host's. Candidates round differently within the dtype's precision, so two calls in one program may differ in
    /// their last bits. A [deterministic](RocmDevice::set_deterministic) device always uses the fixed rules.
    ///
    /// ```
    /// use candle_rocm::{RocmDevice, Tuning, platform::HOST};
    /// let device = RocmDevice::on(HOST, 0)?;
    /// device.set_tuning(Tuning::On);
    /// assert_eq!(device.tuning(), Tuning::On);
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn set_tuning(&self, tuning: Tuning) {
        self.flush();
        Tuner::with_settings(self).tuning.set(tuning);
    }

    /// The setting of [`RocmDevice::set_tuning`] or of the environment variable.
    pub fn tuning(&self) -> Tuning {
        Tuner::with_settings(self).tuning.get()
    }
}
