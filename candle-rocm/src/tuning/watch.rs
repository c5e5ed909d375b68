//! A device whose contests somebody watches, and decides.

use super::Source;
use super::contest::Contest;
use super::decision::Decision;
use super::tuner::Tuner;
use crate::{Result, RocmDevice, RocmError};

#[doc(hidden)] // for `cargo xtask predict --choices`
impl RocmDevice {
    /// From now on it is noted which choices calls ask for.
    pub fn watch_contests(&self) {
        self.flush();
        Tuner::with_settings(self).watched.begin();
    }

    /// Those that were asked for since the last time.
    pub fn take_contests(&self) -> Vec<Contest> {
        self.flush();
        Tuner::with_settings(self).watched.take()
    }

    /// Has a candidate serve the calls of a contest.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if there is no such candidate.
    pub fn choose(&self, contest: &Contest, candidate: &str) -> Result<()> {
        self.flush();
        let Decision { name, candidates, .. } = contest.class.decision();
        let Some(index) = candidates.iter().position(|name| *name == candidate) else {
            let message = format!("{name} has no candidate {candidate}");
            return Err(RocmError::InvalidArgument { op: "choose", message });
        };
        Tuner::with_settings(self).learn(&[(contest.class, index as u8)], Source::Imported);
        Ok(())
    }
}
