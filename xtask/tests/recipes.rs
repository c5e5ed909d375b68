//! CONTRIBUTING.md's recipes, followed to the letter on a copy of the tree.
//!
//! A recipe is a heading that ends in "(at most N files)" and the steps below it: "In `FILE`, below", a block of lines that are there,
//! "add", and a block of new lines; "Create `FILE`:" and a block; "Run" and a block of commands, which must succeed. A command
//! that runs tests must run at least one. The recipes share one copy, in which later ones find what earlier ones did.
//!
//! Others are lists of files, "- `FILE`: what of it", whose names in backquotes are of that file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One recipe of CONTRIBUTING.md.
struct Recipe {
    title: String,
    most_files: usize,
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Insert { file: String, below: String, lines: String },
    Create { file: String, lines: String },
    Run(String),
}

#[test]
fn recipes_work_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let recipes = parse(&fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap());
    assert_eq!(
        recipes.len(),
        6,
        "a unary function, an operation, a fusible one, a rule, a processor, a case"
    );
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    copy_tree(root, &copy);
    for recipe in &recipes {
        let title = &recipe.title;
        let mut files = BTreeSet::new();
        for step in &recipe.steps {
            match step {
                Step::Insert { file, below, lines } => {
                    files.insert(file);
                    insert(&copy.join(file), below, lines)
                        .unwrap_or_else(|error| panic!("{title}: {file}: {error}"));
                }
                Step::Create { file, lines } => {
                    files.insert(file);
                    let path = copy.join(file);
                    assert!(!path.exists(), "{title}: {file} exists already");
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, lines).unwrap();
                }
                Step::Run(command) => run(title, command, &copy),
            }
        }
        assert!(matches!(recipe.steps.last(), Some(Step::Run(_))), "{title}: it ends with a test");
        assert!(files.len() <= recipe.most_files, "{title}: touches {files:?}");
    }
}

#[test]
fn files_have_the_names_that_lists_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let contributing = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let listed = names(&contributing);
    assert!(listed.len() > 20, "two lists: {listed:?}");
    for (file, name) in listed {
        let text = fs::read_to_string(root.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(name.is_empty() || text.contains(&name), "{file} has no {name}");
    }
}

/// The files of lists, and the names behind each: one is empty, for the file.
fn names(text: &str) -> Vec<(String, String)> {
    let (_, recipes) = text.split_once("\n## Recipes\n").unwrap();
    let mut found = Vec::new();
    for item in recipes.split("\n- ").skip(1) {
        let item = item.split("\n\n").next().unwrap();
        let mut file = String::new();
        for quoted in item.split('`').skip(1).step_by(2) {
            let (is_file, is_command) = (quoted.contains('/') && quoted.contains('.'), quoted.contains(' '));
            if is_file {
                file = quoted.to_owned();
            }
            if !is_command {
                found.push((file.clone(), if is_file { String::new() } else { quoted.to_owned() }));
            }
        }
    }
    found
}

#[test]
fn names_are_read_as_they_are_meant() {
    let text = "\n## Recipes\n\n### A list\n\nOf `nothing`.\n\n- `a/b.rs`: `one`, by `cargo two`\n- `c.d/e`, `f/g.h`:\n  `three`\n\nNo `four`.\n";
    let pairs = [("a/b.rs", ""), ("a/b.rs", "one"), ("c.d/e", ""), ("f/g.h", ""), ("f/g.h", "three")];
    assert_eq!(names(text), pairs.map(|(file, name)| (file.to_owned(), name.to_owned())));
}

#[test]
fn steps_are_read_as_they_are_meant() {
    let text = "## Other\n\n```sh\nnothing\n```\n\n### A row (at most 2 files)\n\n1. In `a.rs`, below\n   ```rust\n   one {\n       \
                two\n   ```\n   add\n   ```rust\n       three\n   ```\n2. Create `b/c.rs`:\n   ```rust\n   four\n\n   five\n   ```\n3. \
                Run\n   ```sh\n   cargo test six\n   ```\n\n## Next\n\n```sh\nnothing\n```\n";
    let recipes = parse(text);
    assert_eq!((recipes.len(), recipes[0].title.as_str(), recipes[0].most_files), (1, "A row", 2));
    let [file, below, lines] = ["a.rs", "one {\n    two\n", "    three\n"].map(str::to_owned);
    let insert = Step::Insert { file, below, lines };
    let create = Step::Create { file: "b/c.rs".to_owned(), lines: "four\n\nfive\n".to_owned() };
    assert_eq!(recipes[0].steps, [insert, create, Step::Run("cargo test six\n".to_owned())]);
}

fn parse(text: &str) -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut inside = false;
    let mut sentence = "";
    let mut anchor = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix('#') {
            let recipe = heading.trim_start_matches('#').trim().split_once(" (at most ");
            let recipe =
                recipe.and_then(|(title, rest)| Some((title, rest.split(' ').next()?.parse().ok()?)));
            inside = recipe.is_some();
            recipes.extend(recipe.map(|(title, most_files)| Recipe {
                title: title.to_owned(),
                most_files,
                steps: Vec::new(),
            }));
        } else if let Some((indent, _)) = line.split_once("```") {
            let block: String = lines
                .by_ref()
                .take_while(|line| line.trim() != "```")
                .map(|line| format!("{}\n", line.strip_prefix(indent).unwrap_or(line.trim_start())))
                .collect();
            let Some(recipe) = recipes.last_mut().filter(|_| inside) else { continue };
            let file = sentence.split('`').nth(1).unwrap_or_default().to_owned();
            if sentence.starts_with("In ") {
                anchor = Some((file, block));
            } else if sentence == "add" {
                let (file, below) = anchor.take().expect("`add` follows the lines to add below");
                recipe.steps.push(Step::Insert { file, below, lines: block });
            } else if sentence.starts_with("Create ") {
                recipe.steps.push(Step::Create { file, lines: block });
            } else {
                assert!(
                    sentence.starts_with("Run"),
                    "{}: a block that no step explains: {sentence}",
                    recipe.title
                );
                recipe.steps.push(Step::Run(block));
            }
        } else if !line.trim().is_empty() {
            sentence = line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
        }
    }
    recipes
}

/// Adds lines below others, which must be in the file once.
fn insert(path: &Path, below: &str, lines: &str) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut places = text.match_indices(below).filter(|(at, _)| *at == 0 || text[..*at].ends_with('\n'));
    match (places.next(), places.next()) {
        (Some((at, _)), None) => {
            let (before, after) = text.split_at(at + below.len());
            fs::write(path, format!("{before}{lines}{after}")).map_err(|error| error.to_string())
        }
        (None, _) => Err(format!("these lines are not in it:\n{below}")),
        (Some(_), Some(_)) => Err(format!("these lines are in it more than once:\n{below}")),
    }
}

fn run(title: &str, command: &str, copy: &Path) {
    let output = Command::new("bash")
        .args(["-euc", command])
        .current_dir(copy)
        .env("CANDLE_ROCM_PLATFORM", "host")
        // Crates of others are compiled for the tree itself already.
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap())
        .output()
        .unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{title}: `{}` failed:\n{text}", command.trim());
    let passed =
        |line: &str| line.split_once("test result: ok. ")?.1.split(' ').next()?.parse::<usize>().ok();
    if command.contains("cargo test") {
        assert!(text.lines().filter_map(passed).sum::<usize>() > 0, "{title}: no test was run:\n{text}");
    }
}

/// What git knows or would know, without touching what is there already and the same. The copy's packages have another version:
/// cargo would take them for the tree's, with which they share a target folder, so that other crates are compiled once.
fn copy_tree(root: &Path, copy: &Path) {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names: BTreeSet<PathBuf> = String::from_utf8(listed.stdout)
        .unwrap()
        .split_terminator('\0')
        .map(PathBuf::from)
        .filter(|name| root.join(name).is_file())
        .collect();
    for old in files(copy, copy) {
        if !names.contains(&old) {
            fs::remove_file(copy.join(old)).unwrap();
        }
    }
    for name in &names {
        let (from, to) = (root.join(name), copy.join(name));
        let mut content = fs::read(&from).unwrap();
        if name.as_path() == "Cargo.toml" {
            let text = String::from_utf8(content).unwrap();
            let version = text.lines().find(|line| line.starts_with("version = ")).unwrap();
            let other = format!("{}+copy\"", version.trim_end_matches('"'));
            let mut text = text.replacen(version, &other, 1);
            // Its few tests run briefly: optimizing it takes longer.
            for (optimized, plain) in [
                ("[profile.dev]\nopt-level = 1", "[profile.dev]\nopt-level = 0"),
                ("opt-level = 3", "opt-level = 0"),
            ] {
                assert!(text.contains(optimized), "Cargo.toml has no {optimized:?}");
                text = text.replacen(optimized, plain, 1);
            }
            content = text.into_bytes();
        }
        if fs::read(&to).is_ok_and(|old| old == content) {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, content).unwrap();
    }
}

fn files(folder: &Path, base: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, base));
        } else {
            found.push(path.strip_prefix(base).unwrap().to_owned());
        }
    }
    found
}
