//! Choices by measurement: every candidate's values, what is kept, and what stays as it is without any.

#[path = "../common/mod.rs"]
mod common;

mod candidates;
mod processes;
mod unchanged;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::{RocmDevice, RocmStorage};

/// Numbers of -1, 0 and 1: sums of up to 256 products are exact in every dtype, in whatever order.
fn numbers(len: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % 3
    };
    (0..len).map(|_| next() as f32 - 1.0).collect()
}

fn upload(device: &RocmDevice, values: &[f32], dtype: DType) -> RocmStorage {
    let x = device.storage_from_slice(values).unwrap();
    x.to_dtype(&Layout::contiguous(values.len()), dtype).unwrap()
}

fn download(x: &RocmStorage, len: usize) -> Vec<f32> {
    match x.to_dtype(&Layout::contiguous(len), DType::F32).unwrap().to_cpu_storage().unwrap() {
        CpuStorage::F32(values) => values,
        other => panic!("{other:?}"),
    }
}

/// A product of matrices of [`numbers`], and what it is.
struct Product {
    dtype: DType,
    /// batch, m, n, k
    shape: [usize; 4],
    /// B is the transpose of a matrix in rows.
    transposed: bool,
}

impl Product {
    /// The product, and the kernels of this crate that were launched for it.
    fn run(&self, device: &RocmDevice) -> (RocmStorage, Vec<String>) {
        self.run_in(device, self.dtype)
    }

    /// The same with results in that dtype: its own, or f32.
    fn run_in(&self, device: &RocmDevice, result: DType) -> (RocmStorage, Vec<String>) {
        let [batch, m, n, k] = self.shape;
        let (a, b) = (numbers(batch * m * k, 1), numbers(batch * k * n, 2));
        let (x, y) = (upload(device, &a, self.dtype), upload(device, &b, self.dtype));
        let right = match self.transposed {
            false => Layout::contiguous((batch, k, n)),
            true => Layout::contiguous((batch, n, k)).transpose(1, 2).unwrap(),
        };
        let left = Layout::contiguous((batch, m, k));
        let size = (batch, m, n, k);
        kernels(device, || match result == self.dtype {
            true => x.matmul(&y, size, &left, &right).unwrap(),
            false => x.matmul_f32(&y, size, &left, &right).unwrap(),
        })
    }

    fn on(&self, device: &RocmDevice) -> Vec<f32> {
        let [batch, m, n, _] = self.shape;
        download(&self.run(device).0, batch * m * n)
    }

    fn want(&self) -> Vec<f32> {
        let [batch, m, n, k] = self.shape;
        let (a, b) = (numbers(batch * m * k, 1), numbers(batch * k * n, 2));
        let at = |i, l, c| if self.transposed { (i * n + c) * k + l } else { (i * k + l) * n + c };
        let element =
            |i: usize, r: usize, c: usize| (0..k).map(|l| a[(i * m + r) * k + l] * b[at(i, l, c)]).sum();
        let indices = (0..batch).flat_map(|i| (0..m).flat_map(move |r| (0..n).map(move |c| (i, r, c))));
        indices.map(|(i, r, c)| element(i, r, c)).collect()
    }
}

/// What a call gives, and the kernels of this crate that it launches.
fn kernels<R>(device: &RocmDevice, run: impl FnOnce() -> R) -> (R, Vec<String>) {
    device.synchronize().unwrap();
    let result = run();
    (result, device.stream().recent_kernels())
}

/// What classes of shapes say of a size: three significant bits, rounded up.
fn rounded(size: usize) -> usize {
    let step = (size.next_power_of_two() / 8).max(1);
    size.div_ceil(step) * step
}

/// A text with these lines.
fn text(device: &RocmDevice, lines: &[String]) -> String {
    let header: String = device.export_tuning().lines().take(5).map(|line| format!("{line}\n")).collect();
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    format!("{header}{}end {}\n", lines.concat(), lines.len())
}
