//! Streams, both ways.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;

use ::rocm_rs::hip;

use super::library;
use crate::{Device, HipError, Refused, Result, Stream};

/// A [`Stream`] in the form of rocm-rs. See [`Stream::as_rocm_rs`].
pub struct StreamRef<'a> {
    /// Has the stream's handle, and must not be dropped.
    stream: ManuallyDrop<hip::Stream>,
    _lent: PhantomData<&'a Stream>,
}

impl Stream {
    /// Lends the stream to rocm-rs. What its libraries run there is ordered with everything else on this stream.
    ///
    /// # Errors
    /// [`HipError::OtherLibrary`] if rocm-rs is linked to another HIP library.
    ///
    /// # Safety
    /// rocm-rs destroys a stream whenever a value of its type is dropped, so no second value may be created from this one: neither by
    /// `Stream::clone`, nor by the `get_stream` of a handle that was given it. What keeps the raw handle (rocRAND's generators, rocFFT's
    /// execution infos) must not run after this stream is dropped.
    pub unsafe fn as_rocm_rs(&self) -> Result<StreamRef<'_>> {
        library::check_same(self.device())?;
        let stream = ManuallyDrop::new(hip::Stream::from_raw(self.as_raw().cast()));
        Ok(StreamRef { stream, _lent: PhantomData })
    }

    /// Takes over a stream of rocm-rs. It is destroyed, as rocm-rs does, with the last clone of the result. [`Stream::into_rocm_rs`]
    /// returns it instead.
    ///
    /// # Errors
    /// [`HipError::OtherLibrary`] if rocm-rs is linked to another HIP library, [`HipError::WrongDevice`] if the stream belongs to another
    /// device, or an error of HIP.
    ///
    /// # Safety
    /// `stream` is a live stream and the only value of rocm-rs that would destroy it: it was not cloned.
    pub unsafe fn from_rocm_rs(stream: hip::Stream, device: Device) -> Result<Self, Refused<hip::Stream>> {
        if let Err(error) = check(&stream, device) {
            return Err(Refused::new(stream, error));
        }
        let raw = stream.as_raw().cast();
        // SAFETY: the caller's promise; the stream is of this device, as `check` found.
        Ok(unsafe { Self::from_raw_parts(raw, Owned(stream), device) })
    }

    /// Returns a stream that [`Stream::from_rocm_rs`] took over to rocm-rs. Waits for the work on it.
    ///
    /// # Errors
    /// [`HipError::InvalidArgument`] if the stream did not come from rocm-rs or has other clones, or the error of the work on it.
    pub fn into_rocm_rs(self) -> Result<hip::Stream, Refused<Self>> {
        self.into_owner::<Owned>().map(|Owned(stream)| stream)
    }
}

fn check(stream: &hip::Stream, device: Device) -> Result<()> {
    library::check_same(device)?;
    Device::forget_current();
    device.bind()?;
    let mut ordinal = 0;
    // SAFETY: the caller of `from_rocm_rs` promises that the stream lives; the place is valid for the call.
    let code = unsafe { device.hip().hipStreamGetDevice(stream.as_raw().cast(), &mut ordinal) };
    device.check("hipStreamGetDevice", code)?;
    if usize::try_from(ordinal) != Ok(device.ordinal()) {
        let theirs = format!("{}:{ordinal}", device.platform());
        return Err(HipError::WrongDevice {
            op: "Stream::from_rocm_rs",
            lhs: theirs,
            rhs: device.to_string(),
        });
    }
    Ok(())
}

/// A stream that rocm-rs destroys when this is dropped.
struct Owned(hip::Stream);

// SAFETY: a handle, and hipStreamDestroy when it is dropped, which any thread may call.
unsafe impl Send for Owned {}
// SAFETY: as above; it is not used through shared references.
unsafe impl Sync for Owned {}

impl Deref for StreamRef<'_> {
    type Target = hip::Stream;

    fn deref(&self) -> &hip::Stream {
        &self.stream
    }
}

impl fmt::Debug for StreamRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamRef({:?})", self.as_raw())
    }
}
