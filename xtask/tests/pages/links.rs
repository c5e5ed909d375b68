//! Relative links, and those to files of this repository on GitHub, lead somewhere, as do their anchors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag};

use crate::{Page, headings, pages, root};

/// Where the pages of this repository are for readers of the book and of docs.rs.
const ON_GITHUB: [&str; 2] = [
    "https://github.com/candle-rocm/candle-rocm/blob/main/",
    "https://github.com/candle-rocm/candle-rocm/tree/main/",
];
const REPOSITORY: &str = "https://github.com/candle-rocm/candle-rocm";

/// mdBook copies nothing else.
const BOOK: &str = "docs/book/src/";

/// As GitHub makes anchors of headings: letters, digits, `-` and `_` of the text stay, spaces become `-`, and repeated ones get a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let anchor = |heading: String| {
        let heading = heading.trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        let anchor = kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>();
        let count = seen.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    headings(text).into_iter().map(anchor).collect()
}

/// What the links and pictures of a page lead to, and references without a definition.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let undefined = |link: BrokenLink<'_>| {
        // `[text]` alone may be no link at all.
        (link.link_type == LinkType::Reference)
            .then(|| (format!("undefined [{}]", link.reference).into(), "".into()))
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_with_broken_link_callback(text, options, Some(undefined)) {
        if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
            targets.push(dest_url.into_string());
        }
    }
    targets
}

/// Why a target is not there.
fn fault(page: &Page, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let mut path = if let Some(file) = ON_GITHUB.iter().find_map(|start| file.strip_prefix(start)) {
        root().join(file)
    } else if file == REPOSITORY {
        root()
    } else if target.contains("://") || target.starts_with("mailto:") {
        return None;
    } else if file.is_empty() {
        root().join(&page.name)
    } else {
        let path = page.folder().join(file);
        let folder = root().join(BOOK);
        if page.name.starts_with(BOOK) && fs::canonicalize(&path).is_ok_and(|path| !path.starts_with(folder))
        {
            return Some(format!("is not part of the book; write {}PATH", ON_GITHUB[0]));
        }
        path
    };
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
        for target in targets(&page.text) {
            count += 1;
            faults.extend(fault(&page, &target).map(|why| format!("{}: {target}: {why}", page.name)));
        }
    }
    assert!(count > 100, "{count} links");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn links_and_anchors_are_found() {
    let text = "# A `b_c`: d, e\n## Same\n## Same\n```sh\n# no heading\n[no](link)\n```\n#no heading\n\nUnderlined\n---\n\
                [x](a.md#b) `[no](c)` ![y](d.svg) [z][] [undefined][u]\n\n[z]: e\n";
    assert_eq!(anchors(text), ["a-b_c-d-e", "same", "same-1", "underlined"].map(str::to_owned).into());
    assert_eq!(targets(text), ["a.md#b", "d.svg", "e", "undefined [u]"]);
    let page = |name: &str| Page { name: name.to_owned(), text: String::new() };
    for (target, is_there) in [
        ("../README.md", true),
        ("#features", true),
        ("../rocm-hip#rocm-rs", true),
        ("https://docs.rs", true),
        ("https://github.com/candle-rocm/candle-rocm/tree/main/rocm-hip#rocm-rs", true),
        ("https://github.com/candle-rocm/candle-rocm/blob/main/nowhere.md", false),
        ("https://github.com/candle-rocm/candle-rocm#nothing", false),
        ("nowhere.md", false),
        ("#nothing", false),
        ("../README.md#nothing", false),
    ] {
        assert_eq!(fault(&page("candle-rocm/README.md"), target).is_none(), is_there, "{target}");
    }
    assert!(
        fault(&page("docs/book/src/a.md"), "../../../README.md").is_some_and(|why| why.contains("part of"))
    );
}

/// mdBook shows the chapters that SUMMARY.md lists.
#[test]
fn the_book_lists_its_chapters() {
    let summary = fs::read_to_string(root().join(BOOK).join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<String> = targets(&summary).into_iter().collect();
    let chapters = pages().into_iter().filter_map(|page| page.name.strip_prefix(BOOK).map(str::to_owned));
    let chapters: BTreeSet<String> = chapters
        .filter(|name| name != "SUMMARY.md" && Path::new(name).parent() == Some(Path::new("")))
        .collect();
    assert_eq!(listed, chapters);
}
