//! What the tests share: the platform's functions, and what this machine lacks.
#![allow(dead_code, reason = "no test uses all of it")]

use rocm_sys::hip::{Hip, hipDeviceptr_t, hipError_t, hipFunction_t, hipModule_t, hipStream_t};
use rocm_sys::hiprtc::{Hiprtc, hiprtcResult};
use std::ffi::{CStr, CString, c_void};
use std::io::Write;
use std::ptr;

/// HIP's functions, as for a program that links the platform in.
pub(crate) fn hip() -> Hip {
    Hip::from_resolver("candle-rocm-nvidia (linked in)", candle_rocm_nvidia::symbol)
}

/// hiprtc's functions.
pub(crate) fn hiprtc() -> Hiprtc {
    Hiprtc::from_resolver("candle-rocm-nvidia (linked in)", candle_rocm_nvidia::symbol)
}

/// Says that something could not be tested; with `CANDLE_ROCM_TEST_STRICT=1` that is a failure, if this is the platform that
/// is to be tested.
pub(crate) fn skip(what: &str, why: &str) {
    let why = why.lines().next().unwrap_or_default();
    // Not eprintln!, which the test harness captures; at once, so that lines of several threads do not mix.
    std::io::stderr().write_all(format!("SKIPPED: {what}: {why}\n").as_bytes()).unwrap();
    let is = |name, wanted| std::env::var(name).is_ok_and(|value| value == wanted);
    if is("CANDLE_ROCM_TEST_STRICT", "1") && is("CANDLE_ROCM_PLATFORM", "nvidia") {
        panic!("{what} could not be tested: {why}");
    }
}

/// For a check that is impossible on this machine because it has something.
pub(crate) fn has(what: &str) {
    std::io::stderr()
        .write_all(format!("not checked: what a machine without {what} does\n").as_bytes())
        .unwrap();
}

/// Whether there is a GPU; prints so if there is none.
pub(crate) fn has_gpu(what: &str) -> bool {
    match candle_rocm_nvidia::unavailable() {
        None => true,
        Some(why) => {
            skip(what, &why);
            false
        }
    }
}

/// Whether there is NVRTC; prints so if there is none.
pub(crate) fn has_nvrtc(what: &str) -> bool {
    match compile("extern \"C\" __global__ void probe() {}", &[], &["--offload-arch=sm_90"]) {
        Err((_, log)) if log.contains("install CUDA's NVRTC") => {
            skip(what, &log);
            false
        }
        _ => true,
    }
}

#[track_caller]
pub(crate) fn ok(code: Result<hipError_t, rocm_sys::MissingSymbol>) {
    assert_eq!(code.unwrap(), hipError_t::hipSuccess);
}

#[track_caller]
pub(crate) fn fails(code: Result<hipError_t, rocm_sys::MissingSymbol>, expected: hipError_t) {
    assert_eq!(code.unwrap(), expected);
}

/// Compiled code, the names that expressions stand for, and the log.
pub(crate) struct Compiled {
    pub(crate) code: Vec<u8>,
    pub(crate) names: Vec<CString>,
    pub(crate) log: String,
}

/// Compiles; the error has the status and the log.
pub(crate) fn compile(
    source: &str,
    expressions: &[&CStr],
    options: &[&str],
) -> Result<Compiled, (hiprtcResult, String)> {
    let rtc = hiprtc();
    let source = CString::new(source).unwrap();
    let options: Vec<_> = options.iter().map(|&option| CString::new(option).unwrap()).collect();
    let mut pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
    let mut program = ptr::null_mut();
    let success = |code: Result<hiprtcResult, _>| assert_eq!(code.unwrap(), hiprtcResult::HIPRTC_SUCCESS);
    // SAFETY: all pointers are to live strings, lists of the length said, and out-parameters.
    unsafe {
        success(rtc.hiprtcCreateProgram(
            &mut program,
            source.as_ptr(),
            c"test.hip".as_ptr(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
        ));
        for expression in expressions {
            success(rtc.hiprtcAddNameExpression(program, expression.as_ptr()));
        }
        let status = rtc.hiprtcCompileProgram(program, pointers.len() as i32, pointers.as_mut_ptr()).unwrap();
        let mut size = 0;
        success(rtc.hiprtcGetProgramLogSize(program, &mut size));
        let mut log = vec![0_u8; size];
        success(rtc.hiprtcGetProgramLog(program, log.as_mut_ptr().cast()));
        let log = CStr::from_bytes_until_nul(&log).unwrap().to_string_lossy().into_owned();
        if status != hiprtcResult::HIPRTC_SUCCESS {
            success(rtc.hiprtcDestroyProgram(&mut program));
            return Err((status, log));
        }
        let mut names = Vec::new();
        for expression in expressions {
            let mut name = ptr::null();
            success(rtc.hiprtcGetLoweredName(program, expression.as_ptr(), &mut name));
            names.push(CStr::from_ptr(name).to_owned());
        }
        success(rtc.hiprtcGetCodeSize(program, &mut size));
        let mut code = vec![0_u8; size];
        success(rtc.hiprtcGetCode(program, code.as_mut_ptr().cast()));
        success(rtc.hiprtcDestroyProgram(&mut program));
        assert!(program.is_null());
        Ok(Compiled { code, names, log })
    }
}

/// Compiles for the GPU, loads, and finds a kernel.
pub(crate) fn kernel(hip: &Hip, source: &str, name: &CStr) -> (hipModule_t, hipFunction_t) {
    let compiled = compile(source, &[], &[]).unwrap_or_else(|(status, log)| panic!("{status:?}: {log}"));
    let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the image is what the compiler made, the name is a C string, the out-parameters are valid.
    unsafe {
        ok(hip.hipModuleLoadData(&mut module, compiled.code.as_ptr().cast()));
        ok(hip.hipModuleGetFunction(&mut function, module, name.as_ptr()));
    }
    (module, function)
}

/// Launches in one dimension; each argument is the address of a value.
pub(crate) fn launch(
    hip: &Hip,
    function: hipFunction_t,
    (grid, block, shared): (u32, u32, u32),
    stream: hipStream_t,
    arguments: &[*const c_void],
) -> hipError_t {
    let mut arguments: Vec<*mut c_void> = arguments.iter().map(|argument| argument.cast_mut()).collect();
    // SAFETY: the tests pass an address of a value for each of the kernel's parameters.
    unsafe {
        hip.hipModuleLaunchKernel(
            function,
            grid,
            1,
            1,
            block,
            1,
            1,
            shared,
            stream,
            arguments.as_mut_ptr(),
            ptr::null_mut(),
        )
    }
    .unwrap()
}

/// The address of a value, to pass it to a kernel.
pub(crate) fn arg<T>(value: &T) -> *const c_void {
    ptr::from_ref(value).cast()
}

/// Device memory with these values, freed when dropped.
pub(crate) struct Buffer<'a> {
    hip: &'a Hip,
    pub(crate) address: hipDeviceptr_t,
    bytes: usize,
}

impl<'a> Buffer<'a> {
    pub(crate) fn new<T: Copy>(hip: &'a Hip, values: &[T]) -> Self {
        let mut address = ptr::null_mut();
        let bytes = size_of_val(values);
        // SAFETY: the out-parameter is valid; both ends of the copy have the bytes.
        unsafe {
            ok(hip.hipMalloc(&mut address, bytes));
            ok(hip.hipMemcpyHtoD(address, values.as_ptr().cast_mut().cast(), bytes));
        }
        Self { hip, address, bytes }
    }

    /// Waits, and copies the values back.
    pub(crate) fn values<T: Copy + Default>(&self) -> Vec<T> {
        let mut values = vec![T::default(); self.bytes / size_of::<T>()];
        // SAFETY: both ends of the copy have the bytes.
        unsafe { ok(self.hip.hipMemcpyDtoH(values.as_mut_ptr().cast(), self.address, self.bytes)) };
        values
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated above. After a fault it cannot be freed, which does not matter.
        let _ = unsafe { self.hip.hipFree(self.address) };
    }
}
