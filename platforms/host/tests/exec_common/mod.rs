//! What the tests of kernels share: compiling, loading, launching, memory.

// Each test uses a part of this.
#![allow(dead_code, unused_imports, unused_macros, unreachable_pub)]

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::LazyLock;

pub use rocm_sys::hip::*;
pub use rocm_sys::hiprtc::{Hiprtc, hiprtcProgram, hiprtcResult};

/// The platform's HIP.
pub static HIP: LazyLock<Hip> =
    LazyLock::new(|| Hip::from_resolver("candle-rocm-host", candle_rocm_host::symbol));

/// The platform's hiprtc.
pub static HIPRTC: LazyLock<Hiprtc> =
    LazyLock::new(|| Hiprtc::from_resolver("candle-rocm-host", candle_rocm_host::symbol));

/// Calls a HIP function and returns its code.
macro_rules! hip {
    ($name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: tests pass what the function wants.
        unsafe { HIP.$name($($argument),*) }.unwrap()
    };
}

/// Calls a HIP function that must succeed.
macro_rules! ok {
    ($name:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(
            hip!($name($($argument),*)),
            hipError_t::hipSuccess,
            "{}: {:?}", stringify!($name), candle_rocm_host::last_fault()
        )
    };
}

/// Calls a hiprtc function and returns its code.
macro_rules! rtc {
    ($name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: tests pass what the function wants.
        unsafe { HIPRTC.$name($($argument),*) }.unwrap()
    };
}

/// Launches a kernel on the null stream and waits for it.
macro_rules! launch {
    ($function:expr, $grid:expr, $block:expr, $shared:expr, $($argument:expr),* $(,)?) => {{
        let mut arguments: Vec<*mut std::ffi::c_void> = vec![$(std::ptr::from_ref(&$argument).cast_mut().cast()),*];
        let result = try_launch($function, $grid, $block, $shared, std::ptr::null_mut(), &mut arguments);
        assert_eq!(result, hipError_t::hipSuccess);
        ok!(hipDeviceSynchronize());
    }};
}

pub(crate) use {hip, launch, ok, rtc};

/// The result of a compilation.
pub struct Compiled {
    pub result: hiprtcResult,
    pub log: String,
    pub code: Vec<u8>,
}

/// Compiles a source.
pub fn compile_with(name: &str, source: &str, headers: &[(&str, &str)], options: &[&str]) -> Compiled {
    let source = CString::new(source).unwrap();
    let name = CString::new(name).unwrap();
    let strings = |list: Vec<&str>| -> Vec<CString> {
        list.into_iter().map(|text| CString::new(text).unwrap()).collect()
    };
    let header_names = strings(headers.iter().map(|header| header.0).collect());
    let header_texts = strings(headers.iter().map(|header| header.1).collect());
    let options = strings(options.to_vec());
    let pointers =
        |list: &[CString]| -> Vec<*const c_char> { list.iter().map(|text| text.as_ptr()).collect() };
    let mut program: hiprtcProgram = ptr::null_mut();
    let created = rtc!(hiprtcCreateProgram(
        &mut program,
        source.as_ptr(),
        name.as_ptr(),
        headers.len() as i32,
        pointers(&header_texts).as_mut_ptr(),
        pointers(&header_names).as_mut_ptr(),
    ));
    assert_eq!(created, hiprtcResult::HIPRTC_SUCCESS);
    let result = rtc!(hiprtcCompileProgram(program, options.len() as i32, pointers(&options).as_mut_ptr()));
    let mut size = 0;
    assert_eq!(rtc!(hiprtcGetProgramLogSize(program, &mut size)), hiprtcResult::HIPRTC_SUCCESS);
    let mut log = vec![0u8; size];
    assert_eq!(rtc!(hiprtcGetProgramLog(program, log.as_mut_ptr().cast())), hiprtcResult::HIPRTC_SUCCESS);
    let log = CStr::from_bytes_with_nul(&log).unwrap().to_str().unwrap().to_owned();
    let mut code = Vec::new();
    if result == hiprtcResult::HIPRTC_SUCCESS {
        assert_eq!(rtc!(hiprtcGetCodeSize(program, &mut size)), hiprtcResult::HIPRTC_SUCCESS);
        code = vec![0u8; size];
        assert_eq!(rtc!(hiprtcGetCode(program, code.as_mut_ptr().cast())), hiprtcResult::HIPRTC_SUCCESS);
    }
    assert_eq!(rtc!(hiprtcDestroyProgram(&mut program)), hiprtcResult::HIPRTC_SUCCESS);
    Compiled { result, log, code }
}

/// Compiles a source that must compile.
pub fn compile(source: &str, options: &[&str]) -> Vec<u8> {
    let compiled = compile_with("test.hip", source, &[], options);
    assert_eq!(compiled.result, hiprtcResult::HIPRTC_SUCCESS, "{}", compiled.log);
    compiled.code
}

/// Makes the device with this wavefront the calling thread's.
pub fn use_wave(wave: u32) {
    ok!(hipSetDevice(i32::from(wave == 64)));
}

/// A loaded module.
pub struct Module(pub hipModule_t);

impl Module {
    /// Compiles and loads a source for a wavefront, whose device becomes the calling thread's.
    pub fn new(source: &str, wave: u32) -> Self {
        Self::with(source, wave, &[])
    }

    pub fn with(source: &str, wave: u32, options: &[&str]) -> Self {
        use_wave(wave);
        let arch = format!("--offload-arch=host-wave{wave}");
        let define = format!("-DWAVE={wave}");
        let code = compile(source, &[&[arch.as_str(), define.as_str()], options].concat());
        Self::load(&code)
    }

    pub fn load(code: &[u8]) -> Self {
        let mut module = ptr::null_mut();
        ok!(hipModuleLoadData(&mut module, code.as_ptr().cast()));
        Self(module)
    }

    pub fn function(&self, name: &str) -> hipFunction_t {
        let mut function = ptr::null_mut();
        let name = CString::new(name).unwrap();
        ok!(hipModuleGetFunction(&mut function, self.0, name.as_ptr()));
        function
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // as below
        }
        ok!(hipModuleUnload(self.0));
    }
}

/// Device memory.
pub struct Buffer<T> {
    pub pointer: *mut T,
    pub len: usize,
}

impl<T: Copy + Default> Buffer<T> {
    pub fn new(values: &[T]) -> Self {
        let mut pointer = ptr::null_mut();
        let bytes = size_of_val(values);
        ok!(hipMalloc(&mut pointer, bytes.max(1)));
        ok!(hipMemcpy(pointer, values.as_ptr().cast(), bytes, hipMemcpyKind::hipMemcpyHostToDevice));
        Self { pointer: pointer.cast(), len: values.len() }
    }

    pub fn zeros(len: usize) -> Self {
        Self::new(&vec![T::default(); len])
    }

    pub fn read(&self) -> Vec<T> {
        let mut values = vec![T::default(); self.len];
        ok!(hipMemcpy(
            values.as_mut_ptr().cast(),
            self.pointer.cast(),
            size_of_val(&values[..]),
            hipMemcpyKind::hipMemcpyDeviceToHost
        ));
        values
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // the device may have a fault
        }
        ok!(hipFree(self.pointer.cast()));
    }
}

/// Queues a kernel and returns the status. Arguments are addresses of values.
pub fn try_launch(
    function: hipFunction_t,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: hipStream_t,
    arguments: &mut [*mut c_void],
) -> hipError_t {
    hip!(hipModuleLaunchKernel(
        function,
        grid[0],
        grid[1],
        grid[2],
        block[0],
        block[1],
        block[2],
        shared,
        stream,
        arguments.as_mut_ptr(),
        ptr::null_mut()
    ))
}

/// Prints that something is not tested, which is a failure in strict runs.
pub fn skipped(what: &str, why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
    assert_ne!(std::env::var("CANDLE_ROCM_TEST_STRICT").as_deref(), Ok("1"), "{what}: {why}");
}

/// Whether this compiler can compile kernels; if not, prints that the test is skipped.
pub fn can_use(compiler: &str, what: &str) -> bool {
    if std::env::var_os("CANDLE_ROCM_HOST_SANITIZE").is_some_and(|kind| kind != "schedule") {
        // A process has one sanitizer's library, which is that of one compiler.
        return std::env::var("CANDLE_ROCM_HOST_CXX").is_ok_and(|path| path.ends_with(compiler));
    }
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(compiler).is_file());
    if !found {
        skipped(what, &format!("{compiler} is not installed"));
    }
    found
}
