//! The time that a model predicts for each candidate of the choices which cases ask for: a line of JSON for each case, which
//! `cargo xtask predict --choices` reads.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::json;

use crate::case::Case;
use crate::count::{Predicted, by_own_kernels, each, in_part, launcher, predict};
use crate::side::Side;
use crate::timing::guarded;

/// Predicts the contests of the cases, in launches of about `budget` instructions.
pub(crate) fn run(cases: &[Case], side: &Side, card: &Predicted, budget: u64, file: &Path) -> Result<()> {
    let device = by_own_kernels(side)?;
    device.watch_contests();
    each(cases, side, file, |case| {
        let mut contests = Vec::new();
        let done = guarded(|| {
            let mut launch = launcher(case, side)?;
            // What was asked for until now was for other cases, or to prepare this one.
            device.take_contests();
            in_part(&mut launch)?;
            for contest in device.take_contests() {
                let mut seconds = BTreeMap::new();
                for name in contest.others.iter().copied().chain([contest.fixed]) {
                    device.choose(&contest, name)?;
                    in_part(|| side.warm(&mut launch))?;
                    let times = predict(case, card, &mut launch, budget)?;
                    let predicted = times.iter().map(|time| time.seconds).sum::<f64>();
                    seconds.insert(name, predicted.max(card.least_seconds(case)));
                }
                let classes: Vec<String> = contest.classes().collect();
                contests.push(json!({ "classes": classes, "fixed": contest.fixed, "seconds": seconds }));
            }
            Ok(())
        });
        json!({
            "group": case.group,
            "case": case.name,
            "dtype": case.dtype,
            "shape": case.shape,
            "contests": contests,
            "error": done.err(),
        })
    })
}
