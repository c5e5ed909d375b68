//! Reports on compiled kernels, and the limits that they must meet.

use rocm_hip::KernelMetadata as Kernel;
use rocm_kernels::{Bound, Module, Processor};

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Style {
    /// One line per module and arch.
    Modules,
    /// One line per kernel.
    Kernels,
}

/// One code object.
pub(super) struct ModuleReport {
    pub(super) arch: String,
    pub(super) module: &'static Module,
    pub(super) kernels: Vec<Kernel>,
    /// The functions with flat memory accesses, where there is a disassembler.
    pub(super) flat: Vec<String>,
    /// The code object, as it is loaded.
    pub(super) code: Vec<u8>,
    /// Compile time; `None` if the result of an earlier run was up to date.
    pub(super) seconds: Option<f32>,
}

/// A kernel of a memory-bound module that computes more than it moves, and may spill scalar registers: they go to lanes of
/// vector registers, not to memory. No kernel of these modules may spill vector registers or use scratch memory.
struct Exception {
    /// Its name, or a prefix of it and `*`.
    kernel: &'static str,
    /// The processors it spills on.
    on: On,
    #[allow(dead_code, reason = "for those who read this table")]
    reason: &'static str,
}

/// Where kernels spill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Every,
    /// Processors whose waves share scalar registers (gfx9): 102 for each wave, later processors have 106.
    SharedScalars,
}

const SERIES: &str = "double precision series: more constants than there are scalar registers";
const FEW_SCALARS: &str = "a loop for each kind of layout, each with its own strides and limits";
const MASKS: &str = "masks of the vectors that a thread holds";
const EXCEPTIONS: &[Exception] = &[
    Exception { kernel: "rand_normal_f64", on: On::Every, reason: SERIES },
    Exception { kernel: "uerf_f64", on: On::Every, reason: SERIES },
    Exception { kernel: "ugelu_erf_f64", on: On::Every, reason: SERIES },
    Exception { kernel: "unormcdf_f64", on: On::Every, reason: SERIES },
    Exception { kernel: "upowf_f64", on: On::Every, reason: SERIES },
    Exception { kernel: "usin_*", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "ucos_*", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "upowf_bf16", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "fast_*", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "norm_backward_*", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "split_*", on: On::Every, reason: FEW_SCALARS },
    Exception { kernel: "softmax_f64", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "row_softmax_f64", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "group_norm_f64", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "put_*", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "add_*", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "upsample_bilinear2d_*", on: On::SharedScalars, reason: FEW_SCALARS },
    Exception { kernel: "joined_*", on: On::SharedScalars, reason: MASKS },
    Exception { kernel: "row_group_norm_*", on: On::SharedScalars, reason: MASKS },
];

/// Descriptions of the kernels that violate the limits.
pub(super) fn faults(reports: &[ModuleReport]) -> Vec<String> {
    let bound = reports.iter().filter(|report| report.module.bound == Bound::Memory);
    let kernels = bound.flat_map(|report| report.kernels.iter().map(move |kernel| (report, kernel)));
    kernels
        .filter(|(report, kernel)| !is_accepted(&report.arch, kernel))
        .map(|(report, kernel)| {
            format!(
                "{} {}: {}: {} VGPRs and {} SGPRs spilled, {}{} bytes of scratch",
                report.arch,
                report.module.name,
                kernel.name,
                kernel.vgpr_spills,
                kernel.sgpr_spills,
                if kernel.dynamic_stack { "at least " } else { "" },
                kernel.scratch
            )
        })
        .collect()
}

/// The functions that access memory without knowing which.
pub(super) fn flat(reports: &[ModuleReport]) -> Vec<String> {
    let of = |report: &ModuleReport, function: &String| {
        format!("{} {}: {function}", report.arch, report.module.name)
    };
    reports.iter().flat_map(|report| report.flat.iter().map(move |function| of(report, function))).collect()
}

fn is_accepted(arch: &str, kernel: &Kernel) -> bool {
    let in_memory = kernel.vgpr_spills + kernel.scratch > 0 || kernel.dynamic_stack;
    !in_memory
        && (kernel.sgpr_spills == 0 || EXCEPTIONS.iter().any(|exception| exception.covers(arch, kernel)))
}

impl Exception {
    fn covers(&self, arch: &str, kernel: &Kernel) -> bool {
        let named = match self.kernel.strip_suffix('*') {
            Some(prefix) => kernel.name.starts_with(prefix),
            None => kernel.name == self.kernel,
        };
        let shared_scalars = Processor::nearest(arch).registers.scalar.is_some();
        named && (self.on == On::Every || shared_scalars)
    }
}

/// The number of waves that registers allow on a SIMD; compute units have two or four.
pub(super) fn occupancy(arch: &str, kernel: &Kernel) -> u64 {
    Processor::nearest(arch).registers.occupancy(kernel.vgprs, kernel.sgprs, kernel.wavefront as u32)
}

pub(super) fn print(reports: &[ModuleReport], style: Style) {
    if style == Style::Kernels {
        print_kernels(reports);
        println!();
    }
    print_modules(reports);
}

fn print_kernels(reports: &[ModuleReport]) {
    println!(
        "{:<16} {:<8} {:<28} {:>5} {:>5} {:>6} {:>11} {:>7} {:>9} {:>6} {:>5}",
        "arch",
        "module",
        "kernel",
        "VGPRs",
        "SGPRs",
        "LDS",
        "spills V/S",
        "scratch",
        "waves/SIMD",
        "bytes",
        "16 B"
    );
    for report in reports {
        for kernel in &report.kernels {
            println!(
                "{:<16} {:<8} {:<28} {:>5} {:>5} {:>6} {:>11} {:>7} {:>9} {:>6} {:>5}",
                report.arch,
                report.module.name,
                kernel.name,
                kernel.vgprs,
                kernel.sgprs,
                kernel.lds,
                format!("{}/{}", kernel.vgpr_spills, kernel.sgpr_spills),
                kernel.scratch,
                occupancy(&report.arch, kernel),
                kernel.code_bytes,
                yes_no(kernel.wide_accesses)
            );
        }
    }
}

/// One line per module, with the worst of its kernels.
fn print_modules(reports: &[ModuleReport]) {
    println!(
        "{:<16} {:<8} {:>7} {:>9} {:>9} {:>10} {:>6} {:>7} {:>7} {:>8} {:>9} {:>8}",
        "arch",
        "module",
        "kernels",
        "max VGPRs",
        "max SGPRs",
        "waves/SIMD",
        "LDS",
        "spills",
        "scratch",
        "16 B",
        "code KiB",
        "seconds"
    );
    for report in reports {
        let kernels = &report.kernels;
        let most = |of: fn(&Kernel) -> u64| kernels.iter().map(of).max().unwrap_or(0);
        let total = |of: fn(&Kernel) -> u64| kernels.iter().map(of).sum::<u64>();
        let wide = kernels.iter().filter(|kernel| kernel.wide_accesses == Some(true)).count();
        let known = kernels.iter().all(|kernel| kernel.wide_accesses.is_some());
        println!(
            "{:<16} {:<8} {:>7} {:>9} {:>9} {:>10} {:>6} {:>7} {:>7} {:>8} {:>9.1} {:>8}",
            report.arch,
            report.module.name,
            kernels.len(),
            most(|kernel| kernel.vgprs),
            most(|kernel| kernel.sgprs),
            kernels.iter().map(|kernel| occupancy(&report.arch, kernel)).min().unwrap_or(0),
            most(|kernel| kernel.lds),
            total(|kernel| kernel.vgpr_spills + kernel.sgpr_spills),
            most(|kernel| kernel.scratch),
            if known { format!("{wide}") } else { "?".to_owned() },
            report.code.len() as f64 / 1024.0,
            report.seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.1}"))
        );
    }
    let all: usize = reports.iter().map(|report| report.code.len()).sum();
    println!(
        "in all: {:.0} KiB of code objects; waves/SIMD is the lowest of a module, 16 B counts kernels that move 16 bytes at a time",
        all as f64 / 1024.0
    );
}

/// Every kernel, tab-separated.
pub(super) fn tsv(reports: &[ModuleReport]) -> String {
    let mut text = String::from(
        "arch\tmodule\tkernel\tvgprs\tsgprs\tlds\tvgpr_spills\tsgpr_spills\tscratch\tdynamic_stack\twavefront\twaves_per_simd\t\
         code_bytes\twide_accesses\n",
    );
    for report in reports {
        for kernel in &report.kernels {
            let fields = [
                report.arch.clone(),
                report.module.name.to_owned(),
                kernel.name.clone(),
                kernel.vgprs.to_string(),
                kernel.sgprs.to_string(),
                kernel.lds.to_string(),
                kernel.vgpr_spills.to_string(),
                kernel.sgpr_spills.to_string(),
                kernel.scratch.to_string(),
                kernel.dynamic_stack.to_string(),
                kernel.wavefront.to_string(),
                occupancy(&report.arch, kernel).to_string(),
                kernel.code_bytes.to_string(),
                yes_no(kernel.wide_accesses).to_owned(),
            ];
            text += &fields.join("\t");
            text.push('\n');
        }
    }
    text
}

fn yes_no(answer: Option<bool>) -> &'static str {
    match answer {
        Some(true) => "yes",
        Some(false) => "no",
        None => "?",
    }
}

#[cfg(test)]
mod tests {
    use rocm_kernels::{CAST, CONV, RANDOM, REDUCE};

    use super::*;

    fn kernel(vgprs: u64, wavefront: u64) -> Kernel {
        Kernel { name: "k".into(), vgprs, wavefront, ..Kernel::default() }
    }

    #[test]
    fn occupancy_follows_the_register_file() {
        // Reference: LLVM's own occupancy tests and AMD's ISA guides.
        let cases = [
            ("gfx906", 24, 64, 10),
            ("gfx906", 25, 64, 9),
            ("gfx908", 128, 64, 2),
            ("gfx906", 129, 64, 1),
            ("gfx90a:sramecc+:xnack-", 64, 64, 8),
            ("gfx942", 65, 64, 7),
            ("gfx9-4-generic", 512, 64, 1),
            ("gfx1010", 48, 32, 20),
            ("gfx1010", 256, 32, 4),
            ("gfx1030", 64, 32, 16),
            ("gfx1030", 65, 32, 12),
            ("gfx1100", 96, 32, 16),
            ("gfx1100", 97, 32, 12),
            ("gfx1102", 96, 32, 10),
            ("gfx11-generic", 64, 32, 16),
            ("gfx1201", 256, 32, 5),
            ("gfx1100", 0, 32, 16),
        ];
        for (arch, vgprs, wavefront, waves) in cases {
            assert_eq!(occupancy(arch, &kernel(vgprs, wavefront)), waves, "{arch} with {vgprs} registers");
        }
    }

    #[test]
    fn scalar_registers_limit_gfx9_only() {
        let occupancy = |arch, sgprs| occupancy(arch, &Kernel { sgprs, ..kernel(24, 64) });
        assert_eq!([80, 96, 102].map(|sgprs| occupancy("gfx906", sgprs)), [10, 8, 7]);
        assert_eq!(occupancy("gfx90a", 102), 7);
        assert_eq!(occupancy("gfx1030", 106), 16);
    }

    fn report(module: &'static Module, kernel: Kernel) -> ModuleReport {
        ModuleReport {
            arch: "gfx1100".into(),
            module,
            kernels: vec![kernel],
            flat: vec![],
            code: vec![],
            seconds: None,
        }
    }

    #[test]
    fn memory_traffic_of_its_own_is_a_fault() {
        let good = kernel(10, 32);
        assert!(faults(&[report(&CAST, good.clone())]).is_empty());
        let bad = [
            Kernel { vgpr_spills: 1, ..good.clone() },
            Kernel { sgpr_spills: 1, ..good.clone() },
            Kernel { scratch: 16, ..good.clone() },
            Kernel { dynamic_stack: true, ..good.clone() },
        ];
        for kernel in bad {
            assert_eq!(faults(&[report(&CAST, kernel.clone())]).len(), 1, "{kernel:?}");
            assert!(faults(&[report(&CONV, kernel)]).is_empty());
        }
        let named = Kernel { name: EXCEPTIONS[0].kernel.into(), sgpr_spills: 9, ..good };
        assert!(faults(&[report(&RANDOM, named.clone())]).is_empty());
        assert_eq!(faults(&[report(&RANDOM, Kernel { scratch: 8, ..named.clone() })]).len(), 1);
        // By a prefix of the name, on gfx9 only: the report is for gfx1100.
        let begins = Kernel { name: "fast_sum_f32".into(), ..named };
        assert_eq!(faults(&[report(&REDUCE, begins.clone())]).len(), 1);
        assert!(faults(&[ModuleReport { arch: "gfx90a".into(), ..report(&REDUCE, begins) }]).is_empty());
    }

    #[test]
    fn the_table_has_a_line_per_kernel() {
        let text = tsv(&[report(&CAST, kernel(10, 32))]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].split('\t').count(), lines[1].split('\t').count());
        assert!(lines[1].starts_with("gfx1100\tcast\tk\t10\t"));
    }
}
