//! What the runtime's tests share: calls through the bindings, and a gate that blocks a stream.
#![allow(dead_code, unused_macros, unused_imports, unreachable_pub)]

pub use rocm_sys::hip::*;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The platform, reached as a program that links it in reaches it.
pub fn hip() -> &'static Hip {
    static HIP: LazyLock<Hip> =
        LazyLock::new(|| Hip::from_resolver("candle-rocm-host", candle_rocm_host::symbol));
    &HIP
}

/// Calls a function by name and returns what it returned.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the test passes what the function asks for, or what the function must refuse.
        unsafe { $crate::runtime_common::hip().$function($($argument),*) }.expect(stringify!($function))
    };
}

/// Calls a function that must succeed.
macro_rules! ok {
    ($function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(call!($function($($argument),*)), hipError_t::hipSuccess, "{}", stringify!($function($($argument),*)))
    };
}

/// Calls a function that must return this error.
macro_rules! fails {
    ($error:ident, $function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(call!($function($($argument),*)), hipError_t::$error, "{}", stringify!($function($($argument),*)))
    };
}

pub(crate) use {call, fails, ok};

/// Serialises tests that block streams or break a device.
pub fn exclusive() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

pub const DEFAULT: hipMemcpyKind = hipMemcpyKind::hipMemcpyDefault;
pub const H2H: hipMemcpyKind = hipMemcpyKind::hipMemcpyHostToHost;
pub const H2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyHostToDevice;
pub const D2H: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToHost;
pub const D2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToDevice;
pub const NULL: hipStream_t = ptr::null_mut();

pub fn malloc(size: usize) -> *mut c_void {
    let mut address = ptr::null_mut();
    ok!(hipMalloc(&mut address, size));
    address
}

pub fn malloc_host(size: usize) -> *mut c_void {
    let mut address = ptr::null_mut();
    ok!(hipHostMalloc(&mut address, size, 0));
    address
}

pub fn stream(flags: u32) -> hipStream_t {
    let mut stream = ptr::null_mut();
    ok!(hipStreamCreateWithFlags(&mut stream, flags));
    stream
}

pub fn event() -> hipEvent_t {
    let mut event = ptr::null_mut();
    ok!(hipEventCreate(&mut event));
    event
}

/// Device memory that holds these bytes.
pub fn upload(bytes: &[u8]) -> *mut c_void {
    let address = malloc(bytes.len());
    ok!(hipMemcpy(address, bytes.as_ptr().cast(), bytes.len(), H2D));
    address
}

pub fn download(address: *const c_void, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    ok!(hipMemcpy(bytes.as_mut_ptr().cast(), address, len, D2H));
    bytes
}

/// Bytes that differ from their neighbours and between seeds.
pub fn pattern(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..len).map(step).collect()
}

/// Blocks a stream until it is opened. Closed gates open by themselves after minutes, so that a failing test ends.
#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    const PATIENCE: Duration = Duration::from_secs(600);

    /// Queues a function that waits for the gate. The gate has to outlive the stream's work.
    pub fn block(&'static self, stream: hipStream_t) {
        unsafe extern "C" fn wait(gate: *mut c_void) {
            // SAFETY: `block` passed a gate that lives forever.
            unsafe { &*gate.cast::<Gate>() }.wait();
        }
        ok!(hipLaunchHostFunc(stream, Some(wait), ptr::from_ref(self).cast_mut().cast()));
    }

    fn wait(&self) {
        let began = Instant::now();
        let mut open = self.open.lock().unwrap();
        while !*open && began.elapsed() < Self::PATIENCE {
            open = self.opened.wait_timeout(open, Self::PATIENCE).unwrap().0;
        }
    }

    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

/// A gate, closed.
pub fn gate() -> &'static Gate {
    Box::leak(Box::default())
}
