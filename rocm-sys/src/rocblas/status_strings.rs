//! Names of status codes.

use std::ffi::CStr;

use super::{rocblas_status, rocblas_status_};

/// The name of a status code, as `rocblas_status_to_string` returns it; other numbers have a name of their own. Needs no
/// library.
pub fn status_text(status: rocblas_status) -> &'static CStr {
    match status {
        rocblas_status_::rocblas_status_success => c"rocblas_status_success",
        rocblas_status_::rocblas_status_invalid_handle => c"rocblas_status_invalid_handle",
        rocblas_status_::rocblas_status_not_implemented => c"rocblas_status_not_implemented",
        rocblas_status_::rocblas_status_invalid_pointer => c"rocblas_status_invalid_pointer",
        rocblas_status_::rocblas_status_invalid_size => c"rocblas_status_invalid_size",
        rocblas_status_::rocblas_status_memory_error => c"rocblas_status_memory_error",
        rocblas_status_::rocblas_status_internal_error => c"rocblas_status_internal_error",
        rocblas_status_::rocblas_status_perf_degraded => c"rocblas_status_perf_degraded",
        rocblas_status_::rocblas_status_size_query_mismatch => c"rocblas_status_size_query_mismatch",
        rocblas_status_::rocblas_status_size_increased => c"rocblas_status_size_increased",
        rocblas_status_::rocblas_status_size_unchanged => c"rocblas_status_size_unchanged",
        rocblas_status_::rocblas_status_invalid_value => c"rocblas_status_invalid_value",
        rocblas_status_::rocblas_status_continue => c"rocblas_status_continue",
        rocblas_status_::rocblas_status_check_numerics_fail => c"rocblas_status_check_numerics_fail",
        rocblas_status_::rocblas_status_excluded_from_build => c"rocblas_status_excluded_from_build",
        rocblas_status_::rocblas_status_arch_mismatch => c"rocblas_status_arch_mismatch",
        _ => c"<undefined rocblas_status value>",
    }
}
