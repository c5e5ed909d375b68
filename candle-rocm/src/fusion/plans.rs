//! Plans of operations that were met before.
//!
//! A plan names values [by their places](super::graph::Slot), so that it holds wherever operations are alike in all that rules look at. That
//! is its key, and what rules ask of the device.

use std::sync::Arc;

use super::generated::Generated;
use super::graph::Key;
use super::known::Known;
use crate::tuning::Tuner;
use crate::{GemmEngine, RocmDevice};

/// Plans that are kept at least. A token of a decoder with 80 layers takes about as many.
const MOST: usize = 256;

/// The plans of a device, each an action for each operation.
pub(super) struct Plans<Action> {
    known: Known<Key, Arc<[Action]>, MOST>,
    /// Under which they were made.
    settings: Option<Settings>,
}

impl<Action> Default for Plans<Action> {
    fn default() -> Self {
        Self { known: Known::default(), settings: None }
    }
}

impl<Action> Plans<Action> {
    /// The steps that were planned for such a key, or will be from now on.
    pub(super) fn get(
        &mut self,
        device: &RocmDevice,
        key: &Key,
        plan: impl FnOnce() -> Vec<Action>,
    ) -> Planned<Action> {
        let settings = Some(Settings::of(device));
        if self.settings != settings {
            self.known.clear();
            self.settings = settings;
        }
        let mut made = false;
        let steps = self.known.get_or_insert_with(key, || {
            made = true;
            plan().into()
        });
        device.profile().plan(made);
        Planned { steps, made }
    }
}

/// Steps, and whether they are new.
pub(super) struct Planned<Action> {
    pub(super) steps: Arc<[Action]>,
    pub(super) made: bool,
}

/// What rules ask of a device that may be another answer later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Settings {
    has_kernels: bool,
    engine: GemmEngine,
    deterministic: bool,
    matrix_cores: bool,
    /// Whether choices count, how often there were new ones, and whether others are being made.
    choices: Option<(usize, bool)>,
}

impl Settings {
    fn of(device: &RocmDevice) -> Self {
        Self {
            has_kernels: device.extension::<Generated>().has_kernels(device),
            engine: device.gemm_engine(),
            deterministic: device.is_deterministic(),
            matrix_cores: device.matrix_cores(),
            choices: Tuner::of(device).map(|tuner| (tuner.learned(), tuner.is_on())),
        }
    }
}
