//! `DeviceMemory` made from an address. rocm-rs has no constructor for it, so its layout is found out at run time.

use std::any::{TypeId, type_name};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;

use ::rocm_rs::hip::DeviceMemory;
use rocm_sys::hip::hipError_t;

use crate::lock::Mutex;
use crate::{Device, Element, HipError, Result};

/// Which of a `DeviceMemory`'s two words is the address; the other one is the number of bytes.
#[derive(Clone, Copy)]
enum Order {
    AddressFirst,
    BytesFirst,
}

/// A `DeviceMemory` of `bytes` bytes from `address` on. Dropping it would free memory that is not its own.
pub(super) fn memory_at<T: Element>(
    device: Device,
    address: *mut c_void,
    bytes: usize,
) -> Result<ManuallyDrop<DeviceMemory<T>>> {
    if bytes == 0 {
        let empty = DeviceMemory::new(0);
        return empty.map(ManuallyDrop::new).map_err(|error| allocation_failed(device, &error));
    }
    let second = ptr::without_provenance_mut(bytes);
    let words = match order::<T>(device)? {
        Order::AddressFirst => [address, second],
        Order::BytesFirst => [second, address],
    };
    // SAFETY: `order` found that the type is of the words' size and alignment, and that a value which rocm-rs made consists of an
    // address and a number of bytes in this order and nothing else.
    let memory = unsafe { ptr::from_ref(&words).cast::<ManuallyDrop<DeviceMemory<T>>>().read() };
    match memory.as_ptr() == address && memory.size() == bytes {
        true => Ok(memory),
        false => Err(unknown::<T>()),
    }
}

/// Looked up once per type, at a value that rocm-rs made.
fn order<T: Element>(device: Device) -> Result<Order> {
    static KNOWN: Mutex<Vec<(TypeId, Order)>> = Mutex::new(Vec::new());

    let mut known = KNOWN.lock();
    if let Some((_, order)) = known.iter().find(|(id, _)| *id == TypeId::of::<T>()) {
        return Ok(*order);
    }
    if size_of::<DeviceMemory<T>>() != size_of::<[usize; 2]>()
        || align_of::<DeviceMemory<T>>() != align_of::<[usize; 2]>()
    {
        return Err(unknown::<T>());
    }
    let sample = DeviceMemory::<T>::new(1).map_err(|error| allocation_failed(device, &error))?;
    let (address, bytes) = (sample.as_ptr().addr(), sample.size());
    // SAFETY: the value has the size and alignment of two words. It holds what its accessors return, 16 bytes in all, which
    // leaves no room for padding: both words are initialised.
    let words = unsafe { ptr::from_ref(&sample).cast::<[usize; 2]>().read() };
    let order = match address != bytes {
        true if words == [address, bytes] => Order::AddressFirst,
        true if words == [bytes, address] => Order::BytesFirst,
        _ => return Err(unknown::<T>()),
    };
    known.push((TypeId::of::<T>(), order));
    Ok(order)
}

fn allocation_failed(device: Device, error: &::rocm_rs::hip::Error) -> HipError {
    device.error("hipMalloc", hipError_t(error.code()))
}

fn unknown<T>() -> HipError {
    HipError::UnknownLayout { name: type_name::<DeviceMemory<T>>() }
}
