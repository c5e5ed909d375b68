//! A caching allocator for device memory.
//!
//! `hipMalloc` takes tens of microseconds and `hipFree` waits for the device, so the pool keeps freed memory and hands it
//! out again, in [size classes](crate::memory::size_classes). HIP's own pool (`hipMallocAsync`) and its virtual memory functions are
//! not used: several cards and drivers corrupt memory or fail with them.

use std::fmt;
use std::mem;
use std::ptr;
use std::sync::Arc;

use rocm_sys::hip::hipError_t;
use rocm_sys::variable;

use super::buffer::Owner;
use super::readers::Readers;
use super::size_classes::{Block, LARGEST, Need, SizeClasses};
use super::system::{Share, SystemBlock, SystemBlocks};
use crate::lock::Mutex;
pub use crate::memory::size_classes::PoolStats;
use crate::runtime::fork;
use crate::{Buffer, Device, DevicePtr, Element, HipError, Result, Stream};

/// `off`: every buffer is a device allocation of its own and of its own size, so that memory checkers see each.
const POOL_VARIABLE: &str = "CANDLE_ROCM_POOL";
/// What kernels rely on: the aligned word that holds a buffer's last byte is the buffer's as a whole. Cards add to bytes and
/// halves inside such words, and read quantized blocks by them. Drivers give memory in much larger pieces anyway; their
/// memory checkers count bytes. The CPU platform's kernels need no such thing, so there each byte past an end is one too far.
const WORD: usize = 4;
/// How many bytes may stay cached.
const CAP_VARIABLE: &str = "CANDLE_ROCM_POOL_CAP";
/// The share of the device's memory that may stay cached unless told otherwise: one in so many parts.
const CAP_SHARE: usize = 4;

/// Device memory, cached for reuse by the work of one stream. Clones share the cache.
///
/// Memory of dropped buffers stays cached up to a cap: by default a quarter of the device's memory, or what the environment variable
/// `CANDLE_ROCM_POOL_CAP` or [`Pool::set_cap`] says. It is returned to the device when the cap is exceeded, when [`Pool::empty_cache`] is
/// called, or when the device runs out of memory.
///
/// On an integrated GPU, when `hipMalloc` fails, pools use the machine's memory, mapped for the GPU, up to what [`Device::memory`] reports
/// as usable. Copies to and from it need no staging.
///
/// ```
/// use rocm_hip::{Platform, Pool, Runtime, Stream};
/// # use rocm_hip::{Adapter, Linked};
/// # static ADAPTER: Adapter = Adapter::linked("host", Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable });
/// # const HOST: Platform = Platform::of(&ADAPTER);
/// let pool = Pool::new(&Stream::new(Runtime::get(HOST)?.device(0)?)?)?;
/// let first = pool.alloc::<f32>(1_000_000)?;
/// let address = first.as_ptr();
/// drop(first);
/// let second = pool.alloc::<f32>(990_000)?;
/// assert_eq!(second.as_ptr(), address);
/// assert_eq!(pool.stats().hits, 1);
/// # Ok::<(), rocm_hip::HipError>(())
/// ```
#[derive(Clone)]
pub struct Pool(pub(crate) Arc<PoolInner>);

pub(crate) struct PoolInner {
    stream: Stream,
    state: Mutex<State>,
    /// Whether memory is kept at all.
    caching: bool,
}

struct State {
    classes: SizeClasses,
    /// Those of its device allocations that are the machine's memory.
    system: SystemBlocks,
    reclaim: Option<Reclaim>,
}

type Reclaim = Arc<dyn Fn() + Send + Sync>;

impl Pool {
    /// Creates a pool of memory for work on `stream`.
    ///
    /// # Errors
    /// [`HipError::DeviceLost`], [`HipError::ForkedProcess`].
    pub fn new(stream: &Stream) -> Result<Self> {
        stream.device().check_usable()?;
        let cap = variable::number(CAP_VARIABLE, "a number of bytes");
        let cap = cap.unwrap_or_else(|| {
            let device = stream.device();
            device.total_memory().max(device.system_share().map_or(0, Share::reach)) / CAP_SHARE
        });
        let caching = variable::switch(POOL_VARIABLE).unwrap_or(true);
        let state = State { classes: SizeClasses::new(cap), system: SystemBlocks::default(), reclaim: None };
        let inner = Arc::new(PoolInner { stream: stream.clone(), state: Mutex::new(state), caching });
        stream.device().register_pool(Arc::downgrade(&inner));
        Ok(Self(inner))
    }

    /// Allocates `len` elements without initializing them.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`], once everything cached on the device has been released.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.alloc_with(len, true)
    }

    /// [`Pool::alloc`] without calling the [reclaim callback](Pool::set_reclaim): for callers that hold a lock that the callback may
    /// acquire.
    ///
    /// # Errors
    /// As [`Pool::alloc`].
    #[doc(hidden)]
    pub fn alloc_without_reclaim<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.alloc_with(len, false)
    }

    fn alloc_with<T: Element>(&self, len: usize, reclaims: bool) -> Result<Buffer<T>> {
        self.device().check_usable()?;
        let bytes = len.saturating_mul(size_of::<T>());
        let block = if bytes == 0 { Block::NULL } else { self.0.take(bytes, reclaims)? };
        Ok(Buffer::new(block, len, self.clone()))
    }

    /// The device that the memory is on.
    pub fn device(&self) -> Device {
        self.0.stream.device()
    }

    /// The stream whose work may use the memory without [`Buffer::record_stream`].
    pub fn stream(&self) -> &Stream {
        &self.0.stream
    }

    /// The current statistics; all zero in a forked child.
    pub fn stats(&self) -> PoolStats {
        if fork::in_child() { PoolStats::default() } else { self.0.state.lock().classes.stats }
    }

    /// Resets the peak statistics.
    pub fn reset_peaks(&self) {
        if !fork::in_child() {
            self.0.state.lock().classes.reset_peaks();
        }
    }

    /// Sets a callback that drops buffers which are kept but no longer needed. An allocation calls it before memory in use would exceed its
    /// peak, before requesting more memory from the device, and when the device has no memory left for any of its pools.
    pub fn set_reclaim(&self, reclaim: impl Fn() + Send + Sync + 'static) {
        if !fork::in_child() {
            self.0.state.lock().reclaim = Some(Arc::new(reclaim));
        }
    }

    /// The maximum number of bytes that stay cached; 0 in a forked child.
    pub fn cap(&self) -> usize {
        if fork::in_child() { 0 } else { self.0.state.lock().classes.cap }
    }

    /// Sets the maximum number of bytes that stay cached. Releases the excess, which waits for the stream.
    ///
    /// # Errors
    /// A failure on the stream.
    pub fn set_cap(&self, bytes: usize) -> Result<()> {
        self.device().check_usable()?;
        let released = {
            let mut state = self.0.state.lock();
            state.classes.cap = bytes;
            state.classes.trim(bytes)
        };
        self.0.give_back(&released)
    }

    /// Releases everything cached to the device and returns the number of bytes. Waits for the stream.
    ///
    /// # Errors
    /// A failure on the stream.
    pub fn empty_cache(&self) -> Result<usize> {
        self.device().check_usable()?;
        self.0.empty_cache()
    }
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Pool {}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({}, {:?})", self.device(), self.stats())
    }
}

impl PoolInner {
    fn take(&self, bytes: usize, reclaims: bool) -> Result<Block> {
        if bytes > LARGEST {
            return Err(self.out_of_memory(bytes));
        }
        if self.caching {
            let need = match self.take_cached(bytes, reclaims) {
                Ok(block) => return Ok(block),
                Err(need) => need,
            };
            // Without the lock: others may go on while the device allocates.
            if let Some(address) = self.device_alloc(need.bytes())? {
                return Ok(self.state.lock().classes.adopt(need, address));
            }
            self.flush_device(reclaims)?;
            if let Some(address) = self.device_alloc(need.bytes())? {
                return Ok(self.state.lock().classes.adopt(need, address));
            }
        }
        let adapter = self.stream.device().platform().adapter();
        let exact = adapter.is_some_and(|adapter| adapter.exact_allocations);
        let whole = if exact { bytes } else { bytes.next_multiple_of(WORD) };
        let mut address = self.device_alloc(whole)?;
        if address.is_none() {
            self.flush_device(reclaims)?;
            address = self.device_alloc(whole)?;
        }
        let Some(address) = address else { return Err(self.out_of_memory(bytes)) };
        if !self.caching && whole > bytes {
            let end = (address + bytes as u64) as usize as *mut _;
            // Or a checker would see words being read that were not written as a whole; nothing else depends on it.
            // SAFETY: the allocation has that many bytes behind `end`, and nobody else has its address yet.
            let _ = unsafe {
                self.stream.device().hip().hipMemsetAsync(end, 0, whole - bytes, self.stream.as_raw())
            };
        }
        Ok(self.state.lock().classes.adopt_exact(whole, address))
    }

    /// From the cache, or what to ask the device for.
    fn take_cached(&self, bytes: usize, reclaims: bool) -> Result<Block, Need> {
        let mut state = self.state.lock();
        if reclaims && state.reclaim.is_some() && state.classes.would_grow(bytes) {
            drop(state);
            self.reclaim();
            state = self.state.lock();
        }
        state.classes.take(bytes)
    }

    /// Has buffers dropped that nobody needs. Without the lock, as they come back.
    fn reclaim(&self) {
        let reclaim = self.state.lock().reclaim.clone();
        if let Some(reclaim) = reclaim {
            reclaim();
        }
    }

    /// `None`: neither the device nor, for an integrated GPU, the machine has so much memory.
    fn device_alloc(&self, bytes: usize) -> Result<Option<u64>> {
        let device = self.stream.device();
        device.bind()?;
        let mut address = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        match unsafe { device.hip().hipMalloc(&mut address, bytes) } {
            Ok(hipError_t::hipErrorOutOfMemory) => {
                device.forget_error();
                self.system_alloc(bytes)
            }
            // Not through the stream's check, which may have something else to report: the memory would be lost.
            Ok(hipError_t::hipSuccess) => Ok(Some(address as usize as u64)),
            code => self.stream.check("hipMalloc", code).map(|()| None),
        }
    }

    fn system_alloc(&self, bytes: usize) -> Result<Option<u64>> {
        let Some(block) = SystemBlock::new(self.stream.device(), bytes)? else { return Ok(None) };
        let address = block.address();
        let mut state = self.state.lock();
        state.system.insert(block);
        state.classes.stats.system = state.system.bytes();
        Ok(Some(address))
    }

    /// Where the host finds what the device finds at an address of this pool's: in the machine's memory, not in the device's. And whether
    /// that is fresh: of an allocation from which no buffer was dropped.
    #[inline]
    pub(crate) fn host_address(&self, address: DevicePtr) -> Option<(*mut u8, bool)> {
        self.stream.device().system_share()?;
        self.state.lock().system.host(address.address())
    }

    /// Empties the caches of all pools on the device, and has those buffers dropped that nobody needs.
    fn flush_device(&self, reclaims: bool) -> Result<()> {
        self.state.lock().classes.stats.out_of_memory_flushes += 1;
        self.stream.device().pools().iter().try_for_each(|pool| {
            if reclaims {
                pool.reclaim();
            }
            pool.empty_cache().map(|_| ())
        })
    }

    #[cold]
    fn out_of_memory(&self, requested: usize) -> HipError {
        let device = self.stream.device();
        let memory = device.memory().ok();
        let (free, total) = memory.map_or((0, device.total_memory()), |memory| (memory.free, memory.total));
        let system = memory.and_then(|memory| memory.system);
        let pooled = device.pools().iter().map(|pool| pool.state.lock().classes.stats.reserved).sum();
        HipError::OutOfMemory { device: device.to_string(), requested, free, total, system, pooled }
    }

    /// Takes a block back. Errors come out at the stream's next call.
    pub(crate) fn put(&self, block: Block, readers: &mut Readers) {
        // At exit the runtime may be gone, and the memory with it. A lost device may still use it.
        if block == Block::NULL || self.stream.device().is_abandoned() {
            return;
        }
        readers.before_reuse(&self.stream);
        let mut surplus = None;
        let released = {
            let mut state = self.state.lock();
            state.system.used(block.address);
            if state.classes.put(block, &mut surplus) {
                // A little further than needed, so that not every drop at the cap has to wait for the device.
                let cap = state.classes.cap;
                state.classes.trim(cap - cap / 8)
            } else if surplus.is_none() {
                return;
            } else {
                Vec::new()
            }
        };
        for released in [released.as_slice(), surplus.as_slice()] {
            if let Err(error) = self.give_back(released) {
                self.stream.defer(error);
            }
        }
    }

    /// Waits until no queued work uses the block: of this pool's stream, or of others.
    pub(crate) fn wait_for_users(&self, block: Block, readers: &mut Readers) -> Result<()> {
        if block == Block::NULL {
            return Ok(());
        }
        self.stream.synchronize().and(readers.synchronize())
    }

    /// Drops the owner of a block that is not of this pool, once no queued work uses it. Errors come out at the stream's next call.
    pub(crate) fn drop_owner(&self, block: Block, readers: &mut Readers, owner: Owner) {
        let device = self.stream.device();
        let waited = if device.is_abandoned() { Ok(()) } else { self.wait_for_users(block, readers) };
        if let Err(error) = waited {
            self.stream.defer(error);
        }
        // As with memory of its own: where the driver is gone, or may not be asked, it is left to the process's end.
        if !device.is_reachable_when_idle() {
            mem::forget(owner);
        }
    }

    fn empty_cache(&self) -> Result<usize> {
        let (bytes, released) = {
            let mut state = self.state.lock();
            let before = state.classes.stats.reserved;
            let released = state.classes.trim(0);
            (before - state.classes.stats.reserved, released)
        };
        self.give_back(&released)?;
        Ok(bytes)
    }

    /// Frees device allocations, after everything queued on the stream, which may use them.
    fn give_back(&self, addresses: &[u64]) -> Result<()> {
        if addresses.is_empty() {
            return Ok(());
        }
        // If it fails, the queued work is done for as well: the memory is free either way.
        let mut result = self.stream.synchronize();
        let device = self.stream.device();
        if !device.is_reachable_when_idle() {
            return result.and(device.check_usable());
        }
        for &address in addresses {
            let freed = match self.take_system_block(address) {
                Some(block) => block.free(device),
                None => {
                    // SAFETY: the address came from hipMalloc, is off the free lists, and no queued work uses it any more.
                    let code = unsafe { device.hip().hipFree(address as usize as *mut _) };
                    device.check("hipFree", code)
                }
            };
            result = result.and(freed);
        }
        result
    }

    fn take_system_block(&self, address: u64) -> Option<SystemBlock> {
        self.stream.device().system_share()?;
        let mut state = self.state.lock();
        let block = state.system.remove(address)?;
        state.classes.stats.system = state.system.bytes();
        Some(block)
    }
}

impl Drop for PoolInner {
    fn drop(&mut self) {
        // All buffers are gone, as each keeps its pool: everything is cached.
        if !self.stream.device().is_abandoned() {
            let _ = self.empty_cache();
        }
    }
}
