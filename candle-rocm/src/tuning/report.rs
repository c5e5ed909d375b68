//! How much is decided, and from where.

use std::fmt;
use std::path::PathBuf;

use super::text::{Choice, parse, render};
use super::tuner::Tuner;
use super::{Source, Tuning};
use crate::{Result, RocmDevice, RocmError};

/// What a device knows of its candidates, from [`RocmDevice::tuning_report`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TuningReport {
    /// What [`RocmDevice::set_tuning`] set.
    pub tuning: Tuning,
    /// Classes of shapes that were decided on this device, since it was made.
    pub measured: usize,
    /// That were decided earlier on a card of this name, and kept in the file.
    pub stored: usize,
    /// That came with candle-rocm.
    pub shipped: usize,
    /// That [`RocmDevice::import_tuning`] brought.
    pub imported: usize,
    /// That are being measured.
    pub undecided: usize,
    /// The file, unless the user's cache is disabled.
    pub file: Option<PathBuf>,
}

impl fmt::Display for TuningReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tuning, measured, stored, shipped, imported, undecided, .. } = self;
        write!(f, "tuning {tuning}; choices: {stored} stored, {shipped} built in")?;
        for (count, what) in [(measured, "measured"), (imported, "imported"), (undecided, "undecided")] {
            if *count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

impl RocmDevice {
    /// How much is decided by measurement, and from where.
    pub fn tuning_report(&self) -> TuningReport {
        let tuner = Tuner::with_settings(self);
        let file = tuner.store(self).path();
        let undecided = tuner.open_trials();
        let known = tuner.choices.read();
        let count = |source| known.values().filter(|(_, from)| *from == source).count();
        TuningReport {
            tuning: tuner.tuning.get(),
            measured: count(Source::Measured),
            stored: count(Source::Stored),
            shipped: count(Source::Shipped),
            imported: count(Source::Imported),
            undecided,
            file,
        }
    }

    /// All choices that this device has, as text: for another machine with such a card, or for candle-rocm itself, which takes
    /// such texts in by processor.
    ///
    /// ```
    /// use candle_rocm::{RocmDevice, platform::HOST};
    /// let device = RocmDevice::on(HOST, 0)?;
    /// let text = device.export_tuning();
    /// assert!(text.starts_with("candle-rocm tuning 1\ncard: "));
    /// assert_eq!(device.import_tuning(&text)?, device.tuning_report().imported);
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn export_tuning(&self) -> String {
        let tuner = Tuner::with_settings(self);
        let origin = &tuner.store(self).origin;
        let known = tuner.choices.read();
        let contested = known.iter().filter(|(_, (_, source))| *source != Source::Unopposed);
        let choices: Vec<Choice> = contested.map(|(&class, &(candidate, _))| (class, candidate)).collect();
        render(origin, &choices)
    }

    /// Takes over the choices of an [exported](RocmDevice::export_tuning) text, in place of others for the same shapes, until the device
    /// goes, and returns how many they are. They may be another card's: a candidate that does not take some operands, or does not
    /// exist here, leaves them to the fixed choice.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if the text was not exported by this release of candle-rocm, or was damaged since.
    pub fn import_tuning(&self, text: &str) -> Result<usize> {
        let (_, choices) =
            parse(text).map_err(|message| RocmError::InvalidArgument { op: "import_tuning", message })?;
        self.flush();
        let tuner = Tuner::with_settings(self);
        tuner.store(self);
        tuner.learn(&choices, Source::Imported);
        Ok(choices.len())
    }
}
