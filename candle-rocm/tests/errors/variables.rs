//! Environment variables of devices: every way to say a value, and what becomes of one that is not understood.

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
