//! `cargo xtask bindgen`: rocm-sys' bindings, from ROCm's own headers.
//!
//! For each API two files are written: `bindings.rs` with types and constants as the `bindgen` crate makes them, and `functions.rs`
//! with every function as one line of the `api!` macro of rocm-sys. The same headers give the same bytes, so `--check` can compare.

mod compare;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use bindgen::callbacks::ParseCallbacks;
use clap::Args;
pub(crate) use compare::known_change;
use rocm_sys::roots::{Release, Root};
use tools_common::{debian, root};

/// Debian's packages of ROCm's headers.
const PACKAGES: &[&str] =
    &["libamdhip64-dev", "libamd-comgr-dev", "librocblas-dev", "libmiopen-dev", "librccl-dev"];

#[derive(Args)]
pub(crate) struct Options {
    /// A ROCm installation (the folder with `include/`).
    #[arg(long, value_name = "DIR", conflicts_with = "debian")]
    rocm_path: Option<PathBuf>,
    /// The headers in Debian's packages, downloaded below target/debian [default unless --rocm-path is given]
    #[arg(long)]
    debian: bool,
    /// The Debian suite that packages are taken from
    #[arg(long, default_value = "sid", conflicts_with = "rocm_path")]
    suite: String,
    /// Change nothing; fail when the files in the repository differ from what would be written. With headers of another release
    /// than the files': when what they bind is no longer there, or has changed.
    #[arg(long)]
    check: bool,
}

/// One API: which headers, and what of them is bound.
struct Api {
    /// Folder in rocm-sys/src, and name in messages.
    name: &'static str,
    /// The struct that has the functions as methods.
    handle: &'static str,
    /// The library's variant of `LibraryKind`.
    kind: &'static str,
    /// What bindgen parses.
    header: &'static str,
    /// Functions, types and constants to bind (regular expressions).
    functions: &'static str,
    types: &'static str,
    constants: &'static str,
    /// Headers whose items belong to another API.
    foreign: Option<&'static str>,
    /// Lines above the items.
    imports: &'static [&'static str],
}

const APIS: &[Api] = &[
    Api {
        name: "hip",
        handle: "Hip",
        kind: "Hip",
        // The headers rename these two functions to their R0600 variants. Libraries of ROCm 5 have only the plain names, with the
        // old layout of the properties.
        header: "#include <hip/hip_runtime_api.h>\n#include <hip/hip_deprecated.h>\n\
                 #undef hipGetDeviceProperties\n#undef hipChooseDevice\n\
                 /** @brief Device properties in the layout of ROCm 5, by the name that ROCm 5 knows. */\n\
                 hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* prop, int deviceId);\n\
                 /** @brief Device matching properties in the layout of ROCm 5, by the name that ROCm 5 knows. */\n\
                 hipError_t hipChooseDevice(int* device, const hipDeviceProp_tR0000* prop);\n",
        functions: "(hip|__hip)[A-Z].*",
        types: "(hip|ihip|HIP).*|hsa_.*",
        constants: "(hip|HIP)[A-Z_].*",
        foreign: None,
        imports: &[],
    },
    Api {
        name: "hiprtc",
        handle: "Hiprtc",
        kind: "Hiprtc",
        header: "#include <hip/hip_runtime_api.h>\n#include <hip/hiprtc.h>\n",
        functions: "hiprtc.*",
        types: "(hiprtc|ihiprtc).*",
        constants: "(hiprtc|HIPRTC)_.*",
        foreign: Some(".*/hip/(?:hip_|amd_detail|driver|linker|texture|surface|channel|library).*"),
        imports: &["use crate::hip::*;"],
    },
    Api {
        name: "comgr",
        handle: "Comgr",
        kind: "Comgr",
        header: "#include <amd_comgr/amd_comgr.h>\n",
        functions: "amd_comgr_.*",
        types: "amd_comgr_.*",
        constants: "AMD_COMGR_INTERFACE_.*",
        foreign: None,
        imports: &[],
    },
    Api {
        name: "rocblas",
        handle: "Rocblas",
        kind: "Rocblas",
        header: "#include <hip/hip_runtime_api.h>\n#include <rocblas/rocblas.h>\n",
        functions: "rocblas_.*",
        types: "_?rocblas_.*",
        constants: "(rocblas|ROCBLAS)_.*",
        foreign: Some(".*/include/hip/.*"),
        imports: &["use crate::hip::*;"],
    },
    Api {
        name: "miopen",
        handle: "Miopen",
        kind: "Miopen",
        // The header uses this struct's name without `struct`, which only C++ understands.
        header: "#include <hip/hip_runtime_api.h>\ntypedef struct miopenTensorArgument_t miopenTensorArgument_t;\n\
                 #include <miopen/miopen.h>\n",
        functions: "miopen.*",
        types: "miopen.*",
        constants: "(miopen|MIOPEN)_?.*",
        foreign: Some(".*/include/hip/.*"),
        imports: &["use crate::hip::*;"],
    },
    Api {
        name: "rccl",
        handle: "Rccl",
        kind: "Rccl",
        header: "#include <hip/hip_runtime_api.h>\n#include <rccl/rccl.h>\n",
        functions: "nccl.*",
        types: "nccl.*",
        constants: "(nccl|NCCL)_?.*",
        foreign: Some(".*/include/hip/.*"),
        imports: &["use crate::hip::*;"],
    },
];

/// A function that the headers declare and that is not bound.
pub(crate) struct Unbound {
    pub(crate) name: &'static str,
    pub(crate) reason: &'static str,
    /// The libraries lack it: `cargo xtask check-symbols` says when that changes.
    pub(crate) not_exported: bool,
}

const fn unbound(name: &'static str, reason: &'static str) -> Unbound {
    Unbound { name, reason, not_exported: false }
}

const fn absent(name: &'static str) -> Unbound {
    Unbound { name, reason: "declared, and not exported by the library", not_exported: true }
}

/// What is left out, and why.
pub(crate) const UNBOUND: &[Unbound] = &[
    // Declared by ROCm 6.4's header, and exported by no libamdhip64 of that version on Linux.
    absent("hipDeviceGetTexture1DLinearMaxWidth"),
    absent("hipExternalMemoryGetMappedMipmappedArray"),
    absent("hipGraphAddExternalSemaphoresSignalNode"),
    absent("hipGraphAddExternalSemaphoresWaitNode"),
    absent("hipGraphExecExternalSemaphoresSignalNodeSetParams"),
    absent("hipGraphExecExternalSemaphoresWaitNodeSetParams"),
    absent("hipGraphExternalSemaphoresSignalNodeGetParams"),
    absent("hipGraphExternalSemaphoresSignalNodeSetParams"),
    absent("hipGraphExternalSemaphoresWaitNodeGetParams"),
    absent("hipGraphExternalSemaphoresWaitNodeSetParams"),
    unbound("rocblas_abort", "ends the process"),
    unbound("rocblas_device_malloc_alloc", "variadic: a method cannot pass its arguments on"),
    unbound("rocblas_set_optimal_device_memory_size_impl", "variadic: a method cannot pass its arguments on"),
];

pub(crate) fn run(options: Options) -> Result<()> {
    find_libclang()?;
    let (include, from) = match &options.rocm_path {
        Some(path) => (path.join("include"), format!("--rocm-path {}", path.display())),
        None => (debian::unpack(&options.suite, PACKAGES)?.join("usr/include"), "--debian".to_owned()),
    };
    ensure!(
        include.join("hip/hip_runtime_api.h").exists(),
        "{} has no hip/hip_runtime_api.h: this is no ROCm installation with headers",
        include.display()
    );
    let release = options.rocm_path.and_then(|path| Root { origin: "--rocm-path", path }.release());
    let version = Versions::read(&include, release)?;
    let sources = root().join("rocm-sys/src");

    let mut differing = Vec::new();
    for api in APIS {
        let stamp = stamp(&version.of(api.name));
        let (bindings, functions, count) = generate(api, &include).with_context(|| api.name.to_owned())?;
        println!("{:8} {count} functions ({})", api.name, version.of(api.name));
        let files = [("bindings.rs", bindings), ("functions.rs", functions)]
            .map(|(file, text)| (sources.join(api.name).join(file), format!("{stamp}\n{text}")));
        if options.check && stamped(&files[0].0).is_some_and(|line| line != stamp.trim_end()) {
            differing.extend(differences_of(&files)?);
            continue;
        }
        for (path, text) in files {
            if fs::read_to_string(&path).is_ok_and(|old| old == text) {
                continue;
            }
            if options.check {
                differing.push(first_difference(&path, &text));
            } else {
                fs::create_dir_all(sources.join(api.name))?;
                fs::write(&path, text)?;
                println!("         wrote {}", path.display());
            }
        }
    }
    ensure!(
        differing.is_empty(),
        "the bindings are not what the headers say; run `cargo xtask bindgen {from}`, or, where they are of another release, say \
         in tools/bindings/src/bindgen/compare.rs why the difference does no harm\n{}",
        differing.join("\n")
    );
    Ok(())
}

/// The first line of a file of bindings.
fn stamp(version: &str) -> String {
    format!("// Made by `cargo xtask bindgen` from the headers of {version}; do not edit.\n")
}

fn stamped(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.lines().next()?.to_owned())
}

/// How what another release's headers give differs from bindings.rs and functions.rs.
fn differences_of(
    [(bindings, new_bindings), (functions, new_functions)]: &[(PathBuf, String); 2],
) -> Result<Vec<String>> {
    let old = [fs::read_to_string(bindings)?, fs::read_to_string(functions)?];
    let compare::Differences { new, known } =
        compare::compare([&old[0], &old[1]], [new_bindings, new_functions])?;
    println!("         differences in what is bound: {} known, {} new", known.len(), new.len());
    known.iter().for_each(|line| println!("         {line}"));
    Ok(new)
}

/// The first line in which a file is not what it should be.
fn first_difference(path: &Path, wanted: &str) -> String {
    let Ok(old) = fs::read_to_string(path) else { return format!("{}: missing", path.display()) };
    let line = old.lines().zip(wanted.lines()).position(|(a, b)| a != b);
    let at = line.unwrap_or(old.lines().count().min(wanted.lines().count()));
    format!(
        "{}:{}:\n  - {}\n  + {}",
        path.display(),
        at + 1,
        old.lines().nth(at).unwrap_or("(end of file)"),
        wanted.lines().nth(at).unwrap_or("(end of file)")
    )
}

/// Points clang-sys at a libclang when it does not know one: the newest of /usr/lib/llvm-*.
pub(crate) fn find_libclang() -> Result<()> {
    if std::env::var_os("LIBCLANG_PATH").is_none() {
        let mut folders: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib")
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let version = path.file_name()?.to_str()?.strip_prefix("llvm-")?.parse().ok()?;
                let lib = path.join("lib");
                let there = fs::read_dir(&lib).ok()?.flatten().any(|file| {
                    file.file_name().to_string_lossy().starts_with("libclang")
                        && file.file_name().to_string_lossy().contains(".so")
                        && !file.file_name().to_string_lossy().starts_with("libclang-cpp")
                });
                there.then_some((version, lib))
            })
            .collect();
        folders.sort();
        if let Some((_, lib)) = folders.pop() {
            // SAFETY: this program has started no thread that could read the environment at the same time.
            unsafe { std::env::set_var("LIBCLANG_PATH", lib) };
        }
    }
    if let Err(error) = clang_sys::load() {
        bail!("libclang is needed (Debian: apt install libclang-dev; or set LIBCLANG_PATH): {error}");
    }
    Ok(())
}

/// The versions that the headers state.
struct Versions {
    /// `ROCm 10.0`, or `HIP 7.15` where nothing says which ROCm that belongs to.
    release: String,
    hip: String,
    rocblas: String,
    miopen: String,
    rccl: String,
    comgr: String,
}

impl Versions {
    fn read(include: &Path, release: Option<Release>) -> Result<Versions> {
        let version_of = |file: &str, prefix: &str, parts: &[&str]| -> Result<String> {
            let path = include.join(file);
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let number = |part: &&str| {
                let name = format!("{prefix}_{part}");
                text.lines()
                    .filter_map(|line| line.trim().strip_prefix("#define")?.trim_start().strip_prefix(&name))
                    .find_map(|rest| rest.trim().parse::<u32>().ok())
                    .map(|number| number.to_string())
                    .with_context(|| format!("{} does not define {name}", path.display()))
            };
            Ok(parts.iter().map(number).collect::<Result<Vec<_>>>()?.join("."))
        };
        let version = |file, prefix| version_of(file, prefix, &["MAJOR", "MINOR", "PATCH"]);
        let hip = version("hip/hip_version.h", "HIP_VERSION")?;
        Ok(Versions {
            release: release_of(&hip, release),
            hip,
            rocblas: version("rocblas/internal/rocblas-version.h", "ROCBLAS_VERSION")?,
            miopen: version("miopen/version.h", "MIOPEN_VERSION")?,
            rccl: version("rccl/rccl.h", "NCCL")?,
            comgr: version_of("amd_comgr/amd_comgr.h", "AMD_COMGR_INTERFACE_VERSION", &["MAJOR", "MINOR"])?,
        })
    }

    fn of(&self, api: &str) -> String {
        let release = &self.release;
        match api {
            "rocblas" => format!("{release} (rocBLAS {})", self.rocblas),
            "miopen" => format!("{release} (MIOpen {})", self.miopen),
            // Distributions package it apart, of another release.
            "rccl" => format!("RCCL, NCCL {}", self.rccl),
            "comgr" => format!("comgr {}", self.comgr),
            name => format!("{release} ({name} {})", self.hip),
        }
    }
}

/// Up to 7.2 the release of ROCm is the first two numbers of HIP's version; later ones are `stated` by the installation.
fn release_of(hip: &str, stated: Option<Release>) -> String {
    let version = Release::parse(hip);
    match (version, stated) {
        (Some(hip), Some(rocm)) if (hip.major, hip.minor) >= (7, 14) => {
            format!("ROCm {}.{}", rocm.major, rocm.minor)
        }
        (Some(hip), None) if (hip.major, hip.minor) >= (7, 14) => format!("HIP {}.{}", hip.major, hip.minor),
        _ => format!("ROCm {}", hip.rsplit_once('.').map_or(hip, |(release, _)| release)),
    }
}

/// The text of bindings.rs and functions.rs, and how many functions there are.
fn generate(api: &Api, include: &Path) -> Result<(String, String, usize)> {
    let mut builder = bindgen::Builder::default()
        .header_contents("wrapper.h", api.header)
        .clang_args(["-x", "c", "-std=c11", "-D__HIP_PLATFORM_AMD__", "-I"])
        .clang_arg(include.display().to_string())
        .allowlist_function(api.functions)
        .allowlist_type(api.types)
        .allowlist_var(api.constants)
        .blocklist_function(".*_64$")
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: false })
        .derive_default(true)
        .blocklist_var(".*_DEPRECATED_MSG|HIP_VERSION_(GITHASH|BUILD_.*)")
        .use_core()
        .sort_semantically(true)
        .merge_extern_blocks(true)
        .disable_header_comment()
        .formatter(bindgen::Formatter::None)
        .rust_target(bindgen::RustTarget::stable(88, 0).map_err(|error| anyhow::anyhow!("{error:?}"))?)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .parse_callbacks(Box::new(Comments));
    if let Some(foreign) = api.foreign {
        builder = builder.blocklist_file(foreign);
    }
    for import in api.imports {
        builder = builder.raw_line(*import);
    }
    let text = builder.generate().context("libclang could not read the headers")?.to_string();
    let mut file = syn::parse_file(&text).context("bindgen's output")?;

    let mut functions = Vec::new();
    file.items.retain_mut(|item| match item {
        syn::Item::ForeignMod(block) => {
            functions.append(&mut block.items);
            false
        }
        _ => true,
    });
    let (functions, count) = function_list(api, functions)?;
    let bindings = prettyplease::unparse(&file);
    Ok((without_empty_docs(&bindings), without_empty_docs(&functions), count))
}

/// Headers have comments that say nothing.
fn without_empty_docs(text: &str) -> String {
    text.lines().filter(|line| line.trim() != "///").flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// The `api!` invocation that lists the functions by name.
fn function_list(api: &Api, items: Vec<syn::ForeignItem>) -> Result<(String, usize)> {
    let mut functions = BTreeMap::<String, syn::TraitItemFn>::new();
    for item in items {
        let syn::ForeignItem::Fn(mut function) = item else { continue };
        let name = function.sig.ident.to_string();
        if UNBOUND.iter().any(|unbound| unbound.name == name) {
            continue;
        }
        ensure!(function.sig.variadic.is_none(), "{name} is variadic and not listed as unbound");
        function.attrs.retain(|attribute| attribute.path().is_ident("doc"));
        let (docs, signature) = (function.attrs, function.sig);
        functions.insert(name, syn::parse_quote! { #(#docs)* #signature; });
    }
    let list = functions.values();
    // A trait is the shape that the pretty-printer knows; `api!` wants the same lines under a heading of its own.
    let text = prettyplease::unparse(&syn::parse_quote! { trait List { #(#list)* } });
    let lines = text.strip_prefix("trait List {\n").context("the pretty-printer changed its style")?;
    let imports: String = api.imports.iter().flat_map(|import| [*import, "\n"]).collect();
    let heading = format!("use super::*;\n{imports}\ncrate::api! {{\n    {}, {};\n\n", api.handle, api.kind);
    Ok((heading + lines, functions.len()))
}

/// Doxygen comments as a sentence of rustdoc: what the item is, without the parameters.
#[derive(Debug)]
struct Comments;

impl ParseCallbacks for Comments {
    fn process_comment(&self, comment: &str) -> Option<String> {
        Some(format!(" {}", brief(comment)))
    }
}

fn brief(comment: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for line in comment.lines() {
        let line = line.trim().trim_start_matches('<').trim();
        let line = ["! @{", "@{", "@brief", "\\brief", "\\details", "@details", ":"]
            .iter()
            .fold(line, |line, prefix| line.strip_prefix(prefix).unwrap_or(line).trim());
        let heading = line.starts_with("<b>") || line.ends_with("</b>");
        if heading || line.chars().all(|c| "-*=!".contains(c)) {
            if words.is_empty() {
                continue;
            }
            break;
        }
        // The next command begins the parameters, the results or a long text.
        if line.starts_with(['@', '\\', '|']) {
            if words.is_empty() {
                continue;
            }
            break;
        }
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    let text = words.join(" ");
    text.replace('\\', "")
        .replace('[', "\\[")
        .replace(']', "\\]")
        .replace('<', "\\<")
        .replace('`', "'")
        .replace("@p ", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_not_versions_of_hip() {
        assert_eq!(release_of("6.4.43484", None), "ROCm 6.4");
        assert_eq!(release_of("7.2.53211", Release::parse("7.2.4")), "ROCm 7.2");
        assert_eq!(release_of("7.15.26333", Release::parse("10.0.0")), "ROCm 10.0");
        assert_eq!(release_of("7.15.26333", None), "HIP 7.15");
    }

    #[test]
    fn doxygen_becomes_a_sentence() {
        assert_eq!(brief("< Stream-ordered [in] alloc"), "Stream-ordered \\[in\\] alloc");
        assert_eq!(
            brief("\n @brief Frees memory\n of a device.\n\n @param ptr it\n"),
            "Frees memory of a device."
        );
        assert_eq!(brief("! @{\n \\brief <b> BLAS </b>\n\n \\details\n x"), "x");
    }
}
