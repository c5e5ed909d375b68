//! Whether RCCL copies from card to card. It has no setting of a communicator for that, only a variable of the process.

use rocm_hip::variable;

use crate::{RcclError, Result, library};

const VARIABLE: &str = "NCCL_P2P_DISABLE";

/// Has RCCL go through host memory between the cards of a machine, instead of from card to card. Copies from card to card hang on some
/// machines, as is reported of several Radeons: `cargo rocm doctor` tries them.
///
/// It sets `NCCL_P2P_DISABLE=1` for the process, which can be done in the shell as well. RCCL reads that once, so it comes before the first
/// communicator, and holds for all. Every rank needs it.
///
/// ```
/// // SAFETY: this is the only thread.
/// unsafe { rocm_rccl::disable_peer_access() }?;
/// assert_eq!(std::env::var("NCCL_P2P_DISABLE").as_deref(), Ok("1"));
/// # Ok::<(), rocm_rccl::RcclError>(())
/// ```
///
/// # Errors
/// [`RcclError::InvalidArgument`] once RCCL is open.
///
/// # Safety
/// As [`std::env::set_var`]: other threads read and write the environment through [`std::env`] only, if at all. The start of `main` is a
/// good place.
pub unsafe fn disable_peer_access() -> Result<()> {
    if library::is_open() {
        let message =
            format!("RCCL is open, and has read {VARIABLE}: call it before the first communicator is made");
        return Err(RcclError::InvalidArgument { operation: "disable_peer_access", message });
    }
    // SAFETY: the caller's.
    unsafe { std::env::set_var(VARIABLE, "1") };
    Ok(())
}

/// Whether RCCL goes through host memory already.
pub(crate) fn through_host_memory() -> bool {
    variable::text(VARIABLE).is_some_and(|value| value.trim() == "1")
}
