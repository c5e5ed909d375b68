//! Programs with a fault each, which must be found.

use std::sync::Mutex;

use super::code;
use crate::assembly::Statement;
use crate::fault::FaultKind;
use crate::machine::clock::Event;
use crate::machine::descriptor::{Descriptor, SIZE};
use crate::machine::launch::{Counting, Launch, LaunchFault, Recorded};
use crate::machine::memory::{Memory, Region};
use crate::machine::races::Shadow;
use crate::profile::Touched;
use crate::target::Target;
use crate::time::{Choice, Operation, PIECE};

/// 256 bytes of memory.
struct Buffer {
    words: Box<[u64; 32]>,
    watched: bool,
}

// SAFETY: the buffer outlives the launches of these tests, and only they write to it, as atomics.
unsafe impl Memory for Buffer {
    fn region(&self, address: u64) -> Option<Region> {
        let start = self.words.as_ptr() as u64;
        let addresses = start..start + 256;
        let description = "a buffer of 256 bytes".to_owned();
        let region = Region { addresses, writable: true, watched: self.watched, description };
        region.addresses.contains(&address).then_some(region)
    }
}

/// A kernel with 32 vector registers, 64 bytes of LDS and 16 of scratch, the arguments' address in s[0:1].
fn descriptor(target: &Target) -> Descriptor {
    let mut bytes = [0; SIZE];
    let mut set = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    set(0, 64);
    set(4, 16);
    set(44, 7);
    set(48, 0xf0 << 12 | 1 << 21 | 1 << 23 | 3);
    // Two user registers, and the workgroup's index in x.
    set(52, 2 << 1 | 1 << 7);
    set(56, 1 << 3 | if target.lanes == 32 { 1 << 10 } else { 0 });
    Descriptor::parse(&bytes)
}

/// A launch of a program on two workgroups of two waves. Its buffer is at s[0:1], the workgroup's index is s2.
fn with_launch<R>(processor: &str, program: &str, watched: bool, act: impl FnOnce(Launch<'_>) -> R) -> R {
    let target = Target::find(processor).unwrap();
    let lines = program.lines().map(str::trim).filter(|line| !line.is_empty());
    let statements =
        lines.enumerate().map(|(at, line)| (line.to_owned(), Statement::parse(line, 4 * at as u64, vec![0])));
    let code = code(statements.collect(), 0, &target);
    let descriptor = descriptor(&target);
    let memory = Buffer { words: Box::new([0; 32]), watched };
    act(Launch {
        target,
        code: &code,
        descriptor: &descriptor,
        instructions: 0..code.instructions.len(),
        grid: [2, 1, 1],
        block: [2 * target.lanes as u32, 1, 1],
        dynamic_lds: 0,
        arguments: memory.words.as_ptr() as u64,
        packet: 0,
        memory: &memory,
        shadow: Some(Shadow::default()),
        statistics: None,
        recorded: &[],
        time: None,
        seed: 5,
        limit: 1 << 20,
    })
}

fn run_in(processor: &str, program: &str, watched: bool) -> Result<(), (FaultKind, String)> {
    let failed = |fault: LaunchFault| (fault.fault.fault.kind, fault.fault.fault.what);
    with_launch(processor, program, watched, |launch| launch.run(2).map(drop).map_err(failed))
}

fn run(processor: &str, program: &str) -> Result<(), (FaultKind, String)> {
    run_in(processor, program, true)
}

#[test]
fn a_sample_of_the_workgroups_is_counted() {
    let program = "v_mov_b32_e32 v1, 0\nglobal_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\ns_endpgm";
    with_launch("gfx90a", program, true, |mut launch| {
        let events = vec![Event::Nothing, Event::Load, Event::Wait(0), Event::Nothing];
        launch.statistics = Some(Counting { events, totals: Mutex::default() });
        (launch.grid, launch.shadow) = ([100, 1, 1], None);
        // A workgroup executes 4 instructions in 2 waves.
        let Ok((counts, ran)) = launch.sample(2, 30 * 8) else { panic!("a fault") };
        assert_eq!((ran, counts), (30, vec![60; 4]));
        let totals = launch.statistics.take().unwrap().totals.into_inner().unwrap();
        assert_eq!((totals.waits, totals.traffic[1].accesses), (60, 60));
        let memory: Vec<Touched> = totals.memory.into_values().collect();
        assert_eq!(memory, [Touched { size: 256, read: 30, written: 0 }]);
    });
}

#[test]
fn what_workgroups_execute_is_recorded() {
    let program = "v_mov_b32_e32 v1, 0\nglobal_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\ns_endpgm";
    let operations: Vec<Operation> = program.lines().map(|text| Operation::of(text, 4, 9)).collect();
    with_launch("gfx90a", program, true, |launch| {
        // Of a shorter lifetime: that of the operations.
        let mut launch = launch;
        (launch.grid, launch.shadow, launch.recorded) = ([100, 1, 1], None, &operations);
        // Ten of 100 workgroups, and of these no more than execute 30 instructions, 8 by each.
        let mut choice = Choice { units: 10, each: 10, resident: 2, budget: 30, is_complete: false };
        assert_eq!(choice.workgroups(95).collect::<Vec<_>>(), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!(choice.later(100, 4).collect::<Vec<_>>(), [40, 50, 60, 70, 80, 90]);
        assert_eq!(choice.later(100, 10).count(), 0);
        for is_complete in [false, true] {
            choice.is_complete = is_complete;
            let Ok(recorded) = launch.record(&choice) else { panic!("a fault") };
            let Recorded { workgroups, window, later_instructions } = recorded;
            assert_eq!((workgroups.len(), window.workgroups, window.samples.len()), (4, 20, 8));
            assert_eq!(later_instructions, Some(8.));
            for workgroup in workgroups {
                // Both waves load the same four bytes.
                assert_eq!(workgroup.all_pieces().collect::<Vec<_>>(), [launch.arguments / PIECE; 2]);
            }
        }
    });
}

/// The kind of fault that a program has on each processor.
fn expect(kind: FaultKind, program: &str) {
    for processor in ["gfx1100", "gfx90a"] {
        match run(processor, program) {
            Err((found, what)) => assert_eq!(found, kind, "{processor}: {what}"),
            Ok(()) => panic!("{processor}: no fault in {program}"),
        }
    }
}

#[test]
fn a_program_without_a_fault() {
    for processor in ["gfx1100", "gfx90a"] {
        let program = "
            v_and_b32_e32 v1, 63, v0
            v_lshlrev_b32_e32 v1, 2, v1
            v_mov_b32_e32 v2, 7
            s_barrier
            v_mov_b32_e32 v3, v2
            s_endpgm";
        assert_eq!(run(processor, program), Ok(()));
    }
}

#[test]
fn accesses_out_of_bounds() {
    // Lane 31's word begins at byte 248 and ends at 252; 4 bytes further is the end; 8 bytes too far is not.
    expect(FaultKind::OutOfBounds, "v_mov_b32_e32 v1, 0x100\nglobal_load_dword v2, v1, s[0:1]\ns_endpgm");
    expect(FaultKind::OutOfBounds, "v_mov_b32_e32 v1, 0xfd\nglobal_load_dword v2, v1, s[0:1]\ns_endpgm");
    expect(
        FaultKind::OutOfBounds,
        "v_mov_b32_e32 v1, 0\nglobal_store_dword v1, v1, s[0:1] offset:-4\ns_endpgm",
    );
    expect(FaultKind::OutOfBounds, "v_mov_b32_e32 v1, 61\nds_read_b32 v2, v1\ns_endpgm");
}

#[test]
fn registers_beyond_the_allocated_ones() {
    expect(FaultKind::OutOfBounds, "v_mov_b32_e32 v200, 0\ns_endpgm");
}

#[test]
fn misaligned_atomics() {
    expect(FaultKind::Misaligned, "v_mov_b32_e32 v1, 2\nglobal_atomic_add v1, v1, s[0:1]\ns_endpgm");
}

#[test]
fn races_of_workgroups() {
    let both_store = "v_mov_b32_e32 v1, 0\nglobal_store_dword v1, v0, s[0:1]\ns_endpgm";
    expect(FaultKind::Race, both_store);
    assert_eq!(run_in("gfx1100", both_store, false), Ok(()), "they report to the host");
    // Both add to it, which is fine.
    for processor in ["gfx1100", "gfx90a"] {
        assert_eq!(run(processor, "v_mov_b32_e32 v1, 0\nglobal_atomic_add v1, v1, s[0:1]\ns_endpgm"), Ok(()));
    }
}

#[test]
fn the_last_workgroup() {
    // Each of both writes a word, and the last of their four waves reads both words.
    let program = |invalidate: &str| {
        format!(
            "v_mov_b32_e32 v1, 0
            s_lshl_b32 s3, s2, 4
            v_mov_b32_e32 v2, s3
            v_mov_b32_e32 v3, 1
            global_store_dword v2, v3, s[0:1] offset:64
            s_waitcnt vmcnt(0)
            s_barrier
            s_mov_b64 exec, 1
            global_atomic_add v4, v1, v3, s[0:1] glc
            s_waitcnt vmcnt(0)
            v_readfirstlane_b32 s4, v4
            s_cmp_eq_u32 s4, 3
            s_cselect_b64 exec, 1, 0
            {invalidate}
            global_load_dword v5, v1, s[0:1] offset:64
            global_load_dword v6, v1, s[0:1] offset:80
            s_waitcnt vmcnt(0)
            s_endpgm"
        )
    };
    for (processor, invalidate) in [("gfx1100", "buffer_gl1_inv"), ("gfx90a", "buffer_wbinvl1_vol")] {
        assert_eq!(run(processor, &program(invalidate)), Ok(()), "{processor}");
        let (kind, what) = run(processor, &program("s_nop 0")).expect_err("caches may have old values");
        assert_eq!(kind, FaultKind::Race, "{what}");
    }
}

#[test]
fn races_of_waves() {
    let program = |between: &str| {
        format!("v_mov_b32_e32 v1, 0\nds_write_b32 v1, v1\n{between}\nds_read_b32 v2, v1\ns_endpgm")
    };
    expect(FaultKind::Race, &program("s_nop 0"));
}

#[test]
fn registers_that_were_never_written() {
    // In an address, in what is stored, in a lane mask. Computing with it alone is none: compilers do.
    let sum = "v_mov_b32_e32 v1, 0\nv_add_f32_e32 v2, v3, v4\n";
    expect(FaultKind::Undefined, &format!("{sum}global_load_dword v5, v2, s[0:1]\ns_endpgm"));
    expect(FaultKind::Undefined, &format!("{sum}global_store_dword v1, v2, s[0:1]\ns_endpgm"));
    expect(FaultKind::Undefined, &format!("{sum}v_readfirstlane_b32 s4, v2\ns_add_u32 s5, s4, s4\ns_endpgm"));
    expect(FaultKind::Undefined, "s_add_u32 s8, s9, s10\ns_endpgm");
}

#[test]
fn matrix_products_with_lanes_off() {
    let zeros = |count: u32| (1..=count).map(|n| format!("v_mov_b32_e32 v{n}, 0\n")).collect::<String>();
    let wmma = format!(
        "{}s_mov_b32 exec_lo, 0xff\nv_wmma_f32_16x16x16_f16 v[17:24], v[1:8], v[9:16], v[17:24]\ns_endpgm",
        zeros(24)
    );
    assert_eq!(run("gfx1100", &wmma).unwrap_err().0, FaultKind::LanesOff);
    let mfma = format!(
        "{}s_mov_b64 exec, 0xff\nv_mfma_f32_16x16x16f16 v[4:7], v[8:9], v[10:11], v[4:7]\ns_endpgm",
        zeros(12)
    );
    assert_eq!(run("gfx90a", &mfma).unwrap_err().0, FaultKind::LanesOff);
}

#[test]
fn what_is_not_understood() {
    expect(FaultKind::Unknown, "v_frobnicate_b32 v1, v2\ns_endpgm");
    expect(FaultKind::Unknown, "v_mov_b32_e32 v1, 0 sideways\ns_endpgm");
}

#[test]
fn the_end_of_the_code() {
    expect(FaultKind::Trap, "v_mov_b32_e32 v1, 0");
    expect(FaultKind::Trap, "s_trap 2\ns_endpgm");
}

#[test]
fn loops_without_end() {
    // A branch to itself: its words say 65535 (-1).
    let target = Target::find("gfx1100").unwrap();
    let branch = Statement::parse("s_branch 65535", 0, vec![0xbfa0_ffff]);
    let code = code(vec![("s_branch 65535".to_owned(), branch)], 0, &target);
    let (descriptor, memory) = (descriptor(&target), Buffer { words: Box::new([0; 32]), watched: true });
    let launch = Launch {
        target,
        code: &code,
        descriptor: &descriptor,
        instructions: 0..1,
        grid: [1; 3],
        block: [32, 1, 1],
        dynamic_lds: 0,
        arguments: 0,
        packet: 0,
        memory: &memory,
        shadow: None,
        statistics: None,
        recorded: &[],
        time: None,
        seed: 0,
        limit: 10_000,
    };
    assert_eq!(launch.run(1).err().map(|fault| fault.fault.fault.kind), Some(FaultKind::Limit));
}
