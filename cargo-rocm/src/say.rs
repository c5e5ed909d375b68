//! Lines on stderr as cargo writes them.

use std::io::{IsTerminal as _, Write as _};

use crate::arguments::Arguments;

/// What is done, in one line with a verb that cargo would align.
pub(crate) fn status(arguments: &Arguments, verb: &str, what: &str) {
    if !arguments.quiet {
        line(arguments.color.as_deref(), verb, what);
    }
}

/// The same for tasks that are not cargo's.
pub(crate) fn line(color: Option<&str>, verb: &str, what: &str) {
    let variable = std::env::var("CARGO_TERM_COLOR").ok();
    let colored = match color.or(variable.as_deref()) {
        Some("always") => true,
        Some("never") => false,
        _ => std::env::var_os("NO_COLOR").is_none() && std::io::stderr().is_terminal(),
    };
    let verb = match colored {
        true => format!("\x1b[1;92m{verb:>12}\x1b[0m"),
        false => format!("{verb:>12}"),
    };
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{verb} {what}");
}
