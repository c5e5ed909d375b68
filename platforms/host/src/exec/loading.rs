//! Loads a module's shared object, once for each thread that runs it.

use std::mem::ManuallyDrop;

use super::abi;
#[cfg(windows)]
use super::image::Image as Object;
use crate::sanitizer::order;
#[cfg(not(windows))]
use crate::system::Object;

/// A loaded copy of a module. Its statics belong to the thread that owns the copy.
pub(crate) struct Copy {
    object: ManuallyDrop<Object>,
    table: *const abi::Module,
}

// SAFETY: a copy is used by one thread at a time; loaded objects belong to no thread.
unsafe impl Send for Copy {}

impl Copy {
    /// Loads an object that `startup::check` has accepted.
    pub(crate) fn load(object: &[u8]) -> Result<Self, String> {
        // SAFETY: the object was made by this platform's compiler, and `startup::check` found that nothing runs when it is loaded.
        let object = unsafe { Object::load(object) }?;
        let table = object.symbol(abi::SYMBOL).ok_or("the object has no kernel table")?;
        let copy = Self { object: ManuallyDrop::new(object), table: table.cast() };
        // SAFETY: the symbol is that structure; its version is its first field in every version.
        let version = unsafe { (*copy.table).abi };
        if version != abi::VERSION {
            return Err(format!(
                "built for version {version} of the platform's module ABI, which is now version {}",
                abi::VERSION
            ));
        }
        Ok(copy)
    }

    /// Its functions and variables.
    pub(crate) fn table(&self) -> &abi::Module {
        // SAFETY: in the object, which is loaded as long as `self` lives.
        unsafe { &*self.table }
    }

    /// The address at which it is loaded.
    pub(crate) fn base(&self) -> usize {
        self.object.base(self.table.cast())
    }

    /// Its kernels.
    pub(crate) fn kernels(&self) -> &[abi::Kernel] {
        let table = self.table();
        if table.kernel_count == 0 {
            return &[];
        }
        // SAFETY: the table has as many entries as it says.
        unsafe { std::slice::from_raw_parts(table.kernels, table.kernel_count as usize) }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // The sanitizer would take what is loaded there next for the same memory.
        if !order::is_checked() {
            // SAFETY: nobody uses it any more. None of its kernels is running: whoever runs one owns the copy.
            unsafe { ManuallyDrop::drop(&mut self.object) };
        }
    }
}
