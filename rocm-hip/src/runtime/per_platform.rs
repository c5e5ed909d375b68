//! Things that a process has once per platform: opened libraries.

use crate::lock::{self, Mutex};
use crate::{Platform, Result};

/// One `T` per platform, created on first use and never dropped. For statics.
///
/// ```
/// use rocm_hip::{PerPlatform, Platform};
/// static LENGTHS: PerPlatform<usize> = PerPlatform::new();
/// let length = LENGTHS.get_or_try_init(Platform::AMD, || Ok::<_, rocm_hip::HipError>("amd".len()))?;
/// assert_eq!(*length, 3);
/// # Ok::<(), rocm_hip::HipError>(())
/// ```
pub struct PerPlatform<T: 'static>(Mutex<Vec<(Platform, &'static T)>, lock::Libraries>);

impl<T> PerPlatform<T> {
    /// Creates an empty collection.
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns the value for the platform. On first use, creates it with `init` while other threads wait.
    ///
    /// # Errors
    /// The error of `init`. Failures are not remembered: the next call tries again.
    pub fn get_or_try_init<E>(
        &self,
        platform: Platform,
        init: impl FnOnce() -> Result<T, E>,
    ) -> Result<&'static T, E> {
        let mut all = self.0.lock();
        if let Some(&(_, known)) = all.iter().find(|(of, _)| *of == platform) {
            return Ok(known);
        }
        let new: &'static T = Box::leak(Box::new(init()?));
        all.push((platform, new));
        Ok(new)
    }
}

impl<T> Default for PerPlatform<T> {
    fn default() -> Self {
        Self::new()
    }
}
