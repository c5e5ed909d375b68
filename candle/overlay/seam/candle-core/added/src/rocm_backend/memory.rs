//! Memory on a device, with the type of its elements.

use std::cell::Cell;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;

use crate::rocm::ErasedStorage;
use crate::{DType, Error, Result};

/// Memory on a ROCm device for elements of type `T`: a tensor's, or memory [allocated](super::RocmDevice::alloc) for a kernel.
///
/// It may be dropped while a kernel that uses it is still queued: the next user of the memory runs after that kernel.
pub struct SendSyncDeviceMemory<T> {
    storage: Box<dyn ErasedStorage>,
    // No drop check, and Send and Sync like the storage.
    _elements: PhantomData<fn() -> T>,
}

impl<T> SendSyncDeviceMemory<T> {
    pub(super) fn new(storage: Box<dyn ErasedStorage>) -> Self {
        Self { storage, _elements: PhantomData }
    }

    pub(super) fn storage(&self) -> &dyn ErasedStorage {
        &*self.storage
    }

    /// The address of the first element, for kernels launched from now on. Null if there are no elements.
    ///
    /// Kernels may read there. They may write if the memory was [allocated](super::RocmDevice::alloc) for that purpose, or belongs to the
    /// storage that an in-place operation changes. Memory of other tensors may be shared by several of them.
    ///
    /// If the elements cannot be computed, the address is null, and the next [launch](super::rocm_rs::hip::Function::launch) on this thread
    /// returns the error.
    pub fn as_ptr(&self) -> *mut c_void {
        self.storage.address().unwrap_or_else(|error| {
            FAILED.set(Some(error));
            ptr::null_mut()
        })
    }

    /// The address of element `offset`. Otherwise as [`as_ptr`](Self::as_ptr).
    ///
    /// # Safety
    /// There are at least `offset` elements.
    pub unsafe fn ptr_at(&self, offset: usize) -> *mut c_void {
        // Wrapping: null stays an address that nobody reads.
        self.as_ptr().cast::<T>().wrapping_add(offset).cast()
    }
}

impl<T> fmt::Debug for SendSyncDeviceMemory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.storage.fmt(f)
    }
}

thread_local! {
    /// Why a kernel must not be launched: an address that it was to be given.
    static FAILED: Cell<Option<Error>> = const { Cell::new(None) };
}

/// The error of [`SendSyncDeviceMemory::as_ptr`], if there was one.
pub(super) fn check_addresses() -> Result<()> {
    FAILED.take().map_or(Ok(()), Err)
}

macro_rules! slices {
    ($($variant:ident $ty:ty),* $(,)?) => {
        /// A tensor's memory, as one variant per dtype.
        ///
        /// The dtypes that candle only stores (F4, F6E2M3, F6E3M2, F8E8M0) are bytes: `U8`, with their own
        /// [`dtype`](RocmStorageSlice::dtype).
        #[derive(Debug)]
        #[allow(missing_docs)] // each variant is the dtype of its name
        pub enum RocmStorageSlice {
            $($variant(SendSyncDeviceMemory<$ty>),)*
        }

        impl RocmStorageSlice {
            pub(crate) fn new(storage: Box<dyn ErasedStorage>) -> Self {
                match storage.dtype() {
                    $(DType::$variant => Self::$variant(SendSyncDeviceMemory::new(storage)),)*
                    DType::F6E2M3 | DType::F6E3M2 | DType::F4 | DType::F8E8M0 => {
                        Self::U8(SendSyncDeviceMemory::new(storage))
                    }
                }
            }

            pub(crate) fn as_ref(&self) -> &dyn ErasedStorage {
                match self {
                    $(Self::$variant(memory) => &*memory.storage,)*
                }
            }

            pub(crate) fn as_mut(&mut self) -> &mut dyn ErasedStorage {
                match self {
                    $(Self::$variant(memory) => &mut *memory.storage,)*
                }
            }

            /// As [`SendSyncDeviceMemory::as_ptr`].
            pub fn as_ptr(&self) -> *mut c_void {
                match self {
                    $(Self::$variant(memory) => memory.as_ptr(),)*
                }
            }
        }

        /// The dtype whose elements are of type `T`, if there is one.
        pub(super) fn dtype_of<T: 'static>() -> Option<DType> {
            use std::any::TypeId;
            $(if TypeId::of::<T>() == TypeId::of::<$ty>() {
                return Some(DType::$variant);
            })*
            None
        }
    };
}

slices! {
    U8 u8, U32 u32, I16 i16, I32 i32, I64 i64, BF16 half::bf16, F16 half::f16, F32 f32, F64 f64, F8E4M3 float8::F8E4M3,
}

impl RocmStorageSlice {
    /// The dtype of the elements.
    pub fn dtype(&self) -> DType {
        self.as_ref().dtype()
    }
}
