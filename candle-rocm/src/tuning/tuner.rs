//! What a device knows of candidates, and who serves a call.

#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use super::class::Class;
use super::contest::Watched;
use super::decision::Candidate;
use super::store::Store;
use super::text::{Choice, Origin};
use super::timed_call::{TimedCall, Trials, in_trial, run_timed};
use super::trial::Candidates;
use super::{NAMED, Source, Tuning, shipped};
use crate::common::setting::Setting;
use crate::hip::{Cache, trace};
use crate::lock::{self, Mutex, RwLock};
use crate::{Result, RocmDevice};

const VARIABLE: &str = "CANDLE_ROCM_TUNING";

/// As many new choices are worth a file's writing while others are still open.
const MANY_NEW: usize = 8;

/// The tuner of a device.
pub(crate) struct Tuner {
    pub(super) tuning: Setting<Tuning>,
    store: OnceLock<Store>,
    /// Whether there are choices.
    any: AtomicBool,
    /// How often there were new ones.
    learned: AtomicUsize,
    pub(super) watched: Watched,
    pub(super) choices: RwLock<FxHashMap<Class, (u8, Source)>>,
    trials: Mutex<Trials, lock::Trials>,
    /// Choices that are not in the file yet.
    unsaved: Mutex<Vec<Choice>>,
}

impl Default for Tuner {
    fn default() -> Self {
        Self {
            tuning: Setting::from_variable(VARIABLE, &NAMED),
            store: OnceLock::new(),
            any: AtomicBool::new(false),
            learned: AtomicUsize::new(0),
            watched: Watched::default(),
            choices: RwLock::default(),
            trials: Mutex::default(),
            unsaved: Mutex::default(),
        }
    }
}

/// What serves the calls of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served<C> {
    /// The fixed rule's choice: nothing is decided.
    ByRule,
    By(C),
    /// One candidate after the other, while calls are timed. A launch that also does something else would take them away.
    ByTurns,
}

impl Tuner {
    pub(super) fn with_settings(device: &RocmDevice) -> &Self {
        device.extension()
    }

    /// The device's, if it may choose something else than the fixed rules do.
    #[inline]
    pub(crate) fn of(device: &RocmDevice) -> Option<&Self> {
        let tuner = Self::of_guesses(device)?;
        let chooses = tuner.tuning.get() == Tuning::On || tuner.any.load(Ordering::Relaxed);
        (chooses || tuner.watched.is_on()).then_some(tuner)
    }

    /// The device's for decisions whose fixed rule is a guess, unless it goes by fixed rules.
    #[inline]
    pub(crate) fn of_guesses(device: &RocmDevice) -> Option<&Self> {
        let tuner = Self::with_settings(device);
        if tuner.tuning.get() == Tuning::Off || device.is_deterministic() {
            return None;
        }
        tuner.store(device);
        Some(tuner)
    }

    /// The card's file; read now, if it was not yet.
    pub(super) fn store(&self, device: &RocmDevice) -> &Store {
        self.store.get_or_init(|| {
            let store = Store::new(Cache::user(), Origin::of(device));
            let (shipped, source) = shipped::choices(device.arch());
            self.learn(&shipped, source);
            self.learn(&store.read(), Source::Stored);
            store
        })
    }

    /// Takes over choices, in place of others for the same classes.
    pub(super) fn learn(&self, choices: &[Choice], source: Source) {
        let mut known = self.choices.write();
        known.extend(choices.iter().map(|&(class, candidate)| (class, (candidate, source))));
        self.any.store(!known.is_empty(), Ordering::Relaxed);
        self.learned.fetch_add(1, Ordering::Relaxed);
    }

    /// The same of choices that somebody gives; what is undecided of them stays so no longer.
    pub(super) fn import(&self, choices: &[Choice]) {
        let mut trials = self.trials.lock();
        choices.iter().for_each(|&(class, _)| trials.close(class));
        self.learn(choices, Source::Imported);
    }

    /// How often there were new choices.
    pub(crate) fn learned(&self) -> usize {
        self.learned.load(Ordering::Relaxed)
    }

    /// What [`Tuner::serve`] runs a call of a class by.
    pub(crate) fn served<C: Candidate>(&self, class: Class) -> Served<C> {
        let measures = self.measures(class);
        let choice = if measures { self.settled(class) } else { self.chosen(class) };
        match choice {
            None if measures => Served::ByTurns,
            choice => choice.and_then(C::at).map_or(Served::ByRule, Served::By),
        }
    }

    /// Whether calls of a class decide what serves it, if nothing has.
    fn measures(&self, class: Class) -> bool {
        let measures = match self.tuning.get() {
            Tuning::On => true,
            Tuning::Stored => class.decision().guessed,
            Tuning::Off => false,
        };
        measures && !in_trial()
    }

    /// Whether anything is measured.
    pub(crate) fn is_on(&self) -> bool {
        self.tuning.get() == Tuning::On
    }

    fn chosen(&self, class: Class) -> Option<u8> {
        self.choices.read().get(&class).map(|&(candidate, _)| candidate)
    }

    /// The choice that no measurement replaces.
    fn settled(&self, class: Class) -> Option<u8> {
        let known = self.choices.read();
        known.get(&class).filter(|(_, source)| *source != Source::Predicted).map(|&(candidate, _)| candidate)
    }

    /// Classes that are not decided yet.
    pub(super) fn open_trials(&self) -> usize {
        self.trials.lock().open()
    }

    /// Runs a call by the class's choice or, while it is undecided and tuning is on, by the candidate whose turn it is. `run(None)` goes
    /// by the fixed rule: where nothing is decided, and where a candidate fails. `candidates` says which candidate the rule chooses, and
    /// which others take the operands.
    ///
    /// # Errors
    /// Those of the fixed rule.
    pub(crate) fn serve<C: Candidate, R>(
        &self,
        device: &RocmDevice,
        class: Class,
        candidates: impl Fn() -> Candidates,
        mut run: impl FnMut(Option<C>) -> Result<R>,
    ) -> Result<R> {
        self.watched.note(class, || candidates().contest(class));
        // A candidate that there is not is another release's.
        let mut run = |index: Option<u8>| run(index.and_then(C::at));
        let measures = self.measures(class);
        let choice = if measures { self.settled(class) } else { self.chosen(class) };
        match choice {
            None if measures => self.try_candidates(device, class, candidates, run),
            None => run(None),
            Some(choice) => {
                if measures {
                    self.trials.lock().note_call();
                }
                run_choice(class, choice, run)
            }
        }
    }

    fn try_candidates<R>(
        &self,
        device: &RocmDevice,
        class: Class,
        candidates: impl FnOnce() -> Candidates,
        mut run: impl FnMut(Option<u8>) -> Result<R>,
    ) -> Result<R> {
        let (decided, turn) = {
            let mut trials = self.trials.lock();
            let decided = trials.poll(class);
            self.learn_decided(&decided);
            // A choice stands before its trial is gone for others: a thread that met the class undecided must not open a second one.
            let turn = match self.settled(class) {
                Some(choice) => {
                    trials.note_call();
                    Turn::Decided(choice)
                }
                None => {
                    let waits = || self.chosen(class).map_or(Turn::Waits, Turn::Decided);
                    trials.start(device, class, candidates).map_or_else(waits, Turn::Timed)
                }
            };
            (decided, turn)
        };
        self.keep(device, &decided);
        let call = match turn {
            Turn::Decided(choice) => return run_choice(class, choice, run),
            Turn::Waits => return run(None),
            Turn::Timed(call) => call,
        };
        let (candidate, is_fixed) = (call.candidate, call.is_fixed);
        let _span = traced(class, candidate, "timed");
        match run_timed(|| run((!is_fixed).then_some(candidate))) {
            Ok(result) => {
                self.trials.lock().end(device.queue().stream(), call);
                Ok(result)
            }
            Err(error) if is_fixed => {
                self.trials.lock().discard(call);
                Err(error)
            }
            Err(_) => {
                let result = run(None);
                // What the fixed choice does not take either says nothing of the candidate.
                match &result {
                    Ok(_) => self.trials.lock().fail(call),
                    Err(_) => self.trials.lock().discard(call),
                }
                result
            }
        }
    }

    fn learn_decided(&self, decided: &[(Choice, bool)]) {
        for (source, was_contested) in [(Source::Unopposed, false), (Source::Measured, true)] {
            let choices: Vec<Choice> = of_contest(decided, was_contested).collect();
            if !choices.is_empty() {
                self.learn(&choices, source);
            }
        }
    }

    /// Writes new choices to the file, if it is time.
    fn keep(&self, device: &RocmDevice, decided: &[(Choice, bool)]) {
        if decided.is_empty() {
            return;
        }
        let new = {
            let mut unsaved = self.unsaved.lock();
            unsaved.extend(of_contest(decided, true));
            unsaved.len()
        };
        if new >= MANY_NEW || self.open_trials() == 0 {
            self.save(self.store(device));
        }
    }

    fn save(&self, store: &Store) {
        let new = std::mem::take(&mut *self.unsaved.lock());
        if !new.is_empty() {
            store.add(&new);
        }
    }
}

impl Drop for Tuner {
    fn drop(&mut self) {
        if let Some(store) = self.store.get() {
            self.save(store);
        }
    }
}

/// Who serves a call that tuning may time.
enum Turn {
    Decided(u8),
    Timed(TimedCall),
    /// All candidates wait for their times.
    Waits,
}

/// The choices that were made between several candidates, or those for which there was but one.
fn of_contest(decided: &[(Choice, bool)], contested: bool) -> impl Iterator<Item = Choice> + '_ {
    decided.iter().filter(move |(_, was_contested)| *was_contested == contested).map(|(choice, _)| *choice)
}

fn run_choice<R>(class: Class, choice: u8, mut run: impl FnMut(Option<u8>) -> Result<R>) -> Result<R> {
    let _span = traced(class, choice, "chosen");
    run(Some(choice)).or_else(|_| run(None))
}

/// For traces: who serves, and why.
fn traced(class: Class, candidate: u8, why: &str) -> trace::Span {
    trace::span("tuning", || {
        let name = class.decision().candidates.get(usize::from(candidate)).unwrap_or(&"?");
        format!("{class} -> {name}, {why}")
    })
}
