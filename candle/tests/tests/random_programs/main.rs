//! Random programs give the same with fusion off, on, and with generated kernels, and what candle's CPU device gives in f64.
//!
//! `CANDLE_ROCM_TEST_PROGRAMS` is how many run on each device (200 by default, 10 on the gfx platform), `CANDLE_ROCM_TEST_SEED` the first of their seeds.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use candle_rocm::platform::GFX;
use candle_rocm_tests::{devices, platform};

mod compare;
mod generator;
mod idioms;
mod interpreter;
mod operations;
mod program;
mod promise;
mod reference;
mod shrink;

use compare::{Checked, Wrong, check};
use interpreter::run;
use program::Program;
use reference::Reference;

/// Runs of a program that is made smaller, until one fails, if it did not fail the second time: races do not show each time.
const TRIES: usize = 4;
/// Smaller programs that are tried at most.
const SMALLER: usize = 400;

fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
fn programs() {
    // Machine code takes a thousand times as long.
    let few = if platform() == GFX { 10 } else { 200 };
    let first = variable("CANDLE_ROCM_TEST_SEED", 0);
    let count = variable("CANDLE_ROCM_TEST_PROGRAMS", few);
    run_all(first..first + count);
}

/// So few that they run under a checker.
#[test]
fn for_the_checkers() {
    run_all(1001..1009);
}

fn run_all(seeds: std::ops::Range<u64>) {
    let ordinals = candle_rocm_tests::ordinals().len().min(devices().len());
    let (next, wrong) = (AtomicU64::new(seeds.start), Mutex::new(Vec::new()));
    let (elements, unknown) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let program = generator::generate(seed);
                    for ordinal in 0..ordinals {
                        match check(&program, ordinal) {
                            Ok(Checked { elements: more, unknown: few }) => {
                                elements.fetch_add(more, Ordering::Relaxed);
                                unknown.fetch_add(few, Ordering::Relaxed);
                            }
                            Err(found) => {
                                eprintln!(
                                    "program {seed} failed on device {ordinal}; looking for a smaller one"
                                );
                                let text = report(&program, ordinal, &found);
                                eprintln!("{text}");
                                wrong.lock().expect("no panics").push(text);
                            }
                        }
                    }
                }
            });
        }
    });
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    println!(
        "{} programs on {ordinals} devices: {} elements, of which {} could have been anything",
        seeds.end - seeds.start,
        count(&elements),
        count(&unknown)
    );
    let wrong = wrong.into_inner().expect("no panics");
    assert!(wrong.is_empty(), "{} programs failed, such as\n{}", wrong.len(), wrong[0]);
}

/// A smaller program that fails in the same run, and how to run the whole one again.
fn report(program: &Program, ordinal: usize, found: &Wrong) -> String {
    let tries = if check(program, ordinal).is_err() { 1 } else { TRIES };
    let left = Cell::new(SMALLER);
    let fails = |smaller: &Program| {
        left.set(left.get().saturating_sub(1));
        left.get() > 0
            && run(smaller, &Reference::exact(smaller)).is_ok()
            && (0..tries)
                .find_map(|_| check(smaller, ordinal).err())
                .is_some_and(|wrong| wrong.run == found.run)
    };
    let smallest = shrink::shrink(program.clone(), fails);
    let wrong = (0..TRIES).find_map(|_| check(&smallest, ordinal).err()).unwrap_or_else(|| found.clone());
    let place = |program: &Program, wrong: &Wrong| match program.instructions.get(wrong.failure.at) {
        None => "at the end".to_owned(),
        Some(instruction) => format!("in `{}`", program.line(instruction)),
    };
    let Program { seed, deterministic, compiled, elsewhere, .. } = program;
    format!(
        "Program {seed} on device {ordinal}, {}, {}: {}\n\
         {smallest}    // {}, {}: {}\n\
         deterministic: {deterministic}, compiled: {compiled}, second device on another GPU: {elsewhere}\n\
         To run it again: CANDLE_ROCM_TEST_SEED={seed} CANDLE_ROCM_TEST_PROGRAMS=1 \
         cargo test -p candle-rocm-tests --test random_programs programs\n",
        found.run,
        place(program, found),
        found.failure.what,
        wrong.run,
        place(&smallest, &wrong),
        wrong.failure.what
    )
}
