//! How much is decided, and from where.

use std::fmt;
use std::path::PathBuf;

use super::text::{Choice, parse, render};
use super::tuner::Tuner;
use super::{Source, Tuning};
use crate::{Result, RocmDevice, RocmError};

/// The number of choices that a device has made, and their sources, from [`RocmDevice::tuning_report`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TuningReport {
    /// The setting of [`RocmDevice::set_tuning`].
    pub tuning: Tuning,
    /// Classes of shapes decided on this device since it was created.
    pub measured: usize,
    /// Classes decided earlier on a card with this name, and kept in the file.
    pub stored: usize,
    /// Classes whose choices shipped with candle-rocm, from measurements.
    pub shipped: usize,
    /// Classes whose choices shipped with candle-rocm as predictions of a model of the card. A measurement replaces them.
    pub predicted: usize,
    /// Classes whose choices came from [`RocmDevice::import_tuning`].
    pub imported: usize,
    /// Classes that are still being measured.
    pub undecided: usize,
    /// The file in which choices are kept; `None` if the user's cache is disabled.
    pub file: Option<PathBuf>,
}

impl fmt::Display for TuningReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tuning, measured, stored, shipped, predicted, imported, undecided, .. } = self;
        write!(f, "tuning {tuning}; choices: {stored} stored, {shipped} built in")?;
        let others = [
            (predicted, "predicted"),
            (measured, "measured"),
            (imported, "imported"),
            (undecided, "undecided"),
        ];
        for (count, what) in others {
            if *count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

impl RocmDevice {
    /// Reports how many choices there are, and their sources.
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
            predicted: count(Source::Predicted),
            imported: count(Source::Imported),
            undecided,
            file,
        }
    }

    /// Exports all choices of this device that were measured as text, for another machine with the same kind of card, or for inclusion in
    /// candle-rocm, which ships such texts by processor.
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
        let is_measured = |source| !matches!(source, Source::Unopposed | Source::Predicted);
        let measured = known.iter().filter(|(_, (_, source))| is_measured(*source));
        let choices: Vec<Choice> = measured.map(|(&class, &(candidate, _))| (class, candidate)).collect();
        render(origin, &choices)
    }

    /// Imports the choices of an [exported](RocmDevice::export_tuning) text and returns their number. They replace others for the same
    /// shapes until the device is dropped. They may come from another card: if a candidate does not exist here or does not support some
    /// operands, the fixed choice is used.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if the text was not exported by this release of candle-rocm, or has been damaged.
    pub fn import_tuning(&self, text: &str) -> Result<usize> {
        let (_, choices) =
            parse(text).map_err(|message| RocmError::InvalidArgument { op: "import_tuning", message })?;
        self.flush();
        let tuner = Tuner::with_settings(self);
        tuner.store(self);
        tuner.import(&choices);
        Ok(choices.len())
    }
}
