//! Whether RCCL copies from card to card. It has no setting of a communicator for that, only a variable of the process.

use crate::host_memory::VARIABLE;
use crate::{RcclError, Result, library};

/// Makes RCCL copy through host memory between the cards of a machine, instead of directly from card to card. Direct copies hang on some
/// machines, as reported for several Radeons. `cargo rocm doctor` tests them.
///
/// This sets `NCCL_P2P_DISABLE=1` for the process, which you can also do in the shell. RCCL reads the variable once, so call this before
/// creating the first communicator. It applies to all communicators, and every rank needs it.
///
/// ```
/// // SAFETY: this is the only thread.
/// unsafe { rocm_rccl::disable_peer_access() }?;
/// assert_eq!(std::env::var("NCCL_P2P_DISABLE").as_deref(), Ok("1"));
/// # Ok::<(), rocm_rccl::RcclError>(())
/// ```
///
/// # Errors
/// [`RcclError::InvalidArgument`] if RCCL has already been opened.
///
/// # Safety
/// As for [`std::env::set_var`]: other threads access the environment only through [`std::env`](mod@std::env), if at all. Call it at the
/// start of `main`.
pub unsafe fn disable_peer_access() -> Result<()> {
    if library::is_open() {
        let message = format!(
            "RCCL is already open and has read {VARIABLE}; call this before creating the first communicator"
        );
        return Err(RcclError::InvalidArgument { operation: "disable_peer_access", message });
    }
    // SAFETY: the caller's.
    unsafe { std::env::set_var(VARIABLE, "1") };
    Ok(())
}
