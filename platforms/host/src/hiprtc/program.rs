//! A program: source and headers in, log and code out.

use std::fs;
use std::io::Write;
use std::path::{Component, Path};
use std::process::{Command, Stdio};

use super::compiler::{self, Compiler};
use super::folder::Folder;
use super::options::Options;
use super::{prelude, rewrite};
use crate::exec::sanitize::Sanitizer;
use crate::exec::{blob, startup};

/// What `hiprtcCreateProgram` creates.
pub(crate) struct Program {
    source: String,
    name: String,
    headers: Vec<(String, String)>,
    /// The compiler's output.
    pub(crate) log: String,
    /// For `hiprtcGetCode`; empty until compiled.
    pub(crate) code: Vec<u8>,
}

/// Why compilation failed.
pub(crate) enum CompileError {
    /// An option is unknown.
    Option(String),
    /// The compiler refused the source, or there is no compiler.
    Compilation(String),
}

impl Program {
    /// Creates a program. `None` if a header's name leads out of the folder of headers.
    pub(crate) fn new(source: String, name: Option<String>, headers: Vec<(String, String)>) -> Option<Self> {
        headers.iter().all(|(name, _)| is_inside(name)).then(|| Self {
            source,
            name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| "program.hip".to_owned()),
            headers,
            log: String::new(),
            code: Vec::new(),
        })
    }

    /// Compiles; the log is kept either way.
    pub(crate) fn compile_and_log(&mut self, options: &[&str]) -> Result<(), CompileError> {
        self.log.clear();
        self.code.clear();
        let result = self.build(options);
        if let Err(CompileError::Option(text) | CompileError::Compilation(text)) = &result {
            self.log.push_str(text);
        }
        result
    }

    fn build(&mut self, options: &[&str]) -> Result<(), CompileError> {
        let options = Options::parse(options.iter().copied()).map_err(CompileError::Option)?;
        let sanitizer = Sanitizer::from_env().map_err(CompileError::Compilation)?;
        let compiler =
            compiler::find(options.cxx.as_deref(), sanitizer).map_err(CompileError::Compilation)?;
        let folder = Folder::new().map_err(|error| {
            CompileError::Compilation(format!("error: cannot create a temporary folder: {error}\n"))
        })?;
        let code = self.run(&compiler, &options, sanitizer, folder.path()).map_err(|error| match error {
            Step::Io(what, error) => CompileError::Compilation(format!("error: {what}: {error}\n")),
            Step::Refused(why) => CompileError::Compilation(format!("error: {why}\n")),
            Step::Failed => CompileError::Compilation(String::new()),
        })?;
        self.code = blob::encode(options.wave, sanitizer, blob::has_v3(), &code);
        Ok(())
    }

    /// Preprocess, rewrite, compile.
    fn run(
        &mut self,
        compiler: &Compiler,
        options: &Options,
        sanitizer: Option<Sanitizer>,
        folder: &Path,
    ) -> Result<Vec<u8>, Step> {
        const PRELUDE: &str = "candle_rocm_host.h";
        let platform = folder.join("platform");
        write(&platform.join(PRELUDE), prelude::TEXT)?;
        for header in prelude::EMPTY_HEADERS {
            write(&platform.join(header), "#pragma once\n")?;
        }
        let user = folder.join("user");
        fs::create_dir_all(&user)
            .map_err(|error| Step::Io(format!("cannot create {}", user.display()), error))?;
        for (name, text) in &self.headers {
            write(&user.join(name), text)?;
        }
        // Only for the compiler to quote from: it reads the source through a pipe, under its name.
        if is_inside(&self.name) && !user.join(&self.name).exists() {
            let _ = write(&user.join(&self.name), &self.source);
        }

        let mut preprocess = Command::new(&compiler.path);
        preprocess
            .current_dir(&user)
            .args(["-E", "-x", "c++", &options.standard])
            .args(compiler.flags(&options.level, sanitizer))
            .args((options.wave != 0).then(|| format!("-D__CRH_WAVE={}", options.wave)))
            .args(sanitizer.map(|sanitizer| format!("-D{}", sanitizer.macro_name())))
            .args(&options.preprocessor)
            .args(["-I.", "-I../platform", "-include"])
            .arg(format!("../platform/{PRELUDE}"))
            .args(["-", "-o", "../preprocessed.ii"]);
        let source = format!("#line 1 \"{}\"\n{}\n", escape(&self.name), self.source);
        self.execute(preprocess, &source)?;

        let preprocessed = folder.join("preprocessed.ii");
        let text = fs::read_to_string(&preprocessed)
            .map_err(|error| Step::Io("cannot read the preprocessor's output".to_owned(), error))?;
        let rewritten = rewrite::rewrite(&text, sanitizer == Some(Sanitizer::Address));
        write(&folder.join("module.ii"), &prelude::module(rewritten, options.wave))?;

        let mut compile = Command::new(&compiler.path);
        compile
            .current_dir(&user)
            .args(["-x", "c++-cpp-output", &options.standard])
            .args(compiler.flags(&options.level, sanitizer))
            // Reports name files by the author's names, not the temporary ones.
            .arg(format!("-fdebug-prefix-map={}=.", user.display()))
            .arg(format!("-fdebug-prefix-map={}=.", folder.display()))
            .args(&options.compiler)
            .args(["../module.ii", "-o", "../module.so"])
            .args(compiler.link_flags(sanitizer));
        self.execute(compile, "")?;
        let object = fs::read(folder.join("module.so"))
            .map_err(|error| Step::Io("cannot read the compiler's output".to_owned(), error))?;
        startup::check(&object, sanitizer).map_err(|why| Step::Refused(format!("{}: {why}", self.name)))?;
        Ok(object)
    }

    /// Runs one step and logs its output.
    fn execute(&mut self, mut command: Command, input: &str) -> Result<(), Step> {
        let program = command.get_program().to_string_lossy().into_owned();
        let start = |error| Step::Io(format!("cannot run {program}"), error);
        let mut child = command
            .env("LC_ALL", "C")
            // A sanitizer's library is for this process, not for the compiler.
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A compiler that stops early closes its end and reports why.
            let _ = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output().map_err(start)?;
        self.log.push_str(&String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            return Ok(());
        }
        if output.stderr.is_empty() {
            self.log.push_str(&format!("error: {program} failed: {}\n", output.status));
        }
        Err(Step::Failed)
    }
}

enum Step {
    Io(String, std::io::Error),
    /// The compiler's output must not be loaded.
    Refused(String),
    Failed,
}

fn write(path: &Path, text: &str) -> Result<(), Step> {
    let failed = |error| Step::Io(format!("cannot write {}", path.display()), error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

fn is_inside(name: &str) -> bool {
    !name.is_empty()
        && !name.ends_with('/')
        && Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        && Path::new(name).file_name().is_some()
}

fn escape(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).collect::<String>().replace('\\', "\\\\").replace('"', "\\\"")
}
