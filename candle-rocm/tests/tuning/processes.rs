//! What processes measure, keep, and find again.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use candle_core::DType;
use candle_rocm::kernels::Cache;
use candle_rocm::{Fusion, RocmDevice, Tuning};

use crate::{Product, common};

const ROLE: &str = "CANDLE_ROCM_TEST_TUNING_ROLE";

/// A folder for choices that has the compiled kernels of the user's cache.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("candle-rocm-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let entries = Cache::user().folder().and_then(|folder| std::fs::read_dir(folder).ok());
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            #[cfg(unix)]
            if Path::new(&name).extension().is_some_and(|end| end == "kernels") {
                // One that is gone by now is compiled again.
                let _ = std::os::unix::fs::symlink(entry.path(), path.join(name));
            }
        }
        Self(path)
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path());
        let is_choices = |path: &PathBuf| path.extension().is_some_and(|end| end == "txt");
        entries.filter(is_choices).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// This test in a process of its own.
fn child(test: &str, role: &str, folder: &Folder, tuning: Option<&str>) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(ROLE, role);
    child.env("CANDLE_ROCM_CACHE_DIR", &folder.0).env_remove("CANDLE_ROCM_TUNING");
    child.envs(tuning.map(|value| ("CANDLE_ROCM_TUNING", value)));
    child
}

fn check(output: &Output) -> String {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stdout.contains("1 passed"), "{}\n{stdout}\n{stderr}", output.status);
    stderr.into_owned()
}

fn product(n: usize) -> Product {
    Product { dtype: DType::F32, shape: [1, 20, n, 64], transposed: true }
}

/// Multiplies until all is decided, with or without rocBLAS: rows enough for two kernels.
fn tune(device: &RocmDevice, products: &[Product]) {
    for _ in 0..200 {
        for product in products {
            assert!(product.on(device) == product.want());
        }
        let report = device.tuning_report();
        if report.undecided == 0 && report.measured + report.stored >= products.len() {
            return;
        }
    }
    panic!("undecided after 200 calls: {}", device.tuning_report());
}

#[test]
fn choices_are_kept() {
    const NAME: &str = "processes::choices_are_kept";
    match std::env::var(ROLE).as_deref() {
        Err(_) => {
            if common::devices().is_empty() {
                return;
            }
            let folder = Folder::new("kept");
            check(&child(NAME, "measures", &folder, Some("on")).output().unwrap());
            let files = folder.files();
            assert!(!files.is_empty());
            assert!(!check(&child(NAME, "finds", &folder, None).output().unwrap()).contains("warning"));
            // Damaged files: one warning, and today's rules.
            for file in &files {
                let text = std::fs::read(file).unwrap();
                std::fs::write(file, &text[..text.len() - 3]).unwrap();
            }
            let stderr = check(&child(NAME, "finds nothing", &folder, None).output().unwrap());
            assert_eq!(stderr.matches("warning: tuning").count(), 1, "{stderr}");
            // Another driver.
            check(&child(NAME, "measures", &folder, Some("on")).output().unwrap());
            for file in &files {
                let text = std::fs::read_to_string(file).unwrap();
                std::fs::write(file, text.replacen("runtime: ", "runtime: older ", 1)).unwrap();
            }
            let stderr = check(&child(NAME, "finds nothing", &folder, None).output().unwrap());
            assert!(!stderr.contains("warning"), "{stderr}");
        }
        Ok(role) => {
            for device in common::devices() {
                let products = [product(64), product(128)];
                match role {
                    "measures" => {
                        assert_eq!(device.tuning(), Tuning::On);
                        tune(&device, &products);
                        assert_eq!(device.tuning_report().measured, 2);
                    }
                    "finds" => assert_eq!(device.tuning_report().stored, 2),
                    _ => assert_eq!(device.tuning_report().stored, 0),
                }
                products.iter().for_each(|product| assert!(product.on(&device) == product.want()));
            }
        }
    }
}

/// Two processes that measure other shapes at once: one file with the choices of both.
#[test]
fn two_at_once() {
    const NAME: &str = "processes::two_at_once";
    match std::env::var(ROLE).as_deref() {
        Err(_) => {
            let count = common::devices().len();
            if count == 0 {
                return;
            }
            let folder = Folder::new("two");
            std::thread::scope(|scope| {
                for role in ["64", "512"] {
                    let mut child = child(NAME, role, &folder, Some("on"));
                    scope.spawn(move || check(&child.output().unwrap()));
                }
            });
            assert!((1..=count).contains(&folder.files().len()));
            check(&child(NAME, "both", &folder, None).output().unwrap());
        }
        Ok("both") => {
            for device in common::devices() {
                assert_eq!(device.tuning_report().stored, 6, "{}", device.tuning_report());
            }
        }
        Ok(first) => {
            let first: usize = first.parse().unwrap();
            for device in common::devices() {
                // One after the other, so that the file is written several times.
                for n in [first, 2 * first, 4 * first] {
                    tune(&device, &[product(n)]);
                }
            }
        }
    }
}

/// Threads on one device, and recorded operations.
#[test]
fn trials_disturb_nobody() {
    const NAME: &str = "processes::trials_disturb_nobody";
    if std::env::var_os(ROLE).is_none() {
        let folder = Folder::new("threads");
        check(&child(NAME, "child", &folder, Some("on")).output().unwrap());
        return;
    }
    for device in common::devices() {
        for fusion in [Fusion::Off, Fusion::On] {
            device.set_fusion(fusion);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        for _ in 0..20 {
                            for n in [40, 80] {
                                assert!(product(n).on(&device) == product(n).want());
                            }
                        }
                    });
                }
            });
        }
        device.set_fusion(Fusion::Off);
        tune(&device, &[product(40), product(80)]);
    }
}

#[test]
fn the_variable() {
    const NAME: &str = "processes::the_variable";
    let Ok(role) = std::env::var(ROLE) else {
        let folder = Folder::new("variable");
        for (value, tuning) in
            [(None, "stored"), (Some("off"), "off"), (Some("stored"), "stored"), (Some("on"), "on")]
        {
            let stderr = check(&child(NAME, tuning, &folder, value).output().unwrap());
            assert!(!stderr.contains("warning"), "{stderr}");
        }
        return;
    };
    for device in common::devices_without_kernels() {
        assert_eq!(device.tuning().to_string(), role);
        device.set_tuning(Tuning::Off);
        assert_eq!(device.clone().tuning(), Tuning::Off);
    }
}
