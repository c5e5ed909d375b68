//! The folders of a crate form layers: none uses one that uses it.
//!
//! Reads every `use` and path that starts with `crate` or `super`, and follows what lib.rs re-exports to the module it is from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Item, UseTree};

/// `rocm-hip` is one folder, but for its `code`.
const CRATES: [&str; 9] = [
    "rocm-sys",
    "rocm-rccl",
    "rocm-kernels",
    "candle-rocm",
    "cargo-rocm",
    "platforms/common",
    "platforms/host",
    "platforms/nvidia",
    "platforms/gfx",
];

/// The platforms' lists of C functions name every folder, and each folder names the type that the list is of.
const REGISTRY: &str = "exports";

#[test]
fn folders_form_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for krate in CRATES {
        let uses = uses(&root.join(krate).join("src"));
        let circles = circles(&uses);
        let shown =
            |circle: &Vec<String>| format!("{} use each other:\n{}", circle.join(", "), edges(&uses, circle));
        assert!(circles.is_empty(), "{krate}: {}", circles.iter().map(shown).collect::<String>());
    }
}

#[test]
fn code_objects_need_no_device() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let uses = uses(&root.join("rocm-hip/src"));
    assert!(uses["compile"].contains_key("code") || uses["parameters"].contains_key("code"), "it is used");
    assert!(!uses.contains_key("code"), "code uses {:?}", uses["code"]);
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

fn uses(src: &Path) -> Uses {
    let mut uses = Uses::new();
    // A program has main.rs instead.
    let root = ["lib.rs", "main.rs"].map(|name| src.join(name)).into_iter().find(|root| root.is_file());
    let names = names_in_root(&parse(&root.expect("a root")));
    for path in files(src) {
        let relative = path.strip_prefix(src).unwrap();
        let mut module: Vec<String> =
            relative.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if module.last().is_some_and(|last| last == "mod") {
            module.pop();
        }
        if module == ["lib"] || module == ["main"] || module == [REGISTRY] {
            continue;
        }
        let mut paths = Paths { module: module.clone(), found: BTreeSet::new() };
        paths.visit_file(&parse(&path));
        for name in paths.found {
            if let Some(to) = names.get(&name).filter(|to| **to != module[0] && **to != REGISTRY) {
                let files = uses.entry(module[0].clone()).or_default().entry(to.clone()).or_default();
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

/// What can be named as `crate::name`, and the module that it is from.
fn names_in_root(root: &syn::File) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for item in &root.items {
        match item {
            Item::Mod(module) => {
                names.insert(module.ident.to_string(), module.ident.to_string());
            }
            Item::Use(item) => {
                let mut leaves = Vec::new();
                flatten(&item.tree, &mut Vec::new(), &mut leaves);
                for (path, name) in leaves {
                    let from = path.iter().find(|part| *part != "crate" && *part != "self");
                    names.extend(from.map(|from| (name, from.clone())));
                }
            }
            _ => {}
        }
    }
    // Names of other crates' modules are none of ours.
    let modules: BTreeSet<_> =
        names.iter().filter(|(name, from)| name == from).map(|(name, _)| name.clone()).collect();
    names.retain(|_, from| modules.contains(from));
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

/// Collects the first name behind `crate` of every path.
struct Paths {
    module: Vec<String>,
    found: BTreeSet<String>,
}

impl Paths {
    fn add(&mut self, path: &[String]) {
        let target: Vec<&String> = match path.first().map(String::as_str) {
            Some("crate") => path[1..].iter().collect(),
            Some("super") => {
                let up = path.iter().take_while(|part| *part == "super").count();
                let Some(depth) = self.module.len().checked_sub(up) else { return };
                self.module[..depth].iter().chain(&path[up..]).collect()
            }
            _ => return,
        };
        self.found.extend(target.first().map(|name| (*name).clone()));
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
