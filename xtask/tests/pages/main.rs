//! The Markdown pages of the repository: their links, and the figures that they state.

mod figures;
mod links;

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The repository's folder.
fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// A page of the repository.
struct Page {
    /// From the root, with `/`.
    name: String,
    text: String,
}

impl Page {
    fn folder(&self) -> PathBuf {
        root().join(&self.name).parent().unwrap().to_owned()
    }
}

/// All pages, without those of builds and of git.
fn pages() -> Vec<Page> {
    let root = root();
    let (mut pages, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_ours =
                name == ".github" || !(name.starts_with('.') || ["target", "card-report"].contains(&&*name));
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if name.ends_with(".md") {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                pages.push(Page { name, text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(pages.len() > 20, "{} pages", pages.len());
    pages
}

/// A crate of candle/ has the book's programs as its documentation.
#[test]
fn programs_of_the_book_are_run() {
    let tested = fs::read_to_string(root().join("candle/examples/book.rs")).unwrap();
    let with_programs: Vec<_> = pages()
        .into_iter()
        .filter(|page| page.name.starts_with("docs/book/src/") && page.text.contains("```rust"))
        .map(|page| page.name)
        .collect();
    assert!(with_programs.len() > 5, "{with_programs:?}");
    let missing: Vec<_> = with_programs.iter().filter(|name| !tested.contains(&***name)).collect();
    assert!(missing.is_empty(), "candle/examples/book.rs has none of {missing:?}");
}

/// As GitHub and mdBook read a page.
fn parse(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// The text of each heading.
fn headings(text: &str) -> Vec<String> {
    let mut headings = Vec::new();
    let mut open: Option<String> = None;
    for event in parse(text) {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { .. }), _) => open = Some(String::new()),
            (Event::End(TagEnd::Heading(_)), heading) => headings.extend(heading.take()),
            (Event::Text(text) | Event::Code(text), Some(heading)) => heading.push_str(&text),
            _ => {}
        }
    }
    headings
}
