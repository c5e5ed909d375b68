//! What the model of time says of a case: how long it takes, and what that time is spent on.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A launch, as `candle-rocm-bench --count --card` writes it.
#[derive(Deserialize)]
pub(super) struct Time {
    /// Seconds from one launch to the next.
    seconds: f64,
    /// Of these, those in which waves run.
    running: f64,
    /// Shares of the running time: in which parts of a unit are busy, and in which waves wait.
    busy: Vec<(String, f64)>,
    stalled: Vec<(String, f64)>,
}

/// The predicted time of a case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Predicted {
    /// Seconds.
    pub(super) time: f64,
    /// The part of a unit that is busiest, and the share of the running time in which it is.
    pub(super) busiest: String,
    pub(super) busy: f64,
    /// `loads 62 %, launches 10 %`: what most of the time is waited for.
    pub(super) waits: String,
}

/// What launches wait for: the one before.
const LAUNCHES: &str = "launches";

/// Waits that take less of the time are not named.
const LEAST: f64 = 0.1;

impl Predicted {
    /// Of the launches of a case, if there are any.
    pub(super) fn new(launches: &[Time]) -> Option<Self> {
        let total = |of: fn(&Time) -> f64| launches.iter().map(of).sum::<f64>();
        let (time, running) = (total(|launch| launch.seconds), total(|launch| launch.running));
        let shares = |of: fn(&Time) -> &[(String, f64)], all: f64| {
            let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
            for launch in launches {
                for (name, share) in of(launch) {
                    *shares.entry(name).or_default() += share * launch.running / all;
                }
            }
            shares
        };
        let busy = shares(|launch| &launch.busy, running);
        let (busiest, busy) = busy.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mut waits = shares(|launch| &launch.stalled, time);
        waits.insert(LAUNCHES, 1. - running / time);
        let mut waits: Vec<_> = waits.into_iter().filter(|(_, share)| *share >= LEAST).collect();
        waits.sort_by(|a, b| b.1.total_cmp(&a.1));
        let wait = |(name, share): &(&str, f64)| format!("{name} {:.0} %", share * 100.);
        let waits = waits.iter().map(wait).collect::<Vec<_>>().join(", ");
        Some(Self { time, busiest: busiest.to_owned(), busy, waits })
    }

    /// What could shorten the wait that takes longest.
    pub(super) fn step(&self) -> &'static str {
        let longest = self.waits.split(' ').next().unwrap_or_default();
        STEPS.iter().find(|(wait, _)| *wait == longest).map_or("", |(_, step)| step)
    }
}

/// What a wait asks for.
const STEPS: [(&str, &str); 7] = [
    (LAUNCHES, "Fewer launches, or none between them that wait."),
    ("loads", "Wider loads or more of them under way; fewer registers where these leave room for few waves."),
    ("results", "Independent instructions between those that wait for one another, or more waves."),
    ("LDS", "Fewer turns of the LDS: wider accesses, or lanes that exchange registers."),
    ("stores", "Stores that nothing waits for."),
    ("barriers", "Fewer barriers, or the next tile's loads before them."),
    ("ports", "Fewer instructions for the same work."),
];

#[cfg(test)]
mod tests {
    use candle_rocm_gfx::time::Stall;

    use super::*;

    fn launch(seconds: f64, running: f64, stalled: &[(&str, f64)]) -> Time {
        let own = |shares: &[(&str, f64)]| {
            shares.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect()
        };
        Time { seconds, running, busy: own(&[("VALU", 0.5), ("memory", 0.8)]), stalled: own(stalled) }
    }

    #[test]
    fn launches_are_weighted_by_their_times() {
        let launches =
            [launch(4., 3., &[("loads", 0.5), ("barriers", 0.1)]), launch(1., 1., &[("LDS", 0.9)])];
        let predicted = Predicted::new(&launches).unwrap();
        let expected = Predicted {
            time: 5.,
            busiest: "memory".to_owned(),
            busy: 0.8,
            waits: "loads 30 %, launches 20 %, LDS 18 %".to_owned(),
        };
        assert!((predicted.busy - expected.busy).abs() < 1e-12);
        assert_eq!(Predicted { busy: 0.8, ..predicted }, expected);
        assert!(Predicted::new(&[]).is_none());
    }

    #[test]
    fn every_wait_has_a_step() {
        let has_step = |stall: Stall| STEPS.iter().any(|(wait, _)| *wait == stall.name());
        assert!(Stall::ALL.into_iter().all(has_step));
        for (wait, step) in STEPS {
            let predicted = Predicted {
                time: 1.,
                busiest: String::new(),
                busy: 0.,
                waits: format!("{wait} 50 %, others 20 %"),
            };
            assert_eq!(predicted.step(), step);
        }
    }
}
