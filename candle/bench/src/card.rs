//! The measurement setup.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use candle_core::{DType, Tensor};
use candle_rocm::hip::Platform;
use candle_rocm::platform::{AMD, NVIDIA};

use crate::side::Side;
use crate::timing;

/// Bytes in the copy that bandwidths are compared with.
const COPIED: usize = 1 << 30;

/// The card, its driver, the commit, and the card's copy bandwidth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Card {
    lines: Vec<(String, String)>,
    /// Bytes read and written, GB/s.
    pub(crate) copy: Option<f64>,
}

const COPY: &str = "copy bandwidth, GB/s";

impl Card {
    pub(crate) fn describe(ours: &Side, stock: Option<&Side>, quick: bool) -> anyhow::Result<Self> {
        let mut card = Self::default();
        if let Some(rocm) = &ours.rocm {
            card.line("card", format!("{} ({})", rocm.hip_device().name(), rocm.arch()));
            card.line("driver", driver(rocm.platform()).unwrap_or_else(|| "unknown".to_owned()));
            card.line("platform", rocm.platform().name());
            card.line("tuning", rocm.tuning_report().to_string());
        }
        card.line("compared with", stock.map_or("nothing", |stock| stock.name));
        card.line("commit", commit());
        card.line("date", date());
        let bandwidth = copy_bandwidth(ours, if quick { 1 << 20 } else { COPIED })?;
        card.line(COPY, format!("{bandwidth:.0}"));
        card.copy = Some(bandwidth);
        Ok(card)
    }

    /// The inverse of [`Card::lines`].
    pub(crate) fn from_lines(lines: Vec<(String, String)>) -> Self {
        let copy = lines.iter().find(|(what, _)| what == COPY).and_then(|(_, value)| value.parse().ok());
        Self { lines, copy }
    }

    pub(crate) fn lines(&self) -> &[(String, String)] {
        &self.lines
    }

    fn line(&mut self, what: &str, value: impl Into<String>) {
        self.lines.push((what.to_owned(), value.into()));
    }
}

fn copy_bandwidth(side: &Side, bytes: usize) -> candle_core::Result<f64> {
    let source = Tensor::zeros(bytes, DType::U8, &side.device)?;
    let seconds = timing::alone(side, 7, Box::new(move || source.copy()))?;
    Ok(2. * bytes as f64 / seconds / 1e9)
}

fn driver(platform: Platform) -> Option<String> {
    if platform == AMD {
        let version = std::fs::read_to_string("/sys/module/amdgpu/version").ok();
        return version.map(|version| format!("amdgpu {}", version.trim()));
    }
    if platform != NVIDIA {
        return Some("none".to_owned());
    }
    let output = Command::new("nvidia-smi")
        .args(["--query-gpu=driver_version", "--format=csv,noheader"])
        .output()
        .ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| format!("NVIDIA {}", line.trim()))
}

/// The commit that this was built from; `cargo xtask bench` passes it at build time.
fn commit() -> String {
    if let Some(commit) = option_env!("CANDLE_ROCM_COMMIT") {
        return commit.to_owned();
    }
    let folder = env!("CARGO_MANIFEST_DIR");
    let git =
        Command::new("git").args(["-C", folder, "describe", "--always", "--dirty", "--abbrev=12"]).output();
    match git {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// Today's date in UTC.
fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86400);
    format!("{year}-{month:02}-{day:02}")
}

/// Converts days since 1970-01-01 to a Gregorian date.
fn civil(mut day: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    (year, month, day + 1)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_453), (2025, 12, 31));
        assert_eq!(civil(20_454), (2026, 1, 1));
    }
}
