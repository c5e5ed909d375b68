//! Files of the Hugging Face hub. Only with the feature `hf`; else asking for one is an error that says so.

use std::path::PathBuf;

use anyhow::Result;

/// A model's repository; `HF_HOME` and `HF_ENDPOINT` (a mirror) count, as in all programs that use the hub.
#[cfg(feature = "hf")]
fn repo(repository: &str) -> Result<hf_hub::api::sync::ApiRepo> {
    use anyhow::Context;
    let api = hf_hub::api::sync::ApiBuilder::from_env().build();
    Ok(api.context("the hub's client does not start")?.model(repository.to_owned()))
}

/// The file of a repository, from the hub's cache on this machine or from the hub.
#[cfg(feature = "hf")]
pub fn file(repository: &str, name: &str) -> Result<PathBuf> {
    use anyhow::Context;
    repo(repository)?
        .get(name)
        .with_context(|| format!("{name} of {repository} cannot be fetched from the hub"))
}

/// The names of the repository's GGUF files.
#[cfg(feature = "hf")]
fn gguf_files(repository: &str) -> Result<Vec<String>> {
    use anyhow::Context;
    let info = repo(repository)?.info();
    let info = info.with_context(|| format!("{repository} cannot be looked up on the hub"))?;
    Ok(info.siblings.into_iter().map(|file| file.rfilename).filter(|name| name.ends_with(".gguf")).collect())
}

/// See the module.
#[cfg(not(feature = "hf"))]
pub fn file(repository: &str, name: &str) -> Result<PathBuf> {
    anyhow::bail!("{name} of {repository} is not fetched: this program was built without the feature hf")
}

#[cfg(not(feature = "hf"))]
fn gguf_files(repository: &str) -> Result<Vec<String>> {
    anyhow::bail!("{repository} is not looked up: this program was built without the feature hf")
}

/// `REPOSITORY` or `REPOSITORY:FILE`; without a file, the repository's 4-bit one (Q4_K_M) or its only one.
pub fn model(text: &str) -> Result<PathBuf> {
    if let Some((repository, name)) = text.split_once(':') {
        return file(repository, name);
    }
    let name = pick(text, &gguf_files(text)?)?;
    file(text, &name)
}

fn pick(repository: &str, names: &[String]) -> Result<String> {
    let usual = names.iter().find(|name| name.to_lowercase().contains("q4_k_m"));
    match (usual, names) {
        (Some(name), _) => Ok(name.clone()),
        (None, [only]) => Ok(only.clone()),
        (None, []) => anyhow::bail!("{repository} has no GGUF files"),
        (None, many) => anyhow::bail!(
            "{repository} has several files, name one as {repository}:FILE: {}",
            many.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_quantization_is_picked() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(pick("r", &names(&["a-Q8_0.gguf", "a-Q4_K_M.gguf"])).unwrap(), "a-Q4_K_M.gguf");
        assert_eq!(pick("r", &names(&["a.gguf"])).unwrap(), "a.gguf");
        assert!(
            pick("r", &names(&["a.gguf", "b.gguf"]))
                .unwrap_err()
                .to_string()
                .contains("r:FILE: a.gguf, b.gguf")
        );
        assert!(pick("r", &[]).unwrap_err().to_string().contains("no GGUF"));
    }

    #[cfg(not(feature = "hf"))]
    #[test]
    fn without_the_feature_the_error_says_so() {
        assert!(model("some/repo").unwrap_err().to_string().contains("feature hf"));
        assert!(model("some/repo:file.gguf").unwrap_err().to_string().contains("feature hf"));
    }
}
