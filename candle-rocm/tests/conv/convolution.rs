//! Convolutions against plain loops: all dtypes, engines, layouts, both wavefront sizes.
//!
//! Most cases have small whole numbers as values: every sum is then exact, whatever its order, and results must be the
//! exact sum converted once to the dtype, bit for bit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout, Shape};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::platform::HOST;
use candle_rocm::{ConvEngine, Convolution, RocmDType, RocmDevice, RocmError, RocmStorage};
use float8::F8E4M3;
use half::{bf16, f16};
use rocm_kernels::CONV;

use crate::common::LibraryKind;
use crate::common::Random;
use crate::harness::DTYPES;
use crate::harness::bits::Number;
use crate::harness::tolerance::EXACT;
use crate::{common, harness};

const ENGINES: [ConvEngine; 4] =
    [ConvEngine::Auto, ConvEngine::Miopen, ConvEngine::Im2col, ConvEngine::Kernels];

fn engines(device: &RocmDevice) -> impl Iterator<Item = ConvEngine> {
    ENGINES.into_iter().filter(|engine| match engine {
        ConvEngine::Auto => common::libraries(),
        ConvEngine::Miopen => common::libraries() && common::has_library(device, LibraryKind::Miopen),
        _ => true,
    })
}

const PLAIN: Convolution =
    Convolution { padding: 0, stride: 1, dilation: 1, groups: 1, transposed: false, output_padding: 0 };
const TRANSPOSED: Convolution = Convolution { transposed: true, ..PLAIN };

/// Input, kernel, and the rest.
type Case = (&'static [usize], &'static [usize], Convolution);

/// Odd sizes that reach every branch: parts of tiles, several of them, borders on each side, taps that never count.
const CASES: &[Case] = &[
    (&[1, 1, 1], &[1, 1, 1], PLAIN),
    (&[2, 3, 11], &[5, 3, 3], PLAIN),
    (&[2, 3, 11], &[5, 3, 4], Convolution { padding: 3, stride: 2, dilation: 2, ..PLAIN }),
    (&[2, 6, 9], &[4, 3, 3], Convolution { padding: 1, groups: 2, ..PLAIN }),
    (&[2, 5, 13], &[10, 1, 3], Convolution { padding: 2, stride: 3, groups: 5, ..PLAIN }),
    (&[2, 3, 6], &[3, 4, 3], TRANSPOSED),
    (&[1, 3, 6], &[3, 2, 4], Convolution { padding: 2, stride: 3, output_padding: 2, ..TRANSPOSED }),
    (&[1, 4, 5], &[4, 2, 3], Convolution { stride: 2, dilation: 2, groups: 2, ..TRANSPOSED }),
    (&[2, 1, 5, 7], &[1, 1, 3, 2], PLAIN),
    (&[2, 3, 7, 5], &[6, 3, 3, 3], Convolution { padding: 1, ..PLAIN }),
    (&[1, 3, 9, 8], &[5, 3, 2, 3], Convolution { padding: 2, stride: 2, dilation: 3, ..PLAIN }),
    (&[2, 5, 4, 6], &[7, 5, 1, 1], PLAIN),
    (&[2, 4, 5, 5], &[6, 2, 3, 3], Convolution { padding: 1, stride: 2, groups: 2, ..PLAIN }),
    (&[2, 4, 9, 7], &[4, 1, 3, 3], Convolution { padding: 1, groups: 4, ..PLAIN }),
    (&[1, 3, 8, 6], &[6, 1, 5, 2], Convolution { padding: 2, stride: 2, dilation: 2, groups: 3, ..PLAIN }),
    (&[2, 3, 4, 3], &[3, 5, 3, 3], Convolution { padding: 1, ..TRANSPOSED }),
    (&[2, 3, 4, 3], &[3, 2, 3, 2], Convolution { padding: 1, stride: 2, output_padding: 1, ..TRANSPOSED }),
    (&[1, 2, 3, 4], &[2, 3, 2, 2], Convolution { stride: 3, dilation: 2, ..TRANSPOSED }),
    (&[1, 2, 5], &[2, 3, 4], Convolution { stride: 4, dilation: 2, ..TRANSPOSED }),
    // A stride that exceeds the output.
    (&[1, 2, 1], &[2, 3, 3], Convolution { stride: 40, ..TRANSPOSED }),
    // Every other tap reaches an output, from inputs three apart.
    (&[1, 2, 5, 6], &[2, 3, 5, 4], Convolution { padding: 1, stride: 2, dilation: 3, ..TRANSPOSED }),
    // Columns in vectors that cross lines.
    (&[2, 3, 8, 6], &[4, 3, 3, 3], Convolution { padding: 1, ..PLAIN }),
    // Of the size of tiles.
    (&[2, 17, 9, 8], &[70, 17, 3, 3], Convolution { padding: 1, ..PLAIN }),
    (&[1, 34, 40], &[50, 17, 5], Convolution { padding: 2, stride: 2, groups: 2, ..PLAIN }),
    (&[2, 17, 5, 6], &[17, 30, 3, 4], Convolution { padding: 1, stride: 2, output_padding: 1, ..TRANSPOSED }),
    (&[1, 24, 21], &[24, 33, 4], Convolution { padding: 1, stride: 2, groups: 2, ..TRANSPOSED }),
    // Nothing to do, and nothing to add up.
    (&[0, 3, 11], &[5, 3, 3], PLAIN),
    (&[2, 3, 4, 4], &[0, 3, 3, 3], PLAIN),
    (&[2, 0, 4, 4], &[3, 0, 3, 3], PLAIN),
    (&[2, 0, 4], &[0, 3, 3], TRANSPOSED),
];

/// Images as four numbers: 1-D ones have a height of 1.
fn sizes(dims: &[usize]) -> [usize; 4] {
    match *dims {
        [a, b, x] => [a, b, 1, x],
        [a, b, y, x] => [a, b, y, x],
        _ => panic!("{dims:?}"),
    }
}

fn output_dims(x: &[usize], w: &[usize], p: &Convolution) -> Vec<usize> {
    let mut dims = vec![x[0], if p.transposed { w[1] * p.groups } else { w[0] }];
    for d in 2..x.len() {
        let reach = p.dilation * (w[d] - 1) + 1;
        dims.push(match p.transposed {
            true => (x[d] - 1) * p.stride + reach + p.output_padding - 2 * p.padding,
            false => (x[d] + 2 * p.padding - reach) / p.stride + 1,
        });
    }
    dims
}

/// Each product that counts: places in x, w and the output, all contiguous.
fn products(x: &[usize], w: &[usize], p: &Convolution, mut each: impl FnMut(usize, usize, usize)) {
    let out = output_dims(x, w, p);
    let flat = x.len() == 3;
    let ([batch, c_x, x_h, x_w], [_, c_w, k_h, k_w], [_, c_o, o_h, o_w]) = (sizes(x), sizes(w), sizes(&out));
    // Of the convolution that this is, or is the gradient of, `small` is the side with fewer pixels for stride > 1.
    let (small_h, small_w, large_h, large_w) =
        if p.transposed { (x_h, x_w, o_h, o_w) } else { (o_h, o_w, x_h, x_w) };
    let large = |small: usize, tap: usize, size: usize, flat: bool| {
        let (stride, padding) = if flat { (1, 0) } else { (p.stride, p.padding) };
        (small * stride + tap * p.dilation).checked_sub(padding).filter(|&at| at < size)
    };
    let x_group = c_x / p.groups;
    let o_group = c_o / p.groups;
    for (b, o, i) in (0..batch).flat_map(|b| (0..c_o).flat_map(move |o| (0..x_group).map(move |i| (b, o, i))))
    {
        let channel = o / o_group * x_group + i;
        let weights = if p.transposed { channel * c_w + o % o_group } else { o * c_w + i };
        for (sy, sx) in (0..small_h).flat_map(|y| (0..small_w).map(move |x| (y, x))) {
            for (ky, kx) in (0..k_h).flat_map(|y| (0..k_w).map(move |x| (y, x))) {
                let (Some(ly), Some(lx)) = (large(sy, ky, large_h, flat), large(sx, kx, large_w, false))
                else {
                    continue;
                };
                let ((iy, ix), (oy, ox)) =
                    if p.transposed { ((sy, sx), (ly, lx)) } else { ((ly, lx), (sy, sx)) };
                each(
                    ((b * c_x + channel) * x_h + iy) * x_w + ix,
                    (weights * k_h + ky) * k_w + kx,
                    ((b * c_o + o) * o_h + oy) * o_w + ox,
                );
            }
        }
    }
}

/// Whole numbers as elements of a dtype: integers wrap, floats are rounded once.
fn storage(dtype: DType, values: &[i64]) -> CpuStorage {
    macro_rules! each {
        ($($variant:ident $convert:expr),*) => {
            match dtype {
                $(DType::$variant => CpuStorage::$variant(values.iter().map(|&v| $convert(v)).collect()),)*
                _ => panic!("{dtype:?}"),
            }
        };
    }
    each!(
        U8 | v | v as u8,
        U32 | v | v as u32,
        I16 | v | v as i16,
        I32 | v | v as i32,
        I64 | v | v,
        BF16 | v | bf16::from_f32(v as f32),
        F16 | v | f16::from_f32(v as f32),
        F32 | v | v as f32,
        F64 | v | v as f64,
        F8E4M3 | v | F8E4M3::from_f32(v as f32)
    )
}

/// Values from -2 to 2.
fn whole(count: usize, seed: u64) -> Vec<i64> {
    let mut random = Random(seed);
    (0..count).map(|_| random.below(5) as i64 - 2).collect()
}

/// The values in memory such that the layout reads them in order; 1 elsewhere.
fn laid_out(values: &[i64], layout: &Layout) -> Vec<i64> {
    let extent: usize = layout.dims().iter().zip(layout.stride()).map(|(d, s)| d.saturating_sub(1) * s).sum();
    let mut memory = vec![1; layout.start_offset() + extent + 1];
    for (index, &value) in values.iter().enumerate() {
        memory[place(layout, index)] = value;
    }
    memory
}

fn place(layout: &Layout, mut index: usize) -> usize {
    let mut at = layout.start_offset();
    for (&size, &stride) in layout.dims().iter().zip(layout.stride()).rev() {
        at += index % size * stride;
        index /= size;
    }
    at
}

/// Contiguous; narrowed from longer rows at an offset; channels last.
fn layouts(dims: &[usize]) -> [Layout; 3] {
    let shape = Shape::from(dims);
    let contiguous = Layout::contiguous(dims);
    let mut longer = dims.to_vec();
    *longer.last_mut().unwrap() += 3;
    let narrowed = Layout::new(shape.clone(), Layout::contiguous(longer.as_slice()).stride().to_vec(), 5);
    let mut last = dims.to_vec();
    let channels = last.remove(1);
    last.push(channels);
    let mut stride = Layout::contiguous(last.as_slice()).stride().to_vec();
    let step = stride.pop().unwrap();
    stride.insert(1, step);
    [contiguous, narrowed, Layout::new(shape, stride, 1)]
}

fn upload(device: &RocmDevice, storage: &CpuStorage) -> RocmStorage {
    device.storage_from_cpu_storage(storage).unwrap()
}

/// Calls a function for each dtype.
macro_rules! each_dtype {
    ($function:ident($($argument:expr),*)) => {{
        $function::<u8>($($argument),*);
        $function::<u32>($($argument),*);
        $function::<i16>($($argument),*);
        $function::<i32>($($argument),*);
        $function::<i64>($($argument),*);
        $function::<bf16>($($argument),*);
        $function::<f16>($($argument),*);
        $function::<f32>($($argument),*);
        $function::<f64>($($argument),*);
        $function::<F8E4M3>($($argument),*);
    }};
}

/// The exact sums, converted once.
#[track_caller]
fn same<T: RocmDType>(got: &[T], want: &[i64], what: &str) {
    let difference = harness::bits::compare(&T::to_cpu_storage(got), &storage(T::DTYPE, want), &EXACT);
    assert_eq!(difference, Ok(()), "{what}");
}

#[track_caller]
fn check(devices: &[RocmDevice], case: &Case, dtypes: &[DType], (x_l, w_l): (&Layout, &Layout)) {
    let (x_dims, w_dims, p) = case;
    let x = whole(x_dims.iter().product(), 1);
    let w = whole(w_dims.iter().product(), 2);
    let mut want = vec![0; output_dims(x_dims, w_dims, p).iter().product()];
    products(x_dims, w_dims, p, |i, k, o| want[o] += x[i] * w[k]);
    let (x, w) = (laid_out(&x, x_l), laid_out(&w, w_l));
    for &dtype in dtypes {
        let (x, w, want) = (storage(dtype, &x), storage(dtype, &w), storage(dtype, &want));
        for device in devices {
            let (x, w) = (upload(device, &x), upload(device, &w));
            for engine in engines(device) {
                device.set_conv_engine(engine);
                let context =
                    || format!("{case:?} {dtype:?} {engine:?} {x_l:?} {w_l:?} on {}", device.label());
                let got =
                    x.convolve(x_l, (&w, w_l), p).unwrap_or_else(|error| panic!("{}: {error}", context()));
                let got = got.to_cpu_storage().unwrap();
                if let Err(difference) = harness::bits::compare(&got, &want, &EXACT) {
                    panic!("{}: {difference}", context());
                }
            }
        }
    }
}

#[test]
fn all_dtypes_and_engines_agree_with_loops() {
    let devices = common::devices();
    for case in CASES {
        check(&devices, case, &DTYPES, (&Layout::contiguous(case.0), &Layout::contiguous(case.1)));
    }
}

#[test]
fn operands_may_have_any_layout() {
    let devices = common::devices();
    // The engines treat dtypes of a class alike.
    let dtypes = [DType::F32, DType::BF16, DType::I32];
    for case in CASES {
        for x_l in &layouts(case.0) {
            for w_l in &layouts(case.1) {
                check(&devices, case, &dtypes, (x_l, w_l));
            }
        }
    }
}

#[test]
fn broadcast_operands() {
    let devices = common::devices();
    // One image for all of the batch; one kernel for all output channels.
    let x_l = Layout::new((3, 2, 4, 5).into(), vec![0, 20, 5, 1], 2);
    let w_l = Layout::new((4, 2, 3, 3).into(), vec![0, 9, 3, 1], 0);
    let (x, w) = (whole(42, 3), whole(18, 4));
    let p = Convolution { padding: 1, ..PLAIN };
    let mut want = vec![0; 3 * 4 * 4 * 5];
    products(&[3, 2, 4, 5], &[4, 2, 3, 3], &p, |i, k, o| want[o] += x[place(&x_l, i)] * w[place(&w_l, k)]);
    for device in &devices {
        for engine in engines(device) {
            device.set_conv_engine(engine);
            for dtype in [DType::F32, DType::U8] {
                let (x, w) = (upload(device, &storage(dtype, &x)), upload(device, &storage(dtype, &w)));
                let got = x.convolve(&x_l, (&w, &w_l), &p).unwrap().to_cpu_storage().unwrap();
                harness::bits::compare(&got, &storage(dtype, &want), &EXACT).unwrap();
            }
        }
    }
}

/// The workspace is memory like all else: what nobody needs is dropped before it takes more than was ever in use.
#[test]
fn workspaces_of_libraries_come_after_what_nobody_needs() {
    if !common::libraries() {
        return;
    }
    let (x_l, w_l) = (Layout::contiguous((2, 3, 7, 5)), Layout::contiguous((6, 3, 3, 3)));
    for device in common::devices() {
        if !common::has_library(&device, LibraryKind::Miopen) {
            continue;
        }
        let ones =
            |layout: &Layout| upload(&device, &storage(DType::F32, &vec![1; layout.shape().elem_count()]));
        let (x, w) = (ones(&x_l), ones(&w_l));
        let run = |engine| {
            device.set_conv_engine(engine);
            drop(x.convolve(&x_l, (&w, &w_l), &PLAIN).unwrap().to_cpu_storage().unwrap());
        };
        let asked = |engine| {
            // Algorithms are found, and dims are uploaded.
            run(engine);
            let times = Arc::new(AtomicUsize::new(0));
            let counted = times.clone();
            device.pool().set_reclaim(move || {
                counted.fetch_add(1, Ordering::Relaxed);
            });
            device.pool().reset_peaks();
            run(engine);
            times.load(Ordering::Relaxed)
        };
        let (kernels, library) = (asked(ConvEngine::Kernels), asked(ConvEngine::Miopen));
        assert!(kernels > 0 && library > kernels, "{library} times, and {kernels} without a workspace");
    }
}

/// candle's own entry points, which know no groups, with the parameters that candle passes: operands of any layout.
#[test]
fn entry_points_of_candle() {
    fn run<T: RocmDType>(device: &RocmDevice, case: &Case, layouts: (&Layout, &Layout), want: &[i64]) {
        let ((x_dims, w_dims, p), (x_l, w_l)) = (case, layouts);
        let out_dims = output_dims(x_dims, w_dims, p);
        let buffer = |values: &[i64], layout: &Layout| {
            let memory = storage(T::DTYPE, &laid_out(values, layout));
            device.upload(T::cpu_storage_as_slice(&memory).unwrap()).unwrap()
        };
        let x = buffer(&whole(x_dims.iter().product(), 1), x_l);
        let w = buffer(&whole(w_dims.iter().product(), 2), w_l);
        let mut out = device.alloc::<T>(want.len()).unwrap();
        let info = [x_l.dims(), x_l.stride(), w_l.dims(), w_l.stride()].concat();
        let (kind, rank) = (if p.transposed { "conv_transpose" } else { "conv" }, x_dims.len() - 2);
        let name = format!("{kind}{rank}d_{}", T::KERNEL_DTYPE);
        let mut launch = device.launch(&CONV, &name);
        launch.arg(&want.len());
        out_dims[2..].iter().rev().for_each(|size| _ = launch.arg(size));
        launch.arg(&p.stride).arg(&p.padding);
        if p.transposed {
            launch.arg(&p.output_padding);
        }
        launch.arg(&p.dilation).info(&info);
        launch.buffer(&x, x_l.start_offset()).buffer(&w, w_l.start_offset()).buffer_mut(&mut out, 0);
        // SAFETY: conv*(numel, l_out or w_out and h_out, stride, padding[, output padding], dilation, info, x, w, out); the
        // layouts lie in x and w, and out has an element for each output.
        unsafe { launch.run(LaunchConfig::linear(3, 100)) }.unwrap();
        same(&device.download(&out).unwrap(), want, &format!("{name} {case:?} {x_l:?} {w_l:?}"));
    }

    let devices = common::devices();
    for case in CASES.iter().filter(|(_, _, p)| p.groups == 1) {
        let (x_dims, w_dims, p) = case;
        let (x, w) = (whole(x_dims.iter().product(), 1), whole(w_dims.iter().product(), 2));
        let mut want = vec![0; output_dims(x_dims, w_dims, p).iter().product()];
        products(x_dims, w_dims, p, |i, k, o| want[o] += x[i] * w[k]);
        if want.is_empty() {
            continue;
        }
        for (x_l, w_l) in layouts(x_dims).iter().zip(&layouts(w_dims)) {
            devices.iter().for_each(|device| each_dtype!(run(device, case, (x_l, w_l), &want)));
        }
    }
}

/// candle's patches: what convolutions by matrix products read.
#[test]
fn patches_of_candle() {
    fn run<T: RocmDType>(device: &RocmDevice, case: &Case, layout: &Layout, want: &[i64]) {
        let (x_dims, w_dims, p) = case;
        let out_dims = output_dims(x_dims, w_dims, p);
        let memory = storage(T::DTYPE, &laid_out(&whole(x_dims.iter().product(), 1), layout));
        let x = device.upload(T::cpu_storage_as_slice(&memory).unwrap()).unwrap();
        let mut out = device.alloc::<T>(want.len()).unwrap();
        let kernel = if x_dims.len() == 3 { "im2col1d" } else { "im2col" };
        let name = format!("{kernel}_{}", T::KERNEL_DTYPE);
        let mut launch = device.launch(&CONV, &name);
        launch.arg(&want.len());
        out_dims[2..].iter().chain(&w_dims[2..]).for_each(|size| _ = launch.arg(size));
        launch.arg(&p.stride).arg(&p.padding).arg(&p.dilation);
        launch.info(&[layout.dims(), layout.stride()].concat());
        launch.buffer(&x, layout.start_offset()).buffer_mut(&mut out, 0);
        // SAFETY: im2col*(numel, the sizes of out, those of w, stride, padding, dilation, info, x, out); the layout lies in x,
        // and out has an element for each output pixel, input channel and tap.
        unsafe { launch.run(LaunchConfig::linear(3, 100)) }.unwrap();
        same(&device.download(&out).unwrap(), want, &format!("{name} {case:?} {layout:?}"));
    }

    let devices = common::devices();
    for case in CASES.iter().filter(|(_, _, p)| p.groups == 1 && !p.transposed) {
        let (x_dims, w_dims, p) = case;
        let x = whole(x_dims.iter().product(), 1);
        let [_, channels, x_h, x_w] = sizes(x_dims);
        let ([batch, _, o_h, o_w], [_, _, k_h, k_w]) =
            (sizes(&output_dims(x_dims, w_dims, p)), sizes(w_dims));
        let at = |o: usize, tap: usize, size: usize, flat: bool| {
            let (stride, padding) = if flat { (1, 0) } else { (p.stride, p.padding) };
            (o * stride + tap * p.dilation).checked_sub(padding).filter(|&at| at < size)
        };
        let flat = x_dims.len() == 3;
        let mut want = Vec::new();
        for index in 0..batch * o_h * o_w * channels * k_h * k_w {
            let (rest, tx) = (index / k_w, index % k_w);
            let (rest, ty) = (rest / k_h, rest % k_h);
            let (rest, channel) = (rest / channels, rest % channels);
            let (rest, ox) = (rest / o_w, rest % o_w);
            let (b, oy) = (rest / o_h, rest % o_h);
            let source = at(oy, ty, x_h, flat).zip(at(ox, tx, x_w, false));
            want.push(source.map_or(0, |(iy, ix)| x[((b * channels + channel) * x_h + iy) * x_w + ix]));
        }
        if want.is_empty() {
            continue;
        }
        for layout in &layouts(x_dims) {
            devices.iter().for_each(|device| each_dtype!(run(device, case, layout, &want)));
        }
    }
}

/// candle's patches of 1-D transposed convolutions, added up.
#[test]
fn patches_added_up() {
    fn run<T: RocmDType>(device: &RocmDevice, [batch, l_in, c_out, taps, stride]: [usize; 5]) {
        let l_out = (l_in - 1) * stride + taps;
        let columns = whole(batch * l_in * c_out * taps, 3);
        let mut want = vec![0; batch * c_out * l_out];
        for (index, value) in columns.iter().enumerate() {
            let (rest, tap) = (index / taps, index % taps);
            let (rest, o) = (rest / c_out, rest % c_out);
            let (b, l) = (rest / l_in, rest % l_in);
            want[(b * c_out + o) * l_out + l * stride + tap] += value;
        }
        let memory = storage(T::DTYPE, &columns);
        let columns = device.upload(T::cpu_storage_as_slice(&memory).unwrap()).unwrap();
        let mut out = device.alloc::<T>(want.len()).unwrap();
        let name = format!("col2im1d_{}", T::KERNEL_DTYPE);
        let mut launch = device.launch(&CONV, &name);
        launch.arg(&want.len()).arg(&l_out).arg(&l_in).arg(&c_out).arg(&taps).arg(&stride);
        launch.buffer(&columns, 0).buffer_mut(&mut out, 0);
        // SAFETY: col2im1d(numel, l_out, l_in, c_out, taps, stride, columns, out), with the sizes of both.
        unsafe { launch.run(LaunchConfig::linear(2, 100)) }.unwrap();
        same(&device.download(&out).unwrap(), &want, &name);
    }

    for device in &common::devices() {
        for sizes in [[1, 1, 1, 1, 1], [2, 5, 3, 4, 2], [1, 7, 2, 3, 5], [2, 6, 4, 5, 1]] {
            each_dtype!(run(device, sizes));
        }
    }
}

/// Sums of fractions. Each of n roundings in f32 (f64) is off by half an epsilon of the sum of all products' magnitudes at
/// most, the last one, to the dtype, by half of the dtype's epsilon; matrix products of transposed convolutions round
/// once more before their results are added up.
#[test]
fn sums_are_precise() {
    let cases = [
        CASES.iter().find(|case| case.1 == [70, 17, 3, 3]).unwrap(),
        CASES.iter().find(|case| case.1 == [17, 30, 3, 4]).unwrap(),
        CASES.iter().find(|case| case.1 == [6, 1, 5, 2]).unwrap(),
        CASES.iter().find(|case| case.1 == [5, 3, 4]).unwrap(),
    ];
    let devices = common::devices();
    for (x_dims, w_dims, p) in cases {
        let fractions = |count: usize, seed: u64| {
            let mut random = Random(seed);
            (0..count).map(|_| (random.next() >> 40) as f64 / (1u64 << 23) as f64 - 1.0).collect::<Vec<_>>()
        };
        let x = CpuStorage::F64(fractions(x_dims.iter().product(), 5));
        let w = CpuStorage::F64(fractions(w_dims.iter().product(), 6));
        for (dtype, epsilon, summed) in [
            (DType::F32, f64::from(f32::EPSILON), f64::from(f32::EPSILON)),
            (DType::F64, f64::EPSILON, f64::EPSILON),
            (DType::F16, f16::EPSILON.to_f64(), f64::from(f32::EPSILON)),
            (DType::BF16, bf16::EPSILON.to_f64(), f64::from(f32::EPSILON)),
        ] {
            let (x, w) = (harness::convert(&x, dtype).unwrap(), harness::convert(&w, dtype).unwrap());
            let (xs, ws) = (values(&x), values(&w));
            let count: usize = output_dims(x_dims, w_dims, p).iter().product();
            let (mut want, mut magnitude, mut terms) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
            products(x_dims, w_dims, p, |i, k, o| {
                want[o] += xs[i] * ws[k];
                magnitude[o] += (xs[i] * ws[k]).abs();
                terms[o] += 1.0;
            });
            for device in &devices {
                let (x, w) = (upload(device, &x), upload(device, &w));
                let (x_l, w_l) = (Layout::contiguous(*x_dims), Layout::contiguous(*w_dims));
                for engine in engines(device) {
                    device.set_conv_engine(engine);
                    let got = x.convolve(&x_l, (&w, &w_l), p).unwrap().to_cpu_storage().unwrap();
                    for (o, got) in values(&got).into_iter().enumerate() {
                        let rounded_twice = if p.transposed { magnitude[o] } else { 0.0 };
                        let most = terms[o] * summed * magnitude[o]
                            + epsilon * (want[o].abs() + rounded_twice) / 2.0;
                        let off = (got - want[o]).abs();
                        assert!(
                            off <= most,
                            "{w_dims:?} {dtype:?} {engine:?} [{o}]: got {got}, want {}, {off} > {most}",
                            want[o]
                        );
                    }
                }
            }
        }
    }
}

fn values(storage: &CpuStorage) -> Vec<f64> {
    match storage {
        CpuStorage::F32(v) => v.iter().map(|v| v.value()).collect(),
        CpuStorage::F64(v) => v.clone(),
        CpuStorage::F16(v) => v.iter().map(|v| v.value()).collect(),
        CpuStorage::BF16(v) => v.iter().map(|v| v.value()).collect(),
        _ => panic!("no fractions: {storage:?}"),
    }
}

/// What is not a number reaches those outputs that read it, and no other.
#[test]
fn nan_and_infinity_stay_where_they_belong() {
    let p = Convolution { padding: 1, ..PLAIN };
    for device in &common::devices() {
        for engine in engines(device) {
            device.set_conv_engine(engine);
            for bad in [f32::NAN, f32::INFINITY] {
                let mut x = vec![1f32; 8 * 36];
                x[36 + 14] = bad;
                let x = device.storage_from_slice(&x).unwrap();
                let w = device.storage_from_slice(&vec![1f32; 24 * 8 * 9]).unwrap();
                let (x_l, w_l) = (Layout::contiguous((1, 8, 6, 6)), Layout::contiguous((24, 8, 3, 3)));
                let got = x.convolve(&x_l, (&w, &w_l), &p).unwrap().to_cpu_storage().unwrap();
                for (o, got) in values(&got).into_iter().enumerate() {
                    let (y, x) = (o % 36 / 6, o % 6);
                    let reads = y.abs_diff(2) <= 1 && x.abs_diff(2) <= 1;
                    assert_eq!(got.is_finite(), !reads, "{engine:?} {bad} at {y} {x}: {got}");
                }
            }
        }
    }
}

/// Nothing fails where there is no MIOpen.
#[test]
fn without_miopen() {
    check_without_miopen("convolution::without_miopen", ("CANDLE_ROCM_HOST_MIOPEN", "off"));
}

#[test]
fn where_miopen_is_not_installed() {
    let name = "convolution::where_miopen_is_not_installed";
    check_without_miopen(name, ("CANDLE_ROCM_HOST_RUNTIME_ONLY", "on"));
}

fn check_without_miopen(name: &str, (variable, value): (&str, &str)) {
    if common::platform() != HOST || !common::in_child(name, &[(variable, Some(value))]) {
        return;
    }
    let devices = common::devices();
    for case in &CASES[..6] {
        check(
            &devices,
            case,
            &[DType::F32, DType::F16],
            (&Layout::contiguous(case.0), &Layout::contiguous(case.1)),
        );
    }
}

#[test]
fn wrong_arguments_are_typed_errors() {
    let devices = common::devices();
    let Some(device) = devices.first() else { return };
    let x = device.storage_from_slice(&[1f32; 64]).unwrap();
    let w = device.storage_from_slice(&[1f32; 64]).unwrap();
    let run = |x_dims: &[usize], w_dims: &[usize], p: Convolution| {
        x.convolve(&Layout::contiguous(x_dims), (&w, &Layout::contiguous(w_dims)), &p).unwrap_err()
    };
    let mismatch = |error: RocmError| assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
    let invalid = |error: RocmError| assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
    mismatch(run(&[1, 3, 4], &[2, 2, 3], PLAIN));
    mismatch(run(&[1, 2, 4], &[3, 1, 3], Convolution { groups: 2, ..PLAIN }));
    mismatch(run(&[1, 2, 4], &[3, 2, 3], TRANSPOSED));
    mismatch(run(&[2, 4], &[2, 4], PLAIN));
    mismatch(run(&[1, 2, 4, 4], &[2, 2, 3], PLAIN));
    invalid(run(&[1, 2, 4], &[2, 2, 5], PLAIN));
    invalid(run(&[1, 2, 4], &[2, 2, 0], PLAIN));
    invalid(run(&[1, 2, 4], &[2, 2, 3], Convolution { stride: 0, ..PLAIN }));
    invalid(run(&[1, 2, 4], &[2, 2, 3], Convolution { dilation: 0, ..PLAIN }));
    invalid(run(&[1, 2, 4], &[2, 2, 3], Convolution { groups: 0, ..PLAIN }));
    invalid(run(&[1, 2, 4], &[2, 2, 3], Convolution { padding: usize::MAX, ..PLAIN }));
    invalid(run(&[1, 2, 4], &[2, 2, 3], Convolution { stride: usize::MAX, ..TRANSPOSED }));
    invalid(run(&[1, 2, 0], &[2, 2, 3], TRANSPOSED));
    let error = run(&[8, 2, 5], &[2, 2, 3], PLAIN);
    assert!(matches!(error, RocmError::LayoutOutOfBounds { op: "conv1d", .. }), "{error}");

    let other = device.storage_from_slice(&[1f64; 64]).unwrap();
    let (x_l, w_l) = (Layout::contiguous((1, 2, 4)), Layout::contiguous((2, 2, 3)));
    let error = x.convolve(&x_l, (&other, &w_l), &PLAIN).unwrap_err();
    assert!(matches!(error, RocmError::DTypeMismatch { op: "conv1d", .. }), "{error}");
    let elsewhere = RocmDevice::on(device.platform(), device.ordinal()).unwrap();
    let other = elsewhere.storage_from_slice(&[1f32; 64]).unwrap();
    let error = x.convolve(&x_l, (&other, &w_l), &PLAIN).unwrap_err();
    assert!(matches!(error, RocmError::WrongDevice { op: "conv1d", .. }), "{error}");
}
