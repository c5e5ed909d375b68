//! Which processors to compile for.

use anyhow::{Result, bail};
use rocm_kernels::{PROCESSORS, Processor};

/// Refuses what is neither a group nor looks like a processor, whatever the compiler. It may know newer processors than our table.
pub(super) fn check(wanted: &[String]) -> Result<()> {
    match wanted.iter().find(|name| group(name).is_none() && !is_name(name)) {
        Some(name) => bail!(
            "`{name}` is not a processor: write e.g. gfx1100 (rocminfo shows the card's), gfx11-generic, all or release"
        ),
        None => Ok(()),
    }
}

/// Whether this is how processors (`gfx90a:xnack+`) and generic targets (`gfx9-4-generic`) are named.
fn is_name(name: &str) -> bool {
    let processor = name.split(':').next().unwrap_or(name);
    let Some(number) = processor.strip_prefix("gfx") else { return false };
    match number.strip_suffix("-generic") {
        Some(generations) => generations.split('-').all(|digits| digits.parse::<u8>().is_ok()),
        None => {
            (3..=4).contains(&number.len())
                && number.chars().all(|digit| digit.is_ascii_digit() || ('a'..='f').contains(&digit))
        }
    }
}

/// The archs of the command line, without repetitions. Members of a group that the compiler cannot build for are left out, with a
/// message; an arch that is named must be supported.
pub(super) fn select(wanted: &[String], known: Option<&[String]>) -> Result<Vec<String>> {
    check(wanted)?;
    let is_known = |arch: &str| {
        known.is_none_or(|known| known.iter().any(|name| name == arch.split(':').next().unwrap_or(arch)))
    };
    let mut selected: Vec<String> = Vec::new();
    let mut left_out = Vec::new();
    for name in wanted {
        if let Some(group) = group(name) {
            let (mut supported, unsupported): (Vec<_>, Vec<_>) =
                group.map(str::to_owned).partition(|arch| is_known(arch));
            selected.append(&mut supported);
            left_out.extend(unsupported);
        } else if !is_known(name) {
            bail!(
                "this compiler cannot build for `{name}`; it can for {}",
                known.unwrap_or_default().join(" ")
            );
        } else {
            selected.push(name.clone());
        }
    }
    if !left_out.is_empty() {
        println!("left out, because this compiler cannot build for them: {}", left_out.join(" "));
    }
    let mut once = Vec::new();
    for arch in selected {
        if !once.contains(&arch) {
            once.push(arch);
        }
    }
    Ok(once)
}

/// The processors and generic targets of a group.
fn group(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    let contains: fn(&Processor) -> bool = match name {
        "all" => |processor| processor.is_built,
        "release" => Processor::is_released,
        _ => return None,
    };
    let members = PROCESSORS.iter().filter(move |processor| contains(processor));
    Some(members.map(|processor| processor.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn lists_and_all() {
        let all = select(&names(&["all"]), None).expect("all is selectable");
        assert_eq!(
            select(&names(&["gfx1100", "all", "gfx1100"]), None).expect("repeats are allowed").len(),
            all.len()
        );
        let few = names(&["gfx1100", "gfx90a"]);
        let release = select(&names(&["release"]), None).expect("a release is selectable");
        assert!(release.contains(&"gfx11-generic".to_owned()) && !release.contains(&"gfx1100".to_owned()));
        assert!(release.iter().all(|arch| all.contains(arch)) && release.len() < all.len());
        assert_eq!(
            select(&names(&["all"]), Some(&few)).expect("the known part"),
            names(&["gfx90a", "gfx1100"])
        );
        assert_eq!(
            select(&names(&["gfx90a:xnack+"]), Some(&few)).expect("features pass"),
            names(&["gfx90a:xnack+"])
        );
    }

    #[test]
    fn unknown_names_are_refused() {
        let refused = |name: &str, known: Option<&[String]>| {
            select(&names(&[name]), known).expect_err("refused").to_string()
        };
        for name in
            ["rx7900", "gfx", "gfx11000", "gfx-generic", "gfx11-generc", "gfx110x", "GFX1100", "al", ""]
        {
            assert!(refused(name, None).contains("not a processor"), "{name}");
            assert!(check(&names(&["gfx1100", name])).is_err(), "{name}");
        }
        let all: Vec<String> = PROCESSORS.iter().map(|processor| processor.name.to_owned()).collect();
        check(&all).expect("they are named so");
        check(&names(&["gfx90a:sramecc+:xnack-", "gfx1299", "all", "release"])).expect("may be known");
        assert!(refused("gfx1300", Some(&names(&["gfx1100"]))).contains("it can for gfx1100"));
    }
}
