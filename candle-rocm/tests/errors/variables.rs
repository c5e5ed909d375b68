//! Environment variables of devices: every way to say a value, and what becomes of one that is not understood.

use std::path::Path;
use std::process::Command;

use candle_rocm::{RocmDevice, platform::HOST};

use crate::common;

const ROLE: &str = "CANDLE_ROCM_TEST_VARIABLE";

/// A setting of a new device, as text.
type Setting = fn(&RocmDevice) -> String;

/// How to see the setting of a variable; what it is where the variable is unset; and what it takes.
const VARIABLES: [(&str, Setting, &str, &str); 6] = [
    (
        "CANDLE_ROCM_FUSION",
        |device| format!("{:?}", device.fusion()),
        "On",
        "on (1, true, yes) or off (0, false, no)",
    ),
    (
        "CANDLE_ROCM_TUNING",
        |device| device.tuning().to_string(),
        "stored",
        "off (0, false, no), stored or on (1, true, yes)",
    ),
    (
        "CANDLE_ROCM_MATRIX_CORES",
        |device| device.matrix_cores().to_string(),
        // The CPU has none.
        "false",
        "on (1, true, yes) or off (0, false, no)",
    ),
    ("CANDLE_ROCM_POOL", is_kept, "true", "on (1, true, yes) or off (0, false, no)"),
    ("CANDLE_ROCM_POOL_CAP", |device| device.pool().cap().to_string(), "2147483648", "a number of bytes"),
    (
        "CANDLE_ROCM_TIMEOUT",
        |device| format!("{:?}", device.timeout()),
        "None",
        "a number of seconds above 0, or off",
    ),
];

/// Whether freed memory stays with the pool.
fn is_kept(device: &RocmDevice) -> String {
    drop(device.upload(&[0f32; 1000]).unwrap());
    (device.pool().stats().reserved > 0).to_string()
}

/// What a new process has, and its stderr.
fn in_process(variable: &str, value: &str) -> (String, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["variables::values", "--exact", "--nocapture", "--test-threads=1"])
        .envs(VARIABLES.map(|(variable, ..)| (variable, "")))
        .env("CANDLE_ROCM_HOST_MEMORY", (8_u64 << 30).to_string())
        .envs([(ROLE, variable), (variable, value)])
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    let setting = stdout.lines().find_map(|line| line.split_once("setting=")).expect("a setting").1;
    (setting.to_owned(), stderr.into_owned())
}

#[test]
fn values() {
    if common::platform() != HOST {
        return;
    }
    if let Ok(variable) = std::env::var(ROLE) {
        let (_, setting, ..) = VARIABLES.iter().find(|(name, ..)| *name == variable).unwrap();
        // Twice: a warning comes once.
        let settings = [0, 1].map(|ordinal| setting(&RocmDevice::on(HOST, ordinal).unwrap()));
        assert_eq!(settings[0], settings[1]);
        println!("setting={}", settings[0]);
        return;
    }
    for (variable, _, unset, takes) in VARIABLES {
        let words: &[(&str, &str)] = match variable {
            "CANDLE_ROCM_FUSION" => {
                &[("OFF", "Off"), ("0", "Off"), (" no ", "Off"), ("False", "Off"), ("YES", "On")]
            }
            "CANDLE_ROCM_TUNING" => &[("Off", "off"), ("1", "on"), (" STORED ", "stored"), ("true", "on")],
            "CANDLE_ROCM_MATRIX_CORES" => &[("ON", "true"), ("no", "false")],
            "CANDLE_ROCM_POOL" => &[("Off", "false"), ("false", "false"), ("Yes", "true")],
            "CANDLE_ROCM_POOL_CAP" => &[(" 4096 ", "4096"), ("0", "0")],
            _ => &[("OFF", "None"), (" 1.5", "Some(1.5s)")],
        };
        for (value, wanted) in [("", unset), ("  ", unset)].iter().chain(words) {
            let (setting, stderr) = in_process(variable, value);
            assert_eq!(setting, *wanted, "{variable}={value:?}");
            assert!(!stderr.contains("warning"), "{variable}={value:?}: {stderr}");
        }
        for value in ["maybe", "-1", "offf"] {
            let (setting, stderr) = in_process(variable, value);
            assert_eq!(setting, unset, "{variable}={value:?}");
            let warning =
                format!("candle-rocm: warning: {variable}={value:?} is ignored; it takes {takes}\n");
            assert_eq!(stderr.matches(&warning).count(), 1, "{warning}{stderr}");
        }
    }
}

/// A kernel, compiled or from the cache in `folder`, in a new process: what it printed.
fn kernel_in_process(folder: &Path, variables: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["variables::tools_that_there_are_not", "--exact", "--nocapture", "--test-threads=1"])
        .env("CANDLE_ROCM_CACHE_DIR", folder)
        .envs(TOOLS.map(|(variable, ..)| (variable, "")))
        .env(ROLE, "kernel")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    format!("{stdout}{stderr}")
}

/// Of the host platform: what compiles and checks kernels, and what is said of one that there is not.
const TOOLS: [(&str, &str, &str); 2] = [
    ("CANDLE_ROCM_HOST_SANITIZE", "adress", "use `address`, `thread` or `schedule`"),
    ("CANDLE_ROCM_HOST_CXX", "no-compiler++", "cannot use the C++ compiler `no-compiler++`"),
];

/// They are errors whether or not the kernel is in the cache.
#[test]
fn tools_that_there_are_not() {
    if common::platform() != HOST {
        return;
    }
    if std::env::var_os(ROLE).is_some() {
        let device = RocmDevice::on(HOST, 0).unwrap();
        let compiled = device.compile("probe", r#"extern "C" __global__ void probe() {}"#);
        println!(
            "{}",
            compiled.map_or_else(|error| format!("refused: {error}"), |_| "it is there".to_owned())
        );
        return;
    }
    if common::devices().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let said = kernel_in_process(folder.path(), &[]);
        assert!(said.contains("it is there"), "{said}");
        for (variable, value, says) in TOOLS {
            let said = kernel_in_process(folder.path(), &[(variable, value)]);
            assert!(said.contains("refused: ") && said.contains(says), "{variable}={value}: {said}");
        }
    }
}

/// Why there is no device: what the variable names, and no advice to do what was done.
#[test]
fn lists_of_devices() {
    if common::platform() != HOST {
        return;
    }
    if std::env::var_os(ROLE).is_some() {
        println!("why={}", RocmDevice::on(HOST, 0).unwrap_err());
        return;
    }
    for (list, says) in [
        (
            "none",
            "there is none; CANDLE_ROCM_HOST_DEVICES names none: unset it, or set it to 32 or 64 for each device",
        ),
        (
            "16",
            "CANDLE_ROCM_HOST_DEVICES=16 is not a list of wavefront sizes, so there is no device; set 32 or 64 for",
        ),
    ] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["variables::lists_of_devices", "--exact", "--nocapture", "--test-threads=1"])
            .envs([(ROLE, "devices"), ("CANDLE_ROCM_HOST_DEVICES", list)])
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let why = stdout.lines().find_map(|line| line.split_once("why=")).expect("an error").1;
        assert!(why.starts_with(&format!("no device 0 on the host platform: {says}")), "{why}");
        assert!(!why.contains("CANDLE_ROCM_PLATFORM"), "{why}");
    }
    let error = RocmDevice::on(HOST, 1000).unwrap_err().to_string();
    assert!(!error.contains("HIP_VISIBLE_DEVICES"), "{error}");
}
