//! What a device can do is asked of `device/capabilities.rs`; no other code of candle-rocm asks which platform it is on.
//!
//! Reads every path, `use` and macro outside of tests that names one of the platforms.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

const PLATFORMS: [&str; 4] = ["AMD", "HOST", "GFX", "NVIDIA"];

/// Who may name them, and why. Only to be shortened.
const MAY: [(&str, &str); 4] = [
    ("device/capabilities.rs", "answers"),
    ("doctor.rs", "tells its reader about platforms"),
    ("platform.rs", "defines them"),
    ("seam.rs", "a missing ROCm is news only to those who asked for another platform"),
];

#[test]
fn only_capabilities_ask_for_the_platform() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../candle-rocm/src");
    let files = files(&src);
    assert!(files.len() > 100, "{files:?}");
    let named = files.iter().filter(|path| names_a_platform(&fs::read_to_string(path).unwrap()));
    let named: BTreeSet<_> =
        named.map(|path| path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/")).collect();
    let may: BTreeSet<_> = MAY.iter().map(|(path, _)| (*path).to_owned()).collect();
    let more: Vec<_> = named.difference(&may).collect();
    assert!(more.is_empty(), "{more:?} name a platform: add a method to device/capabilities.rs and ask that");
    let fewer: Vec<_> = may.difference(&named).collect();
    assert!(fewer.is_empty(), "{fewer:?} name none any more: take them off the list");
}

#[test]
fn platforms_are_found() {
    for code in [
        "use crate::platform::{self, NVIDIA};",
        "fn f() -> bool { platform == platform::HOST }",
        "fn f() -> bool { matches!(device.platform(), crate::platform::AMD | GFX) }",
        "fn f() { match platform { Platform::AMD => {} _ => {} } }",
    ] {
        assert!(names_a_platform(code), "{code}");
    }
    for code in [
        "/// ```\n/// use candle_rocm::platform::HOST;\n/// ```\nfn f() {}",
        "#[cfg(test)] mod tests { use crate::platform::HOST; }",
        "fn f() -> bool { from.platform() == to.platform() && !NVIDIA_SMI }",
    ] {
        assert!(!names_a_platform(code), "{code}");
    }
}

/// Rust files but those of tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    found
        .filter(|path| path.extension().is_some_and(|is| is == "rs") && !path.ends_with("tests.rs"))
        .collect()
}

fn names_a_platform(code: &str) -> bool {
    let mut names = Names(false);
    names.visit_file(&syn::parse_file(code).unwrap());
    names.0
}

struct Names(bool);

impl<'ast> Visit<'ast> for Names {
    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.0 |= PLATFORMS.iter().any(|platform| name == platform);
    }

    fn visit_macro(&mut self, of: &'ast syn::Macro) {
        let tokens = of.tokens.to_string();
        let mut words = tokens.split(|c: char| !c.is_alphanumeric() && c != '_');
        self.0 |= words.any(|word| PLATFORMS.contains(&word));
        visit::visit_macro(self, of);
    }

    // Documentation.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
        };
        if !module.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, module);
        }
    }
}
