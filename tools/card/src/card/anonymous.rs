//! Takes what identifies a machine or its user out of texts.

use std::env;
use std::process::Command;

use anyhow::Result;

use super::report::Report;

/// Words that no report may have, and what takes their place.
pub(super) struct Names(Vec<(String, &'static str)>);

/// Shorter names would be found in other words.
const SHORTEST: usize = 3;

impl Names {
    /// Of this machine.
    pub(super) fn here() -> Self {
        let user = ["USER", "LOGNAME"].into_iter().filter_map(|name| env::var(name).ok());
        let home = env::var("HOME").ok();
        let at_home = home.iter().filter_map(|home| home.rsplit('/').next().map(str::to_owned));
        // `root` is no name of a person, and stands in many texts.
        let users = user.chain(at_home).filter(|name| name != "root").map(|name| (name, "USER"));
        let host = Command::new("hostname").output().ok();
        let host = host.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let hosts = host.into_iter().chain(env::var("HOSTNAME")).map(|name| (name, "HOST"));
        Self(users.chain(hosts).filter(|(name, _)| name.len() >= SHORTEST).collect())
    }

    fn hide(&self, text: &str) -> String {
        let text = without_folders(text);
        self.0.iter().fold(text, |text, (name, instead)| replace_word(&text, name, instead))
    }
}

impl Report {
    /// The report without names and paths.
    pub(super) fn without(&self, names: &Names) -> Result<Self> {
        self.map(&|text| names.hide(text))
    }
}

/// Of absolute paths, only the last part is left.
fn without_folders(text: &str) -> String {
    let begins = |c: char| c.is_whitespace() || "\"'`(=,:[<".contains(c);
    let ends = |c: char| c.is_whitespace() || "\"'`)=,;:]>".contains(c);
    let (mut made, mut rest, mut before) = (String::new(), text, ' ');
    while let Some(c) = rest.chars().next() {
        let end = rest.find(ends).unwrap_or(rest.len());
        let path = &rest[..end];
        // Not `//`, which is in addresses and comments.
        let is_path = c == '/' && begins(before) && !path.starts_with("//") && path[1..].contains('/');
        match path.trim_end_matches('/').rsplit_once('/').filter(|_| is_path) {
            Some((_, last)) => {
                made.extend(["…/", last]);
                rest = &rest[end..];
                before = '/';
            }
            None => {
                made.push(c);
                rest = &rest[c.len_utf8()..];
                before = c;
            }
        }
    }
    made
}

/// Where it is no part of a longer word.
fn replace_word(text: &str, word: &str, instead: &str) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let previous = before.chars().next_back().or_else(|| made.chars().next_back());
        let whole = !joins(previous) && !joins(after.chars().next());
        made.extend([before, if whole { instead } else { word }]);
        rest = after;
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_their_last_part() {
        let text = "HIP runtime: /opt/rocm-7.2/lib/libamdhip64.so.7 (7.2); at src/lib.rs:3, x / y // z\n\"/home/ann/x/\"";
        let hidden = "HIP runtime: …/libamdhip64.so.7 (7.2); at src/lib.rs:3, x / y // z\n\"…/x\"";
        assert_eq!(without_folders(text), hidden);
        assert_eq!(without_folders("https://example.org/a/b [8,64]"), "https://example.org/a/b [8,64]");
        assert_eq!(without_folders("ROCM_PATH=/opt/rocm/x set"), "ROCM_PATH=…/x set");
    }

    #[test]
    fn names_are_replaced_as_words() {
        let names = Names(vec![("ann".to_owned(), "USER"), ("tower".to_owned(), "HOST")]);
        assert_eq!(names.hide("ann@tower: planned ann-x, towers"), "USER@HOST: planned USER-x, towers");
    }

    #[test]
    fn a_report_has_none_of_them() {
        let doctor = "HIP runtime: /home/ann/rocm/lib/libamdhip64.so".to_owned();
        let mut report = Report { doctor, ..Report::default() };
        report.tests.skipped.push("demo: ann has no model".to_owned());
        report.bench.lines.push(("driver".to_owned(), "built by ann on tower".to_owned()));
        let names = Names(vec![("ann".to_owned(), "USER"), ("tower".to_owned(), "HOST")]);
        let text = report.without(&names).unwrap().json().unwrap();
        assert!(!text.contains("ann") && !text.contains("tower") && !text.contains("/home"), "{text}");
    }
}
