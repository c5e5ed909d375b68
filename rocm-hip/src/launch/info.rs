//! Dims and strides in device memory.
//!
//! Kernels of strided operands read `dims, strides...` from an array on the device. Uploading it for each launch would
//! cost more than the launch, and a model has few distinct layouts, so they are kept, keyed by their content.
//!
//! The arrays are packed in a slab, of which the host keeps a copy to compare with. When the slab is full
//! a new one is begun, and the old one goes back to the pool when the last launch that points into it has been queued.

use std::fmt;
use std::sync::Arc;

use crate::lock::{self, Mutex};
use crate::memory::staging::{Staging, Target};
use crate::{Buffer, DevicePtr, Pool, Result, hash};

/// Words in a slab (128 KiB): about a thousand layouts.
const SLAB_WORDS: usize = 16 << 10;
/// Slots of the table, a power of two. Entries have one word at least, so half of it is never passed.
const SLOTS: usize = 2 * SLAB_WORDS;

/// An array of dims and strides in device memory, which stays valid as long as this value lives.
#[derive(Clone)]
pub struct InfoPtr {
    ptr: DevicePtr,
    slab: Option<Arc<Buffer<usize>>>,
}

impl InfoPtr {
    /// The pointer to pass to the kernel; null if the array is empty.
    pub fn as_ptr(&self) -> DevicePtr {
        self.ptr
    }

    pub(crate) fn into_parts(self) -> (DevicePtr, Option<Arc<Buffer<usize>>>) {
        (self.ptr, self.slab)
    }
}

impl fmt::Debug for InfoPtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InfoPtr({:?})", self.ptr)
    }
}

/// See the module's doc.
#[derive(Default)]
pub(crate) struct InfoCache(Mutex<State, lock::Info>);

#[derive(Default)]
struct State {
    slab: Option<Arc<Buffer<usize>>>,
    /// The slab's content; its length is how much of the slab is used.
    words: Vec<usize>,
    /// Open addressing, linear probing; empty until first used.
    table: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u32,
    start: u32,
    /// 0: a free slot.
    len: u32,
}

impl InfoCache {
    pub(crate) fn get(&self, words: &[usize], pool: &Pool, staging: &Staging) -> Result<InfoPtr> {
        if words.is_empty() {
            return Ok(InfoPtr { ptr: DevicePtr::NULL, slab: None });
        }
        if words.len() > SLAB_WORDS {
            let slab = Arc::new(pool.alloc::<usize>(words.len())?);
            upload(&slab, 0, words, staging)?;
            return Ok(InfoPtr { ptr: slab.as_ptr(), slab: Some(slab) });
        }
        let mut state = self.0.lock();
        let hash = hash::words(words) as u32;
        if let Some(slab) = &state.slab
            && let Ok(entry) = state.find(hash, words)
        {
            return Ok(InfoPtr { ptr: at(slab, entry.start as usize), slab: Some(slab.clone()) });
        }
        state.insert(hash, words, pool, staging)
    }
}

impl State {
    /// The entry, or the slot where it belongs.
    fn find(&self, hash: u32, words: &[usize]) -> std::result::Result<Entry, usize> {
        let mut slot = hash as usize % SLOTS;
        loop {
            let entry = self.table[slot];
            if entry.len == 0 {
                return Err(slot);
            }
            let (start, len) = (entry.start as usize, entry.len as usize);
            if entry.hash == hash && self.words[start..start + len] == *words {
                return Ok(entry);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    #[cold]
    fn insert(&mut self, hash: u32, words: &[usize], pool: &Pool, staging: &Staging) -> Result<InfoPtr> {
        let slab = match &self.slab {
            Some(slab) if self.words.len() + words.len() <= SLAB_WORDS => slab.clone(),
            _ => {
                let slab = Arc::new(pool.alloc_without_reclaim::<usize>(SLAB_WORDS)?);
                self.words.clear();
                self.table.clear();
                self.table.resize(SLOTS, Entry::default());
                self.slab = Some(slab.clone());
                slab
            }
        };
        let start = self.words.len();
        // Queued while the lock is held: whoever finds the entry queues its kernel behind the copy.
        upload(&slab, start, words, staging)?;
        if let Err(slot) = self.find(hash, words) {
            self.words.extend_from_slice(words);
            self.table[slot] = Entry { hash, start: start as u32, len: words.len() as u32 };
        }
        Ok(InfoPtr { ptr: at(&slab, start), slab: Some(slab) })
    }
}

fn at(slab: &Buffer<usize>, start: usize) -> DevicePtr {
    slab.as_ptr().byte_add(start * size_of::<usize>())
}

fn upload(slab: &Buffer<usize>, start: usize, words: &[usize], staging: &Staging) -> Result<()> {
    // SAFETY: the caller made sure that `start + words.len()` words fit into the slab.
    unsafe { staging.upload(Target::Device(at(slab, start)), bytemuck::cast_slice(words)) }
}
