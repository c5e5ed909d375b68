//! Power, clocks and temperature of AMD cards, as the kernel's hwmon interface gives them
//! (docs.kernel.org/gpu/amdgpu/thermal.html), sampled while something else runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::report::Sensor;

/// File, name, unit, and the unit's size in the file's units. Cards have one of the first two.
const FILES: [(&str, &str, &str, f64); 6] = [
    ("power1_average", "power", "W", 1e6),
    ("power1_input", "power", "W", 1e6),
    ("freq1_input", "shader clock", "MHz", 1e6),
    ("freq2_input", "memory clock", "MHz", 1e6),
    ("temp1_input", "edge temperature", "°C", 1e3),
    ("temp2_input", "junction temperature", "°C", 1e3),
];
const AMD: &str = "0x1002";
const PERIOD: Duration = Duration::from_millis(250);

pub(super) struct Watch {
    stop: Sender<()>,
    thread: JoinHandle<Vec<Sensor>>,
}

/// Samples the sensors of all cards in `/sys/class/drm` until [`Watch::stop`], and once at least.
pub(super) fn watch(cards: &Path) -> Watch {
    let files = files(cards);
    let (stop, stopped) = mpsc::channel();
    let thread = thread::spawn(move || {
        let mut samples: BTreeMap<(String, usize), Vec<f64>> = BTreeMap::new();
        loop {
            for (card, sensor, path) in &files {
                let value = fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<f64>().ok());
                if let Some(value) = value {
                    samples.entry((card.clone(), *sensor)).or_default().push(value / FILES[*sensor].3);
                }
            }
            if stopped.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        samples.into_iter().map(|((card, sensor), values)| summary(&card, sensor, &values)).collect()
    });
    Watch { stop, thread }
}

impl Watch {
    pub(super) fn stop(self) -> Vec<Sensor> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

/// Card, index in [`FILES`] and path of what there is.
fn files(cards: &Path) -> Vec<(String, usize, PathBuf)> {
    let mut found = Vec::new();
    for card in below(cards) {
        let name = card.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let device = card.join("device");
        let vendor = fs::read_to_string(device.join("vendor")).unwrap_or_default();
        // Outputs such as card0-DP-1 are in this folder too.
        if name.contains('-') || vendor.trim() != AMD {
            continue;
        }
        for monitor in below(&device.join("hwmon")) {
            for (sensor, (file, ..)) in FILES.iter().enumerate() {
                let path = monitor.join(file);
                if path.is_file() {
                    found.push((name.clone(), sensor, path));
                }
            }
        }
    }
    found
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn summary(card: &str, sensor: usize, values: &[f64]) -> Sensor {
    let (_, name, unit, _) = FILES[sensor];
    Sensor {
        name: format!("{card} {name}"),
        unit: unit.to_owned(),
        mean: values.iter().sum::<f64>() / values.len() as f64,
        highest: values.iter().copied().fold(f64::MIN, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amd_cards_are_sampled() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("card0/device/vendor", "0x1002\n");
        put("card0/device/hwmon/hwmon3/power1_average", "215000000\n");
        put("card0/device/hwmon/hwmon3/freq1_input", "2300000000\n");
        put("card1/device/vendor", "0x10de\n");
        put("card1/device/hwmon/hwmon4/power1_average", "1\n");
        let sensors = watch(folder.path()).stop();
        let sensor = |name: &str, unit: &str, value| Sensor {
            name: name.to_owned(),
            unit: unit.to_owned(),
            mean: value,
            highest: value,
        };
        let expected = [sensor("card0 power", "W", 215.), sensor("card0 shader clock", "MHz", 2300.)];
        assert_eq!(sensors, expected);
        assert_eq!(watch_nothing(), []);
    }

    fn watch_nothing() -> Vec<Sensor> {
        watch(Path::new("/nonexistent")).stop()
    }
}
