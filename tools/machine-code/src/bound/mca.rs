//! The cycles of inner loops, as counted here and by llvm-mca from LLVM's scheduling models.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use candle_rocm_gfx::class::{Class, Vector};
use candle_rocm_gfx::profile::{Instruction, Profile};
use rocm_kernels::{Processor, Rates, toolchain};
use serde_json::Value;

use super::case::Case;

/// The two may differ by this much.
const TOLERANCE: f64 = 0.2;
/// Shorter loops are all latency.
const SHORTEST: usize = 16;

/// Compares the hottest loop of every kernel, prints what differs, and fails if something differs that LLVM's model knows of.
pub(super) fn compare(cases: &[Case], processor: &Processor) -> Result<()> {
    let rates = processor.rates.context("the processor has rates")?;
    // Of the same LLVM as the disassembler, `llvm-objdump-22`.
    let program = toolchain::disassembler()?.to_string_lossy().replace("llvm-objdump", "llvm-mca");
    let mut kernels: BTreeMap<&str, &Profile> = BTreeMap::new();
    for launch in cases.iter().flat_map(|case| &case.launches) {
        kernels.entry(&launch.kernel).or_insert(launch);
    }
    let (mut loops, mut near, mut known) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (kernel, launch) in kernels {
        let Some(body) = hottest(&launch.instructions) else { continue };
        let theirs = pressures(Path::new(&program), processor.name, body)
            .with_context(|| format!("the loop of {kernel}"))?;
        let comparison = Comparison::new(body, &theirs, &rates);
        // There is no vector instruction in it.
        if comparison.ours == 0. {
            continue;
        }
        loops += 1;
        let difference = comparison.ours / comparison.llvm - 1.;
        if difference.abs() <= TOLERANCE {
            near += 1;
            continue;
        }
        let corrected = comparison.ours / comparison.corrected - 1.;
        println!(
            "{} {kernel}: {:.0} cycles, llvm-mca {:.0}; with our rates for what its model has none of {:.0}",
            processor.name, comparison.ours, comparison.llvm, comparison.corrected
        );
        if corrected.abs() <= TOLERANCE { known += 1 } else { wrong.push(kernel) }
    }
    println!(
        "{}: {loops} loops, {near} within {:.0} % of llvm-mca, {known} more but for rates that its model does not have",
        processor.name,
        TOLERANCE * 100.
    );
    ensure!(wrong.is_empty(), "llvm-mca gives other cycles for the loops of {}", wrong.join(", "));
    Ok(())
}

/// The longest run of instructions that were executed about as often as the one that was executed most.
fn hottest(instructions: &[Instruction]) -> Option<&[Instruction]> {
    let most = instructions.iter().map(|instruction| instruction.executed).max()?;
    let first = instructions.iter().map(|instruction| instruction.executed).min()?;
    // Code without a loop is executed as often everywhere.
    if most < 2 * first {
        return None;
    }
    let bodies = instructions.split(|instruction| instruction.executed * 2 < most);
    bodies.max_by_key(|body| body.len()).filter(|body| body.len() >= SHORTEST)
}

/// Cycles of a SIMD in an iteration: of its busiest unit.
struct Comparison {
    ours: f64,
    llvm: f64,
    /// LLVM's, with our rates for instructions that its models take for others.
    corrected: f64,
}

impl Comparison {
    fn new(body: &[Instruction], theirs: &[Pressure], rates: &Rates) -> Self {
        let (mut ours, mut llvm, mut corrected) =
            (Pressure::default(), Pressure::default(), Pressure::default());
        let cycle = f64::from(rates.vector);
        for (instruction, theirs) in body.iter().zip(theirs) {
            let mine = Pressure::of(&instruction.text, rates);
            let theirs = Pressure { vector: theirs.vector * cycle, matrix: theirs.matrix * cycle };
            ours.add(&mine);
            llvm.add(&theirs);
            corrected.add(if is_modelled(&instruction.text) { &theirs } else { &mine });
        }
        Self { ours: ours.most(), llvm: llvm.most(), corrected: corrected.most() }
    }
}

/// Whether LLVM's models say how long an instruction occupies its unit. They take every vector instruction for one of full rate, WMMA
/// too, and each half of a dual instruction for one of its own.
fn is_modelled(text: &str) -> bool {
    match Class::of(text) {
        Class::Vector(Vector::Full) => !text.starts_with("v_dual_"),
        Class::Vector(_) => false,
        Class::Matrix { .. } => text.starts_with("v_mfma_"),
        _ => true,
    }
}

/// Cycles of a SIMD's units.
#[derive(Clone, Copy, Default)]
struct Pressure {
    vector: f64,
    matrix: f64,
}

impl Pressure {
    fn of(text: &str, rates: &Rates) -> Self {
        let vector = |cycles: u32| Self { vector: f64::from(cycles), matrix: 0. };
        match Class::of(text) {
            Class::Vector(Vector::Full) => vector(rates.vector),
            Class::Vector(Vector::Multiply) => vector(rates.multiply),
            Class::Vector(Vector::Double) => vector(rates.double),
            Class::Vector(Vector::Transcendental) if rates.transcendental_unit => vector(rates.vector),
            Class::Vector(Vector::Transcendental) => vector(rates.transcendental),
            Class::Matrix { operations, bytes } => {
                let rate = if bytes { rates.matrix8 } else { rates.matrix16 } / rates.simds;
                Self { vector: 0., matrix: operations as f64 / f64::from(rate) }
            }
            _ => Self::default(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.vector += other.vector;
        self.matrix += other.matrix;
    }

    fn most(&self) -> f64 {
        self.vector.max(self.matrix)
    }
}

/// What each instruction of a loop occupies by LLVM's model.
fn pressures(program: &Path, processor: &str, body: &[Instruction]) -> Result<Vec<Pressure>> {
    let mut child = Command::new(program)
        .args(["-march=amdgcn", &format!("-mcpu={processor}"), "-iterations=1", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let text: String = body.iter().map(|instruction| format!("{}\n", instruction.text)).collect();
    child.stdin.take().context("its input")?.write_all(text.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "llvm-mca: {}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let units = &report["TargetInfo"]["Resources"];
    let mut pressures = vec![Pressure::default(); body.len()];
    let uses = &report["CodeRegions"][0]["ResourcePressureView"]["ResourcePressureInfo"];
    for usage in uses.as_array().context("llvm-mca's report has no resource pressures")? {
        let number = |name: &str| usage[name].as_u64().unwrap_or(u64::MAX) as usize;
        // One entry more has the sums.
        let Some(pressure) = pressures.get_mut(number("InstructionIndex")) else { continue };
        let cycles = usage["ResourceUsage"].as_f64().unwrap_or_default();
        match units[number("ResourceIndex")].as_str() {
            Some("HWVALU" | "HWTransVALU") => pressure.vector += cycles,
            Some("HWXDL") => pressure.matrix += cycles,
            _ => {}
        }
    }
    Ok(pressures)
}
