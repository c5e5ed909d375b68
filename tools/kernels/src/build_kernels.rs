//! `cargo xtask build-kernels`: compiles the kernels ahead of time and reports on the result.
//!
//! Every (arch, module) pair becomes `target/xtask/kernels/<arch>/<module>.hsaco`. All of them go into the bundles of the crates in
//! `code-objects/`, which take them in with their next build. A pair is only compiled again if its source, headers, options or
//! compiler have changed.

mod again;
mod archs;
mod bundles;
mod disassembly;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use again::Again;
use anyhow::{Context, Result, bail};
use report::{ModuleReport, Style};
use rocm_kernels::Module;
use rocm_kernels::toolchain::Toolchain;
use tools_common::{debian, modules, root};

/// Compiles the kernels for AMD GPUs and reports registers, spills, scratch and sizes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processors or generic targets, e.g. `gfx1100,gfx942,gfx11-generic`, or a group: `all`; `release`, what releases
    /// contain.
    #[arg(long, value_delimiter = ',', required = true)]
    arch: Vec<String>,
    /// Modules, or folders of `rocm-kernels/hip`, e.g. `gemm,elementwise/`.
    #[arg(long, value_delimiter = ',', default_value = "all")]
    modules: Vec<String>,
    /// Where the bundles go, `rdna3.bundle` and its like [default: into the crates in code-objects/].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// hipcc, or clang 19 or newer [default: the first one found].
    #[arg(long, value_name = "PATH")]
    compiler: Option<PathBuf>,
    /// How many compilers run at once.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
    jobs: u8,
    /// Compile and report only; write no bundles. Flat memory accesses are failures.
    #[arg(long)]
    check: bool,
    /// Compile everything once more, from a copy of the sources, and fail where a byte differs.
    #[arg(long)]
    twice: bool,
    /// One line per module or per kernel.
    #[arg(long, value_enum, default_value_t = Style::Modules)]
    report: Style,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let workspace = root();
    let sources = workspace.join("rocm-kernels/hip");
    let scratch = workspace.join("target/xtask/kernels");

    // The compiler's libraries may have to be downloaded, which is in vain for names that nothing has.
    archs::check(&args.arch)?;
    let modules = modules::select_ahead(&args.modules)?;
    let compiler = Toolchain::find(args.compiler.as_deref(), &debian::device_libraries)?;
    println!("{}", compiler.describe());
    let archs = archs::select(&args.arch, compiler.known_archs().as_deref())?;
    let pairs: Vec<Pair> = archs
        .iter()
        .flat_map(|arch| modules.iter().map(|module| Pair::new(arch, module, &sources, &scratch)))
        .collect();

    let again = args.twice.then(|| Again::new(&sources, &scratch)).transpose()?;
    let began = Instant::now();
    let reports = build_all(&pairs, &compiler, again.as_ref(), usize::from(args.jobs))?;
    report::print(&reports, args.report);
    let table = scratch.join("report.tsv");
    fs::write(&table, report::tsv(&reports)).with_context(|| format!("cannot write {}", table.display()))?;
    let compiled = reports.iter().filter(|report| report.seconds.is_some()).count();
    println!(
        "{} code objects, {compiled} of them compiled now in {:.1} s; every kernel is in {}",
        reports.len(),
        began.elapsed().as_secs_f32(),
        table.display()
    );

    let faults = report::faults(&reports);
    if !faults.is_empty() {
        bail!("kernels that must live in registers do not:\n  {}", faults.join("\n  "));
    }
    if args.check {
        let flat = report::flat(&reports);
        if !flat.is_empty() {
            bail!("kernels with flat memory accesses:\n  {}", flat.join("\n  "));
        }
    } else {
        bundles::write(&reports, workspace, args.out.as_deref(), usize::from(args.jobs))?;
    }
    Ok(())
}

/// A code object to build.
struct Pair {
    arch: String,
    module: &'static Module,
    /// The include path.
    sources: PathBuf,
    /// The path of the result, without extension.
    result: PathBuf,
}

impl Pair {
    fn new(arch: &str, module: &'static Module, sources: &Path, scratch: &Path) -> Self {
        Self {
            arch: arch.to_owned(),
            module,
            sources: sources.to_owned(),
            result: scratch.join(arch).join(module.name),
        }
    }

    fn source(&self) -> PathBuf {
        self.sources.join(self.module.family).join(self.module.name).with_extension("hip")
    }
}

/// Runs `jobs` compilers at a time. Continues after failures, so that all are reported.
fn build_all(
    pairs: &[Pair],
    compiler: &Toolchain,
    again: Option<&Again>,
    jobs: usize,
) -> Result<Vec<ModuleReport>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(pairs.len()) {
            scope.spawn(|| {
                while let Some(pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = build(pair, compiler, again);
                    let mut results = results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    results.push((pair, result));
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut reports = Vec::new();
    let mut failures = Vec::new();
    for (pair, result) in results {
        match result {
            Ok(report) => reports.push(report),
            Err(error) => failures.push(format!("{} for {}: {error:#}", pair.module.name, pair.arch)),
        }
    }
    if !failures.is_empty() {
        bail!("{} of {} code objects failed:\n{}", failures.len(), pairs.len(), failures.join("\n"));
    }
    let place = |report: &ModuleReport| {
        pairs.iter().position(|pair| pair.arch == report.arch && pair.module == report.module)
    };
    reports.sort_by_key(place);
    Ok(reports)
}

/// Compiles, unless the result of an earlier run is up to date, then reads the code object.
fn build(pair: &Pair, compiler: &Toolchain, again: Option<&Again>) -> Result<ModuleReport> {
    let object = pair.result.with_extension("hsaco");
    let stamp_file = pair.result.with_extension("stamp");
    let options = compiler.options(&rocm_kernels::default_target(&pair.arch));
    let program = (pair.module.source, pair.module.headers());
    let stamp = blake3::hash(format!("{program:?}\n{}\n{options:?}", compiler.describe()).as_bytes())
        .to_hex()
        .to_string();

    let mut seconds = None;
    let fresh = fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp);
    if !(fresh && object.is_file()) {
        let folder = object.parent().context("a code object has no folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // The stamp must never exist next to an outdated result.
        let _ = fs::remove_file(&stamp_file);
        let began = Instant::now();
        let said = compiler.compile(&pair.source(), &pair.sources, &object, &options)?;
        if !said.trim().is_empty() {
            eprintln!("{}:\n{}", pair.source().display(), said.trim_end());
        }
        seconds = Some(began.elapsed().as_secs_f32());
        fs::write(&stamp_file, &stamp)?;
    }
    let code = fs::read(&object)?;
    if let Some(again) = again {
        again.compare(pair, &code, compiler, &options)?;
    }
    let mut kernels = rocm_hip::kernel_metadata(&code)?;
    let mut flat = Vec::new();
    if let Some(text) = disassembly::of(&object, compiler.objdump()) {
        disassembly::mark_wide_accesses(&text, &mut kernels);
        flat = disassembly::with_flat_accesses(&text).into_iter().map(str::to_owned).collect();
    }
    Ok(ModuleReport { arch: pair.arch.clone(), module: pair.module, kernels, flat, code, seconds })
}
