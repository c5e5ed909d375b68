//! Complete packages have no code for NVIDIA cards. candle's features for them are there, as programs turn them on to get a GPU, but they
//! turn on nothing: neither dependencies nor sources.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::Tree;

/// candle's features for NVIDIA cards.
const FEATURES: [&str; 4] = ["cuda", "cudnn", "cutile", "nccl"];

/// Leaves of these features what turns on one of them here or in candle-core, and drops optional dependencies that nothing else has.
pub(crate) fn empty_features(manifest: &mut Table) {
    let Some(features) = manifest.get_mut("features").and_then(Value::as_table_mut) else { return };
    let (mut dropped, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for (name, items) in features.iter_mut() {
        let Value::Array(items) = items else { continue };
        items.retain(|item| {
            let item = item.as_str().unwrap_or_default();
            let is_kept = !FEATURES.contains(&&**name)
                || FEATURES.contains(&item.strip_prefix("candle/").unwrap_or(item));
            let set = if is_kept { &mut kept } else { &mut dropped };
            set.insert(dependency(item).to_owned());
            is_kept
        });
    }
    if let Some(dependencies) = manifest.get_mut("dependencies").and_then(Value::as_table_mut) {
        dependencies.retain(|name, value| {
            let is_optional = value.get("optional").and_then(Value::as_bool) == Some(true);
            !is_optional || !dropped.contains(name) || kept.contains(name)
        });
    }
}

/// The dependency that an item of a feature names, if it names one.
fn dependency(item: &str) -> &str {
    let item = item.strip_prefix("dep:").unwrap_or(item);
    item.split(['/', '?']).next().unwrap_or(item)
}

/// Turns the conditions on these features off in all sources.
pub(crate) fn turn_off(tree: &mut Tree) {
    for (path, bytes) in tree.iter_mut() {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let mut text = String::from_utf8_lossy(bytes).into_owned();
            for feature in FEATURES {
                text = text.replace(&format!("feature = \"{feature}\""), "any()");
            }
            *bytes = text.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn features_turn_on_nothing() {
        let stock = r#"
            [dependencies]
            cudarc = { version = "1", optional = true }
            candle-kernels = { version = "1", optional = true }
            candle-ug = { version = "1", optional = true }
            float8 = "1"
            candle = { version = "1", package = "candle-core" }
            [features]
            cuda = ["cudarc", "dep:candle-kernels", "candle-ug?/cuda", "float8/cuda", "candle/cuda"]
            cudnn = ["cuda", "cudarc/cudnn"]
            nccl = ["cuda", "cudarc/nccl"]
            ug = ["dep:candle-ug"]
        "#;
        let mut manifest: Table = stock.parse().unwrap();
        empty_features(&mut manifest);
        let expected = r#"
            [dependencies]
            candle-ug = { version = "1", optional = true }
            float8 = "1"
            candle = { version = "1", package = "candle-core" }
            [features]
            cuda = ["candle/cuda"]
            cudnn = ["cuda"]
            nccl = ["cuda"]
            ug = ["dep:candle-ug"]
        "#;
        assert_eq!(manifest, expected.parse().unwrap());
    }

    #[test]
    fn conditions_are_off() {
        let source =
            "#[cfg(all(not(feature = \"metal\"), feature = \"cuda\"))]\nif cfg!(feature = \"cudnn\") {}\n";
        let mut tree = Tree::from([("src/a.rs".into(), source.into()), ("README.md".into(), source.into())]);
        turn_off(&mut tree);
        let off = "#[cfg(all(not(feature = \"metal\"), any()))]\nif cfg!(any()) {}\n";
        assert_eq!(tree[Path::new("src/a.rs")], off.as_bytes());
        assert_eq!(tree[Path::new("README.md")], source.as_bytes());
    }
}
