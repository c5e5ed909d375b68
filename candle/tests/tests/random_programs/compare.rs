//! Runs a program in every way, and compares.

use candle_core::{DType, Device, Result, Tensor};
use candle_rocm::{Fusion, RocmDevice};
use candle_rocm_tests::{choose_tiles, platform};

use super::idioms::{QUANTIZED, QUANTIZED_COLUMNS, QUANTIZED_LENGTH, QUANTIZED_ROWS};
use super::interpreter::{Candle, Failure, Reading, run};
use super::program::Program;
use super::promise::promises;
use super::reference::{Reference, epsilon};

/// References of a program, and those for a second look before something is called wrong: a decision between nearly equal numbers
/// may be another in one of a hundred.
const REFERENCES: u64 = 8;
const MORE_REFERENCES: u64 = 96;
/// How far results may be outside of what references give, as a part of how much these differ.
const MARGIN: f64 = 4.;
/// Runs until a kernel is compiled for what a program does once.
const OFTEN: usize = 3;

/// Something is wrong.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// With which run.
    pub run: &'static str,
    pub failure: Failure,
}

/// How many elements were compared with the reference, and how many could have been anything.
#[derive(Clone, Copy, Default)]
pub struct Checked {
    pub elements: usize,
    pub unknown: usize,
}

fn devices(program: &Program, ordinal: usize, fusion: Fusion) -> Candle {
    let count = candle_rocm_tests::ordinals().len();
    let second = if program.elsewhere { (ordinal + 1) % count } else { ordinal };
    let device = |ordinal: usize| {
        let device = RocmDevice::on(platform(), ordinal).expect("a device");
        device.set_fusion(fusion);
        device.set_deterministic(program.deterministic);
        // Quantized products of idioms.
        let types = QUANTIZED.into_iter().flat_map(|dtype| QUANTIZED_ROWS.map(|rows| (dtype, rows)));
        let products = types.flat_map(|(dtype, rows)| {
            QUANTIZED_COLUMNS.map(|columns| (dtype, rows, [columns, QUANTIZED_LENGTH]))
        });
        choose_tiles(&device, products).expect("choices that there are");
        Device::from(device)
    };
    Candle([device(ordinal), device(second)])
}

fn finish_compiling(Candle(devices): &Candle) -> Result<()> {
    for device in devices {
        let device: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a device of candle-rocm");
        device.finish_compiling()?;
    }
    Ok(())
}

/// Runs a program with the first device of that number.
///
/// # Errors
/// What is wrong.
pub fn check(program: &Program, ordinal: usize) -> std::result::Result<Checked, Wrong> {
    let of = |what: &'static str| move |failure| Wrong { run: what, failure };
    let off = run(program, &devices(program, ordinal, Fusion::Off)).map_err(of("with fusion off"))?;
    let joined = devices(program, ordinal, Fusion::On);
    let on = run(program, &joined).map_err(of("with fusion on"))?;
    let promises = promises(program, off.iter().map(|reading| (reading.at, reading.tensor)));
    let bits = |name, before: &[Reading], after: &[Reading], is_promised: &dyn Fn(usize) -> bool| {
        for (_, (before, after)) in before.iter().zip(after).enumerate().filter(|&(i, _)| is_promised(i)) {
            same_bits(before, after).map_err(of(name))?;
        }
        Ok::<_, Wrong>(())
    };
    bits("with fusion on, off", &off, &on, &|i| !promises[i].differs_with_fusion)?;
    // Which operations of several threads are joined is a matter of time.
    let threads = program.instructions.iter().any(|instruction| instruction.thread > 0);
    let again = |name| {
        let again = run(program, &joined).map_err(of(name))?;
        let same =
            |i: usize| !(promises[i].differs_between_runs || threads && promises[i].differs_with_fusion);
        bits(name, &on, &again, &same)
    };
    again("with plans that were kept, before")?;
    // In a debug build it is told if a plan would be another one now.
    for device in &joined.0 {
        let at = program.instructions.len();
        let failed = |error: candle_core::Error| Failure { at, what: error.to_string() };
        device.synchronize().map_err(failed).map_err(of("with plans that were kept"))?;
    }
    if program.compiled {
        for _ in 2..OFTEN {
            again("while kernels are compiled, before")?;
        }
        let at = program.instructions.len();
        finish_compiling(&joined)
            .map_err(|error| Failure { at, what: error.to_string() })
            .map_err(of("when kernels are compiled"))?;
        again("with compiled kernels, before")?;
    }
    let mut checked = Checked::default();
    let mut references = references(program, REFERENCES, 2.)?;
    let mut more = false;
    for (name, readings) in [("with fusion off", &off), ("with fusion on", &on)] {
        for (i, reading) in readings.iter().enumerate() {
            if name == "with fusion on" && !promises[i].differs_with_fusion {
                continue;
            }
            let mut result = within(reading, references.iter().map(|all| &all[i]));
            if result.is_err() && !more {
                more = true;
                references = self::references(program, MORE_REFERENCES, 4.)?;
                result = within(reading, references.iter().map(|all| &all[i]));
            }
            let of_reading = result.map_err(of(name))?;
            checked.elements += of_reading.elements;
            checked.unknown += of_reading.unknown;
        }
    }
    Ok(checked)
}

fn references(
    program: &Program,
    count: u64,
    roundings: f64,
) -> std::result::Result<Vec<Vec<Reading>>, Wrong> {
    let of_run = |failure| Wrong { run: "on the CPU", failure };
    Reference::all(program, count, roundings)
        .map(|reference| run(program, &reference).map_err(of_run))
        .collect()
}

fn in_f64(x: &Tensor) -> Vec<f64> {
    // i64 is small in these programs.
    x.to_dtype(DType::F64).and_then(|x| x.flatten_all()?.to_vec1()).expect("a tensor of the CPU")
}

fn failure(reading: &Reading, what: String) -> Failure {
    Failure { at: reading.at, what: format!("t{}, {what}", reading.tensor) }
}

/// One NaN is as good as another, and zeros of half types may have either sign behind an activation.
fn same_bits(before: &Reading, after: &Reading) -> std::result::Result<(), Failure> {
    let dtype = before.values.dtype();
    let half = matches!(dtype, DType::F16 | DType::BF16);
    let (a, b) = (in_f64(&before.values), in_f64(&after.values));
    let is_same = |a: f64, b: f64| {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()) || (half && a == 0. && b == 0.)
    };
    let differ: Vec<usize> = (0..a.len()).filter(|&i| !is_same(a[i], b[i])).collect();
    match differ.first() {
        None => Ok(()),
        Some(&i) => {
            let what = format!(
                "{} of {} elements have other bits: element {i} of {dtype:?} {:?} is {:e} and was {:e}",
                differ.len(),
                a.len(),
                before.values.dims(),
                b[i],
                a[i]
            );
            Err(failure(after, what))
        }
    }
}

/// Whether elements are as references have them.
fn within<'a>(
    reading: &Reading,
    references: impl Iterator<Item = &'a Reading>,
) -> std::result::Result<Checked, Failure> {
    let dtype = reading.values.dtype();
    let got = in_f64(&reading.values);
    let references: Vec<Vec<f64>> = references.map(|reference| in_f64(&reference.values)).collect();
    let mut checked = Checked { elements: got.len(), unknown: 0 };
    for (i, &got) in got.iter().enumerate() {
        let all = || references.iter().map(|reference| reference[i]);
        let exact = references[0][i];
        let (low, high) =
            all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let nan = all().filter(|x| x.is_nan()).count();
        let is_right = if nan == references.len() {
            is_nan(got)
        } else if nan > 0 || (low != high && !(low.is_finite() && high.is_finite())) {
            checked.unknown += 1;
            true
        } else if !dtype.is_float() || !low.is_finite() {
            checked.unknown += usize::from(low != high);
            low != high || got == low
        } else {
            let size = low.abs().max(high.abs());
            let margin = MARGIN * (high - low) + 2. * epsilon(dtype) * size + smallest(dtype);
            checked.unknown += usize::from(margin > 0.25 * size && margin > 4. * smallest(dtype));
            // Where the sign is not known, what was divided by may have been 0.
            let is_pole = got.is_infinite() && low < 0. && high > 0. && margin > size;
            is_pole || (low - margin..=high + margin).contains(&got)
        };
        if !is_right {
            let what = format!(
                "element {i} of {dtype:?} {:?} is {got:e}, should be {exact:e} (between {low:e} and {high:e})",
                reading.values.dims()
            );
            return Err(failure(reading, what));
        }
    }
    Ok(checked)
}

/// Where the formula gives NaN, as for a query that sees no key.
fn is_nan(got: f64) -> bool {
    got.is_nan()
}

/// The smallest normal number: what is below it may be 0.
fn smallest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-14),
        DType::BF16 | DType::F32 => f32::MIN_POSITIVE.into(),
        _ => f64::MIN_POSITIVE,
    }
}
