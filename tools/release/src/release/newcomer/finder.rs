//! Finds every kernel module for every processor in the packed crates, without a cache or a compiler.

use std::time::Instant;

use rocm_kernels::{ALL, Cache, PROCESSORS, code_object, default_target, prebuilt_archs};

/// ROCm 6.3, the first that loads code for generic targets.
const RUNTIME: i32 = 60_300_000;

fn main() {
    println!("built in: {}", prebuilt_archs().join(" "));
    let began = Instant::now();
    let (mut found, mut bytes, mut missing, mut unsold) = (0, 0, Vec::new(), Vec::new());
    for processor in PROCESSORS.iter().filter(|processor| !processor.is_generic()) {
        let target = default_target(processor.name).with_runtime_version(RUNTIME);
        for module in ALL {
            match code_object(module, &target, None, &Cache::disabled()) {
                Ok(code) if code.starts_with(b"\x7fELF") => {
                    found += 1;
                    bytes += code.len();
                }
                Ok(_) => missing.push(format!("{} for {}: no ELF file", module.name, processor.name)),
                Err(_) if processor.products.is_empty() => unsold.push(processor.name),
                Err(error) => missing.push(error.to_string()),
            }
        }
    }
    let seconds = began.elapsed().as_secs_f32();
    unsold.dedup();
    println!("found {found} code objects, decompressed {:.1} MiB in {seconds:.1} s", bytes as f32 / (1 << 20) as f32);
    if !unsold.is_empty() {
        println!("none for {}, which no product has", unsold.join(" "));
    }
    missing.iter().for_each(|why| eprintln!("{why}"));
    assert!(missing.is_empty(), "{} code objects are missing", missing.len());
}
