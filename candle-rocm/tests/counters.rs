//! What a device counts by operation.

mod common;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{Layout, op};
use candle_rocm::{Fusion, OperationCounters, RocmDevice};

use common::devices;

fn of(device: &RocmDevice, operation: &str) -> (usize, usize, usize, usize) {
    let operations = device.counters().operations;
    let OperationCounters { calls, launches, bytes_read, bytes_written, .. } =
        operations.get(operation).copied().unwrap_or_default();
    (calls, launches, bytes_read, bytes_written)
}

#[test]
fn operations_are_told_apart() {
    for device in devices() {
        // Nobody reads the results.
        device.set_fusion(Fusion::Off);
        let a = device.storage_from_slice(&[1f32, 2., 3., 4., 5., 6.]).unwrap();
        let row = device.storage_from_slice(&[1f32, 2., 3.]).unwrap();
        let l = Layout::contiguous((2, 3));
        a.affine(&l, 2., 0.).unwrap();
        assert!(device.counters().operations.is_empty(), "off unless asked for");

        device.set_profiling(true);
        let before = device.counters().launches;
        a.affine(&l, 2., 0.).unwrap();
        a.affine(&l, 3., 0.).unwrap();
        assert_eq!(of(&device, "affine"), (2, 2, 48, 48));
        // A broadcast operand counts as what it is broadcast to.
        let rows = Layout::contiguous(3).broadcast_as((2, 3)).unwrap();
        a.binary_impl::<op::Add>(&row, &l, &rows).unwrap();
        assert_eq!(of(&device, "add"), (1, 1, 48, 24));
        a.to_dtype(&l, candle_core::DType::F64).unwrap();
        assert_eq!(of(&device, "to_dtype"), (1, 1, 24, 48));
        // Into an operand.
        let mut target = device.storage_from_slice(&[0f32; 8]).unwrap();
        a.copy_strided_src(&mut target, 2, &Layout::contiguous((3, 2)).transpose(0, 1).unwrap()).unwrap();
        let (calls, _, read, written) = of(&device, "copy_strided_src");
        assert_eq!((calls, read, written), (1, 24, 24));
        a.reduce_op(op::ReduceOp::Sum, &l, &[1]).unwrap();
        let (calls, _, read, written) = of(&device, "sum");
        assert_eq!((calls, read, written), (1, 24, 8));
        let counters = device.counters();
        let launched: usize = counters.operations.values().map(|operation| operation.launches).sum();
        assert_eq!(counters.launches - before, launched, "{counters:?}");
        assert!(counters.operations.values().all(|operation| !operation.host_time.is_zero()));

        // What fails is no call.
        a.powf(&l, f64::NAN).unwrap();
        assert!(row.binary_impl::<op::Add>(&a, &l, &l).is_err());
        assert_eq!(of(&device, "add").0, 1);

        device.set_profiling(false);
        a.affine(&l, 2., 0.).unwrap();
        assert_eq!(of(&device, "affine").0, 2);
        device.set_profiling(true);
        assert!(device.counters().operations.is_empty(), "anew");
    }
}

#[test]
fn devices_count_for_themselves() {
    let devices = devices();
    let Some(device) = devices.first() else { return };
    let other = RocmDevice::on(device.platform(), device.ordinal()).unwrap();
    other.set_profiling(true);
    let before = other.counters();
    let a = device.storage_from_slice(&[1f32, 2.]).unwrap();
    a.affine(&Layout::contiguous(2), 2., 0.).unwrap();
    assert_eq!(other.counters(), before);
}
