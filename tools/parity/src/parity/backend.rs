//! Compares the methods of candle's backend traits with those that we test, so that methods which a release of candle-core adds or
//! removes are noticed, even if they have a default implementation. Also finds kernels that candle-rocm never launches.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use tools_common::root;
use tools_common::sources::kernels_of;

use super::candle;

/// The methods of each trait; tests call each of them by name.
const TESTED: [(&str, &[&str]); 2] = [
    (
        "BackendStorage",
        &[
            "affine",
            "avg_pool2d",
            "binary_impl",
            "cmp",
            "const_set",
            "conv1d",
            "conv2d",
            "conv_transpose1d",
            "conv_transpose2d",
            "copy2d",
            "copy_strided_src",
            "device",
            "dtype",
            "elu",
            "gather",
            "index_add",
            "index_select",
            "matmul",
            "max_pool2d",
            "powf",
            "reduce_op",
            "scatter_add_set",
            "scatter_set",
            "to_cpu_storage",
            "to_dtype",
            "try_clone",
            "unary_impl",
            "upsample_bilinear2d",
            "upsample_nearest1d",
            "upsample_nearest2d",
            "where_cond",
        ],
    ),
    (
        "BackendDevice",
        &[
            "alloc_uninit",
            "get_current_seed",
            "location",
            "new",
            "rand_normal",
            "rand_uniform",
            "same_device",
            "set_seed",
            "storage_from_cpu_storage",
            "storage_from_cpu_storage_owned",
            "storage_from_slice",
            "synchronize",
            "zeros_impl",
        ],
    ),
];

/// Their parameters cannot be constructed outside of candle-core: they are called by candle-core's own tests, which run on
/// `Device::Rocm`.
const IN_CANDLES_TESTS: [&str; 4] = ["conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"];

/// Fails with a list of the differences.
pub(super) fn check() -> Result<()> {
    let folder = candle::candle_core()?;
    let path = folder.join("backend.rs");
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let ours = sources_below(&root().join("candle-rocm/tests"))?;
    let candles = sources_below(&folder.with_file_name("tests"))?;
    let mut faults = Vec::new();
    for (name, known) in TESTED {
        let methods = methods(&text, name)?;
        let known: BTreeSet<String> = known.iter().map(|&method| method.to_owned()).collect();
        faults.extend(
            methods.difference(&known).map(|method| format!("{name}::{method} is new, and not tested")),
        );
        faults.extend(known.difference(&methods).map(|method| format!("{name}::{method} is gone")));
        let tests = |method: &str| if IN_CANDLES_TESTS.contains(&method) { &candles } else { &ours };
        let untested = known.iter().filter(|method| !is_word_of(tests(method), method));
        faults.extend(untested.map(|method| format!("{name}::{method}: no test calls it")));
    }
    faults.extend(
        unused_kernels()?.iter().map(|kernel| format!("nothing in candle-rocm names the kernel {kernel}")),
    );
    if !faults.is_empty() {
        bail!("{} against what is tested:\n  {}", path.display(), faults.join("\n  "));
    }
    Ok(())
}

/// The methods of a trait, including those with default implementations.
fn methods(source: &str, name: &str) -> Result<BTreeSet<String>> {
    let file = syn::parse_file(source).context("not Rust")?;
    let found = file.items.into_iter().find_map(|item| match item {
        syn::Item::Trait(item) if item.ident == name => Some(item.items),
        _ => None,
    });
    let items = found.with_context(|| format!("there is no trait {name}"))?;
    let methods = items.into_iter().filter_map(|item| match item {
        syn::TraitItem::Fn(method) => Some(method.sig.ident.to_string()),
        _ => None,
    });
    Ok(methods.collect())
}

/// All Rust files below a folder, concatenated.
fn sources_below(folder: &Path) -> Result<String> {
    let mut text = String::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            text += &sources_below(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text += &fs::read_to_string(&path)?;
        }
    }
    Ok(text)
}

/// Our kernels that candle-rocm never mentions; dtypes at the end of their names are ignored.
fn unused_kernels() -> Result<BTreeSet<String>> {
    const DTYPES: [&str; 11] =
        ["u8", "u32", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8_e4m3", "fp8_e4m3"];
    let root = root().join("candle-rocm");
    let text = sources_below(&root.join("src"))? + &sources_below(&root.join("tests"))?;
    let mut unused = BTreeSet::new();
    for module in rocm_kernels::ALL {
        for kernel in kernels_of(module)? {
            let mut stem = kernel.name.as_str();
            while let Some(short) =
                DTYPES.iter().find_map(|dtype| stem.strip_suffix(dtype)?.strip_suffix('_'))
            {
                stem = short;
            }
            // In full, or up to a placeholder: `put_{ids}_{bytes}`.
            let filled_in =
                stem.match_indices('_').any(|(at, _)| text.contains(&format!("\"{}_{{", &stem[..at])));
            let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
            let named =
                filled_in || text.match_indices(stem).any(|(at, _)| !text[..at].ends_with(part_of_word));
            if !named {
                unused.insert(format!("{}: {stem}", module.name));
            }
        }
    }
    Ok(unused)
}

fn is_word_of(text: &str, word: &str) -> bool {
    let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(part_of_word) && !text[at + word.len()..].starts_with(part_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_tested_and_every_kernel_used() {
        check().unwrap_or_else(|error| panic!("{error:#}"));
    }

    #[test]
    fn methods_with_and_without_bodies() {
        let source = "trait Other { fn no(); } pub trait T: Sized { type A; fn a(&self); unsafe fn b<C>(&self) -> C { todo!() } }";
        assert_eq!(methods(source, "T").unwrap().into_iter().collect::<Vec<_>>(), ["a", "b"]);
        assert!(methods(source, "U").is_err());
    }

    #[test]
    fn words_are_whole() {
        assert!(is_word_of("x.conv1d(&l)", "conv1d"));
        assert!(!is_word_of("x.my_conv1d(&l), conv1d_f32", "conv1d"));
    }
}
