//! `cargo xtask coverage`: which machine code, and which source lines of the kernels, the tests of `cargo xtask test --gfx` executed.
//!
//! Each run leaves a folder of what it executed; this adds them up for the code objects that are current.

mod lines;
mod report;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};
use candle_rocm_gfx::coverage::{self, Executed, KernelId};
use rocm_kernels::Module;
use tools_common::root;

use crate::gfx::find_device_libraries;
use crate::warm;
use lines::{Lines, Reasons, Sources};

/// Options of `cargo xtask coverage`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The processors to report on [default: those that tests ran on].
    #[arg(long, value_delimiter = ',', value_name = "PROCESSORS")]
    gfx: Vec<String>,
    /// Write the tables to platforms/gfx/coverage.md.
    #[arg(long)]
    write: bool,
}

/// What was executed of a module on a processor.
struct ModuleCoverage {
    module: &'static Module,
    kernels: usize,
    /// The kernels that were not launched.
    missing: Vec<String>,
    instructions: usize,
    executed: usize,
}

/// What was executed on a processor.
struct ProcessorCoverage {
    name: String,
    modules: Vec<ModuleCoverage>,
}

/// What was executed on a processor, and what there is.
struct Totals {
    launched: usize,
    kernels: usize,
    executed: usize,
    instructions: usize,
}

impl ProcessorCoverage {
    fn totals(&self) -> Totals {
        let sum = |of: fn(&ModuleCoverage) -> usize| self.modules.iter().map(of).sum();
        Totals {
            launched: sum(|module| module.kernels - module.missing.len()),
            kernels: sum(|module| module.kernels),
            executed: sum(|module| module.executed),
            instructions: sum(|module| module.instructions),
        }
    }
}

/// What was executed on several.
struct Coverage {
    processors: Vec<ProcessorCoverage>,
    lines: Lines,
}

/// Where the runs leave their folders.
pub(crate) fn folder() -> PathBuf {
    root().join("target/xtask/gfx-coverage")
}

pub(crate) fn run(options: &Options) -> Result<()> {
    find_device_libraries()?;
    let executed = executed()?;
    let processors = match &*options.gfx {
        [] => candle_rocm_gfx::EXECUTED
            .iter()
            .filter(|name| executed.keys().any(|id| id.processor == **name))
            .map(|&name| name.to_owned())
            .collect(),
        named => named.to_vec(),
    };
    ensure!(!processors.is_empty(), "no tests ran yet: cargo xtask test --gfx gfx1100,gfx942");
    let coverage = Coverage::of(&processors, &executed)?;
    print!("{}", report::summary(&coverage));
    if options.write {
        let path = root().join("platforms/gfx/coverage.md");
        fs::write(&path, report::tables(&coverage, &Reasons::read()?))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        println!("Wrote {}", path.display());
    }
    check(&coverage)
}

/// After all tests ran on these processors: prints what was executed, and fails if something was not that should be.
pub(crate) fn check_tests(processors: &[String]) -> Result<()> {
    let coverage = Coverage::of(processors, &executed()?)?;
    print!("{}", report::summary(&coverage));
    check(&coverage)
}

/// CI's processors, whose tests execute every line. Of other processors' code, some lines are only on ways that do not occur there.
const EVERY_LINE: [&str; 2] = ["gfx1100", "gfx942"];

/// Every kernel must have been launched on every processor, and every line executed on one of CI's, but for those that are listed
/// with the reason.
fn check(coverage: &Coverage) -> Result<()> {
    let mut faults = Vec::new();
    for processor in &coverage.processors {
        for module in &processor.modules {
            let of = |kernel: &String| {
                format!("{} of {} was not launched on {}", kernel, module.module.name, processor.name)
            };
            faults.extend(module.missing.iter().map(of));
        }
    }
    let ran = |name: &&str| coverage.processors.iter().any(|processor| processor.name == **name);
    if EVERY_LINE.iter().all(ran) {
        faults.extend(Reasons::read()?.faults(&coverage.lines));
    }
    ensure!(faults.is_empty(), "{} faults of coverage:\n  {}", faults.len(), faults.join("\n  "));
    Ok(())
}

fn executed() -> Result<Executed> {
    let mut all = Executed::new();
    let Ok(runs) = fs::read_dir(folder()) else { return Ok(all) };
    for run in runs {
        let run = run?.path();
        coverage::read(&run, &mut all).with_context(|| format!("{} cannot be read", run.display()))?;
    }
    Ok(all)
}

impl Coverage {
    fn of(processors: &[String], executed: &Executed) -> Result<Self> {
        let objects = warm::gfx_objects(processors)?;
        let (next, done) = (Mutex::new(objects.into_iter()), Mutex::new(Vec::new()));
        let work = || -> Result<()> {
            // Both locks are held for a moment only, in which nothing can panic.
            while let Some((processor, module, object)) = next.lock().ok().and_then(|mut next| next.next()) {
                let mut lines = Lines::default();
                let found = ModuleCoverage::of(&processor, module, &object, executed, &mut lines)
                    .with_context(|| format!("the kernels `{}` for {processor}", module.name))?;
                if let Ok(mut done) = done.lock() {
                    done.push((processor, found, lines));
                }
            }
            Ok(())
        };
        let results: Vec<Result<()>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..thread::available_parallelism().map_or(1, usize::from))
                .map(|_| scope.spawn(work))
                .collect();
            threads.into_iter().flat_map(|thread| thread.join()).collect()
        });
        results.into_iter().collect::<Result<()>>()?;
        let mut all = Self { processors: Vec::new(), lines: Lines::default() };
        for name in processors {
            all.processors.push(ProcessorCoverage { name: name.clone(), modules: Vec::new() });
        }
        for (processor, module, lines) in done.into_inner().unwrap_or_default() {
            all.lines.add(lines);
            if let Some(of) = all.processors.iter_mut().find(|of| of.name == processor) {
                of.modules.push(module);
            }
        }
        let place =
            |of: &ModuleCoverage| rocm_kernels::ALL.iter().position(|module| module.name == of.module.name);
        all.processors.iter_mut().for_each(|processor| processor.modules.sort_by_key(place));
        Ok(all)
    }
}

impl ModuleCoverage {
    fn of(
        processor: &str,
        module: &'static Module,
        object: &[u8],
        executed: &Executed,
        lines: &mut Lines,
    ) -> Result<Self> {
        let digest = coverage::digest(object);
        let kernels = candle_rocm_gfx::listing(object, processor).map_err(anyhow::Error::msg)?;
        let mut sum =
            Self { module, kernels: kernels.len(), missing: Vec::new(), instructions: 0, executed: 0 };
        let mut sources = Sources::of(module);
        let nothing = BTreeSet::new();
        for kernel in kernels {
            let id = KernelId { processor: processor.to_owned(), object: digest, kernel: kernel.name };
            let launched = executed.get(&id);
            let addresses = launched.unwrap_or(&nothing);
            for (address, of_lines) in &kernel.instructions {
                let was_executed = addresses.contains(address);
                sum.instructions += 1;
                sum.executed += usize::from(was_executed);
                of_lines.iter().for_each(|line| lines.note(&mut sources, line, was_executed));
            }
            if launched.is_none() {
                sum.missing.push(id.kernel);
            }
        }
        Ok(sum)
    }
}
