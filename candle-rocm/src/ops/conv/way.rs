//! Who computes a convolution.
//!
//! What is obvious goes by rule. Of a large problem, each way is tried and timed, once: which one is the fastest depends on
//! sizes, card and versions of libraries, and a guess can cost several times the convolution.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candle_core::DType;

use super::gemm;
use super::problem::{Axis, Problem};
use crate::conv::ConvEngine;
use crate::count::saturating;
use crate::hip::{Event, HipError, Platform};
#[cfg(feature = "miopen")]
use crate::platform::AMD;
use crate::{Result, RocmDevice, RocmError};

/// Products and sums from which on ways are timed: below, launching takes as long as computing does.
const LARGE: usize = 1 << 26;
/// How many of MIOpen's algorithms are timed at most.
#[cfg(feature = "miopen")]
pub(crate) const ALGORITHMS: usize = 4;

/// MIOpen compiles what it is asked for at the first use, which takes seconds, and ranks by times it has seen: there its first
/// guess is timed beside our own ways. cuDNN, which takes its place on the other platform, ranks by rules.
#[cfg(feature = "miopen")]
fn algorithms(platform: Platform) -> usize {
    if platform == AMD { 1 } else { ALGORITHMS }
}

/// A way to compute a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The algorithm of that number, in the order that MIOpen thinks best.
    #[cfg(feature = "miopen")]
    Miopen(usize),
    /// Matrix products.
    Gemm,
    /// The kernels that need no columns.
    Direct,
}

impl Way {
    #[cfg_attr(
        not(feature = "miopen"),
        expect(unused_variables, reason = "the other ways are the same everywhere")
    )]
    fn all(platform: Platform) -> impl Iterator<Item = Self> {
        #[cfg(feature = "miopen")]
        let miopen = (0..algorithms(platform)).map(Self::Miopen);
        #[cfg(not(feature = "miopen"))]
        let miopen = std::iter::empty();
        miopen.chain([Self::Gemm, Self::Direct])
    }
}

/// A problem with its dtype, and whether its operands are contiguous.
type Case = (Problem, DType, [bool; 2]);

/// What was the fastest on a device.
#[derive(Default)]
pub(crate) struct Measured(Mutex<HashMap<Case, Way>>);

impl Measured {
    /// The fastest way; `run` says whether a way was there.
    pub(super) fn fastest(
        &self,
        device: &RocmDevice,
        case: Case,
        run: impl FnMut(Way) -> Result<bool>,
    ) -> Result<Way> {
        let known = |ways: &HashMap<Case, Way>| ways.get(&case).copied();
        if let Some(way) = known(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(way);
        }
        let (problem, dtype, _) = case;
        let way = fastest(Way::all(device.platform()).filter(|&way| problem.has(way, dtype)), device, run)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(case, way);
        Ok(way)
    }
}

impl Problem {
    /// Whether the way may be tried.
    fn has(&self, way: Way, dtype: DType) -> bool {
        match way {
            #[cfg(feature = "miopen")]
            Way::Miopen(_) => matches!(dtype, DType::F32 | DType::F16 | DType::BF16) && self.c_in > 0,
            Way::Gemm => gemm::serves(self, dtype),
            Way::Direct => true,
        }
    }

    /// Whether the fastest way shall be found out.
    pub(super) fn is_measured(&self, dtype: DType, engine: ConvEngine) -> bool {
        let floats = matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64);
        let known = self.is_pointwise() || self.is_depthwise() && !self.transposed;
        engine == ConvEngine::Auto && floats && !known && self.sums() >= LARGE
    }

    /// What is taken without measurements; the second one if the first refuses.
    pub(super) fn ways(&self, dtype: DType, engine: ConvEngine) -> [Way; 2] {
        // Columns take memory and time; that pays where products run on matrix units, as those of half types do. Else
        // tiles are as fast, or there are too few channels for either.
        let half = matches!(dtype, DType::F16 | DType::BF16);
        let own = match self.has(Way::Gemm, dtype) {
            true if self.is_pointwise() && dtype.is_float() => Way::Gemm,
            true if half && self.c_in >= 8 && self.c_out >= 8 => Way::Gemm,
            _ => Way::Direct,
        };
        let first = match engine {
            ConvEngine::Direct => return [Way::Direct; 2],
            ConvEngine::Gemm if self.has(Way::Gemm, dtype) => return [Way::Gemm; 2],
            ConvEngine::Gemm => return [Way::Direct; 2],
            // The input is the columns: nothing is faster than their product.
            ConvEngine::Auto if self.is_pointwise() && own == Way::Gemm => own,
            // What moves more than it computes is moved as fast by a kernel that needs no preparations.
            ConvEngine::Auto if self.is_depthwise() && !self.transposed => own,
            #[cfg(feature = "miopen")]
            _ if self.has(Way::Miopen(0), dtype) => Way::Miopen(0),
            _ => own,
        };
        [first, own]
    }

    /// Whether the kernel has one tap, which goes over the input pixel by pixel, and mixes channels.
    pub(super) fn is_pointwise(&self) -> bool {
        let plain = |axis: &Axis| axis.taps == 1 && axis.stride == 1 && axis.padding == 0;
        !self.transposed && !self.is_depthwise() && plain(&self.y) && plain(&self.x)
    }

    /// Products that are added up.
    fn sums(&self) -> usize {
        let pixels = if self.transposed { self.y.input * self.x.input } else { self.pixels() };
        let Self { batch, groups, c_in, c_out, y, x, .. } = *self;
        saturating(&[groups, c_out, c_in, y.taps, x.taps, batch, pixels])
    }
}

/// The fastest of these, at least one of which is there.
fn fastest(
    ways: impl Iterator<Item = Way>,
    device: &RocmDevice,
    mut run: impl FnMut(Way) -> Result<bool>,
) -> Result<Way> {
    let stopwatch = Stopwatch::new(device)?;
    let mut best = (Way::Direct, f32::INFINITY);
    for way in ways {
        match stopwatch.time(best.1, || run(way)) {
            Ok(Some(time)) if time < best.1 => best = (way, time),
            // Slower, not there, or in need of more memory than there is.
            Ok(_) | Err(RocmError::Hip(HipError::OutOfMemory { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(best.0)
}

/// Times what is queued on a device's stream.
struct Stopwatch<'a> {
    device: &'a RocmDevice,
    start: Event,
    end: Event,
}

impl<'a> Stopwatch<'a> {
    /// What takes longer than this, in milliseconds, is timed well enough by one call.
    const LONG: f32 = 2.0;
    /// Shorter calls are timed in rows of about that many milliseconds, to have the launches of one under way while another
    /// runs, as in use: some libraries take longer to launch than the card does to compute.
    const ROW: f32 = 1.0;

    fn new(device: &'a RocmDevice) -> Result<Self> {
        let event = || Event::timed(device.hip_device());
        Ok(Self { device, start: event()?, end: event()? })
    }

    /// Milliseconds that a call takes, if `run` says that it can be done. What takes twice `enough` is not timed again.
    fn time(&self, enough: f32, mut run: impl FnMut() -> Result<bool>) -> Result<Option<f32>> {
        // The first call loads, finds and compiles.
        if !run()? {
            return Ok(None);
        }
        let mut best = self.row(1, &mut run)?;
        if best < Self::LONG && best < 2.0 * enough {
            let calls = (Self::ROW / best).clamp(4.0, 16.0) as u8;
            for _ in 0..2 {
                best = best.min(self.row(calls, &mut run)?);
            }
        }
        Ok(Some(best))
    }

    fn row(&self, calls: u8, run: &mut impl FnMut() -> Result<bool>) -> Result<f32> {
        self.start.record(self.device.stream())?;
        for _ in 0..calls {
            run()?;
        }
        self.end.record(self.device.stream())?;
        self.end.synchronize()?;
        Ok(self.end.elapsed_ms(&self.start)? / f32::from(calls))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Layout;

    use super::*;
    use crate::Convolution;
    use crate::platform::HOST;

    fn problem(x: &[usize], w: &[usize], p: Convolution) -> Problem {
        let layouts = (Layout::contiguous(x), Layout::contiguous(w));
        Problem::new("conv", &p, (&layouts.0, usize::MAX), (&layouts.1, usize::MAX)).unwrap()
    }

    fn first(problem: &Problem, dtype: DType, engine: ConvEngine) -> Way {
        problem.ways(dtype, engine)[0]
    }

    #[test]
    fn pixel_by_pixel_is_a_product() {
        let plain = Convolution::default();
        for (x, w) in [([8, 64, 56, 56], [256, 64, 1, 1]), ([1, 3, 8, 8], [2, 3, 1, 1])] {
            let problem = problem(&x, &w, plain);
            for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
                assert_eq!(first(&problem, dtype, ConvEngine::Auto), Way::Gemm, "{x:?} {dtype:?}");
                assert_eq!(first(&problem, dtype, ConvEngine::Direct), Way::Direct);
                assert!(!problem.is_measured(dtype, ConvEngine::Auto));
            }
            assert_eq!(first(&problem, DType::U8, ConvEngine::Auto), Way::Direct);
        }
        let strided = problem(&[8, 64, 56, 56], &[256, 64, 1, 1], Convolution { stride: 2, ..plain });
        let scaled = problem(&[8, 64, 56, 56], &[64, 1, 1, 1], Convolution { groups: 64, ..plain });
        assert!(!strided.is_pointwise() && !scaled.is_pointwise());
        assert_eq!(first(&scaled, DType::F32, ConvEngine::Auto), Way::Direct);
    }

    #[test]
    fn large_problems_are_measured() {
        let padded = Convolution { padding: 1, ..Convolution::default() };
        let large = problem(&[8, 64, 56, 56], &[64, 64, 3, 3], padded);
        let small = problem(&[1, 8, 28, 28], &[16, 8, 3, 3], padded);
        let depthwise = problem(&[64, 512, 56, 56], &[512, 1, 3, 3], Convolution { groups: 512, ..padded });
        assert_eq!(large.sums(), 8 * 64 * 64 * 9 * 56 * 56);
        assert!(large.is_measured(DType::F32, ConvEngine::Auto));
        assert!(!large.is_measured(DType::F32, ConvEngine::Gemm));
        assert!(!large.is_measured(DType::U32, ConvEngine::Auto));
        assert!(!small.is_measured(DType::F32, ConvEngine::Auto));
        assert!(depthwise.sums() > LARGE && !depthwise.is_measured(DType::F32, ConvEngine::Auto));
        let own = if cfg!(feature = "miopen") { None } else { Some(Way::Direct) };
        assert!(own.is_none_or(|own| first(&small, DType::F32, ConvEngine::Auto) == own));
        // Each way of an upsampling one is there, and those of f64 but MIOpen's.
        let transposed = Convolution { transposed: true, stride: 2, ..Convolution::default() };
        let transposed = problem(&[8, 256, 4096], &[256, 256, 3], transposed);
        assert!(Way::all(HOST).all(|way| transposed.has(way, DType::F32)));
        assert!([Way::Gemm, Way::Direct].iter().all(|&way| transposed.has(way, DType::F64)));
    }

    /// Each way is tried, and the fastest one stays; one that takes no time would win if it were not refused.
    #[test]
    fn measured_once() {
        let device = RocmDevice::on(HOST, 0).unwrap();
        let case = (problem(&[1, 2, 9], &[2, 2, 3], Convolution::default()), DType::F32, [true; 2]);
        let measured = Measured::default();
        let mut tried = Vec::new();
        let mut run = |way: Way| {
            tried.push(way);
            // Writing memory takes the device some time.
            let count = if way == Way::Gemm { 1 << 8 } else { 1 << 24 };
            device.alloc_zeros::<f32>(count).map(|_| matches!(way, Way::Gemm | Way::Direct))
        };
        assert_eq!(measured.fastest(&device, case, &mut run).unwrap(), Way::Gemm);
        let count = tried.len();
        assert!(Way::all(HOST).all(|way| tried.contains(&way)), "{tried:?}");
        let mut again = |way: Way| -> Result<bool> { panic!("{way:?} again") };
        assert_eq!(measured.fastest(&device, case, &mut again).unwrap(), Way::Gemm);
        assert!(count > Way::all(HOST).count());
    }
}
