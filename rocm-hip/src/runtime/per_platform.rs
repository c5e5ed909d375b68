//! Things that a process has once per platform: opened libraries.

use crate::lock::{self, Mutex};
use crate::{Platform, Result};

/// For statics: one `T` per platform, made when it is first asked for and never dropped.
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
    /// With nothing in it.
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// What there is for the platform; made now if it was not yet, while others wait.
    ///
    /// # Errors
    /// What `init` returns. A failure is not remembered: the next call tries again.
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
