//! Kernel modules on the command line.

use anyhow::{Result, ensure};
use rocm_kernels::{ALL, FUSED, Module};

/// The modules selected by name, by a folder of `rocm-kernels/hip` (`elementwise/`), or by `all`; without repetitions, in the
/// order of the table.
pub fn select(names: &[String]) -> Result<Vec<&'static Module>> {
    select_of(ALL, names)
}

/// [`select`] of what is compiled ahead of time: kernels that fusion generates for models are a module too.
pub fn select_ahead(names: &[String]) -> Result<Vec<&'static Module>> {
    select_of(&[ALL, &[&FUSED]].concat(), names)
}

fn select_of(table: &[&'static Module], names: &[String]) -> Result<Vec<&'static Module>> {
    for name in names {
        ensure!(
            table.iter().any(|module| is_named(module, name)),
            "there is no kernel module `{name}`: there are {}, all, and the folders {}",
            list(table.iter().map(|module| module.name.to_owned())),
            list(table.iter().map(|module| format!("{}/", module.family)))
        );
    }
    let named = |module: &&&Module| names.iter().any(|name| is_named(module, name));
    Ok(table.iter().filter(named).copied().collect())
}

fn is_named(module: &Module, name: &str) -> bool {
    name == "all" || name == module.name || name.strip_suffix('/') == Some(module.family)
}

fn list(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.dedup();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(names: &[&str]) -> Vec<&'static str> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        select(&names).expect("they exist").iter().map(|module| module.name).collect()
    }

    #[test]
    fn modules_folders_and_all() {
        assert_eq!(selected(&["all"]).len(), ALL.len());
        let ahead = select_ahead(&["fused".to_owned(), "gemm".to_owned()]).expect("they exist");
        assert_eq!(ahead.iter().map(|module| module.name).collect::<Vec<_>>(), ["gemm", "fused"]);
        assert_eq!(selected(&["sort", "gemm", "sort"]), ["gemm", "sort"]);
        assert_eq!(selected(&["reduce"]), ["reduce"]);
        assert_eq!(selected(&["reduce/", "scan"]), ["columns", "reduce", "scan", "sort", "top_k"]);
        let unknown = select(&["sorts".to_owned()]).expect_err("there is none").to_string();
        assert!(unknown.contains("gemm, gemm_matrix") && unknown.contains("layout/, matmul/"), "{unknown}");
    }
}
