//! Which processors to compile for.

use anyhow::{Result, bail};
use rocm_kernels::PROCESSORS;

/// The archs of the command line. Of `all`, those the compiler does not know are left out, and said; one that was named
/// must be known.
pub(super) fn select(wanted: &[String], known: Option<&[String]>) -> Result<Vec<String>> {
    let is_known = |arch: &str| {
        known.is_none_or(|known| known.iter().any(|name| name == arch.split(':').next().unwrap_or(arch)))
    };
    let mut selected: Vec<String> = Vec::new();
    let mut left_out = Vec::new();
    for name in wanted {
        if name == "all" {
            let all = PROCESSORS.iter().filter(|processor| processor.in_all);
            let (mut supported, unsupported): (Vec<_>, Vec<_>) =
                all.map(|processor| processor.name.to_owned()).partition(|arch| is_known(arch));
            selected.append(&mut supported);
            left_out.extend(unsupported);
        } else if !name.starts_with("gfx") {
            bail!(
                "`{name}` is no processor: write e.g. gfx1100 (rocminfo shows the card's), gfx11-generic, or all"
            );
        } else if !is_known(name) {
            bail!("this compiler does not know `{name}`; it knows {}", known.unwrap_or_default().join(" "));
        } else {
            selected.push(name.clone());
        }
    }
    if !left_out.is_empty() {
        println!("left out, because this compiler does not know them: {}", left_out.join(" "));
    }
    let mut once = Vec::new();
    for arch in selected {
        if !once.contains(&arch) {
            once.push(arch);
        }
    }
    Ok(once)
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
        assert_eq!(all.len(), 16 + 8);
        assert_eq!(
            select(&names(&["gfx1100", "all", "gfx1100"]), None).expect("repeats are allowed").len(),
            all.len()
        );
        let few = names(&["gfx1100", "gfx90a"]);
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
        assert!(refused("rx7900", None).contains("no processor"));
        assert!(refused("gfx1300", Some(&names(&["gfx1100"]))).contains("it knows gfx1100"));
    }
}
