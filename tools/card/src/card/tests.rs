//! Runs test programs so that one fault costs one test: each program as a whole, then by itself each test that failed, and each
//! that had no result when its program crashed or said nothing for too long.

use std::collections::BTreeSet;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::listener::{Listener, Silence};
use super::programs::{Program, Programs};
use super::report::{Failure, Kind, Tests};
use tools_common::platform::fixed_choices;

pub(super) struct Limits {
    /// No test starts later.
    pub(super) deadline: Instant,
    /// A program in which no test ends for that long hangs.
    pub(super) silence: Duration,
    /// A test by itself may take that long.
    pub(super) test: Duration,
}

/// Lines of a failed test's output that are kept, from its end.
const KEPT: usize = 30;
/// The exit status of a program whose tests failed.
const FAILED: i32 = 101;
/// How often a card that was lost is looked for, with a pause between.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_secs(10);

/// All tests but the planted ones. `progress` has the results after each program.
pub(super) fn run(
    programs: &Programs,
    platform: &str,
    limits: &Limits,
    progress: &mut dyn FnMut(&Tests, Option<String>),
) -> Tests {
    let began = Instant::now();
    let runner = |program| Runner { program, platform, limits, extra: &[] };
    let lists: Vec<_> = programs.tests.iter().map(|program| runner(program).list()).collect();
    let count = |list: &Result<BTreeSet<String>, String>| list.as_ref().map_or(0, BTreeSet::len) as u64;
    let mut all = Tests { listed: lists.iter().map(count).sum(), ..Tests::default() };
    for (program, list) in programs.tests.iter().zip(lists) {
        let (mut one, mut line) = (Tests::default(), None);
        if all.lost_after.is_some() || Instant::now() >= limits.deadline {
            one.not_run.push(format!("{} ({} tests)", program.name, count(&list)));
        } else {
            one = runner(program).run(list, &mut || card_answers(&programs.doctor, platform, limits));
            line = Some(format!("{}: {} passed, {} failed", program.name, one.passed, one.failures.len()));
        }
        all.add(one);
        all.seconds = began.elapsed().as_secs_f64();
        progress(&all, line);
    }
    all
}

/// The tests that fail on purpose.
pub(super) fn planted(programs: &Programs, platform: &str, limits: &Limits) -> Tests {
    let runner = Runner { program: &programs.planted, platform, limits, extra: &["--ignored"] };
    let list = runner.list();
    let listed = list.as_ref().map_or(0, BTreeSet::len) as u64;
    let ran = runner.run(list, &mut || card_answers(&programs.doctor, platform, limits));
    Tests { listed, ..ran }
}

/// Whether the card works, or comes back after a reset.
fn card_answers(doctor: &Program, platform: &str, limits: &Limits) -> bool {
    (0..TRIES).any(|tried| {
        if tried > 0 {
            thread::sleep(PAUSE);
        }
        let answer = Listener::start(&mut doctor.command(platform)).map(|doctor| doctor.rest(limits.test));
        matches!(answer, Ok((_, None)))
    })
}

struct Runner<'a> {
    program: &'a Program,
    platform: &'a str,
    limits: &'a Limits,
    /// Arguments of every run.
    extra: &'a [&'a str],
}

impl Runner<'_> {
    /// Runs those of a list. `recovers` says after each crash or hang whether the card still works.
    fn run(&self, list: Result<BTreeSet<String>, String>, recovers: &mut dyn FnMut() -> bool) -> Tests {
        let mut tests = Tests::default();
        let mut open = match list {
            Ok(names) => names,
            Err(error) => {
                tests.failures.push(self.failure(None, Kind::Crash, error));
                return tests;
            }
        };
        if open.is_empty() {
            return tests;
        }
        let broke = self.together(&mut open, &mut tests);
        if broke && !recovers() {
            tests.lost_after = Some(self.program.name.clone());
        }
        for name in open {
            if tests.lost_after.is_some() || Instant::now() >= self.limits.deadline {
                tests.not_run.push(format!("{}::{name}", self.program.name));
                continue;
            }
            match self.alone(&name) {
                None => {
                    tests.passed += 1;
                    tests.only_alone.push(format!("{}::{name}", self.program.name));
                }
                Some(failure) => {
                    if failure.kind != Kind::Wrong && !recovers() {
                        tests.lost_after = Some(format!("{}::{name}", self.program.name));
                    }
                    tests.failures.push(failure);
                }
            }
        }
        tests
    }

    fn command(&self) -> Command {
        let mut command = self.program.command(self.platform);
        command.args(self.extra).envs(fixed_choices());
        command
    }

    fn list(&self) -> Result<BTreeSet<String>, String> {
        let mut command = self.command();
        command.args(["--list", "--format", "terse"]);
        let (text, ending) =
            Listener::start(&mut command).map_err(|e| e.to_string())?.rest(self.limits.silence);
        match ending {
            None => {
                Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
            }
            Some(ending) => Err(format!("it cannot list its tests: {ending}\n{text}")),
        }
    }

    /// Leaves those in `open` that have to be run alone. True if the program crashed or hung.
    fn together(&self, open: &mut BTreeSet<String>, tests: &mut Tests) -> bool {
        let Ok(mut listener) = Listener::start(&mut self.command()) else { return false };
        let silence = loop {
            match listener.line(self.limits.silence) {
                Ok(line) => match result(&line) {
                    Some((name, Verdict::Passed)) if open.remove(name) => tests.passed += 1,
                    Some((name, Verdict::Ignored)) if open.remove(name) => tests.ignored += 1,
                    _ => tests.skipped.extend(skipped(&line)),
                },
                Err(silence) => break silence,
            }
        };
        // The status of failed tests, with which a program ends that ran them all.
        let ended = listener.ending(self.limits.silence).is_none_or(|ending| ending.is_status(FAILED));
        matches!(silence, Silence::Timeout(_)) || !ended
    }

    fn alone(&self, name: &str) -> Option<Failure> {
        let mut command = self.command();
        command.args([name, "--exact", "--test-threads=1", "--nocapture"]);
        // So that a kernel that never ends is an error which names it.
        command.env("CANDLE_ROCM_TIMEOUT", (self.limits.test / 2).as_secs_f64().to_string());
        let began = Instant::now();
        let (text, ending) = match Listener::start(&mut command) {
            Ok(listener) => listener.rest(self.limits.test),
            Err(error) => return Some(self.failure(Some(name), Kind::Crash, error.to_string())),
        };
        let ending = ending?;
        // What `HipError::DeviceLost` says of a wait that had a limit.
        let hung = began.elapsed() >= self.limits.test || text.contains(" is lost: ");
        let kind = match ending.is_status(FAILED) {
            _ if hung => Kind::Hang,
            true => Kind::Wrong,
            false => Kind::Crash,
        };
        Some(self.failure(Some(name), kind, format!("{text}{ending}")))
    }

    fn failure(&self, test: Option<&str>, kind: Kind, output: String) -> Failure {
        let lines: Vec<&str> = output.lines().filter(|line| !is_noise(line)).collect();
        let kept = lines[lines.len().saturating_sub(KEPT)..].join("\n");
        let name = match test {
            Some(test) => format!("{}::{test}", self.program.name),
            None => self.program.name.clone(),
        };
        Failure { name, kind, output: kept }
    }
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Passed,
    Failed,
    Ignored,
}

/// Of a line such as `test name ... ok`.
fn result(line: &str) -> Option<(&str, Verdict)> {
    let (name, verdict) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let verdict = match verdict {
        "ok" => Verdict::Passed,
        "FAILED" => Verdict::Failed,
        ignored if ignored.starts_with("ignored") => Verdict::Ignored,
        _ => return None,
    };
    Some((name.strip_suffix(" - should panic").unwrap_or(name), verdict))
}

fn skipped(line: &str) -> Option<String> {
    line.find("SKIPPED: ").map(|at| line[at + "SKIPPED: ".len()..].to_owned())
}

/// What the test harness and backtraces add.
fn is_noise(line: &str) -> bool {
    let line = line.trim();
    let frame = line.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    frame
        || result(line).is_some()
        || line.is_empty()
        || line.starts_with("at ")
        || ["running 1 test", "failures:", "stack backtrace:"].contains(&line)
        || ["note: ", "test result: "].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod lines {
    use super::*;

    #[test]
    fn results() {
        assert_eq!(result("test a::b ... ok"), Some(("a::b", Verdict::Passed)));
        assert_eq!(result("test a - should panic ... ok"), Some(("a", Verdict::Passed)));
        assert_eq!(result("test a ... FAILED"), Some(("a", Verdict::Failed)));
        assert_eq!(result("test a ... ignored, why"), Some(("a", Verdict::Ignored)));
        assert_eq!(result("test a has been running for over 60 seconds"), None);
        assert_eq!(skipped("test a ... SKIPPED: b: c").as_deref(), Some("b: c"));
    }

    #[test]
    fn noise() {
        assert!(is_noise("  12: core::panicking::panic") && is_noise("   at src/lib.rs:4:5"));
        assert!(!is_noise("  left: 1") && !is_noise("error: kernel `x` of module `y` faulted"));
    }
}

#[cfg(all(test, unix))]
mod runs {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Longer than a shell takes on any machine.
    const LONG: Duration = Duration::from_secs(600);

    /// Three tests. `$together` is what the program does after the first of them, `$alone` what the second does by itself.
    fn run(together: &str, alone: &str, recovers: bool) -> Tests {
        run_within(LONG, together, alone, recovers)
    }

    fn run_within(limit: Duration, together: &str, alone: &str, recovers: bool) -> Tests {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in\n*--list*) printf 'a: test\\nb: test\\nc: test\\n';;\n\
             b*) {alone};;\nc*) ;;\n*) echo 'test a ... ok'; echo 'gpu SKIPPED: x: y' >&2; {together};;\nesac\n"
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let program = Program::at("p", path);
        let limits = Limits { deadline: Instant::now() + 10 * LONG, silence: limit, test: limit };
        let runner = Runner { program: &program, platform: "host", limits: &limits, extra: &[] };
        runner.run(runner.list(), &mut || recovers)
    }

    fn kinds(tests: &Tests) -> Vec<(&str, Kind)> {
        tests.failures.iter().map(|failure| (failure.name.as_str(), failure.kind)).collect()
    }

    #[test]
    fn a_failed_test_is_repeated() {
        let failed = "echo 'test b ... FAILED'; echo 'test c ... ok'; exit 101";
        let tests = run(failed, "echo left: 1; exit 101", false);
        assert_eq!((tests.passed, kinds(&tests)), (2, vec![("p::b", Kind::Wrong)]));
        assert_eq!(tests.failures[0].output, "left: 1\nexit status: 101");
        assert_eq!((tests.only_alone.len(), tests.skipped), (0, vec!["x: y".to_owned()]));
        let tests = run(failed, "exit 0", false);
        assert_eq!((tests.passed, tests.only_alone), (3, vec!["p::b".to_owned()]));
    }

    #[test]
    fn crashes_and_hangs_cost_one_test() {
        // What hangs is killed after the limit. Where all else takes longer than a limit, a longer one follows.
        let costs_one = |together: &str, alone: &str, kind: Kind| {
            [1, 30, 300].map(Duration::from_secs).into_iter().any(|limit| {
                let tests = run_within(limit, together, alone, true);
                println!("{together}, {alone}, {limit:?}: {} passed, {:?}", tests.passed, kinds(&tests));
                (tests.passed, kinds(&tests)) == (2, vec![("p::b", kind)])
            })
        };
        assert!(costs_one("kill -9 $$", "kill -9 $$", Kind::Crash));
        assert!(costs_one("sleep 10000", "kill -9 $$", Kind::Crash));
        assert!(costs_one("kill -9 $$", "sleep 10000", Kind::Hang));
    }

    #[test]
    fn nothing_runs_on_a_lost_card() {
        let tests = run("kill -9 $$", "exit 0", false);
        assert_eq!((tests.passed, tests.lost_after.as_deref()), (1, Some("p")));
        assert_eq!(tests.not_run, ["p::b", "p::c"]);
    }
}
