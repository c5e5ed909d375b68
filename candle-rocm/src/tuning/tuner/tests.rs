//! Who serves a call, with candidates that are closures.

use super::*;
use crate::RocmError;
use crate::platform::HOST;
use crate::tuning::decision::Decision;

const FIXED: u8 = 2;

fn tuner(device: &RocmDevice, tuning: Tuning) -> Tuner {
    let tuner = Tuner::default();
    tuner.tuning.set(tuning);
    assert!(tuner.store.set(Store::new(Cache::disabled(), Origin::of(device))).is_ok());
    tuner
}

fn class(n: usize) -> Class {
    Decision::named("matmul").expect("a decision").class(&[2, 0, 0, 0, 0, 0], &[1, 1, n, 1])
}

fn candidates(fits: &[u8]) -> impl Fn() -> Candidates {
    || Candidates::new(FIXED, |candidate| fits.contains(&candidate))
}

/// Who serves: with [`FIXED`] for the rule.
fn who(candidate: Option<u8>) -> u8 {
    candidate.unwrap_or(FIXED)
}

fn refused<R>() -> Result<R> {
    Err(RocmError::InvalidArgument { op: "test", message: "refused".to_owned() })
}

/// All candidates get calls, one that fails is replaced in the same call and is not tried again, and in the end one serves all.
#[test]
fn candidates_take_turns() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::On);
    let mut runs = [0; 4];
    for _ in 0..1000 {
        let served = tuner.serve(&device, class(1), candidates(&[1, 3]), |candidate| {
            runs[usize::from(who(candidate))] += 1;
            // Work for the stream.
            device.alloc_zeros::<f32>(1 << 12)?;
            if candidate == Some(1) { refused() } else { Ok(who(candidate)) }
        });
        assert!([FIXED, 3].contains(&served.unwrap()));
        device.synchronize().unwrap();
        if tuner.chosen(class(1)).is_some() {
            break;
        }
    }
    let choice = tuner.chosen(class(1)).expect("decided");
    assert!([FIXED, 3].contains(&choice) && runs[0] == 0 && runs[1] == 1, "{choice}, {runs:?}");
    assert!(runs[2] >= 3 && runs[3] >= 3, "{runs:?}");
    assert_eq!(tuner.open_trials(), 0);
    // No more race.
    let served = tuner.serve(&device, class(1), || panic!("it is decided"), Ok);
    assert_eq!(served.unwrap(), Some(choice));
}

/// A thread may have seen a class undecided that another one decides meanwhile.
#[test]
fn a_decided_class_has_no_second_trial() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::On);
    tuner.learn(&[(class(1), 3)], Source::Measured);
    let served =
        tuner.try_candidates(&device, class(1), || panic!("it is decided"), |candidate| Ok(who(candidate)));
    assert_eq!((served.unwrap(), tuner.open_trials()), (3, 0));
    // Each class has a single candidate, which its first time decides.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 2..200 {
                    while tuner.chosen(class(n)).is_none() {
                        tuner.serve(&device, class(n), candidates(&[]), Ok::<Option<u8>, _>).unwrap();
                        device.synchronize().unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(tuner.open_trials(), 0);
}

/// Choices that are given while their trial has all its times but the last.
#[test]
fn what_is_imported_stays() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::On);
    let call = |n| tuner.serve(&device, class(n), candidates(&[]), |candidate| Ok(who(candidate))).unwrap();
    while tuner.open_trials() == 0 {
        call(1);
    }
    tuner.import(&[(class(1), 3)]);
    assert_eq!((tuner.open_trials(), call(1)), (0, 3));
    device.synchronize().unwrap();
    // Of another class: it looks for times that are there.
    while tuner.chosen(class(2)).is_none() {
        call(2);
        device.synchronize().unwrap();
    }
    assert_eq!((tuner.open_trials(), call(1)), (0, 3));
}

/// What was predicted serves until it was measured; what is measured takes its place, and what the user's file has comes before it.
#[test]
fn measurements_replace_predictions() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::Stored);
    tuner.learn(&[(class(1), 3), (class(2), 3)], Source::Predicted);
    tuner.learn(&[(class(2), 1)], Source::Stored);
    let call = |n| tuner.serve(&device, class(n), candidates(&[]), |candidate| Ok(who(candidate))).unwrap();
    assert_eq!(([call(1), call(2)], tuner.open_trials()), ([3, 1], 0));
    tuner.tuning.set(Tuning::On);
    for _ in 0..1000 {
        call(1);
        device.synchronize().unwrap();
        if tuner.settled(class(1)).is_some() {
            break;
        }
    }
    assert_eq!(([call(1), call(2)], tuner.open_trials()), ([FIXED, 1], 0));
}

/// Each class that calls ask for, once, with those of its candidates that a model may choose between.
#[test]
fn contests_are_watched() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::Stored);
    let call = |n| {
        let serve = |candidate: Option<u8>| Ok(who(candidate));
        tuner.serve(&device, class(n), candidates(&[0, 1, 3]), serve).unwrap()
    };
    call(1);
    assert!(tuner.watched.take().is_empty());
    tuner.watched.begin();
    for n in [1, 2, 1] {
        call(n);
    }
    let contests = tuner.watched.take();
    let names = Decision::named("matmul").expect("a decision").candidates;
    // The first candidate is a library.
    let known = contests.iter().map(|contest| (contest.class, contest.fixed, &*contest.others));
    let others = &[names[1], names[3]][..];
    assert!(known.eq([(class(1), names[2], others), (class(2), names[2], others)]), "{contests:?}");
    assert!(tuner.watched.take().is_empty());
}

/// A call that nobody can serve says nothing of who tried.
#[test]
fn errors_are_those_of_the_rule() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::On);
    let mut tried = Vec::new();
    for _ in 0..8 {
        let served: Result<()> =
            tuner.serve(&device, class(1), candidates(&[0, 1, 3]), |candidate: Option<u8>| {
                tried.push(candidate);
                refused()
            });
        assert!(matches!(served, Err(RocmError::InvalidArgument { op: "test", .. })));
    }
    let twice = |candidate| [Some(candidate), None, Some(candidate), None];
    assert_eq!(tried, [vec![None, None], [0, 1, 3].map(twice).concat()].concat());
    assert_eq!((tuner.chosen(class(1)), tuner.open_trials()), (None, 1));
    // A choice that fails later is replaced, too.
    tuner.learn(&[(class(2), 3)], Source::Stored);
    let served = tuner.serve(&device, class(2), candidates(&[3]), |candidate: Option<u8>| match candidate {
        Some(3) => refused(),
        other => Ok(other),
    });
    assert_eq!(served.unwrap(), None);
}

/// What a candidate calls while it is timed does not race, and goes by what is decided.
#[test]
fn trials_are_not_nested() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::On);
    tuner.learn(&[(class(3), 0)], Source::Stored);
    let inner = |n| tuner.serve(&device, class(n), candidates(&[0, 1]), Ok::<Option<u8>, _>).unwrap();
    let served = tuner.serve(&device, class(1), candidates(&[0]), |_: Option<u8>| Ok((inner(2), inner(3))));
    assert_eq!(served.unwrap(), (None, Some(0)));
    assert_eq!(tuner.open_trials(), 1);
}

#[test]
fn nothing_is_measured_unless_it_is_on() {
    let device = RocmDevice::on(HOST, 0).unwrap();
    let tuner = tuner(&device, Tuning::Stored);
    for _ in 0..40 {
        let served = tuner.serve(&device, class(1), || panic!("nobody is asked"), Ok::<Option<u8>, _>);
        assert_eq!(served.unwrap(), None);
    }
    assert_eq!((tuner.chosen(class(1)), tuner.open_trials()), (None, 0));
}
