//! The command line: what is ours, and what cargo gets.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use lexopt::{Arg, ValueExt as _};

use crate::error::Error;

/// Cargo's subcommands that build or run, with their short names.
pub(crate) const COMMANDS: [(&str, &str); 8] = [
    ("run", "r"),
    ("build", "b"),
    ("check", "c"),
    ("test", "t"),
    ("bench", ""),
    ("clippy", ""),
    ("doc", "d"),
    ("rustc", ""),
];

/// What `CANDLE_ROCM_PLATFORM` takes.
const PLATFORMS: [&str; 5] = ["auto", "amd", "host", "gfx", "nvidia"];

/// Options of cargo that take a value, which may be the next argument.
const VALUED: [&str; 21] = [
    "artifact-dir",
    "bench",
    "bin",
    "color",
    "config",
    "crate-type",
    "example",
    "exclude",
    "features",
    "jobs",
    "lockfile-path",
    "manifest-path",
    "message-format",
    "package",
    "platform",
    "print",
    "profile",
    "target",
    "target-dir",
    "test",
    "unit-graph",
];
const VALUED_SHORT: [char; 4] = ['F', 'Z', 'j', 'p'];

/// Options that choose what is built, as `cargo tree` takes them too.
const SELECTING: [&str; 10] = [
    "all",
    "all-features",
    "config",
    "exclude",
    "features",
    "no-default-features",
    "offline",
    "package",
    "target",
    "workspace",
];

/// What to do.
#[derive(Debug)]
pub(crate) enum Task {
    Help,
    Version,
    Doctor(Vec<OsString>),
    Card(Vec<OsString>),
    /// The words behind `cargo rocm`, from the subcommand on.
    Cargo(Vec<OsString>),
}

/// The platform of that name.
pub(crate) fn platform(name: String) -> Result<String, Error> {
    match PLATFORMS.contains(&name.to_lowercase().as_str()) {
        true => Ok(name.to_lowercase()),
        false => Err(Error::Platform { name, known: PLATFORMS.join(", ") }),
    }
}

/// Whether help is asked for.
fn asks_for_help(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == "--help" || word == "-h")
}

/// Our own options, which stand before the subcommand, and the task.
pub(crate) fn read(mut words: Vec<OsString>) -> Result<(Option<String>, Task), Error> {
    // Cargo passes the name of the subcommand.
    if words.first().is_some_and(|word| word == "rocm") {
        words.remove(0);
    }
    let mut parser = lexopt::Parser::from_args(words);
    let mut platform = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok((platform, Task::Help)),
            Arg::Short('V') | Arg::Long("version") => return Ok((platform, Task::Version)),
            Arg::Long("platform") => platform = Some(self::platform(parser.value()?.string()?)?),
            Arg::Value(word) => {
                let rest: Vec<_> = parser.raw_args()?.collect();
                let task = match word.to_str() {
                    Some("help") => Task::Help,
                    Some("doctor" | "card") if asks_for_help(&rest) => Task::Help,
                    Some("doctor") => Task::Doctor(rest),
                    Some("card") => Task::Card(rest),
                    _ => Task::Cargo([word].into_iter().chain(rest).collect()),
                };
                return Ok((platform, task));
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok((platform, Task::Help))
}

/// The arguments of a subcommand of cargo.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) command: String,
    /// Those that cargo gets as they are.
    pub(crate) options: Vec<OsString>,
    /// The program's: `--` and what follows, or what follows the first word that is no option of `cargo run`.
    pub(crate) rest: Vec<OsString>,
    /// What chooses packages, features and their sources, for `cargo tree`.
    pub(crate) selection: Vec<OsString>,
    pub(crate) manifest_path: Option<PathBuf>,
    pub(crate) target_dir: Option<PathBuf>,
    /// Our own, which may also stand before the subcommand.
    pub(crate) platform: Option<String>,
    pub(crate) help: bool,
    /// `--locked` or `--frozen`.
    pub(crate) locked: bool,
    pub(crate) quiet: bool,
    pub(crate) color: Option<String>,
}

impl Arguments {
    /// Those behind the subcommand.
    pub(crate) fn read(command: String, words: Vec<OsString>) -> Result<Self, Error> {
        let ends_early = ["run", "r"].contains(&command.as_str());
        let mut read = Self { command, ..Self::default() };
        let mut parser = lexopt::Parser::from_args(words);
        loop {
            // The parser would take it out.
            if let Some(raw) = parser.try_raw_args()
                && raw.peek() == Some(OsStr::new("--"))
            {
                read.rest = raw.collect();
                return Ok(read);
            }
            let Some(argument) = parser.next()? else { return Ok(read) };
            match argument {
                Arg::Long(name) => {
                    let name = name.to_owned();
                    let attached = parser.optional_value();
                    let value = match attached {
                        None if VALUED.contains(&name.as_str()) => Some(parser.value()?),
                        attached => attached,
                    };
                    read.take(&name, value)?;
                }
                Arg::Short(letter) if VALUED_SHORT.contains(&letter) => {
                    let value = parser.value()?;
                    let words = [OsString::from(format!("-{letter}")), value];
                    if letter != 'j' {
                        read.selection.extend_from_slice(&words);
                    }
                    read.options.extend(words);
                }
                Arg::Short(letter) => {
                    read.quiet |= letter == 'q';
                    read.help |= letter == 'h';
                    read.options.push(format!("-{letter}").into());
                }
                Arg::Value(word) => {
                    if ends_early {
                        read.rest = [word].into_iter().chain(parser.raw_args()?).collect();
                        return Ok(read);
                    }
                    read.options.push(word);
                }
            }
        }
    }

    fn take(&mut self, name: &str, value: Option<OsString>) -> Result<(), Error> {
        match (name, &value) {
            ("manifest-path", Some(path)) => {
                self.manifest_path = Some(path.into());
                return Ok(());
            }
            ("target-dir", Some(path)) => {
                self.target_dir = Some(path.into());
                return Ok(());
            }
            ("platform", Some(name)) => {
                self.platform = Some(platform(name.to_string_lossy().into_owned())?);
                return Ok(());
            }
            // The patched packages are not in the project's lock file. It is compared by itself.
            ("locked", None) => {
                self.locked = true;
                return Ok(());
            }
            ("frozen", None) => {
                self.locked = true;
                return self.take("offline", None);
            }
            ("quiet", None) => self.quiet = true,
            ("help", None) => self.help = true,
            ("color", Some(value)) => self.color = value.to_str().map(str::to_owned),
            _ => {}
        }
        let mut word = OsString::from(format!("--{name}"));
        if let Some(value) = value {
            word.push("=");
            word.push(value);
        }
        if SELECTING.contains(&name) {
            self.selection.push(word.clone());
        }
        self.options.push(word);
        Ok(())
    }

    /// Of the options, those for every call of cargo: configuration and the network.
    pub(crate) fn common(&self) -> Vec<OsString> {
        let mut common = Vec::new();
        let mut words = self.selection.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text == "-Z" {
                common.push(word.clone());
                common.extend(words.next().cloned());
            } else if text == "--offline" || text.starts_with("--config=") {
                common.push(word.clone());
            }
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn arguments(text: &str) -> Arguments {
        let mut words = words(text);
        let command = words.remove(0).into_string().unwrap();
        Arguments::read(command, words).unwrap()
    }

    #[test]
    fn the_task_follows_our_options() {
        let task = |text: &str| read(words(text));
        assert!(matches!(task("rocm --platform host run -p x -- y").unwrap(),
            (Some(platform), Task::Cargo(rest)) if platform == "host" && rest == words("run -p x -- y")));
        assert!(
            matches!(task("rocm --platform=amd doctor").unwrap(), (Some(_), Task::Doctor(rest)) if rest.is_empty())
        );
        assert!(
            matches!(task("rocm card --minutes 1").unwrap(), (None, Task::Card(rest)) if rest.len() == 2)
        );
        assert!(matches!(task("rocm").unwrap().1, Task::Help));
        assert!(matches!(task("rocm -V").unwrap().1, Task::Version));
        assert!(
            task("rocm --platform cuda run").unwrap_err().to_string().contains("unknown platform `cuda`")
        );
        assert!(task("rocm --release run").unwrap_err().to_string().contains("--release"));
        for text in ["rocm doctor --help", "rocm card -h"] {
            assert!(matches!(task(text).unwrap().1, Task::Help), "{text}");
        }
    }

    #[test]
    fn options_are_passed_on() {
        let read = arguments(
            "run --release -p a --bin=b -F x,y --target-dir t --manifest-path m/Cargo.toml -qv -- --locked -p c",
        );
        assert_eq!(read.options, words("--release -p a --bin=b -F x,y -q -v"));
        assert_eq!(read.rest, words("-- --locked -p c"));
        assert_eq!(read.selection, words("-p a -F x,y"));
        assert_eq!(read.target_dir, Some("t".into()));
        assert_eq!(read.manifest_path, Some("m/Cargo.toml".into()));
        assert!(read.quiet && !read.locked && !read.help);
        let read = arguments("run --platform HOST --help -- --platform amd");
        assert_eq!((read.platform.as_deref(), read.rest), (Some("host"), words("-- --platform amd")));
        assert!(read.help);
    }

    #[test]
    fn the_programs_arguments_begin_with_a_word() {
        let read = arguments("run --example e hello --release");
        assert_eq!((read.options, read.rest), (words("--example=e"), words("hello --release")));
        let read = arguments("test name --release -- --nocapture");
        assert_eq!((read.options, read.rest), (words("name --release"), words("-- --nocapture")));
    }

    #[test]
    fn locks_are_ours_to_compare() {
        let read = arguments("build --frozen --config net.retry=1 -Zx -j4");
        assert!(read.locked);
        assert_eq!(read.options, words("--offline --config=net.retry=1 -Z x -j 4"));
        assert_eq!(read.common(), words("--offline --config=net.retry=1 -Z x"));
        assert!(arguments("build --locked").options.is_empty());
    }
}
