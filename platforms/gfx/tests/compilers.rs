//! Which compiler there is: hiprtc by default, comgr in its place where a program performs its actions, or none.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use candle_rocm_gfx::symbol;
use common::Process;
use rocm_hip::{CompileError, HipError, Program, Queue, compile};

const RUNTIME_ONLY: (&str, &str) = ("CANDLE_ROCM_HOST_RUNTIME_ONLY", "on");

/// Says that it is comgr, and performs nothing.
const COMGR: &str = "#!/bin/sh
[ \"$1\" = --version ] && echo 3.0 && exit
cat > /dev/null
echo nothing works here >&2
exit 1
";

fn first() -> Queue {
    common::queues().swap_remove(0)
}

#[test]
fn the_runtime_alone_compiles_nothing() {
    let name = "the_runtime_alone_compiles_nothing";
    let Process::This = common::in_child_with(name, "gfx1100", &[RUNTIME_ONLY]) else { return };
    for function in ["hiprtcCreateProgram", "amd_comgr_do_action", "rocblas_create_handle", "miopenCreate"] {
        assert!(symbol(function).is_none(), "{function}");
    }
    let Err(error) = first().device().runtime().compiler().map(|_| ()) else { panic!("there is a compiler") };
    assert!(matches!(error, HipError::NoCompiler { .. }), "{error}");
}

#[test]
fn comgr_takes_the_place_of_hiprtc() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("comgr");
    fs::write(&script, COMGR).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [("CANDLE_ROCM_GFX_COMGR", script.to_str().unwrap())];
    let name = "comgr_takes_the_place_of_hiprtc";
    let Process::This = common::in_child_with(name, "gfx1100", &variables) else { return };

    assert!(symbol("hiprtcCreateProgram").is_none() && symbol("rocblas_create_handle").is_some());
    let queue = first();
    let compiler = queue.device().runtime().compiler().unwrap();
    let described = compiler.describe();
    assert!(described.contains("/comgr (") && described.contains("(comgr 3."), "{described}");
    let program = Program::new("empty", "");
    let error = compile(&program, &queue.device().target(), compiler).unwrap_err();
    let text = error.to_string();
    let CompileError::Rejected { status, log, .. } = error else { panic!("{text}") };
    assert_eq!(status, "comgr: ERROR (1)");
    assert!(log.contains("nothing works here"), "{log}");
}
