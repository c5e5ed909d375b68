//! Relative links and anchors of all Markdown pages lead somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The pages below the root, without those of builds and of git.
fn pages() -> Vec<PathBuf> {
    let root = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
    let (mut pages, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_ours =
                name == ".github" || !(name.starts_with('.') || name == "target" || name == "card-report");
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if name.ends_with(".md") {
                pages.push(path);
            }
        }
    }
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

/// The lines that are not part of a block of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// As GitHub makes anchors of headings: letters, digits, `-` and `_` of the text stay, spaces become `-`, and those that are there
/// already get a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings =
        prose(text).filter(|line| line.trim_start_matches('#').starts_with(' ') && line.starts_with('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        let anchor = kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>();
        let count = seen.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    headings.map(anchor).collect()
}

/// What links of a page lead to: `[text](target)` and `[name]: target`, outside of code.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let text = prose(text).collect::<Vec<_>>().join("\n");
    // Every second part is between backticks.
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("x");
    targets.extend(
        plain.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to.to_owned()),
    );
    for line in plain.lines() {
        if let Some((_, to)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            targets.push(to.to_owned());
        }
    }
    targets
}

/// Why a target is not there.
fn fault(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let mut path = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    if !path.exists() {
        return Some("there is no such file".to_owned());
    }
    let anchor = anchor?;
    if path.is_dir() {
        path = path.join("README.md");
    }
    let Ok(text) = fs::read_to_string(&path) else { return Some(format!("{} is no page", path.display())) };
    (!anchors(&text).contains(anchor)).then(|| "there is no such heading".to_owned())
}

#[test]
fn every_link_leads_somewhere() {
    let mut faults = Vec::new();
    let mut count = 0;
    for page in pages() {
        for target in targets(&fs::read_to_string(&page).unwrap()) {
            count += 1;
            faults.extend(fault(&page, &target).map(|why| format!("{}: {target}: {why}", page.display())));
        }
    }
    assert!(count > 100, "{count} links");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn links_and_anchors_are_found() {
    let page = "# A `b_c`: d, e\n## Same\n## Same\n```sh\n# no heading\n[no](link)\n```\n#no heading\n[x](a.md#b) `[no](c)` ![y](d.svg)\n[z]: e\n";
    assert_eq!(anchors(page), ["a-b_c-d-e", "same", "same-1"].map(str::to_owned).into());
    assert_eq!(targets(page), ["a.md#b", "d.svg", "e"]);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    for (target, is_there) in [
        ("../README.md", true),
        ("#features", true),
        ("../rocm-hip#rocm-rs", true),
        ("https://docs.rs", true),
        ("nowhere.md", false),
        ("#nothing", false),
        ("../README.md#nothing", false),
    ] {
        assert_eq!(fault(&here, target).is_none(), is_there, "{target}");
    }
}
