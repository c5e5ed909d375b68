//! Memory and streams exchanged with the crate rocm-rs. `cargo xtask rocm-rs` builds and runs this, on the host platform, whose
//! exported library rocm-rs is linked to then, or on a card.

use std::ffi::c_void;
use std::ptr;
use std::time::Duration;

mod common;

use common::{HOST, open, platform};
use rocm_hip::{Buffer, Device, Element, HipError, Queue, Runtime, Stream};
use rocm_rs::hip::{self, DeviceMemory};
use rocm_sys::hip::hipError_t;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn device() -> Result<Device> {
    Ok(Runtime::get(platform())?.device(0)?)
}

fn queue() -> Result<Queue> {
    Ok(open(platform(), 0)?)
}

/// rocm-rs's memory with these values, on the first device.
fn memory<T: Element>(values: &[T]) -> Result<DeviceMemory<T>> {
    device()?.bind()?;
    let mut memory = DeviceMemory::new(values.len())?;
    memory.copy_from_host(values)?;
    Ok(memory)
}

fn values<T: Element + Default>(memory: &DeviceMemory<T>) -> Result<Vec<T>> {
    let mut values = vec![T::default(); memory.count()];
    memory.copy_to_host(&mut values)?;
    Ok(values)
}

/// Whether HIP has memory at an address.
fn is_allocated(address: *mut c_void) -> Result<bool> {
    let (mut base, mut bytes) = (ptr::null_mut(), 0);
    // SAFETY: both places are valid for the call, which only looks the address up.
    let code = unsafe { device()?.hip().hipMemGetAddressRange(&mut base, &mut bytes, address) }?;
    // SAFETY: no arguments. Takes the code away that HIP keeps for the next caller of hipGetLastError.
    let _ = unsafe { device()?.hip().hipGetLastError() }?;
    Ok(code == hipError_t::hipSuccess)
}

/// Queues a pause, so that what is queued behind it is not done by chance.
fn pause(device: Device, stream: rocm_sys::hip::hipStream_t) -> Result {
    unsafe extern "C" fn sleep(_: *mut c_void) {
        std::thread::sleep(Duration::from_millis(50));
    }
    device.bind()?;
    // SAFETY: the stream lives, and the function ignores its argument.
    let code = unsafe { device.hip().hipLaunchHostFunc(stream, Some(sleep), ptr::null_mut()) };
    Ok(device.check("hipLaunchHostFunc", code)?)
}

/// Queues zeros for all of a buffer, behind a pause.
fn zero_later(queue: &Queue, buffer: &Buffer<u32>) -> Result {
    pause(queue.device(), queue.stream().as_raw())?;
    let (address, bytes) = (buffer.as_ptr().as_raw(), buffer.size_in_bytes());
    // SAFETY: the buffer has that many bytes.
    let code = unsafe { queue.device().hip().hipMemsetAsync(address, 0, bytes, queue.stream().as_raw()) };
    Ok(queue.stream().check("hipMemsetAsync", code)?)
}

#[test]
fn rocm_rs_reads_a_buffer() -> Result {
    let queue = queue()?;
    let buffer = queue.upload(&[1f32, 2., 3.])?;
    let before = queue.pool().stats();
    let lent = buffer.as_rocm_rs()?;
    assert_eq!((lent.as_ptr(), lent.size()), (buffer.as_ptr().as_raw(), 12));
    assert_eq!(values(&lent)?, [1., 2., 3.]);
    drop(lent);
    assert_eq!(queue.pool().stats(), before, "nothing was copied or freed");
    assert_eq!(queue.download(&buffer)?, [1., 2., 3.]);
    Ok(())
}

#[test]
fn rocm_rs_writes_a_buffer() -> Result {
    let queue = queue()?;
    let mut buffer = queue.upload(&[1u32, 2, 3])?;
    // SAFETY: the memory stays behind the reference.
    let mut lent = unsafe { buffer.as_rocm_rs_mut() }?;
    lent.copy_from_host(&[4, 5, 6])?;
    drop(lent);
    assert_eq!(queue.download(&buffer)?, [4, 5, 6]);
    Ok(())
}

#[test]
fn elements_of_every_size_can_be_lent() -> Result {
    fn check<T: Element + Default + PartialEq + std::fmt::Debug>(queue: &Queue, one: T) -> Result {
        let buffer = queue.upload(&[T::default(), one])?;
        assert_eq!(values(&*buffer.as_rocm_rs()?)?, [T::default(), one]);
        Ok(())
    }
    let queue = queue()?;
    check(&queue, 1u8)?;
    check(&queue, 1i16)?;
    check(&queue, 1i32)?;
    check(&queue, 1f64)?;
    check(&queue, 1u64)
}

#[test]
fn memory_of_rocm_rs_is_a_buffer_and_comes_back() -> Result {
    let queue = queue()?;
    let memory = memory(&[1u32, 2, 3])?;
    let address = memory.as_ptr();
    let mut buffer = Buffer::from_rocm_rs(memory, queue.pool())?;
    assert_eq!((buffer.as_ptr().as_raw(), buffer.len()), (address, 3));
    assert_eq!(queue.pool().stats().buffers, 0, "it is not the pool's");
    let more = queue.upload(&[7u32])?;
    queue.copy(&more, 0, &mut buffer, 1, 1)?;
    assert_eq!(queue.download(&buffer)?, [1, 7, 3]);
    zero_later(&queue, &buffer)?;
    let memory = buffer.into_rocm_rs()?;
    assert_eq!(memory.as_ptr(), address);
    assert_eq!(values(&memory)?, [0; 3], "what was queued is done");
    drop(queue);
    assert!(is_allocated(address)?);
    drop(memory);
    assert!(!is_allocated(address)?);
    Ok(())
}

#[test]
fn memory_of_rocm_rs_is_freed_with_the_buffer() -> Result {
    let queue = queue()?;
    let memory = memory(&[1u32; 1000])?;
    let address = memory.as_ptr();
    let buffer = Buffer::from_rocm_rs(memory, queue.pool())?;
    zero_later(&queue, &buffer)?;
    assert!(is_allocated(address)?);
    // Frees memory only behind the work on it: the host platform reports what is written to freed memory.
    drop(buffer);
    assert!(!is_allocated(address)?);
    queue.synchronize()?;
    Ok(())
}

#[test]
fn memory_outlives_its_queue_and_other_streams() -> Result {
    let queue = queue()?;
    let memory = memory(&[5u32; 100])?;
    let address = memory.as_ptr();
    let buffer = Buffer::from_rocm_rs(memory, queue.pool())?;
    drop(queue);
    let other = Queue::new(device()?)?;
    pause(device()?, other.stream().as_raw())?;
    let copy = other.copy_of(&buffer)?;
    // Waits for the other queue's copy too, which `copy_of` recorded.
    drop(buffer);
    assert!(!is_allocated(address)?);
    assert_eq!(other.download(&copy)?, [5; 100]);
    Ok(())
}

#[test]
fn a_pool_keeps_its_memory() -> Result {
    let queue = queue()?;
    let buffer = queue.upload(&[1u32, 2])?;
    let refused = buffer.into_rocm_rs().err().ok_or("the pool's memory was given away")?;
    assert!(matches!(*refused.error, HipError::InvalidArgument { .. }), "{}", refused.error);
    assert_eq!(queue.download(&refused.value)?, [1, 2]);
    Ok(())
}

#[test]
fn no_elements_are_no_memory() -> Result {
    let queue = queue()?;
    let buffer = queue.upload::<f32>(&[])?;
    assert!(buffer.as_rocm_rs()?.as_ptr().is_null());
    let buffer = Buffer::from_rocm_rs(DeviceMemory::<f32>::new(0)?, queue.pool())?;
    assert!(queue.download(&buffer)?.is_empty());
    assert_eq!(buffer.into_rocm_rs()?.size(), 0);
    Ok(())
}

#[test]
fn lent_memory_is_in_order_with_the_default_stream() -> Result {
    let queue = queue()?;
    let mut buffer = queue.upload(&[1u32; 10])?;
    zero_later(&queue, &buffer)?;
    // SAFETY: the memory stays behind the reference.
    let lent = unsafe { buffer.as_rocm_rs_mut() }?;
    assert_eq!(values(&lent)?, [0; 10], "rocm-rs reads what this queue wrote");
    pause(queue.device(), ptr::null_mut())?;
    // SAFETY: the memory has that many bytes.
    let code = unsafe { queue.device().hip().hipMemsetAsync(lent.as_ptr(), 1, lent.size(), ptr::null_mut()) };
    queue.device().check("hipMemsetAsync", code)?;
    drop(lent);
    assert_eq!(queue.download(&buffer)?, [0x0101_0101; 10], "this queue reads what rocm-rs wrote");
    Ok(())
}

#[test]
fn memory_taken_over_is_in_order_with_the_default_stream() -> Result {
    let queue = queue()?;
    let memory = memory(&[1u32; 10])?;
    pause(queue.device(), ptr::null_mut())?;
    // SAFETY: the memory has that many bytes.
    let code =
        unsafe { queue.device().hip().hipMemsetAsync(memory.as_ptr(), 1, memory.size(), ptr::null_mut()) };
    queue.device().check("hipMemsetAsync", code)?;
    let buffer = Buffer::from_rocm_rs(memory, queue.pool())?;
    assert_eq!(queue.download(&buffer)?, [0x0101_0101; 10]);
    Ok(())
}

#[test]
fn rocm_rs_works_on_a_stream() -> Result {
    let queue = queue()?;
    let buffer = queue.upload(&[1u32; 10])?;
    {
        // SAFETY: the stream is not cloned, and nothing keeps its handle.
        let lent = unsafe { queue.stream().as_rocm_rs() }?;
        assert_eq!(lent.as_raw().addr(), queue.stream().as_raw().addr());
        zero_later(&queue, &buffer)?;
        let copied = buffer.as_rocm_rs()?.copy_to_host_async(vec![1; 10], &lent)?;
        assert_eq!(lent.synchronize_memory(copied)?, [0; 10]);
    }
    zero_later(&queue, &buffer)?;
    queue.synchronize()?;
    Ok(())
}

#[test]
fn a_stream_of_rocm_rs_carries_a_queue_and_comes_back() -> Result {
    let device = device()?;
    device.bind()?;
    let theirs = hip::Device::new(0)?.get_stream()?;
    let raw = theirs.as_raw();
    // SAFETY: the stream was just made, and not cloned.
    let stream = unsafe { Stream::from_rocm_rs(theirs, device) }?;
    assert_eq!(stream.as_raw().addr(), raw.addr());
    let queue = Queue::on(stream.clone())?;
    let buffer = queue.upload(&[1u32, 2, 3])?;
    assert_eq!(queue.download(&buffer)?, [1, 2, 3]);

    let refused = stream.into_rocm_rs().err().ok_or("the queue uses it")?;
    assert!(matches!(*refused.error, HipError::InvalidArgument { .. }), "{}", refused.error);
    drop((buffer, queue));
    let theirs = refused.value.into_rocm_rs()?;
    assert_eq!(theirs.as_raw(), raw);
    theirs.synchronize()?;
    drop(theirs);
    assert!(!is_a_stream(device, raw.cast())?, "rocm-rs destroyed it");
    Ok(())
}

#[test]
fn a_stream_of_rocm_rs_is_destroyed_with_its_last_clone() -> Result {
    let device = device()?;
    device.bind()?;
    let theirs = hip::Device::new(0)?.get_stream()?;
    let raw = theirs.as_raw().cast();
    // SAFETY: the stream was just made, and not cloned.
    let stream = unsafe { Stream::from_rocm_rs(theirs, device) }?;
    let queue = Queue::on(stream.clone())?;
    drop(stream);
    let buffer = queue.upload(&[1u32])?;
    drop(queue);
    assert!(is_a_stream(device, raw)?, "the buffer's pool uses it");
    drop(buffer);
    assert!(!is_a_stream(device, raw)?);
    Ok(())
}

fn is_a_stream(device: Device, raw: rocm_sys::hip::hipStream_t) -> Result<bool> {
    let mut flags = 0;
    // SAFETY: the place is valid for the call; HIP knows handles that are none.
    let code = unsafe { device.hip().hipStreamGetFlags(raw, &mut flags) }?;
    // SAFETY: no arguments.
    let _ = unsafe { device.hip().hipGetLastError() }?;
    Ok(code == hipError_t::hipSuccess)
}

#[test]
fn a_stream_of_this_crate_stays_here() -> Result {
    let refused = Stream::new(device()?)?.into_rocm_rs().err().ok_or("it was given away")?;
    assert!(matches!(*refused.error, HipError::InvalidArgument { .. }), "{}", refused.error);
    refused.value.synchronize()?;
    Ok(())
}

#[test]
fn memory_and_streams_of_another_device_are_refused() -> Result {
    let first = device()?;
    if first.runtime().device_count()? < 2 {
        println!("  SKIPPED: there is one device");
        return Ok(());
    }
    hip::Device::new(1)?.set_current()?;
    let memory = DeviceMemory::<u32>::new(4)?;
    let stream = hip::Device::new(1)?.get_stream()?;
    Device::forget_current();
    let queue = queue()?;
    let refused = Buffer::from_rocm_rs(memory, queue.pool()).err().ok_or("it is another device's")?;
    assert!(refused.to_string().contains("device mismatch in Buffer::from_rocm_rs"), "{refused}");
    assert!(is_allocated(refused.value.as_ptr())?, "it is given back");
    // SAFETY: the stream was just made, and not cloned.
    let refused = unsafe { Stream::from_rocm_rs(stream, first) }.err().ok_or("it is another device's")?;
    assert!(refused.to_string().contains("device mismatch in Stream::from_rocm_rs"), "{refused}");
    Ok(())
}

/// In a process of its own, where the platform is the one that is linked in: another copy than the library that rocm-rs calls.
#[test]
fn another_library_is_refused() -> Result {
    const CHILD: &str = "ROCM_HIP_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let child = std::process::Command::new(std::env::current_exe()?)
            .args(["another_library_is_refused", "--exact", "--nocapture"])
            .env(CHILD, "1")
            .env_remove("CANDLE_ROCM_HOST_LIBRARY")
            .output()?;
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        return Ok(());
    }
    let device = Runtime::get(HOST)?.device(0)?;
    let queue = Queue::new(device)?;
    let refused = |error: HipError| {
        let text = error.to_string();
        let named = text.contains("(linked in)") && text.contains("libamdhip64.so");
        assert!(matches!(error, HipError::OtherLibrary { .. }) && named, "{text}");
    };
    let buffer = queue.upload(&[1f32])?;
    refused(buffer.as_rocm_rs().err().ok_or("lent")?);
    // SAFETY: it is not lent.
    refused(unsafe { queue.stream().as_rocm_rs() }.err().ok_or("lent")?);
    let memory = DeviceMemory::<f32>::new(1)?;
    refused(Buffer::from_rocm_rs(memory, queue.pool()).err().ok_or("taken over")?.into());
    let stream = hip::Device::new(0)?.get_stream()?;
    // SAFETY: the stream was just made, and not cloned.
    refused(unsafe { Stream::from_rocm_rs(stream, device) }.err().ok_or("taken over")?.into());
    Ok(())
}
