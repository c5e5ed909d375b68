//! Environment variables, read in the same way by all crates of this project.
//!
//! | Kind | Accepted values |
//! |---|---|
//! | [`switch`] | `on`, `1`, `true` or `yes`; `off`, `0`, `false` or `no` |
//! | [`choice`] | one of several names; if `on` or `off` is among them, also its synonyms |
//! | [`number`], [`read`] | a number, or whatever the parser accepts |
//! | [`text`], [`path`] | anything |
//!
//! Case and surrounding spaces do not matter (except in paths), and an empty variable counts as unset.
//!
//! A value that is not understood also counts as unset, with one warning on stderr that names the variable and lists the accepted values.
//! It is not an error: these variables tune programs that work without them, and many are read where no error can be returned. Variables
//! that say *what* a program runs on (the platform, its devices, a process's rank, a file, a checker) have no default that could be meant
//! instead. Their readers take the [`text`] and fail.
//!
//! [`TABLE`] lists all variables of this project.
//!
//! ```
//! use rocm_sys::variable;
//! // SAFETY: no other thread runs.
//! unsafe { std::env::set_var("MY_SWITCH", " OFF ") };
//! assert_eq!(variable::switch("MY_SWITCH"), Some(false));
//! assert_eq!(variable::switch("MY_OTHER_SWITCH"), None);
//! ```

mod table;

use std::env;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::{roots, warning};

pub use table::{TABLE, Variable};

/// Other words for two names.
const SYNONYMS: [(&str, [&str; 3]); 2] = [("on", ["1", "true", "yes"]), ("off", ["0", "false", "no"])];

/// Reads a switch. `None` if it is unset.
pub fn switch(name: &str) -> Option<bool> {
    choice(name, &[("on", true), ("off", false)])
}

/// Reads a variable that names one of the choices.
pub fn choice<T: Copy>(name: &str, choices: &[(&str, T)]) -> Option<T> {
    read(name, &listed(choices), |text| find(text, choices))
}

/// Reads a number. `what` describes it in the warning, such as `a number of bytes`.
pub fn number<T: FromStr>(name: &str, what: &str) -> Option<T> {
    read(name, what, |text| text.parse().ok())
}

/// Reads a variable with `parse`. `takes` lists the accepted values in the warning.
pub fn read<T>(name: &str, takes: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let text = text(name)?;
    let value = parse(&text);
    if value.is_none() {
        warning::once(&format!("{name}={text:?} is ignored; it takes {takes}"));
    }
    value
}

/// The variable's text without surrounding spaces.
pub fn text(name: &str) -> Option<String> {
    let value = env::var_os(name)?.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// The path in a variable, unchanged but for quotes around it on Windows.
pub fn path(name: &str) -> Option<PathBuf> {
    roots::path_in(name)
}

/// Finds a choice by its name or a synonym.
pub fn find<T: Copy>(text: &str, choices: &[(&str, T)]) -> Option<T> {
    let text = text.trim();
    let named = |name: &str| {
        choices.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, value)| value)
    };
    let synonym = || {
        let is_one = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
        SYNONYMS.iter().find(|(_, words)| is_one(words)).map(|(name, _)| *name)
    };
    named(text).or_else(|| synonym().and_then(named))
}

/// Lists the choices for a message, such as `off (0, false, no), stored or on (1, true, yes)`.
pub fn listed<T>(choices: &[(&str, T)]) -> String {
    let with_synonyms = |name: &str| match SYNONYMS.iter().find(|(known, _)| *known == name) {
        Some((_, words)) => format!("{name} ({})", words.join(", ")),
        None => name.to_owned(),
    };
    let names: Vec<String> = choices.iter().map(|(name, _)| with_synonyms(name)).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Parses a number of seconds above 0, such as `0.5`.
pub fn seconds(text: &str) -> Option<Duration> {
    let seconds = Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()?;
    (!seconds.is_zero()).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_on_and_off() {
        let switch = [("on", true), ("off", false)];
        for (value, words) in [
            (Some(true), &["on", "ON", "On", "1", "true", "TRUE", "yes", " on ", "Yes\n"][..]),
            (Some(false), &["off", "OFF", "Off", "0", "false", "False", "no", "\toff"]),
            (None, &["", "o", "of", "offf", "2", "01", "on off", "disabled", "none"]),
        ] {
            for word in words {
                assert_eq!(find(word, &switch), value, "{word:?}");
            }
        }
        assert_eq!(listed(&switch), "on (1, true, yes) or off (0, false, no)");
    }

    #[test]
    fn choices_by_name() {
        let choices = [("off", 1), ("stored", 2), ("on", 3)];
        for (text, value) in [("Stored", Some(2)), ("1", Some(3)), ("no", Some(1)), ("store", None)] {
            assert_eq!(find(text, &choices), value, "{text}");
        }
        assert_eq!(listed(&choices), "off (0, false, no), stored or on (1, true, yes)");
        // Words for a name that is not among them mean nothing.
        assert_eq!(find("1", &[("address", 1), ("thread", 2)]), None);
        assert_eq!(listed(&[("address", 1), ("thread", 2)]), "address or thread");
        assert_eq!(listed(&[("off", 1)]), "off (0, false, no)");
    }

    #[test]
    fn durations() {
        assert_eq!(seconds("30"), Some(Duration::from_secs(30)));
        assert_eq!(seconds(" 0.25 "), Some(Duration::from_millis(250)));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "soon", "5 s", ""] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
