//! RCCL's way through host memory.

use rocm_hip::variable;

/// `1`: no copies from card to card.
pub(crate) const VARIABLE: &str = "NCCL_P2P_DISABLE";

/// Whether RCCL goes through host memory already.
pub(crate) fn through_host_memory() -> bool {
    variable::text(VARIABLE).is_some_and(|value| value.trim() == "1")
}
