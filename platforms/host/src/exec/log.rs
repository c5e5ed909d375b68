//! A log of the kernels that ran, for tests that must reach all of them.

use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

use rocm_sys::variable;

/// The variable that names the file. Processes add to it; each of its lines is a wavefront's size and a kernel's name.
const VARIABLE: &str = "CANDLE_ROCM_HOST_LAUNCH_LOG";

/// Logs the first launch of a module's kernel, if the variable is set.
pub(super) fn first_launch(wave: u32, kernel: &str) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let path = variable::path(VARIABLE)?;
        let opened = File::options().append(true).create(true).open(&path);
        opened
            .inspect_err(|error| eprintln!("candle-rocm-host: {VARIABLE}: {}: {error}", path.display()))
            .ok()
    });
    if let Some(mut file) = file.as_ref() {
        // In one write, so that lines of several processes do not mix.
        let _ = file.write_all(format!("{wave} {kernel}\n").as_bytes());
    }
}
