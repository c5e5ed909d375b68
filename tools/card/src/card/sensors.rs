//! Power, clocks and temperature of AMD cards, sampled while something else runs.

#[cfg(windows)]
mod adl;
mod hwmon;

use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::report::Sensor;

const PERIOD: Duration = Duration::from_millis(250);

/// What is measured, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Quantity {
    Power,
    ShaderClock,
    MemoryClock,
    EdgeTemperature,
    JunctionTemperature,
}

impl Quantity {
    /// The name and the unit.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Power => ("power", "W"),
            Self::ShaderClock => ("shader clock", "MHz"),
            Self::MemoryClock => ("memory clock", "MHz"),
            Self::EdgeTemperature => ("edge temperature", "°C"),
            Self::JunctionTemperature => ("junction temperature", "°C"),
        }
    }
}

/// What the sensors of all cards say now.
type Source = Box<dyn FnMut() -> Vec<(String, Quantity, f64)> + Send>;

/// The cards of this machine; none where the system does not say.
fn source() -> Source {
    #[cfg(windows)]
    return adl::source();
    #[cfg(not(windows))]
    hwmon::source(std::path::Path::new("/sys/class/drm"))
}

pub(super) struct Watch {
    stop: Sender<()>,
    thread: JoinHandle<Vec<Sensor>>,
}

/// Samples the sensors of all cards until [`Watch::stop`], and once at least.
pub(super) fn watch() -> Watch {
    watch_source(source())
}

fn watch_source(mut source: Source) -> Watch {
    let (stop, stopped) = mpsc::channel();
    let thread = thread::spawn(move || {
        let mut samples: BTreeMap<(String, Quantity), Vec<f64>> = BTreeMap::new();
        loop {
            for (card, quantity, value) in source() {
                samples.entry((card, quantity)).or_default().push(value);
            }
            if stopped.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        samples.into_iter().map(|((card, quantity), values)| summary(&card, quantity, &values)).collect()
    });
    Watch { stop, thread }
}

impl Watch {
    pub(super) fn stop(self) -> Vec<Sensor> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

fn summary(card: &str, quantity: Quantity, values: &[f64]) -> Sensor {
    let (name, unit) = quantity.words();
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
    fn samples_are_summed_up() {
        let mut clock = [2000., 2300.].into_iter().cycle();
        let source = move || vec![("card0".to_owned(), Quantity::ShaderClock, clock.next().unwrap())];
        let watch = watch_source(Box::new(source));
        thread::sleep(PERIOD + PERIOD / 2);
        let sensors = watch.stop();
        assert_eq!(sensors.len(), 1);
        assert_eq!((&*sensors[0].name, &*sensors[0].unit), ("card0 shader clock", "MHz"));
        assert!(sensors[0].highest == 2300. && sensors[0].mean < 2300., "{sensors:?}");
    }
}
