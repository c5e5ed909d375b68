//! Everything that can be done wrong gives the error that says so, and the device goes on working.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::common;
use crate::common::{devices, devices_without_kernels, in_child};
use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout, Shape, WithDType, op};
use candle_rocm::hip::{
    CompileError, HipError, LaunchConfig, Module, Program, Runtime, set_default_platform,
};
use candle_rocm::platform::{HOST, NVIDIA};
use candle_rocm::{Launch, RocmDevice, RocmError};
use rocm_kernels::AFFINE;

/// The device still copies both ways and has lost no memory.
fn still_works(device: &RocmDevice) {
    let before = device.pool().stats().buffers;
    let buffer = device.upload(&[1i64, -2, 3]).unwrap();
    assert_eq!(device.download(&buffer).unwrap(), [1, -2, 3]);
    drop(buffer);
    assert_eq!(device.pool().stats().buffers, before);
}

/// Doubles `n` floats.
const DOUBLE: &str = r#"
extern "C" __global__ void twice(size_t n, float *x) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] *= 2;
}"#;

/// The module, compiled once per architecture.
fn double(device: &RocmDevice) -> Module {
    Module::load(device.hip_device(), "double", double_code(device)).unwrap()
}

fn double_code(device: &RocmDevice) -> Vec<u8> {
    static CODE: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut code = CODE.lock().unwrap();
    let compile = || {
        let hip = device.hip_device();
        let target = rocm_kernels::Target::new(hip.arch(), hip.wavefront_size());
        let compiler = hip.runtime().compiler().unwrap();
        candle_rocm::hip::compile(&Program::new("double", DOUBLE), &target, compiler).unwrap()
    };
    code.entry(device.arch().to_owned()).or_insert_with(compile).clone()
}

fn run(launch: &mut Launch<'_>, config: LaunchConfig) -> Result<(), RocmError> {
    // SAFETY: the launches of this file are either refused or have the arguments of `twice`.
    unsafe { launch.run(config) }
}

/// The kernel does what it should.
fn kernels_still_work(device: &RocmDevice, module: &Module) {
    let mut x = device.upload(&[1f32, 2., 3.]).unwrap();
    let function = module.function("twice").unwrap();
    run(device.launch_function(&function).arg(&3usize).buffer_mut(&mut x, 0), LaunchConfig::linear(1, 64))
        .unwrap();
    assert_eq!(device.download(&x).unwrap(), [2., 4., 6.]);
}

#[test]
fn an_unknown_platform_lists_the_choices() {
    if !in_child(
        "wrong_use::an_unknown_platform_lists_the_choices",
        &[("CANDLE_ROCM_PLATFORM", Some("nonsense"))],
    ) {
        return;
    }
    let error = RocmDevice::new(0).unwrap_err();
    assert!(matches!(error, RocmError::Hip(HipError::UnknownPlatform { .. })));
    let text = error.to_string();
    for part in ["CANDLE_ROCM_PLATFORM", "nonsense", "auto", "amd", "host", "nvidia"] {
        assert!(text.contains(part), "{part} in: {text}");
    }
    // Through candle's trait as well.
    let error = <RocmDevice as BackendDevice>::new(0).unwrap_err();
    assert!(
        matches!(RocmError::of(&error), Some(RocmError::Hip(HipError::UnknownPlatform { .. }))),
        "{error}"
    );
    // What is said in code wins.
    set_default_platform(HOST);
    let device = RocmDevice::new(0).unwrap();
    assert_eq!(device.platform(), HOST);
    still_works(&device);
}

#[test]
fn the_variable_chooses_the_platform() {
    if !in_child("wrong_use::the_variable_chooses_the_platform", &[("CANDLE_ROCM_PLATFORM", Some(" Host "))])
    {
        return;
    }
    assert_eq!(RocmDevice::new(1).unwrap().platform(), HOST);
}

#[test]
fn without_rocm_the_error_says_what_was_tried_and_nothing_falls_back() {
    let none = [
        ("CANDLE_ROCM_PLATFORM", None),
        ("ROCM_PATH", Some("/no/such/rocm")),
        ("HIP_PATH", None),
        ("HIP_VISIBLE_DEVICES", Some("-1")),
    ];
    if !in_child("wrong_use::without_rocm_the_error_says_what_was_tried_and_nothing_falls_back", &none) {
        return;
    }
    let error = RocmDevice::new(0).unwrap_err();
    let text = error.to_string();
    let parts: &[&str] = match error {
        // The usual case of a machine without ROCm.
        RocmError::Hip(HipError::Load { .. }) => {
            &["libamdhip64.so.6", "/no/such/rocm", "ROCM_PATH", "install ROCm", "CANDLE_ROCM_PLATFORM=host"]
        }
        // ROCm is there, but no card that it may use, or it is ancient.
        RocmError::Hip(HipError::NoDevice { .. }) => &["amd", "CANDLE_ROCM_PLATFORM=host"],
        RocmError::Hip(HipError::PlatformUnavailable { .. }) => &["too old", "5.0"],
        _ => panic!("{text}"),
    };
    for part in parts {
        assert!(text.contains(part), "{part} in: {text}");
    }
    // A failure is not remembered, and the other platform is untouched.
    assert!(RocmDevice::new(0).is_err());
    still_works(&RocmDevice::on(HOST, 0).unwrap());
}

#[test]
fn a_library_that_is_not_there() {
    let missing = [("CANDLE_ROCM_HOST_LIBRARY", Some("/no/such/libcandle_rocm_host.so"))];
    if !in_child("wrong_use::a_library_that_is_not_there", &missing) {
        return;
    }
    let error = RocmDevice::on(HOST, 0).unwrap_err();
    assert!(matches!(error, RocmError::Hip(HipError::Load { platform: "host", .. })));
    assert!(error.to_string().contains("/no/such/libcandle_rocm_host.so"), "{error}");
}

#[test]
fn a_library_that_is_something_else() {
    // Any library that is not HIP: the C library, wherever it is.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let libc =
        maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(|path| path.contains("/libc.so"));
    let Some(libc) = libc else {
        return common::skip("a library without a symbol", "this process has no libc.so");
    };
    if !in_child("wrong_use::a_library_that_is_something_else", &[("CANDLE_ROCM_HOST_LIBRARY", Some(libc))]) {
        return;
    }
    let error = RocmDevice::on(HOST, 0).unwrap_err();
    assert!(matches!(error, RocmError::Hip(HipError::MissingSymbol(_))), "{error}");
    let text = error.to_string();
    assert!(text.contains("hipRuntimeGetVersion") && text.contains("libc.so"), "{text}");
}

#[test]
fn a_file_that_is_no_library() {
    let file = std::env::current_exe().unwrap().with_extension("not-a-library");
    std::fs::write(&file, "hello").unwrap();
    if !in_child("wrong_use::a_file_that_is_no_library", &[("CANDLE_ROCM_NVIDIA_LIBRARY", file.to_str())]) {
        std::fs::remove_file(file).unwrap();
        return;
    }
    let error = RocmDevice::on(NVIDIA, 0).unwrap_err();
    assert!(matches!(error, RocmError::Hip(HipError::Load { platform: "nvidia", .. })), "{error}");
    assert!(error.to_string().contains("not-a-library"), "{error}");
}

#[test]
fn the_adapter_for_nvidia_is_named_when_it_is_missing() {
    let unset = [("CANDLE_ROCM_NVIDIA_LIBRARY", None)];
    if !in_child("wrong_use::the_adapter_for_nvidia_is_named_when_it_is_missing", &unset) {
        return;
    }
    if let Err(error) = Runtime::get(NVIDIA) {
        assert!(matches!(error, HipError::PlatformUnavailable { platform: "nvidia", .. }), "{error}");
        let linked = cfg!(feature = "nvidia");
        assert!(linked || error.to_string().contains("CANDLE_ROCM_NVIDIA_LIBRARY"), "{error}");
    }
}

#[test]
fn a_device_that_is_not_there() {
    for device in devices_without_kernels() {
        let platform = device.platform();
        let count = Runtime::get(platform).unwrap().device_count().unwrap();
        for ordinal in [count, 1000, usize::MAX] {
            let error = RocmDevice::on(platform, ordinal).unwrap_err();
            assert!(
                matches!(error, RocmError::Hip(HipError::NoDevice { ordinal: named, .. }) if named == ordinal),
                "{error}"
            );
            assert!(error.to_string().contains(&format!("there are {count}")), "{error}");
        }
        still_works(&device);
    }
}

#[test]
fn operands_of_two_devices_do_not_mix() {
    let mut all = devices_without_kernels();
    // Two of one GPU count as two as well: they have streams of their own.
    all.extend(all.first().map(|device| RocmDevice::on(device.platform(), device.ordinal()).unwrap()));
    for (i, one) in all.iter().enumerate() {
        for (j, other) in all.iter().enumerate() {
            assert_eq!(one.same_device(other), i == j);
            if i == j {
                continue;
            }
            let (mine, mut theirs) = (one.upload(&[1f32]).unwrap(), other.upload(&[2f32]).unwrap());
            let errors = [
                one.download(&theirs).unwrap_err(),
                one.upload_to(&[3f32], &mut theirs, 0).unwrap_err(),
                one.copy(&mine, 0, &mut theirs, 0, 1).unwrap_err(),
                one.check_same(other, "matmul").unwrap_err(),
            ];
            for error in errors {
                assert!(matches!(error, RocmError::WrongDevice { .. }), "{error}");
                let text = error.to_string();
                assert!(text.contains(&one.label()) && text.contains(&other.label()), "{text}");
            }
            assert_eq!(other.download(&theirs).unwrap(), [2.], "nothing was written");

            let shape = Shape::from((2, 3));
            let layout = Layout::contiguous(&shape);
            let lhs = one.zeros_impl(&shape, DType::F32).unwrap();
            let rhs = other.zeros_impl(&shape, DType::F32).unwrap();
            let error = lhs.binary_impl::<op::Add>(&rhs, &layout, &layout).unwrap_err();
            assert!(matches!(RocmError::of(&error), Some(RocmError::WrongDevice { .. })), "{error}");
        }
    }
    all.iter().for_each(still_works);
}

#[test]
fn a_launch_with_another_devices_memory_or_kernel_is_refused() {
    let devices = devices();
    for device in &devices {
        let module = double(device);
        let twice = module.function("twice").unwrap();
        for other in devices.iter().filter(|other| !other.same_device(device)) {
            let mut theirs = other.upload(&[1f32]).unwrap();
            let mut launch = device.launch_function(&twice);
            let error =
                run(launch.arg(&1usize).buffer_mut(&mut theirs, 0), LaunchConfig::linear(1, 64)).unwrap_err();
            assert!(matches!(error, RocmError::WrongDevice { .. }), "{error}");
            assert!(run(&mut launch, LaunchConfig::linear(1, 64)).is_err(), "and it stays refused");

            let mut launch = other.launch_function(&twice);
            let error =
                run(launch.arg(&1usize).buffer_mut(&mut theirs, 0), LaunchConfig::linear(1, 64)).unwrap_err();
            assert!(matches!(error, RocmError::WrongDevice { .. }), "{error}");
            assert_eq!(other.download(&theirs).unwrap(), [1.]);
        }
        kernels_still_work(device, &module);
    }
}

#[test]
fn dtypes_that_do_not_fit() {
    for device in devices_without_kernels() {
        let shape = Shape::from(4);
        let layout = Layout::contiguous(&shape);
        let f32s = device.zeros_impl(&shape, DType::F32).unwrap();
        let f64s = device.zeros_impl(&shape, DType::F64).unwrap();
        let error = f32s.binary_impl::<op::Mul>(&f64s, &layout, &layout).unwrap_err();
        let Some(RocmError::DTypeMismatch { lhs, rhs, .. }) = RocmError::of(&error) else {
            panic!("{error}")
        };
        assert_eq!((*lhs, *rhs), (DType::F32, DType::F64));
        let text = error.to_string();
        assert!(text.starts_with("dtype mismatch in mul, lhs: f32, rhs: f64; "), "{text}");

        let error = device.rand_uniform(&shape, DType::I64, 0., 1.).unwrap_err();
        let Some(RocmError::UnsupportedDType { dtype: DType::I64, .. }) = RocmError::of(&error) else {
            panic!("{error}")
        };
        still_works(&device);
    }
}

#[test]
fn ranges_outside_of_a_buffer() {
    for device in devices_without_kernels() {
        let mut five = device.upload(&[1u8, 2, 3, 4, 5]).unwrap();
        let mut target = device.alloc_zeros::<u8>(3).unwrap();
        let errors = [
            device.download_range(&five, 5, 1).unwrap_err(),
            device.download_range(&five, 1, usize::MAX).unwrap_err(),
            device.upload_to(&[1, 2, 3], &mut five, 3).unwrap_err(),
            device.copy(&five, 0, &mut target, 1, 3).unwrap_err(),
            device.copy(&five, 3, &mut target, 0, 3).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, RocmError::Hip(HipError::OutOfBounds { .. })), "{error}");
        }
        assert!(device.download_range(&five, 5, 0).unwrap().is_empty());
        assert_eq!(device.download(&target).unwrap(), [0; 3]);
        still_works(&device);
    }
}

#[test]
fn launches_that_make_no_sense() {
    for device in &devices() {
        let module = double(device);
        let twice = module.function("twice").unwrap();
        let mut x = device.upload(&[1f32, 2.]).unwrap();
        let most = device.hip_device().max_threads_per_block();
        let huge = LaunchConfig { grid: [1 << 25, 1, 1], block: [256, 1, 1], shared_bytes: 0 };
        for config in [LaunchConfig::linear(1, 0), LaunchConfig::linear(1, most + 1), huge] {
            let mut launch = device.launch_function(&twice);
            let error = run(launch.arg(&2usize).buffer_mut(&mut x, 0), config).unwrap_err();
            assert!(matches!(error, RocmError::Hip(HipError::Launch { .. })), "{error}");
            assert!(error.to_string().contains("twice") && error.to_string().contains("double"), "{error}");
        }
        let mut launch = device.launch_function(&twice);
        let error = run(launch.arg(&2usize).buffer_mut(&mut x, 3), LaunchConfig::linear(1, 64)).unwrap_err();
        assert!(matches!(error, RocmError::Hip(HipError::OutOfBounds { start: 3, len: 2, .. })), "{error}");

        let mut launch = device.launch_function(&twice);
        for i in 0..100 {
            let _ = launch.arg(&i);
        }
        let error = run(&mut launch, LaunchConfig::linear(1, 64)).unwrap_err();
        assert!(matches!(error, RocmError::Hip(HipError::InvalidArgument { .. })), "{error}");

        run(&mut device.launch_function(&twice), LaunchConfig::linear(0, 64)).expect("nothing to do");
        assert_eq!(device.download(&x).unwrap(), [1., 2.]);
        kernels_still_work(device, &module);
    }
}

#[test]
fn kernels_that_are_not_there() {
    for device in &devices() {
        let module = double(device);
        for name in ["thrice", "", "twice\0"] {
            let error = module.function(name).unwrap_err();
            assert!(matches!(&error, HipError::NoSuchKernel { kernel, .. } if kernel == name), "{error}");
            assert!(error.to_string().contains("double"), "{error}");
        }
        let error = run(&mut device.launch(&AFFINE, "affine_u128"), LaunchConfig::linear(1, 64)).unwrap_err();
        assert!(matches!(error, RocmError::Hip(HipError::NoSuchKernel { .. })), "{error}");
        kernels_still_work(device, &module);
    }
}

#[test]
fn a_function_keeps_its_module() {
    for device in &devices() {
        let function = double(device).function("twice").unwrap();
        let mut x = device.upload(&[5f32]).unwrap();
        run(
            device.launch_function(&function).arg(&1usize).buffer_mut(&mut x, 0),
            LaunchConfig::linear(1, 64),
        )
        .unwrap();
        // Queued work is done before the code goes.
        drop(function);
        assert_eq!(device.download(&x).unwrap(), [10.]);
    }
}

#[test]
fn bytes_that_are_no_code_object() {
    for device in devices() {
        let hip = device.hip_device();
        let good = double_code(&device);
        let mut bad = vec![vec![], b"hello".to_vec(), vec![0; 4096], vec![0xff; 100]];
        bad.extend([1, 2, good.len() / 2, good.len() - 1].map(|len| good[..len].to_vec()));
        for image in bad {
            let len = image.len();
            let error = Module::load(hip, "broken", image).unwrap_err();
            assert!(
                matches!(&error, HipError::BadCodeObject { module, .. } if module == "broken"),
                "{len}: {error}"
            );
            assert!(error.to_string().contains(device.arch()), "{error}");
        }
        kernels_still_work(&device, &Module::load(hip, "double", good).unwrap());
    }
}

#[test]
fn sources_that_do_not_compile() {
    for device in devices() {
        let error =
            device.compile("typo", "extern \"C\" __global__ void f() { undeclared = 1; }").unwrap_err();
        let RocmError::Hip(HipError::Compile(inner)) = &error else { panic!("{error}") };
        let CompileError::Rejected { name, log, .. } = &**inner else { panic!("{error}") };
        assert_eq!(name, "typo");
        assert!(log.contains("undeclared"), "{log}");
        let error = device.compile("n\0l", DOUBLE).unwrap_err();
        assert!(
            matches!(&error, RocmError::Hip(HipError::Compile(inner)) if matches!(**inner, CompileError::NulByte { .. })),
            "{error}"
        );
        kernels_still_work(&device, &double(&device));
    }
}

#[test]
fn no_compiler_says_which_to_install() {
    let cache = TemporaryFolder::new("no-compiler");
    let none = [
        ("CANDLE_ROCM_HOST_CXX", Some("/no/such/c++")),
        ("CANDLE_ROCM_CACHE_DIR", cache.path()),
        ("CANDLE_ROCM_PLATFORM", None),
    ];
    if !in_child("wrong_use::no_compiler_says_which_to_install", &none) {
        return;
    }
    let device = RocmDevice::on(HOST, 0).unwrap();
    let errors = [
        device.compile("double", DOUBLE).unwrap_err(),
        run(&mut device.launch(&AFFINE, "affine_f32"), LaunchConfig::linear(1, 64)).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, RocmError::Kernel(_) | RocmError::Hip(HipError::Compile(_))), "{error}");
        let text = error.to_string();
        assert!(text.contains("/no/such/c++") && text.contains("apt install g++"), "{text}");
    }
    still_works(&device);
}

/// A built-in kernel does what it should.
fn built_in_works(device: &RocmDevice) {
    let mut storage = device.storage_from_slice(&[1f32, 2., 3., 4.]).unwrap();
    storage.const_set(7f32.to_scalar(), &Layout::contiguous_with_offset(2, 1)).unwrap();
    let candle_core::CpuStorage::F32(values) = storage.to_cpu_storage().unwrap() else { panic!() };
    assert_eq!(values, [1., 7., 7., 4.]);
}

#[test]
fn a_corrupt_cache_is_repaired() {
    let cache = TemporaryFolder::new("corrupt-cache");
    let name = "wrong_use::a_corrupt_cache_is_repaired";
    let fill = || in_child(name, &[("CANDLE_ROCM_CACHE_DIR", cache.path()), ("CANDLE_ROCM_PLATFORM", None)]);
    if fill() {
        if let Some(device) = devices().first() {
            built_in_works(device);
        }
        return;
    }
    let damages: [fn(&mut Vec<u8>); 3] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        Vec::clear,
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
    ];
    let files = cache.files();
    if files.is_empty() {
        return assert!(devices().is_empty(), "what was compiled was cached");
    }
    for damage in damages {
        let mut damaged = Vec::new();
        for file in &files {
            let mut bytes = std::fs::read(file).unwrap();
            damage(&mut bytes);
            std::fs::write(file, &bytes).unwrap();
            damaged.push(bytes);
        }
        fill();
        let repaired: Vec<_> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
        assert!(repaired.iter().zip(&damaged).all(|(repaired, damaged)| repaired != damaged));
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    // A folder below a file cannot be made, by no one.
    let file = std::env::current_exe().unwrap();
    let below = file.join("cache");
    let variables = [("CANDLE_ROCM_CACHE_DIR", below.to_str()), ("CANDLE_ROCM_PLATFORM", None)];
    if !in_child("wrong_use::a_cache_that_cannot_be_written_is_done_without", &variables) {
        return;
    }
    if let Some(device) = devices().first() {
        built_in_works(device);
    }
}

/// A folder beside the test's executable, removed when dropped (in the process that made it).
struct TemporaryFolder(std::path::PathBuf);

impl TemporaryFolder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::current_exe().unwrap().with_extension(format!("{name}-{}", std::process::id()));
        Self(folder)
    }

    fn path(&self) -> Option<&str> {
        self.0.to_str()
    }

    fn files(&self) -> Vec<std::path::PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Not there in children, which have another process id.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
