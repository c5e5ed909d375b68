//! Devices that are only given code of their generic targets.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use common::Process;
use rocm_hip::{LaunchConfig, Module, Queue};

const SOURCE: &str = "extern \"C\" __attribute__((global)) void count(unsigned *numbers) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    numbers[i] = i + 1;
}";

#[test]
fn only_code_of_the_generic_target_is_accepted() {
    let devices = "gfx906,gfx942,gfx1010,gfx1030,gfx1100,gfx1201";
    let variables = [("CANDLE_ROCM_GFX_GENERIC", "1")];
    if let Process::This =
        common::in_child_with("only_code_of_the_generic_target_is_accepted", devices, &variables)
    {
        common::queues().iter().for_each(check);
    }
}

fn check(queue: &Queue) {
    let device = queue.device();
    let generic = rocm_kernels::generic_target(&device.target()).expect("a generic target");
    let load = |code| Module::load(device, "count", code);
    let refused = load(common::code_for(device.target().processor(), SOURCE)).map(drop).unwrap_err();
    assert!(refused.to_string().contains("hipErrorNoBinaryForGpu"), "{refused}");
    load(common::code_for(generic, SOURCE)).unwrap();

    // What is compiled at run time is for it.
    let module = load(common::code(queue, "count", SOURCE)).unwrap();
    let count = module.function("count").unwrap();
    let mut numbers = queue.alloc_zeros::<u32>(64).unwrap();
    // SAFETY: it writes 64 numbers.
    unsafe { queue.launch(&count).buffer_mut(&mut numbers, 0).run(LaunchConfig::linear(1, 64)) }.unwrap();
    assert_eq!(queue.download(&numbers).unwrap(), (1..=64).collect::<Vec<u32>>(), "{generic}");
}
