//! Memory and streams that are not this crate's: who frees them, and when.

mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::queues_without_kernels;
use rocm_hip::{Buffer, DevicePtr, HipError, Queue, Result, Stream};
use rocm_sys::hip::hipStream_t;

/// Counts its drops.
struct Owner(Arc<AtomicUsize>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn owner() -> (Owner, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    (Owner(drops.clone()), drops)
}

/// Memory of another pool, as if it were another library's.
fn borrowed<O: Send + Sync + 'static>(from: &Buffer<u32>, owner: O, queue: &Queue) -> Result<Buffer<u32>> {
    // SAFETY: the tests keep `from` until the result is dropped, wait for what is queued on it before, and do not use it meanwhile.
    let buffer = unsafe { Buffer::from_raw_parts(from.as_ptr(), from.len(), owner, queue.pool()) };
    buffer.map_err(HipError::from)
}

/// Queues a pause.
fn pause(queue: &Queue) -> Result<()> {
    unsafe extern "C" fn sleep(_: *mut c_void) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    queue.device().bind()?;
    // SAFETY: the stream lives, and the function ignores its argument.
    let code = unsafe {
        queue.device().hip().hipLaunchHostFunc(queue.stream().as_raw(), Some(sleep), ptr::null_mut())
    };
    queue.stream().check("hipLaunchHostFunc", code)
}

#[test]
fn the_owner_is_dropped_with_the_buffer_behind_the_work() -> Result<()> {
    for queue in queues_without_kernels() {
        let memory = queue.upload(&[1u32, 2, 3])?;
        queue.synchronize()?;
        let (owner, drops) = owner();
        let other = Queue::new(queue.device())?;
        let buffer = borrowed(&memory, owner, &other)?;
        assert_eq!(other.pool().stats().buffers, 0, "the pool does not count it");
        let third = Queue::new(queue.device())?;
        pause(&other)?;
        pause(&third)?;
        buffer.record_stream(third.stream());
        drop(buffer);
        assert!(other.stream().is_idle()? && third.stream().is_idle()?);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
        assert_eq!(queue.download(&memory)?, [1, 2, 3]);
    }
    Ok(())
}

#[test]
fn the_owner_is_given_back() -> Result<()> {
    for queue in queues_without_kernels() {
        let memory = queue.upload(&[1u32, 2, 3])?;
        queue.synchronize()?;
        let (owner, drops) = owner();
        let other = Queue::new(queue.device())?;
        let buffer = borrowed(&memory, owner, &other)?;
        assert_eq!(other.download(&buffer)?, [1, 2, 3]);
        pause(&other)?;
        let refused = buffer.into_owner::<String>().unwrap_err();
        assert!(matches!(*refused.error, HipError::InvalidArgument { .. }), "{refused}");
        let owner = refused.value.into_owner::<Owner>()?;
        assert!(other.stream().is_idle()?);
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(owner);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }
    Ok(())
}

#[test]
fn a_pool_keeps_what_is_its_own() -> Result<()> {
    for queue in queues_without_kernels() {
        let refused = queue.upload(&[1u32, 2])?.into_owner::<Owner>().err();
        let refused = refused.expect("it has no owner");
        assert!(refused.to_string().contains("the memory is its pool's"), "{refused}");
        assert_eq!(queue.download(&refused.value)?, [1, 2]);
    }
    Ok(())
}

#[test]
fn an_address_that_kernels_cannot_read_vectors_from_is_refused() -> Result<()> {
    for queue in queues_without_kernels() {
        let memory = queue.upload(&[1u32; 64])?;
        for address in [DevicePtr::from(memory.as_ptr().address() + 4), DevicePtr::NULL] {
            let (owner, drops) = owner();
            // SAFETY: the call only looks at the address.
            let refused = unsafe { Buffer::<u32>::from_raw_parts(address, 1, owner, queue.pool()) }
                .expect_err("refused");
            assert!(matches!(*refused.error, HipError::InvalidArgument { .. }), "{refused}");
            assert_eq!(drops.load(Ordering::Relaxed), 0, "the owner comes back");
        }
    }
    Ok(())
}

#[test]
fn a_stream_of_another_owner_is_destroyed_by_it() -> Result<()> {
    for queue in queues_without_kernels() {
        let raw = queue.stream().as_raw();
        let on = |owner| -> Result<Queue> {
            // SAFETY: `queue` keeps the stream.
            Queue::on(unsafe { Stream::from_raw_parts(raw, owner, queue.device()) })
        };
        let (first, drops) = owner();
        let borrowing = on(first)?;
        let buffer = borrowing.upload(&[5u32])?;
        assert_eq!(borrowing.download(&buffer)?, [5]);
        drop(borrowing);
        assert_eq!(drops.load(Ordering::Relaxed), 0, "the buffer's pool uses it");
        drop(buffer);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
        assert!(is_a_stream(&queue, raw)?, "only its owner destroys it");

        let (second, drops) = owner();
        let borrowing = on(second)?;
        let stream = borrowing.stream().clone();
        let refused = stream.into_owner::<Owner>().err().expect("the queue uses it");
        drop(borrowing);
        let refused = refused.value.into_owner::<String>().expect_err("it is another type's");
        let owner = refused.value.into_owner::<Owner>()?;
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(owner);
        queue.synchronize()?;
    }
    Ok(())
}

fn is_a_stream(queue: &Queue, raw: hipStream_t) -> Result<bool> {
    let mut flags = 0;
    // SAFETY: the place is valid for the call.
    let code = unsafe { queue.device().hip().hipStreamGetFlags(raw, &mut flags) };
    Ok(queue.device().check("hipStreamGetFlags", code).is_ok())
}
