//! Linux: the kernel's hwmon interface (docs.kernel.org/gpu/amdgpu/thermal.html).

use std::fs;
use std::path::{Path, PathBuf};

use super::{Quantity, Source};

/// File, what it has, and the unit's size in the file's units. Cards have one of the first two.
const FILES: [(&str, Quantity, f64); 6] = [
    ("power1_average", Quantity::Power, 1e6),
    ("power1_input", Quantity::Power, 1e6),
    ("freq1_input", Quantity::ShaderClock, 1e6),
    ("freq2_input", Quantity::MemoryClock, 1e6),
    ("temp1_input", Quantity::EdgeTemperature, 1e3),
    ("temp2_input", Quantity::JunctionTemperature, 1e3),
];
const AMD: &str = "0x1002";

/// The cards in `/sys/class/drm`.
#[cfg_attr(windows, allow(dead_code, reason = "there is no such folder"))]
pub(super) fn source(cards: &Path) -> Source {
    let files = files(cards);
    Box::new(move || {
        let value = |path: &PathBuf| fs::read_to_string(path).ok()?.trim().parse::<f64>().ok();
        let sample = |(card, sensor, path): &(String, usize, PathBuf)| {
            let (_, quantity, unit) = FILES[*sensor];
            Some((card.clone(), quantity, value(path)? / unit))
        };
        files.iter().filter_map(sample).collect()
    })
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
        let card = || "card0".to_owned();
        let expected = [(card(), Quantity::Power, 215.), (card(), Quantity::ShaderClock, 2300.)];
        assert_eq!(source(folder.path())(), expected);
        assert_eq!(source(Path::new("/nonexistent"))(), []);
    }
}
