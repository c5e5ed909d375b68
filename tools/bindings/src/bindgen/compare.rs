//! Bindings against headers of another release: what we bind is still there and unchanged.
//!
//! Releases add functions, constants and types, and reword comments: that is no difference. An item of ours that they lack,
//! or that has another type or value, is one, unless [`CHANGED`] says why it may.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// An item that is not what it was, and why that does no harm.
struct Changed {
    /// How the item's name begins.
    name: &'static str,
    reason: &'static str,
}

const fn changed(name: &'static str, reason: &'static str) -> Changed {
    Changed { name, reason }
}

const CHANGED: &[Changed] = &[
    changed("HIP_VERSION", "the headers' own version"),
    changed("ROCBLAS_VERSION", "the headers' own version"),
    changed("NCCL_MAJOR", "the headers' own version"),
    changed("NCCL_MINOR", "the headers' own version"),
    changed("NCCL_PATCH", "the headers' own version"),
    changed("NCCL_SUFFIX", "the headers' own version"),
    changed("NCCL_VERSION_CODE", "the headers' own version"),
    changed("ncclResult_t::ncclNumResults", "the number of results"),
    changed("ncclDataType_t::ncclNumTypes", "the number of types"),
    changed("MIOPEN_ROCBLAS_VERSION", "how the distribution built MIOpen"),
    changed("MIOPEN_DISABLE_SYSDB", "how the distribution built MIOpen"),
    changed("MIOPEN_HIP_COMPILER", "how the distribution built MIOpen"),
    changed("MIOPEN_USE_", "how the distribution built MIOpen"),
    changed("hipCtxGetApiVersion", "the same 32 bits, without a sign since 7.0"),
    changed(
        "HIP_MEMSET_NODE_PARAMS",
        "hipMemsetParams since 7.0, of another order; candle-rocm does not use it",
    ),
    changed("hipDrvGraphAddMemsetNode", "takes hipMemsetParams since 7.0; candle-rocm does not call it"),
    changed(
        "hipDrvGraphExecMemsetNodeSetParams",
        "takes hipMemsetParams since 7.0; candle-rocm does not call it",
    ),
    changed(
        "hipLaunchAttributeValue",
        "has more members since 7.0, and room for others; candle-rocm does not use it",
    ),
    changed("hipLimit_t::hipLimitRange", "the number of limits"),
    changed("hipMemAllocationProp", "a member is a union of the same size since 7.0"),
    changed("rocblas_bf8", "rocBLAS 5 has no 8-bit floats"),
    changed("rocblas_f8", "rocBLAS 5 has no 8-bit floats"),
    changed("rocblas_computetype_", "rocBLAS 5 has no 8-bit floats"),
    changed("rocblas_datatype_::rocblas_datatype_bf8_r", "rocBLAS 5 has no 8-bit floats"),
    changed("rocblas_datatype_::rocblas_datatype_f8_r", "rocBLAS 5 has no 8-bit floats"),
    changed("rocblas_sgemm_kernel_name", GEMM_KERNEL_NAME),
    changed("rocblas_dgemm_kernel_name", GEMM_KERNEL_NAME),
    changed("rocblas_hgemm_kernel_name", GEMM_KERNEL_NAME),
];

const GEMM_KERNEL_NAME: &str = "gone in rocBLAS 5; candle-rocm does not call it";

/// Why it does no harm that a library of a later release lacks a function or has another.
pub(crate) fn known_change(name: &str) -> Option<&'static str> {
    CHANGED.iter().find(|changed| name.starts_with(changed.name)).map(|changed| changed.reason)
}

/// The differences, a line each, and those that are known, with the reason.
pub(super) struct Differences {
    pub(super) new: Vec<String>,
    pub(super) known: Vec<String>,
}

/// Compares the text of bindings.rs and functions.rs with what other headers give.
pub(super) fn compare(ours: [&str; 2], theirs: [&str; 2]) -> Result<Differences> {
    let (ours, theirs) = (items(ours)?, items(theirs)?);
    let mut differences = Differences { new: Vec::new(), known: Vec::new() };
    for (name, item) in ours {
        let line = match theirs.get(&name) {
            Some(other) if *other == item => continue,
            Some(other) => format!("{name}:\n  - {item}\n  + {other}"),
            None => format!("{name} is no longer there"),
        };
        match known_change(&name) {
            Some(reason) => differences.known.push(format!("{name}: {reason}")),
            None => differences.new.push(line),
        }
    }
    Ok(differences)
}

/// Each item's text by its name, without comments and derived traits, which are no part of the ABI.
fn items(texts: [&str; 2]) -> Result<BTreeMap<String, String>> {
    let [bindings, functions] = texts.map(|text| {
        let comment =
            |line: &&str| ["///", "#[derive"].iter().any(|start| line.trim_start().starts_with(start));
        text.lines().filter(|line| !comment(line)).flat_map(|line| [line, "\n"]).collect::<String>()
    });
    let bindings = syn::parse_file(&bindings).context("bindings.rs")?.items;
    let mut all: BTreeMap<String, String> = bindings
        .into_iter()
        .flat_map(members)
        .filter_map(|item| Some((name_of(&item)?, text_of(item))))
        .collect();
    // `crate::api! { Struct, Kind; fn ...; }`
    let list = functions.split_once("crate::api! {").and_then(|(_, list)| list.split_once(';'));
    let (_, list) = list.context("functions.rs has no list")?;
    for function in
        syn::parse_str::<syn::ItemTrait>(&format!("trait List {{ {list}")).context("functions.rs")?.items
    {
        let syn::TraitItem::Fn(function) = function else { continue };
        let name = function.sig.ident.to_string();
        all.insert(name, text_of(syn::parse_quote! { trait List { #function } }));
    }
    Ok(all)
}

/// `None` for what has no name of its own: imports, and checks of sizes, which follow from the structs.
fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) if item.ident != "_" => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        syn::Item::Impl(block) => return name_in(block),
        _ => return None,
    };
    Some(name.to_string())
}

/// The constants of an enum each in a block of its own, since releases add some.
fn members(item: syn::Item) -> Vec<syn::Item> {
    let syn::Item::Impl(block) = item else { return vec![item] };
    let alone = |member: &syn::ImplItem| syn::ItemImpl { items: vec![member.clone()], ..block.clone() };
    block.items.iter().map(|member| syn::Item::Impl(alone(member))).collect()
}

fn name_in(block: &syn::ItemImpl) -> Option<String> {
    let syn::Type::Path(owner) = &*block.self_ty else { return None };
    let member = match block.items.first()? {
        syn::ImplItem::Const(constant) => &constant.ident,
        syn::ImplItem::Fn(function) => &function.sig.ident,
        _ => return None,
    };
    Some(format!("{}::{member}", owner.path.get_ident()?))
}

/// Whether a pointer is to const makes no difference to who is called.
fn text_of(item: syn::Item) -> String {
    prettyplease::unparse(&syn::parse_quote!(#item)).replace("*mut ", "*const ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINDINGS: &str = "use crate::hip::*;\npub const A: u32 = 1;\n#[repr(C)]\n#[derive(Debug)]\npub struct S {\n    /// x\n    \
                            pub x: i32,\n}\nimpl E {\n    pub const one: E = E(1);\n    pub const two: E = E(2);\n}\nconst _: () = {};\n";
    const FUNCTIONS: &str =
        "use super::*;\n\ncrate::api! {\n    Hip, Hip;\n\n    /// Frees.\n    fn free(p: *mut S) -> E;\n}\n";

    fn differences(bindings: &str, functions: &str) -> Vec<String> {
        compare([BINDINGS, FUNCTIONS], [bindings, functions]).unwrap().new
    }

    #[test]
    fn additions_and_comments_are_no_difference() {
        let bindings = BINDINGS
            .replace("/// x", "/// other words")
            .replace("#[derive(Debug)]", "#[derive(Debug, Copy)]")
            + "pub struct New;\n";
        let bindings = bindings.replace("E = E(1);", "E = E(1);\n    pub const other: E = E(7);");
        let functions =
            FUNCTIONS.replace("Frees", "Gives back").replace("    fn free", "    fn added();\n    fn free");
        assert_eq!(differences(&bindings, &functions), [""; 0]);
    }

    #[test]
    fn what_is_gone_or_changed_is_named() {
        let gone = FUNCTIONS.replace("    fn free(p: *mut S) -> E;\n", "");
        assert_eq!(differences(BINDINGS, &gone), ["free is no longer there"]);
        let changed =
            [("A: u32 = 1", "A: u32 = 2", "A"), ("x: i32", "x: i64", "S"), ("E(1)", "E(3)", "E::one")];
        for (from, to, name) in changed {
            let found = differences(&BINDINGS.replace(from, to), FUNCTIONS);
            assert!(found.len() == 1 && found[0].starts_with(&format!("{name}:")), "{found:?}");
        }
        let found = differences(BINDINGS, &FUNCTIONS.replace("*mut S", "*mut T"));
        assert!(found.len() == 1 && found[0].starts_with("free:"), "{found:?}");
        assert_eq!(differences(BINDINGS, &FUNCTIONS.replace("*mut S", "*const S")), [""; 0]);
    }
}
