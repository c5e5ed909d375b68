//! Modules, and the kernels in them.

use std::ffi::CStr;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use super::globals::Globals;
use super::loading::Copy;
use super::object::{self, Variables};
use super::sanitize::Sanitizer;
use super::startup;
use crate::processor::{Kernel, Parameter};
use crate::runtime::device::Device;

/// A loaded module. It lives as long as a handle or a queued launch refers to it.
pub(crate) struct Module {
    object: Vec<u8>,
    /// The width of its wavefronts.
    pub(crate) wave: u32,
    pub(crate) kernels: Vec<Kernel>,
    /// How often each has been launched.
    pub(crate) launches: Vec<AtomicU64>,
    /// Where variables lie in each copy.
    pub(crate) variables: Variables,
    /// What all copies share.
    pub(crate) globals: Option<Globals>,
    /// Loaded copies that nobody uses at the moment, by who may: see [`Module::take_copy`].
    spare: Mutex<Vec<(usize, Copy)>>,
}

impl Module {
    /// Loads a shared object that this platform's compiler made; its variables are memory of `device`.
    pub(crate) fn load(object: &[u8], device: &'static Device) -> Result<Self, String> {
        startup::check(object, Sanitizer::active())?;
        let mut variables = object::variables(object)?;
        let copy = Copy::load(object)?;
        let globals = match variables.device.take() {
            None => None,
            Some(section) => {
                let globals = Globals::new(&copy, section, std::mem::take(&mut variables.globals), device)?;
                globals.share_with(&copy)?;
                Some(globals)
            }
        };
        let kernels: Vec<Kernel> = copy
            .kernels()
            .iter()
            .map(|kernel| {
                // SAFETY: a string and lists in the object, with as many entries as it says.
                let (name, sizes, alignments) = unsafe {
                    (
                        CStr::from_ptr(kernel.name).to_string_lossy().into_owned(),
                        std::slice::from_raw_parts(kernel.sizes, kernel.count as usize),
                        std::slice::from_raw_parts(kernel.alignments, kernel.count as usize),
                    )
                };
                Kernel { name, parameters: layout(sizes, alignments) }
            })
            .collect();
        let wave = device.wavefront();
        let launches = kernels.iter().map(|_| AtomicU64::new(0)).collect();
        let object = object.to_vec();
        Ok(Self { object, wave, kernels, launches, variables, globals, spare: Mutex::new(vec![(0, copy)]) })
    }

    /// A copy for the calling thread, which one with the same number had before, if any had. Whoever has another number has nothing to do
    /// with it.
    pub(crate) fn take_copy(&self, number: usize) -> Result<Copy, String> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = spare.iter().rposition(|(of, _)| *of == number) {
            return Ok(spare.swap_remove(index).1);
        }
        drop(spare);
        let copy = Copy::load(&self.object)?;
        if let Some(globals) = &self.globals {
            globals.share_with(&copy)?;
        }
        Ok(copy)
    }

    /// Gives it back.
    pub(crate) fn give_back(&self, number: usize, copy: Copy) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push((number, copy));
    }
}

/// Parameters follow each other, each at a multiple of its alignment.
fn layout(sizes: &[u32], alignments: &[u32]) -> Vec<Parameter> {
    let mut end = 0;
    sizes
        .iter()
        .zip(alignments)
        .map(|(&size, &alignment)| {
            let offset = usize::next_multiple_of(end, (alignment as usize).max(1));
            end = offset + size as usize;
            Parameter { offset, size: size as usize }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_aligned() {
        let offsets = |sizes: &[u32], alignments: &[u32]| -> Vec<usize> {
            layout(sizes, alignments).iter().map(|parameter| parameter.offset).collect()
        };
        assert_eq!(offsets(&[1, 8, 4, 2, 8], &[1, 8, 4, 2, 8]), [0, 8, 16, 20, 24]);
        assert_eq!(offsets(&[32, 1], &[32, 1]), [0, 32]);
        assert!(offsets(&[], &[]).is_empty());
    }
}
