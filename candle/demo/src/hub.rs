//! Files from the Hugging Face hub. Without the feature `hf`, requesting one returns an error.

use std::path::PathBuf;

use anyhow::Result;

/// A model repository. Respects `HF_HOME` and `HF_ENDPOINT` (a mirror), like all programs that use the hub.
#[cfg(feature = "hf")]
fn repo(repository: &str) -> Result<hf_hub::api::sync::ApiRepo> {
    use anyhow::Context;
    let api = hf_hub::api::sync::ApiBuilder::from_env().build();
    Ok(api.context("cannot start the hub client")?.model(repository.to_owned()))
}

/// A file of a repository, from the local cache or the hub.
///
/// # Errors
///
/// Fails if the file does not exist or cannot be fetched.
#[cfg(feature = "hf")]
pub fn file(repository: &str, name: &str) -> Result<PathBuf> {
    use anyhow::Context;
    repo(repository)?.get(name).with_context(|| format!("cannot fetch {name} of {repository} from the hub"))
}

/// The names of the repository's GGUF files.
#[cfg(feature = "hf")]
fn gguf_files(repository: &str) -> Result<Vec<String>> {
    use anyhow::Context;
    let info = repo(repository)?.info();
    let info = info.with_context(|| format!("cannot look up {repository} on the hub"))?;
    Ok(info.siblings.into_iter().map(|file| file.rfilename).filter(|name| name.ends_with(".gguf")).collect())
}

/// A file of a repository, from the local cache or the hub.
///
/// # Errors
///
/// Always fails: this program was built without the feature `hf`.
#[cfg(not(feature = "hf"))]
pub fn file(repository: &str, name: &str) -> Result<PathBuf> {
    anyhow::bail!("cannot fetch {name} of {repository}: this program was built without the feature hf")
}

#[cfg(not(feature = "hf"))]
fn gguf_files(repository: &str) -> Result<Vec<String>> {
    anyhow::bail!("cannot look up {repository}: this program was built without the feature hf")
}

/// Fetches `REPOSITORY` or `REPOSITORY:FILE`. Without a file name, this is the repository's Q4_K_M file or its only file.
///
/// # Errors
///
/// Fails if the repository has no such file or several candidates, or if the file cannot be fetched.
pub fn model(text: &str) -> Result<PathBuf> {
    if let Some((repository, name)) = text.split_once(':') {
        return file(repository, name);
    }
    let name = pick(text, &gguf_files(text)?)?;
    file(text, &name)
}

fn pick(repository: &str, names: &[String]) -> Result<String> {
    let preferred = names.iter().find(|name| name.to_lowercase().contains("q4_k_m"));
    match (preferred, names) {
        (Some(name), _) => Ok(name.clone()),
        (None, [only]) => Ok(only.clone()),
        (None, []) => anyhow::bail!("{repository} has no GGUF files"),
        (None, many) => anyhow::bail!(
            "{repository} has several GGUF files; select one with {repository}:FILE: {}",
            many.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_q4_k_m_or_the_only_file() {
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
    fn without_the_feature_hf_it_is_an_error() {
        assert!(model("some/repo").unwrap_err().to_string().contains("feature hf"));
        assert!(model("some/repo:file.gguf").unwrap_err().to_string().contains("feature hf"));
    }
}
