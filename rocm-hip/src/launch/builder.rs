//! Launching a kernel.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use rocm_sys::hip::hipError_t;
use serde_json::json;

use crate::{Buffer, DevicePtr, Element, Function, HipError, LaunchConfig, Queue, Result, trace};

/// Arguments of a kernel at most.
const MAX_ARGUMENTS: usize = 48;
/// Room for them, in words.
const MAX_WORDS: usize = 56;

/// A kernel launch under construction: add arguments in the order of the kernel's parameters, then call [`Launch::run`]. It does not
/// allocate on the heap. Errors of any step are returned by `run`, which reports the first one.
///
/// `E` is the error type of `run`: [`HipError`], or the caller's own type if looking up the function can fail in other ways.
///
/// ```
/// use rocm_hip::{LaunchConfig, Platform, Queue, Runtime};
/// # use rocm_hip::{Adapter, Linked};
/// # static ADAPTER: Adapter = Adapter::linked("host", Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable });
/// # const HOST: Platform = Platform::of(&ADAPTER);
/// # // The CPU platform compiles kernels with the system's C++ compiler: without one, there is nothing to show.
/// # fn main() -> Result<(), rocm_hip::HipError> {
/// #     match example() { Err(rocm_hip::HipError::Compile(error)) => { println!("{error}"); Ok(()) } result => result }
/// # }
/// # fn example() -> Result<(), rocm_hip::HipError> {
/// let device = Runtime::get(HOST)?.device(0)?;
/// let queue = Queue::new(device)?;
/// let module = device.compile("fill", r#"
///     extern "C" __global__ void fill(float value, float *x) { x[threadIdx.x] = value; }
/// "#)?;
/// let mut x = queue.alloc::<f32>(64)?;
/// // SAFETY: the arguments are the kernel's parameters, and there are as many threads as elements.
/// unsafe { queue.launch(&module.function("fill")?).arg(&2f32).buffer_mut(&mut x, 0).run(LaunchConfig::linear(1, 64))? };
/// assert_eq!(queue.download(&x)?, [2.; 64]);
/// # Ok(())
/// # }
/// ```
#[must_use = "a launch does nothing until it is run"]
pub struct Launch<'a, E = HipError> {
    queue: &'a Queue,
    function: Result<&'a Function, E>,
    /// The arguments' bytes, each from a new word on.
    words: [u64; MAX_WORDS],
    words_used: usize,
    /// Where each argument begins.
    starts: [u8; MAX_ARGUMENTS],
    /// The bytes of each.
    sizes: [u16; MAX_ARGUMENTS],
    count: usize,
    /// What the arguments point to besides buffers; kept until the kernel is queued.
    slab: Option<Arc<Buffer<usize>>>,
    more_slabs: Vec<Arc<Buffer<usize>>>,
}

impl<'a, E: From<HipError>> Launch<'a, E> {
    /// Starts building the launch of a kernel. If looking the kernel up failed, `run` returns that error.
    pub fn new(queue: &'a Queue, function: Result<&'a Function, E>) -> Self {
        Self {
            queue,
            function,
            words: [0; MAX_WORDS],
            words_used: 0,
            starts: [0; MAX_ARGUMENTS],
            sizes: [0; MAX_ARGUMENTS],
            count: 0,
            slab: None,
            more_slabs: Vec::new(),
        }
    }

    /// Adds an argument that is passed by value. Its type must match the kernel's parameter bit for bit (`usize` for `size_t`).
    #[inline]
    pub fn arg<T: Element>(&mut self, value: &T) -> &mut Self {
        const { assert!(align_of::<T>() <= align_of::<u64>(), "kernel arguments are aligned to 8 bytes at most") };
        let end = self.words_used + size_of::<T>().div_ceil(size_of::<u64>());
        if end > MAX_WORDS || self.count == MAX_ARGUMENTS {
            return self.fail(|| too_many().into());
        }
        // SAFETY: there are `size_of::<T>()` bytes left from this word on, aligned well enough.
        unsafe { self.words.as_mut_ptr().add(self.words_used).cast::<T>().write(*value) };
        self.starts[self.count] = self.words_used as u8;
        self.sizes[self.count] = size_of::<T>() as u16;
        self.count += 1;
        self.words_used = end;
        self
    }

    /// Adds a pointer to element `offset` of the buffer, for reading.
    #[inline]
    pub fn buffer<T: Element>(&mut self, buffer: &Buffer<T>, offset: usize) -> &mut Self {
        let queue = self.queue;
        if buffer.pool() != queue.pool() {
            return self.fail(|| queue.wrong("launch", buffer).into());
        }
        if offset > buffer.len() {
            let len = buffer.len();
            return self
                .fail(|| HipError::OutOfBounds { op: "launch", start: offset, end: offset, len }.into());
        }
        // An empty buffer has no address to count from, and no offset but 0.
        self.pointer(buffer.as_ptr().byte_add(offset * size_of::<T>()))
    }

    /// Adds a pointer to element `offset` of the buffer, for writing. The kernel waits for other streams that read the buffer.
    #[inline]
    pub fn buffer_mut<T: Element>(&mut self, buffer: &mut Buffer<T>, offset: usize) -> &mut Self {
        match buffer.as_mut_ptr() {
            Ok(_) => self.buffer(buffer, offset),
            Err(error) => self.fail(|| error.into()),
        }
    }

    /// Adds a null pointer.
    #[inline]
    pub fn null(&mut self) -> &mut Self {
        self.pointer(DevicePtr::NULL)
    }

    /// Adds a pointer to these dims and strides in device memory (see [`Queue::info`]), or a null pointer if `words` is empty.
    #[inline]
    pub fn info(&mut self, words: &[usize]) -> &mut Self {
        if words.is_empty() {
            return self.null();
        }
        if self.function.is_err() {
            return self;
        }
        match self.queue.info(words) {
            Ok(info) => {
                let (ptr, slab) = info.into_parts();
                match &self.slab {
                    None => self.slab = slab,
                    Some(kept) if slab.as_ref().is_some_and(|slab| Arc::ptr_eq(slab, kept)) => {}
                    Some(_) => self.more_slabs.extend(slab),
                }
                self.pointer(ptr)
            }
            Err(error) => self.fail(|| error.into()),
        }
    }

    /// Adds a raw address. The caller is responsible for what it points to.
    #[inline]
    pub fn pointer(&mut self, pointer: DevicePtr) -> &mut Self {
        self.arg(&pointer.address())
    }

    /// Keeps the first error.
    #[cold]
    fn fail(&mut self, error: impl FnOnce() -> E) -> &mut Self {
        if self.function.is_ok() {
            self.function = Err(error());
        }
        self
    }

    /// Queues the kernel on the queue's stream. If a dimension of the grid is zero, the launch is skipped and returns `Ok`.
    ///
    /// The number and sizes of the arguments are checked against the kernel's parameters if the platform [knows](Function::parameter_sizes)
    /// them. If the kernel fails, a later call that waits reports it, with the kernel's name.
    ///
    /// # Errors
    /// [`HipError::ArgumentCount`], [`HipError::ArgumentSize`], [`HipError::WrongQueue`] and [`HipError::OutOfBounds`] for arguments
    /// that do not match; [`HipError::Launch`] if the driver refuses the launch.
    ///
    /// # Safety
    /// The arguments match the kernel's parameters in order and type, and with these arguments the kernel reads and writes only inside the
    /// buffers that it was given.
    pub unsafe fn run(&mut self, config: LaunchConfig) -> Result<(), E> {
        let function = match &self.function {
            Ok(function) => *function,
            Err(_) => return Err(self.take_error()),
        };
        if config.grid.contains(&0) {
            return Ok(());
        }
        check(self.queue, function, config)?;
        let given = &self.sizes[..self.count];
        if let Some(expected) = function.parameter_sizes()
            && expected != given
        {
            return Err(mismatch(function, expected, given).into());
        }
        let mut arguments = [ptr::null_mut::<c_void>(); MAX_ARGUMENTS];
        for (argument, &start) in arguments.iter_mut().zip(&self.starts[..self.count]) {
            *argument = (&raw mut self.words[usize::from(start)]).cast();
        }
        // SAFETY: each pointer is to an argument, and the caller vouches for these.
        Ok(unsafe { submit(self.queue, function, config, &mut arguments) }?)
    }

    #[cold]
    fn take_error(&mut self) -> E {
        match std::mem::replace(&mut self.function, Err(HipError::LaunchAgain.into())) {
            Ok(_) => HipError::LaunchAgain.into(),
            Err(error) => error,
        }
    }
}

impl Queue {
    /// Queues a kernel with a list of raw arguments. Each is the address of a parameter's value, which HIP copies before this returns.
    /// [`Queue::launch`] builds that list for you and checks more. If a dimension of the grid is zero, the launch is skipped and returns `Ok`.
    ///
    /// # Errors
    /// [`HipError::ArgumentCount`] if the platform [knows](Function::parameter_sizes) the kernel's parameters,
    /// [`HipError::InvalidArgument`] for a null pointer; [`HipError::Launch`] if the driver refuses the launch.
    ///
    /// # Safety
    /// There is a pointer for each parameter, to a value of its type. With these values the kernel accesses only memory that the caller may
    /// give it.
    pub unsafe fn launch_raw(
        &self,
        function: &Function,
        config: LaunchConfig,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        if config.grid.contains(&0) {
            return Ok(());
        }
        check(self, function, config)?;
        if let Some(expected) = function.parameter_sizes().map(<[u16]>::len)
            && expected != arguments.len()
        {
            let kernel = full_name(function);
            return Err(HipError::ArgumentCount { kernel, expected, given: arguments.len() });
        }
        if let Some(index) = arguments.iter().position(|argument| argument.is_null()) {
            let message = format!("argument {index} of {} is a null pointer", full_name(function));
            return Err(HipError::InvalidArgument { op: "launch", message });
        }
        // SAFETY: as the caller says.
        unsafe { submit(self, function, config, arguments) }
    }
}

/// Whether the queue's device has the kernel, and as many threads.
fn check(queue: &Queue, function: &Function, config: LaunchConfig) -> Result<()> {
    let device = queue.device();
    if function.device() != device {
        let lhs = queue.stream().to_string();
        let rhs = format!("{} (kernel {})", function.device(), function.name());
        return Err(HipError::WrongQueue { op: "launch", lhs, rhs });
    }
    config.check(device).map_err(|source| failed(function, config, source))
}

/// Puts the kernel on the stream.
///
/// # Safety
/// As [`Queue::launch_raw`]; there are as many pointers as parameters.
unsafe fn submit(
    queue: &Queue,
    function: &Function,
    config: LaunchConfig,
    arguments: &mut [*mut c_void],
) -> Result<()> {
    let (device, stream) = (queue.device(), queue.stream());
    device.bind()?;
    // Before the launch: some platforms report a fault at once.
    stream.launched(function.kernel_name())?;
    let ([gx, gy, gz], [bx, by, bz]) = (config.grid, config.block);
    let describe = || {
        let (grid, block, shared) = (config.grid, config.block, config.shared_bytes);
        (function.name().to_owned(), json!({"grid": grid, "block": block, "shared bytes": shared}))
    };
    // SAFETY: the handles live, the caller vouches for the arguments, and HIP copies them before it returns.
    let code = trace::work(stream, "kernel", describe, || unsafe {
        device.hip().hipModuleLaunchKernel(
            function.as_raw(),
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            config.shared_bytes,
            stream.as_raw(),
            arguments.as_mut_ptr(),
            ptr::null_mut(),
        )
    });
    // After a success, the stream may tell of what failed before, by the same call.
    let is_launched = matches!(code, Ok(hipError_t::hipSuccess));
    stream.check("hipModuleLaunchKernel", code).map_err(|source| match is_launched {
        true => source,
        false => failed(function, config, source),
    })
}

#[cold]
fn too_many() -> HipError {
    HipError::InvalidArgument {
        op: "launch",
        message: format!(
            "more than {MAX_ARGUMENTS} arguments or {} bytes of them",
            MAX_WORDS * size_of::<u64>()
        ),
    }
}

/// How the arguments differ from the kernel's parameters.
#[cold]
fn mismatch(function: &Function, expected: &[u16], given: &[u16]) -> HipError {
    let kernel = full_name(function);
    let (expected_count, given_count) = (expected.len(), given.len());
    if expected_count != given_count {
        return HipError::ArgumentCount { kernel, expected: expected_count, given: given_count };
    }
    let index = expected.iter().zip(given).position(|(a, b)| a != b).unwrap_or(0);
    let [expected, given] = [expected, given].map(|sizes| usize::from(sizes[index]));
    HipError::ArgumentSize { kernel, index, expected, given }
}

fn full_name(function: &Function) -> String {
    format!("{} of module {}", function.name(), function.module().name())
}

#[cold]
fn failed(function: &Function, config: LaunchConfig, source: HipError) -> HipError {
    if matches!(source, HipError::KernelFault { .. } | HipError::DeviceLost { .. }) {
        // Not this launch failed, but one before it.
        return source;
    }
    HipError::Launch {
        kernel: full_name(function),
        grid: config.grid,
        block: config.block,
        shared_bytes: config.shared_bytes,
        source: Box::new(source),
    }
}
