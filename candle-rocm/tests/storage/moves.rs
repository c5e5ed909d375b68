//! Buffers from device to device.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Shape};
use candle_rocm::RocmDevice;
use candle_rocm::platform::HOST;

use crate::common::devices_without_kernels;

/// All pairs: two cards, and two streams of one card.
fn pairs() -> Vec<(RocmDevice, RocmDevice)> {
    let (these, those) = (devices_without_kernels(), devices_without_kernels());
    these.iter().flat_map(|a| those.iter().map(|b| (a.clone(), b.clone()))).collect()
}

/// The source may go, and its memory be written again, before the copy is done: the copy is of what it was.
#[test]
fn copies_are_in_the_order_of_the_calls() {
    for (from, to) in pairs() {
        for round in 0..20u32 {
            let values = vec![round; (1 << 18) + round as usize];
            let source = from.upload(&values).unwrap();
            let copy = to.copy_of(&source).unwrap();
            drop(source);
            let again = from.upload(&vec![u32::MAX; values.len()]).unwrap();
            assert_eq!(to.download(&copy).unwrap(), values, "{from:?} to {to:?}");
            drop(again);
        }
    }
}

#[test]
fn storages_of_every_dtype_and_none() {
    for (from, to) in pairs() {
        for dtype in [DType::U8, DType::U32, DType::I16, DType::I64, DType::BF16, DType::F32, DType::F64] {
            let source = from.zeros_impl(&Shape::from((3, 5)), dtype).unwrap();
            let copy = source.copy_to(&to).unwrap();
            assert!(copy.device.same_device(&to));
            assert_eq!((copy.dtype(), copy.len()), (dtype, 15));
        }
        let raw = from.storage_from_cpu_storage(&CpuStorage::F4(vec![1, 2, 3])).unwrap();
        let CpuStorage::F4(bytes) = raw.copy_to(&to).unwrap().to_cpu_storage().unwrap() else { panic!() };
        assert_eq!(bytes, [1, 2, 3]);
        let nothing = from.upload::<f32>(&[]).unwrap();
        assert!(to.copy_of(&nothing).unwrap().is_empty());
    }
}

/// Other devices of the platform than those under test, whatever is there.
#[test]
fn a_closed_chain_of_devices_gives_back_what_it_got() {
    let devices = devices_without_kernels();
    let Some(first) = devices.first() else { return };
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    let mut buffer = first.upload(&values).unwrap();
    for device in devices.iter().cycle().skip(1).take(7) {
        buffer = device.copy_of(&buffer).unwrap();
    }
    assert_eq!(first.copy_of(&buffer).and_then(|buffer| first.download(&buffer)).unwrap(), values);
    assert!(devices.len() > 1 || first.platform() != HOST);
}
