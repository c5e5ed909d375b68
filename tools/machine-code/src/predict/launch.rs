//! The kernels beside the measurements, and how they are launched.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use candle_rocm_gfx::time::{self, Log};
use rocm_hip::{Adapter, Buffer, Function, LaunchConfig, Linked, Module, Platform, Program, Queue, Runtime};
use rocm_kernels::cards::Card;

use super::published::{Parameters, Published};
use crate::gfx::DEVICES;

const SOURCE: &str = include_str!("kernels.hip");

/// Steps of a chase: to every line of 128 bytes, and not too few.
pub(super) fn chase_steps(parameters: &Parameters<'_>) -> Result<u32> {
    Ok((parameters.number("kib")? * 8).max(4096))
}

static ADAPTER: Adapter = Adapter::linked(
    "gfx",
    Linked {
        name: "candle-rocm-gfx (linked in)",
        symbol: candle_rocm_gfx::symbol,
        unavailable: candle_rocm_gfx::unavailable,
    },
);

/// The kernels on each processor.
pub(super) struct Processors {
    all: BTreeMap<&'static str, (Queue, Module)>,
}

impl Processors {
    /// Those of some cards.
    pub(super) fn new(cards: &[&str]) -> Result<Self> {
        let mut names: Vec<&'static str> =
            cards.iter().filter_map(|card| Card::find(card)).map(|card| card.processor).collect();
        names.sort_unstable();
        names.dedup();
        // SAFETY: no other thread of this program runs yet.
        unsafe { std::env::set_var(DEVICES, names.join(",")) };
        let runtime = Runtime::get(Platform::of(&ADAPTER))?;
        let mut all = BTreeMap::new();
        for (ordinal, name) in names.into_iter().enumerate() {
            let queue = Queue::new(runtime.device(ordinal)?)?;
            let device = queue.device();
            let program = Program { options: &["-nogpulib"], ..Program::new("predict", SOURCE) };
            let code = rocm_hip::compile(&program, &device.target(), device.runtime().compiler()?)?;
            let module = Module::load(device, "predict", code)?;
            all.insert(name, (queue, module));
        }
        Ok(Self { all })
    }

    /// What a measurement's launches execute on a card.
    pub(super) fn record(&self, card: &'static Card, of: &Published, budget: u64) -> Result<Log> {
        let (queue, module) = self.all.get(card.processor).context("the processor has no device")?;
        let bench = Bench { queue, module, parameters: of.parameters() };
        time::start(card, budget);
        let launched = bench.launch(&of.kernel).and_then(|()| Ok(queue.synchronize()?));
        let log = time::finish();
        launched.with_context(|| format!("{} {}", of.case, of.parameters))?;
        ensure!(log.launches().len() > 0, "{} launched nothing", of.case);
        Ok(log)
    }
}

/// A kernel with the parameters of a measurement.
struct Bench<'b> {
    queue: &'b Queue,
    module: &'b Module,
    parameters: Parameters<'b>,
}

/// An argument.
enum Argument<'a> {
    Buffer(&'a Buffer<u32>),
    Number(u32),
    Single(f32),
    Double(f64),
}

use Argument::{Double, Number, Single};

impl Bench<'_> {
    fn number(&self, name: &str) -> Result<u32> {
        self.parameters.number(name)
    }

    fn zeros(&self, words: usize) -> Result<Buffer<u32>> {
        Ok(self.queue.alloc_zeros(words)?)
    }

    fn run(&self, kernel: &str, grid: [u32; 3], threads: u32, arguments: &[Argument<'_>]) -> Result<()> {
        let function: Function = self.module.function(kernel)?;
        let mut launch = self.queue.launch(&function);
        for argument in arguments {
            match argument {
                Argument::Buffer(buffer) => launch.buffer(buffer, 0),
                Number(number) => launch.arg(number),
                Single(number) => launch.arg(number),
                Double(number) => launch.arg(number),
            };
        }
        // SAFETY: the arguments are the kernel's parameters. The platform stops a kernel that leaves its buffers, and nobody else
        // uses those of a launch that is recorded.
        unsafe { launch.run(LaunchConfig { grid, block: [threads, 1, 1], shared_bytes: 0 }) }?;
        Ok(())
    }

    fn launch(&self, kernel: &str) -> Result<()> {
        use Argument::Buffer as At;
        match kernel {
            "floor" => self.run("floor_add", [1; 3], 256, &[At(&self.zeros(256)?)]),
            "dependent" => self.run("dependent", [1; 3], 1, &[At(&self.zeros(1)?)]),
            "sweep" => {
                let blocks = self.number("blocks")?;
                self.run("sweep", [blocks, 1, 1], 256, &[At(&self.zeros(256)?), Number(256), Number(256)])
            }
            "scale" => {
                let (elements, threads) = (self.number("elements")?, self.number("threads")?);
                let blocks = elements.div_ceil(threads);
                let words = (blocks * threads) as usize * 2;
                let (to, from) = (self.zeros(words)?, self.zeros(words)?);
                self.run("scale", [blocks, 1, 1], threads, &[At(&to), At(&from), Double(3.), Number(threads)])
            }
            "chase" => {
                let words = self.number("kib")? * 256;
                // Each step goes to another line, and all lines have their turn before one comes again.
                let next: Vec<u32> = (0..words).map(|at| (at + 32 * 1021) % words).collect();
                let next = self.queue.upload(&next)?;
                self.run(
                    "chase",
                    [1; 3],
                    1,
                    &[At(&next), At(&self.zeros(1)?), Number(chase_steps(&self.parameters)?)],
                )
            }
            "gemv" => {
                let [k, rows, threads, repeats] = self.numbers(["K", "rows", "threads", "R"])?;
                let kernel = match self.parameters.text("reduce") {
                    "lds-tree" => "gemv_tree",
                    "extra-barrier" => "gemv_extra_barrier",
                    "wave-shuffle" => "gemv_shuffle",
                    "multi-accum4" => "gemv_accum4",
                    "multi-accum8" => "gemv_accum8",
                    "multi-accum16" => "gemv_accum16",
                    other => bail!("unknown reduction {other}"),
                };
                let (x, w) = (self.zeros(k as usize)?, self.zeros((rows * k) as usize)?);
                let to = self.zeros(rows as usize)?;
                let arguments = [At(&x), At(&w), At(&to), Number(k), Number(repeats), Number(threads)];
                self.run(kernel, [rows, 1, 1], threads, &arguments)
            }
            "two-stage" => {
                let [k, rows, split, threads, repeats] =
                    self.numbers(["K", "rows", "split", "threads", "R"])?;
                let (x, w) = (self.zeros(k as usize)?, self.zeros((rows * k) as usize)?);
                let (parts, to) = (self.zeros((rows * split) as usize)?, self.zeros(rows as usize)?);
                let first =
                    [At(&x), At(&w), At(&parts), Number(k), Number(repeats), Number(threads), Number(split)];
                self.run("split_first", [rows * split, 1, 1], threads, &first)?;
                self.run(
                    "split_second",
                    [rows, 1, 1],
                    threads,
                    &[At(&parts), At(&to), Number(threads), Number(split)],
                )
            }
            "pattern" => self.pattern(),
            "dot" => {
                let [threads, iterations] = self.numbers(["threads", "iterations"])?;
                let all = 32768;
                let words = all * iterations * 16;
                let (w, x) = (self.zeros(words as usize)?, self.zeros(words as usize)?);
                let to = self.zeros(all as usize)?;
                let kernel = format!("dot_{}", self.parameters.text("mode"));
                let arguments = [
                    At(&w),
                    At(&x),
                    At(&to),
                    Number(all),
                    Number(threads),
                    Number(iterations),
                    Number(words - 1),
                ];
                self.run(&kernel, [all / threads, 1, 1], threads, &arguments)
            }
            "valu" => {
                let [accumulators, iterations] = self.numbers(["accumulators", "iterations"])?;
                let kernel = match self.parameters.text("mode") {
                    "independent_fma" => format!("issue_independent_{accumulators}"),
                    "dependent_fma" => format!("issue_dependent_{accumulators}"),
                    "mixed_int_float" => "issue_mixed".to_owned(),
                    "dequant_like" => "issue_dequant".to_owned(),
                    other => bail!("unknown mode {other}"),
                };
                let to = self.zeros(65536)?;
                self.run(&kernel, [256, 1, 1], 256, &[At(&to), Number(256), Number(iterations)])
            }
            "argmax" => {
                let [rows, threads, length] = self.numbers(["rows", "threads", "n"])?;
                let from = self.zeros((rows * length) as usize)?;
                let (values, indices) = (self.zeros(rows as usize)?, self.zeros(rows as usize)?);
                let arguments = [At(&from), At(&values), At(&indices), Number(length), Number(threads)];
                self.run("argmax", [rows, 1, 1], threads, &arguments)
            }
            "q8" => {
                let [k, n, rows, tile] = self.numbers(["K", "N", "rows", "rowtile"])?;
                let w = self.zeros((k / 32 * n * 34 / 4) as usize + 1)?;
                let x = self.zeros((rows * k / 32 * 36 / 4) as usize)?;
                let to = self.zeros((rows * n) as usize)?;
                let arguments = [At(&w), At(&x), At(&to), Number(k), Number(n), Number(rows), Number(tile)];
                self.run("q8", [n, rows.div_ceil(tile), 1], 32, &arguments)
            }
            "quantize" => {
                let [k, rows] = self.numbers(["K", "rows"])?;
                let (from, to) = (self.zeros((rows * k) as usize)?, self.zeros((rows * k) as usize)?);
                self.run("quantize", [k / 32, rows, 1], 32, &[At(&from), At(&to), Number(k)])
            }
            "peak" => {
                let [blocks, iterations] = self.numbers(["blocks", "iterations"])?;
                let to = self.zeros(blocks as usize * 256)?;
                let kernel = format!("peak_{}", self.parameters.text("of"));
                let arguments = [At(&to), Number(256), Number(iterations), Single(0.5), Single(0.25)];
                self.run(&kernel, [blocks, 1, 1], 256, &arguments)
            }
            "read" => {
                let [blocks, iterations, kib] = self.numbers(["blocks", "iterations", "kib"])?;
                let vectors = kib * 64;
                let own = if self.parameters.text("windows") == "one" { 0 } else { vectors };
                let from = self.zeros((vectors + own * (blocks - 1)) as usize * 4)?;
                let to = self.zeros(blocks as usize * 256)?;
                let arguments =
                    [At(&from), At(&to), Number(256), Number(iterations), Number(vectors - 1), Number(own)];
                self.run("peak_read", [blocks, 1, 1], 256, &arguments)
            }
            other => bail!("there is no kernel {other}"),
        }
    }

    fn pattern(&self) -> Result<()> {
        use Argument::Buffer as At;
        let [p, threads, iterations] = self.numbers(["p", "threads", "iterations"])?;
        let all = 32768;
        let words = all * iterations * p;
        let (x, to) = (self.zeros(words as usize)?, self.zeros(all as usize)?);
        let mut arguments =
            vec![At(&x), At(&to), Number(all), Number(threads), Number(iterations), Number(words - 1)];
        let kernel = match self.parameters.text("mode") {
            "strided" => {
                arguments.push(Number(p));
                "strided".to_owned()
            }
            mode => format!("{mode}_{p}"),
        };
        self.run(&kernel, [all / threads, 1, 1], threads, &arguments)
    }

    fn numbers<const N: usize>(&self, names: [&str; N]) -> Result<[u32; N]> {
        let mut all = [0; N];
        for (number, name) in all.iter_mut().zip(names) {
            *number = self.number(name)?;
        }
        Ok(all)
    }
}
