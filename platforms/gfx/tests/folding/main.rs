//! LLVM's constant folding as a reference: each operation is compiled twice, with operands that the compiler knows, so that the code
//! only stores results, and with operands from memory, so that the platform executes the operation. Both must give the same bits.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod cases;
#[path = "../common/mod.rs"]
mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

use cases::{CASES, Case, Type};
use common::Process;
use half::f16;
use rocm_hip::{LaunchConfig, Module, Queue};
use rocm_kernels::toolchain;

/// Operands per operation, at most.
const MOST: usize = 64;

#[test]
fn folded_and_executed_operations_agree() {
    let processors = "gfx906,gfx942,gfx1030,gfx1100,gfx1201";
    if let Process::This = common::in_child("folded_and_executed_operations_agree", processors) {
        let values: Vec<Vec<[u64; 3]>> = CASES.iter().map(operands).collect();
        let source = source(&values);
        let mut faults = Vec::new();
        for queue in common::queues() {
            let arch = queue.device().arch();
            let code = common::code(&queue, "folding", &source);
            faults.extend(instructions(&mnemonics(&code)).map(|fault| format!("{arch}: {fault}")));
            let module = Module::load(queue.device(), "folding", code).unwrap();
            for (case, values) in CASES.iter().zip(&values) {
                faults.extend(compare(&queue, &module, case, values).map(|fault| format!("{arch}: {fault}")));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

/// Special values of a type, as bits.
fn special(kind: Type) -> Vec<u64> {
    let signed = |values: &[u64], sign: u32| values.iter().flat_map(|v| [*v, v | 1 << sign]).collect();
    match kind {
        Type::U16 | Type::I16 => vec![0, 1, 2, 15, 0xff, 0x100, 0x1234, 0x7fff, 0x8000, 0x8001, 0xffff],
        Type::U32 | Type::I32 => vec![
            0,
            1,
            2,
            7,
            24,
            31,
            32,
            0xff,
            0xffff,
            0x1_0000,
            0x1234_5678,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xdead_beef,
            0xffff_fffe,
            0xffff_ffff,
        ],
        Type::U64 | Type::I64 => vec![
            0,
            1,
            2,
            63,
            0xffff_ffff,
            1 << 32,
            0x1234_5678_9abc_def0,
            (1 << 63) - 1,
            1 << 63,
            (1 << 63) + 1,
            0xfedc_ba98_7654_3210,
            u64::MAX - 1,
            u64::MAX,
        ],
        Type::U16x2 => pairs(&special(Type::U16)),
        Type::F16x2 => pairs(&special(Type::F16)),
        // Zero, subnormals, the smallest normal number, numbers of moderate size, halfway cases, the largest, infinity, NaN.
        Type::F16 => signed(
            &[
                0, 1, 0x3ff, 0x400, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4100, 0x4248, 0x6801, 0x7bff,
                0x7c00, 0x7e00,
            ],
            15,
        ),
        Type::F32 => signed(
            &[
                0,
                1,
                0x7f_ffff,
                0x80_0000,
                0x3300_0000,
                0x3f00_0000,
                0x3f7f_ffff,
                0x3f80_0000,
                0x3f80_0001,
                0x3fc0_0000,
                0x4020_0000,
                0x4049_0fdb,
                0x477f_f000,
                0x4b00_0001,
                0x4f00_0000,
                0x5f7f_ffff,
                0x7f7f_ffff,
                0x7f80_0000,
                0x7fc0_0000,
            ],
            31,
        ),
        Type::F64 => {
            let numbers = [
                0.5,
                1.0,
                1.0 + f64::EPSILON,
                1.5,
                2.5,
                std::f64::consts::PI,
                1e-40,
                65504.0,
                2147483647.0,
                1e18,
            ];
            let mut bits: Vec<u64> = numbers.map(f64::to_bits).into();
            bits.extend([0, 1, (1 << 52) - 1, 1 << 52, f64::MAX.to_bits(), 0x7ff << 52, 0x7ff8 << 48]);
            // 2^52 and 2^63, with one in the last place.
            bits.extend([0x4330_0000_0000_0001, 0x43e0_0000_0000_0001]);
            signed(&bits, 63)
        }
    }
}

/// Each value in the lower half, with another one in the upper half.
fn pairs(halves: &[u64]) -> Vec<u64> {
    let upper = halves.iter().cycle().skip(7);
    halves.iter().zip(upper).map(|(lower, upper)| lower | upper << 16).collect()
}

/// The operands of a case: each special value, or combinations.
fn operands(case: &Case) -> Vec<[u64; 3]> {
    let mut random = fastrand::Rng::with_seed(11);
    let columns: Vec<Vec<u64>> = case.operands.iter().map(|&kind| special(kind)).collect();
    let row = |number: usize| {
        std::array::from_fn(|at| match &columns[..] {
            [column] if at == 0 => column[number],
            _ => columns.get(at).map_or(0, |column| column[random.usize(..column.len())]),
        })
    };
    let count = if let [column] = &columns[..] { column.len() } else { MOST };
    (0..count).map(row).collect()
}

/// The names of a type, and of an unsigned integer of its size.
fn names(kind: Type) -> (&'static str, &'static str) {
    match kind {
        Type::U16 => ("unsigned short", "unsigned short"),
        Type::I16 => ("short", "unsigned short"),
        Type::U32 => ("unsigned", "unsigned"),
        Type::I32 => ("int", "unsigned"),
        Type::U64 => ("unsigned long", "unsigned long"),
        Type::I64 => ("long", "unsigned long"),
        Type::F16 => ("_Float16", "unsigned short"),
        Type::F32 => ("float", "unsigned"),
        Type::F64 => ("double", "unsigned long"),
        Type::U16x2 => ("ushort2", "unsigned"),
        Type::F16x2 => ("half2", "unsigned"),
    }
}

fn size(kind: Type) -> usize {
    match kind {
        Type::U16 | Type::I16 | Type::F16 => 2,
        Type::U32 | Type::I32 | Type::F32 | Type::U16x2 | Type::F16x2 => 4,
        Type::U64 | Type::I64 | Type::F64 => 8,
    }
}

const PAIRS: &str = "typedef unsigned short ushort2 __attribute__((ext_vector_type(2)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
";

/// Three kernels per case: `folded_` with constants; `executed_` with operands from memory, an element per work-item; `uniform_` with
/// operands that are the same for all work-items, for which there are scalar instructions.
fn source(values: &[Vec<[u64; 3]>]) -> String {
    let mut text = PAIRS.to_owned();
    for (case, values) in CASES.iter().zip(values) {
        let (result, bits) = names(case.result);
        let (name, expression) = (case.name, case.expression);
        let list = |f: &dyn Fn(usize, Type) -> String| {
            let all: Vec<String> = case.operands.iter().enumerate().map(|(at, &kind)| f(at, kind)).collect();
            all.join(", ")
        };
        let variable = |at: usize| ["a", "b", "c"][at];
        let parameters = list(&|at, kind| format!("{} {}", names(kind).0, variable(at)));
        let _ =
            writeln!(text, "__device__ inline {result} op_{name}({parameters}) {{ return {expression}; }}");
        let _ = writeln!(text, "extern \"C\" __global__ void folded_{name}({bits} *out) {{");
        for (index, row) in values.iter().enumerate() {
            let constants = list(&|at, kind| {
                let (kind, bits) = names(kind);
                format!("__builtin_bit_cast({kind}, ({bits}){:#x}ul)", row[at])
            });
            let _ = writeln!(text, "out[{index}] = __builtin_bit_cast({bits}, op_{name}({constants}));");
        }
        let pointers: Vec<String> = (0..3)
            .map(|at| {
                let kind = case.operands.get(at).copied().unwrap_or(Type::U32);
                format!("const {} *__restrict__ {}", names(kind).0, variable(at))
            })
            .collect();
        let pointers = pointers.join(", ");
        let elements = list(&|at, _| format!("{}[i]", variable(at)));
        let call = format!("out[i] = op_{name}({elements});");
        let _ = writeln!(
            text,
            "}}
extern \"C\" __global__ void executed_{name}({pointers}, {result} *__restrict__ out, unsigned n) {{
    unsigned i = threadIdx.x;
    if (i < n) {call}
}}
extern \"C\" __global__ void uniform_{name}({pointers}, {result} *__restrict__ out, unsigned n) {{
    for (unsigned i = 0; i < n; i++) {call}
}}"
        );
    }
    text
}

/// The mnemonics of each kernel.
fn mnemonics(code: &[u8]) -> BTreeMap<String, BTreeSet<String>> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("code");
    std::fs::write(&file, code).unwrap();
    let output = Command::new(toolchain::disassembler().unwrap()).arg("-d").arg(&file).output().unwrap();
    let (mut kernels, mut kernel) = (BTreeMap::<String, BTreeSet<String>>::new(), String::new());
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        if let Some((_, name)) = line.strip_suffix(">:").and_then(|line| line.split_once('<')) {
            kernel = name.to_owned();
        } else if let Some(mnemonic) = line.strip_prefix('\t').and_then(|line| line.split_whitespace().next())
        {
            kernels.entry(kernel.clone()).or_default().insert(mnemonic.to_owned());
        }
    }
    kernels
}

/// How instructions begin that load arguments, make constants and addresses of results, and store.
const MOVES: [&str; 19] = [
    "s_load",
    "v_mov_",
    "v_dual_mov_",
    "s_mov",
    "global_store",
    "s_wait",
    "s_endpgm",
    "s_nop",
    "s_code_end",
    "s_sendmsg",
    "s_delay_alu",
    "s_add_",
    "s_addc_",
    "s_clause",
    "s_brev_",
    "v_bfrev_",
    "s_not_",
    "v_not_",
    "v_accvgpr",
];

/// Some instructions that `uniform_` kernels have.
const SCALAR: [(&str, &str); 4] = [
    ("popcount", "s_bcnt1_i32_b32"),
    ("reverse", "s_brev_b32"),
    ("shr_i64", "s_ashr_i64"),
    ("mul_hi_u32", "s_mul_hi_u32"),
];

/// Operations that are not folded although their operands are constants, and those that are folded although they are not.
fn instructions(kernels: &BTreeMap<String, BTreeSet<String>>) -> impl Iterator<Item = String> {
    CASES.iter().filter_map(|case| {
        let is_own = |mnemonic: &&String| !MOVES.iter().any(|start| mnemonic.starts_with(start));
        let left: Vec<&String> = kernels[&format!("folded_{}", case.name)].iter().filter(is_own).collect();
        if !left.is_empty() {
            return Some(format!("{} is not folded: {left:?}", case.name));
        }
        let scalar =
            SCALAR.iter().filter(|(name, _)| *name == case.name).map(|(_, expected)| ("uniform", *expected));
        std::iter::once(("executed", case.instructions)).chain(scalar).find_map(|(form, expected)| {
            let form = format!("{form}_{}", case.name);
            let executed = &kernels[&form];
            let has = |start: &str| executed.iter().any(|mnemonic| mnemonic.starts_with(start));
            (!expected.split(' ').any(has)).then(|| format!("{form} has no {expected}: {executed:?}"))
        })
    })
}

/// Results that differ.
fn compare<'a>(
    queue: &Queue,
    module: &Module,
    case: &'a Case,
    values: &'a [[u64; 3]],
) -> impl Iterator<Item = String> + 'a {
    let (name, width) = (case.name, size(case.result));
    let bytes = |at: usize| -> Vec<u8> {
        let width = case.operands.get(at).map_or(1, |&kind| size(kind));
        values.iter().flat_map(|row| row[at].to_le_bytes()[..width].to_vec()).collect()
    };
    let inputs = [0, 1, 2].map(|at| queue.upload(&bytes(at)).unwrap());
    let run = |form: &str, threads: u32| -> Vec<u64> {
        let kernel = module.function(&format!("{form}_{name}")).unwrap();
        let mut out = queue.alloc_zeros::<u8>(values.len() * width).unwrap();
        let mut launch = queue.launch(&kernel);
        if form != "folded" {
            for input in &inputs {
                launch.buffer(input, 0);
            }
        }
        launch.buffer_mut(&mut out, 0);
        let count = values.len() as u32;
        if form != "folded" {
            launch.arg(&count);
        }
        // SAFETY: the arguments are the kernel's parameters; it reads and writes an element per row of values.
        unsafe { launch.run(LaunchConfig::linear(1, threads)) }.unwrap();
        let bytes = queue.download(&out).unwrap();
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        bytes.chunks(width).map(number).collect()
    };
    let folded = run("folded", 1);
    let forms = [("executed", run("executed", MOST as u32)), ("uniform", run("uniform", 1))];
    forms.into_iter().flat_map(move |(form, executed)| {
        let rows = values.iter().zip(folded.clone()).zip(executed);
        rows.filter(|((_, folded), executed)| !same(case.result, *folded, *executed)).map(
            move |((row, folded), executed)| {
                format!("{form} {name} of {row:x?}: {executed:#x}, folded {folded:#x}")
            },
        )
    })
}

/// All NaN are alike.
fn same(kind: Type, a: u64, b: u64) -> bool {
    let is_nan = |bits: u64| match kind {
        Type::F16 => f16::from_bits(bits as u16).is_nan(),
        Type::F32 => f32::from_bits(bits as u32).is_nan(),
        Type::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    match kind {
        Type::F16x2 => [0, 16].iter().all(|by| same(Type::F16, a >> by & 0xffff, b >> by & 0xffff)),
        _ => a == b || (is_nan(a) && is_nan(b)),
    }
}
