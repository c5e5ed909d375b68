//! What `cargo xtask card --planted` must find and survive: each test here fails.

mod common;

use common::{open, platform};
use rocm_hip::{LaunchConfig, Queue, Result};

const KERNELS: &str = r#"
extern "C" __global__ void faults(unsigned *) { *(volatile unsigned *)64 = 1; }
extern "C" __global__ void hangs(unsigned *x) { while (__atomic_load_n(x, __ATOMIC_RELAXED) == 0) {} }
extern "C" __global__ void adds_two(unsigned *x) { *x += 2; }"#;

/// What the kernel makes of 0.
fn result_of(kernel: &str) -> Result<u32> {
    let queue: Queue = open(platform(), 0)?;
    let module = queue.device().compile("planted", KERNELS)?;
    let function = module.function(kernel)?;
    let number = queue.alloc_zeros::<u32>(1)?;
    let mut launch = queue.launch(&function);
    // SAFETY: the kernels take the address of one number. That one of them writes elsewhere is what is tested; on the CPU that is the
    // first page, which no process has.
    unsafe { launch.pointer(number.as_ptr()).run(LaunchConfig::linear(1, 1)) }?;
    Ok(queue.download(&number)?[0])
}

#[test]
#[ignore = "fails on purpose"]
fn a_kernel_faults() {
    assert_eq!(result_of("faults").unwrap(), 0);
}

#[test]
#[ignore = "fails on purpose"]
fn a_kernel_hangs() {
    assert_eq!(result_of("hangs").unwrap(), 0);
}

#[test]
#[ignore = "fails on purpose"]
fn a_kernel_is_wrong() {
    assert_eq!(result_of("adds_two").unwrap(), 1);
}
