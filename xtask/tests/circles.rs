//! The modules of a crate, and of each folder in it, form layers: none uses one that uses it. A folder's own file is left out, as it has
//! what all of them share.
//!
//! Reads every `use` and path that starts with `crate` or `super`, and follows what a folder re-exports to the module it is from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Item, UseTree};

/// The platforms' lists of C functions name every folder, and each folder names the type that the list is of.
const REGISTRY: &str = "exports";

/// Circles that there are, by the crate and the folder. No other may come, and one that is gone or smaller is to be changed here.
const TOLERATED: &str = include_str!("circles.tsv");

#[test]
fn folders_form_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut found, mut details) = (BTreeSet::new(), String::new());
    for krate in crates(root) {
        let src = krate.join("src");
        let krate = krate.strip_prefix(root).unwrap().display().to_string();
        for folder in folders(&src) {
            let uses = uses(&src, &folder);
            for circle in circles(&uses) {
                let line = format!("{krate}\t{}\t{}", folder.join("/"), circle.join(" "));
                details += &format!("{line}\n{}", edges(&uses, &circle));
                found.insert(line);
            }
        }
    }
    let tolerated: BTreeSet<String> = TOLERATED.lines().skip(1).map(str::to_owned).collect();
    let new: Vec<_> = found.difference(&tolerated).collect();
    let gone: Vec<_> = tolerated.difference(&found).collect();
    assert!(new.is_empty() && gone.is_empty(), "new: {new:#?}\ngone: {gone:#?}\n{details}");
}

/// The folders of all packages that have sources.
fn crates(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    if folder.join("Cargo.toml").is_file()
        && ["lib.rs", "main.rs"].iter().any(|name| folder.join("src").join(name).is_file())
    {
        found.insert(folder.to_owned());
    }
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // Nor what is built, nor projects of tests.
        if path.is_dir()
            && !path.is_symlink()
            && !name.starts_with('.')
            && !["target", "src", "tests", "seam"].contains(&&*name)
        {
            found.extend(crates(&path));
        }
    }
    found
}

/// The modules with files of their own below them, by their paths from the crate's root, which is the empty one.
fn folders(src: &Path) -> BTreeSet<Vec<String>> {
    let parents = files(src).into_iter().map(|path| {
        let mut module = module(path.strip_prefix(src).unwrap());
        module.pop();
        module
    });
    parents.filter(|module| root_file(src, module).is_some()).collect()
}

/// The path of a file's module.
fn module(file: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    module
}

/// The file that declares a folder's modules.
fn root_file(src: &Path, folder: &[String]) -> Option<PathBuf> {
    let below = folder.iter().collect::<PathBuf>();
    let candidates = match folder.is_empty() {
        // A program has main.rs instead.
        true => [src.join("lib.rs"), src.join("main.rs")],
        false => [src.join(&below).join("mod.rs"), src.join(&below).with_extension("rs")],
    };
    candidates.into_iter().find(|file| file.is_file())
}

/// What all of rocm-hip may use: they use nothing themselves.
const FOUNDATIONS: [&str; 2] = ["lock", "windows"];

#[test]
fn code_objects_need_no_device() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let uses = uses(&root.join("rocm-hip/src"), &[]);
    assert!(uses["launch"].contains_key("code"), "it is used");
    let others: Vec<_> = uses
        .get("code")
        .into_iter()
        .flatten()
        .filter(|(folder, _)| !FOUNDATIONS.contains(&folder.as_str()))
        .collect();
    assert!(others.is_empty(), "code uses {others:?}");
}

#[test]
fn circles_are_found() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses = Uses::new();
        for (from, to) in pairs {
            let files = uses.entry((*from).to_owned()).or_default().entry((*to).to_owned()).or_default();
            files.insert(format!("{from}.rs"));
        }
        uses
    };
    assert!(circles(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let found = circles(&uses(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]));
    assert_eq!(found, [["a", "b", "c"].map(str::to_owned)]);
}

/// Module, the modules it uses, and the files where it does.
type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

fn edges(uses: &Uses, circle: &[String]) -> String {
    let mut text = String::new();
    for from in circle {
        for (to, files) in uses[from].iter().filter(|(to, _)| circle.contains(to)) {
            let files = files.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            text += &format!("  {from} uses {to} in {files}\n");
        }
    }
    text
}

/// The groups of modules that can be reached from each other.
fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|from| (from.as_str(), reachable(uses, from))).collect();
    let mut found = BTreeSet::new();
    for (from, reached) in &reach {
        if reached.contains(from) {
            let group = reached.iter().filter(|to| reach.get(*to).is_some_and(|back| back.contains(from)));
            found.insert(group.map(|&name| name.to_owned()).collect::<Vec<_>>());
        }
    }
    found.into_iter().collect()
}

fn reachable<'a>(uses: &'a Uses, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> =
        uses.get(from).into_iter().flat_map(|to| to.keys().map(String::as_str)).collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(uses.get(module).into_iter().flat_map(|to| to.keys().map(String::as_str)));
        }
    }
    reached
}

/// What the modules of a folder use of each other.
fn uses(src: &Path, folder: &[String]) -> Uses {
    let mut uses = Uses::new();
    let root = root_file(src, folder).expect("a root");
    let names = names_in_root(&parse(&root), folder);
    for path in files(src) {
        let relative = path.strip_prefix(src).unwrap();
        let module = module(relative);
        let Some(from) = module.strip_prefix(folder).and_then(|below| below.first()) else { continue };
        if path == root || (folder.is_empty() && ["lib", "main", REGISTRY].contains(&&**from)) {
            continue;
        }
        let mut paths = Paths { module: module.clone(), found: BTreeSet::new() };
        paths.visit_file(&parse(&path));
        for target in &paths.found {
            let name = target.strip_prefix(folder).and_then(|below| below.first());
            let to = name.and_then(|name| names.get(name));
            if let Some(to) = to.filter(|to| *to != from && **to != REGISTRY) {
                let files = uses.entry(from.clone()).or_default().entry(to.clone()).or_default();
                files.insert(relative.display().to_string());
            }
        }
    }
    uses
}

fn parse(path: &Path) -> syn::File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// What can be named in a folder's root, and the module of the folder that it is from.
fn names_in_root(root: &syn::File, folder: &[String]) -> BTreeMap<String, String> {
    let modules: BTreeSet<String> = root
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        })
        .collect();
    let mut names: BTreeMap<String, String> =
        modules.iter().map(|name| (name.clone(), name.clone())).collect();
    for item in &root.items {
        let Item::Use(item) = item else { continue };
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        for (path, name) in leaves {
            let path = match path.first().map(String::as_str) {
                Some("self") => &path[1..],
                Some("crate") => path[1..].strip_prefix(folder).unwrap_or_default(),
                _ => &path[..],
            };
            // Names of other crates' modules are none of ours.
            if let Some(from) = path.first().filter(|from| modules.contains(*from)) {
                names.insert(name, from.clone());
            }
        }
    }
    names
}

/// The paths of a `use`, each with the name it gives.
fn flatten(tree: &UseTree, prefix: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, String)>) {
    let mut leaf = |prefix: &[String], last: String, name: String| {
        leaves.push((prefix.iter().cloned().chain([last]).collect(), name));
    };
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten(&path.tree, prefix, leaves);
            prefix.pop();
        }
        UseTree::Name(name) => leaf(prefix, name.ident.to_string(), name.ident.to_string()),
        UseTree::Rename(name) => leaf(prefix, name.ident.to_string(), name.rename.to_string()),
        UseTree::Glob(_) => leaf(prefix, "*".to_owned(), "*".to_owned()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, prefix, leaves)),
    }
}

/// Collects all paths into the crate, from its root.
struct Paths {
    module: Vec<String>,
    found: BTreeSet<Vec<String>>,
}

impl Paths {
    fn add(&mut self, path: &[String]) {
        let target: Vec<String> = match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("super") => {
                let up = path.iter().take_while(|part| *part == "super").count();
                let Some(depth) = self.module.len().checked_sub(up) else { return };
                self.module[..depth].iter().chain(&path[up..]).cloned().collect()
            }
            _ => return,
        };
        self.found.insert(target);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        for (path, _) in leaves {
            self.add(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&parts);
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
        };
        if module.attrs.iter().any(is_test) {
            return;
        }
        self.module.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.module.pop();
    }
}
