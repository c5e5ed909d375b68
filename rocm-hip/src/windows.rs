//! What std does not have of Windows.

use std::ffi::c_void;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn OpenProcess(access: u32, inherit: i32, process: u32) -> *mut c_void;
    fn WaitForSingleObject(handle: *mut c_void, milliseconds: u32) -> u32;
    fn CloseHandle(handle: *mut c_void) -> i32;
}

#[link(name = "ntdll")]
unsafe extern "system" {
    fn RtlDllShutdownInProgress() -> u8;
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
