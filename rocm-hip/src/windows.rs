//! What std does not have of Windows.

use std::ffi::c_void;
use std::fs::File;
use std::os::windows::io::AsRawHandle;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn LockFileEx(
        file: *mut c_void,
        flags: u32,
        reserved: u32,
        low: u32,
        high: u32,
        overlapped: *mut Overlapped,
    ) -> i32;
    fn OpenProcess(access: u32, inherit: i32, process: u32) -> *mut c_void;
    fn WaitForSingleObject(handle: *mut c_void, milliseconds: u32) -> u32;
    fn CloseHandle(handle: *mut c_void) -> i32;
}

#[link(name = "ntdll")]
unsafe extern "system" {
    fn RtlDllShutdownInProgress() -> u8;
}

/// From where in the file, for calls that do not wait elsewhere: all zero.
#[repr(C)]
#[derive(Default)]
struct Overlapped {
    state: [usize; 2],
    offset: [u32; 2],
    event: usize,
}

/// Waits for the lock of a file, which ends with the handle. A failure means that the last writer wins, as on file systems without locks.
pub(crate) fn lock(file: &File) {
    const EXCLUSIVE: u32 = 2;
    let mut start = Overlapped::default();
    // SAFETY: the handle is open, and the structure lives while the call waits.
    unsafe { LockFileEx(file.as_raw_handle().cast(), EXCLUSIVE, 0, 1, 0, &mut start) };
}

/// Whether a process of this number runs, or may run.
pub(crate) fn may_run(process: u32) -> bool {
    const SYNCHRONIZE: u32 = 0x0010_0000;
    const NO_SUCH_PROCESS: i32 = 87;
    // SAFETY: takes any number.
    let handle = unsafe { OpenProcess(SYNCHRONIZE, 0, process) };
    if handle.is_null() {
        // That of another user is there, and is not opened.
        return std::io::Error::last_os_error().raw_os_error() != Some(NO_SUCH_PROCESS);
    }
    // SAFETY: the handle is open; without a time to wait the call says at once whether the process has ended.
    let ended = unsafe { WaitForSingleObject(handle, 0) } == 0;
    // SAFETY: the handle is ours and is not used again.
    unsafe { CloseHandle(handle) };
    !ended
}

/// Whether the process is ending and has no other threads any more: Windows stops them before it tells libraries, whatever they are at.
pub(crate) fn is_last_thread() -> bool {
    // SAFETY: reads a flag of the process.
    unsafe { RtlDllShutdownInProgress() != 0 }
}
