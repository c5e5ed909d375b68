//! Names that live as long as the process.

use crate::lock::Mutex;

/// A kernel's name, interned: one word, and never freed (there are only so many kernels).
#[derive(Clone, Copy, Debug)]
pub(crate) struct InternedName(&'static &'static str);

impl InternedName {
    pub(crate) fn new(name: &str) -> Self {
        static NAMES: Mutex<Vec<InternedName>> = Mutex::new(Vec::new());
        let mut names = NAMES.lock();
        if let Some(known) = names.iter().find(|known| *known.0 == name) {
            return *known;
        }
        let leaked: &'static str = Box::leak(name.to_owned().into_boxed_str());
        let new = Self(Box::leak(Box::new(leaked)));
        names.push(new);
        new
    }

    pub(crate) fn as_str(self) -> &'static str {
        self.0
    }

    /// For an atomic.
    pub(crate) fn as_ptr(self) -> *mut &'static str {
        std::ptr::from_ref(self.0).cast_mut()
    }
}
