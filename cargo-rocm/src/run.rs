//! `cargo rocm run` and its like.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::arguments::{self, Arguments, COMMANDS};
use crate::candle::Candle;
use crate::cargo::{self, Call};
use crate::error::Error;
use crate::project::Project;
use crate::shadow::{LOCK, Shadow};
use crate::{alias, lock, overlay, say, tree};

/// Runs a subcommand of cargo with the patched candle. `platform` is the one that was asked for, if any.
pub(crate) fn run(platform: Option<&str>, words: Vec<OsString>) -> Result<ExitCode, Error> {
    let here = std::env::current_dir().unwrap_or_default();
    let known = |name: &str| {
        COMMANDS.iter().any(|(long, short)| *long == name || (*short == name && !name.is_empty()))
    };
    let mut words = alias::expand(words, known, &here);
    let command = words.remove(0).to_string_lossy().into_owned();
    if !known(&command) {
        let known =
            COMMANDS.iter().map(|(name, _)| *name).chain(["doctor", "card"]).collect::<Vec<_>>().join(", ");
        return Err(Error::Subcommand { name: command, known });
    }
    let arguments = Arguments::read(command, words)?;
    if arguments.help {
        let mut cargo = cargo::command();
        cargo.arg(&arguments.command).arg("--help");
        return replace(cargo);
    }
    let platform = arguments.platform.as_deref().or(platform);
    // Who runs the program there wants it to be possible there.
    let variable = std::env::var("CANDLE_ROCM_PLATFORM").ok().filter(|name| !name.is_empty());
    let variable = variable.filter(|_| platform.is_none()).map(arguments::platform).transpose()?;
    let chosen = platform.or(variable.as_deref());
    let features: Vec<String> = chosen
        .filter(|name| ["host", "gfx", "nvidia"].contains(name))
        .map(str::to_owned)
        .into_iter()
        .collect();

    let project = Project::locate(&arguments)?;
    if arguments.locked {
        let call = Call::new("tree", &project.manifest, arguments.quiet);
        call.args(["--locked", "--workspace", "--depth=0"]).args(arguments.common()).output()?;
    }
    let shadow = Shadow::prepare(&project)?;
    let build = Build { arguments: &arguments, project: &project, shadow: &shadow, features };
    let patched = match shadow.stock()? {
        None => build.patch(&build.resolve()?)?,
        Some(stock) => match build.patch(&stock) {
            Err(error) if error.may_be_stale() => build.patch(&build.resolve()?)?,
            patched => patched?,
        },
    };
    say::status(&arguments, "Patching", &patched.line(chosen));
    if ["run", "test", "bench"].contains(&&*arguments.command)
        && chosen.is_none_or(|name| ["auto", "amd"].contains(&name))
        && !may_have_card()
    {
        say::status(
            &arguments,
            "Warning",
            "no AMD card here: there is no /dev/kfd; `--platform host` runs on this CPU",
        );
    }

    let mut cargo = cargo::command();
    cargo.arg(&arguments.command).arg("--manifest-path").arg(&shadow.manifest);
    cargo.arg("--target-dir").arg(&shadow.target).args(&patched.options);
    cargo.args(&arguments.options).args(&arguments.rest);
    if let Some(platform) = platform {
        cargo.env("CANDLE_ROCM_PLATFORM", platform);
    }
    // Signals, the terminal and the exit status are then cargo's.
    replace(cargo)
}

/// Whether there is a driver's device. Where it has another form, that is not known before the program runs.
fn may_have_card() -> bool {
    let devices = ["/dev/kfd", "/dev/dxg"];
    !cfg!(target_os = "linux") || devices.iter().any(|device| Path::new(device).exists())
}

struct Build<'a> {
    arguments: &'a Arguments,
    project: &'a Project,
    shadow: &'a Shadow,
    features: Vec<String>,
}

/// What cargo is told, and the line about it.
struct Patched {
    candle: Candle,
    serving: semver::Version,
    options: Vec<OsString>,
    newer: Vec<String>,
    /// Whether candle's feature `cuda` is on.
    cuda: bool,
}

impl Build<'_> {
    fn call(&self, subcommand: &str) -> Call {
        Call::new(subcommand, &self.shadow.manifest, self.arguments.quiet)
    }

    /// The lock file without patches, after cargo has brought it up to date.
    fn resolve(&self) -> Result<String, Error> {
        self.shadow.resolved(|| {
            self.call("tree")
                .args(["--workspace", "--depth=0"])
                .args(self.arguments.common())
                .output()
                .map(drop)
        })
    }

    /// Puts the patches in, and checks that they are what is built.
    fn patch(&self, stock: &str) -> Result<Patched, Error> {
        let file = self.project.root.join(LOCK);
        let candle = lock::candle(&file, stock, &self.arguments.command)?;
        let serving = overlay::serving(&candle)?;
        let patches = |own_variant| overlay::patches(&candle.source, &serving, &self.features, own_variant);
        self.shadow.edit(|lock| lock::patched(lock, &serving))?;
        let mut options = patches(false)?;
        let (tree, newer) = self.tree(&options)?;
        if tree::names_rocm(&tree, &candle.users) {
            options = patches(true)?;
        }
        let cuda = tree::check(&tree, &serving, &candle.source, &candle.users)?;
        Ok(Patched { candle, serving, options, newer, cuda })
    }

    /// What is built, and the packages that are newer than in the project's lock file, as candle-rocm needs.
    fn tree(&self, options: &[OsString]) -> Result<(String, Vec<String>), Error> {
        let mut newer = Vec::new();
        loop {
            let call = self.call("tree").args(tree::FORMAT).args(&self.arguments.selection).args(options);
            let failure = match call.attempt()? {
                Ok(tree) => return Ok((tree, newer)),
                Err(failure) => failure,
            };
            let old = lock::too_old(&failure.said).filter(|name| !newer.contains(name));
            let Some(name) = old else { return Err(failure.show()) };
            self.shadow.edit(|lock| lock::without(lock, &name))?;
            newer.push(name);
        }
    }
}

impl Patched {
    fn line(&self, platform: Option<&str>) -> String {
        let Candle { version, source, .. } = &self.candle;
        let instead = match *version == self.serving {
            true => String::new(),
            false => format!(" in place of {version}"),
        };
        let on = match platform {
            None | Some("auto" | "amd") => "AMD GPUs".to_owned(),
            Some("host") => "the host platform on this CPU".to_owned(),
            Some(platform) => format!("the {platform} platform"),
        };
        let newer = match &self.newer[..] {
            [] => String::new(),
            names => format!(", with newer {}", names.join(", ")),
        };
        let cuda = if self.cuda { " (what the feature `cuda` means here)" } else { "" };
        format!(
            "candle {}{instead} ({source}) for {on}{cuda}{newer}; the project's files stay as they are",
            self.serving
        )
    }
}

#[cfg(unix)]
pub(crate) fn replace(mut cargo: Command) -> Result<ExitCode, Error> {
    use std::os::unix::process::CommandExt as _;
    let error = cargo.exec();
    Err(Error::io("run", cargo.get_program().as_ref(), error))
}

#[cfg(not(unix))]
pub(crate) fn replace(mut cargo: Command) -> Result<ExitCode, Error> {
    #[cfg(windows)]
    interrupts::are_cargos();
    let status = cargo.status().map_err(|error| Error::io("run", cargo.get_program().as_ref(), error))?;
    // All of it: that of a program that crashed has 32 bits.
    std::process::exit(status.code().unwrap_or(1))
}

/// Ctrl-C, which Windows tells all processes of a console.
#[cfg(windows)]
mod interrupts {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn SetConsoleCtrlHandler(handler: unsafe extern "system" fn(u32) -> i32, add: i32) -> i32;
    }

    unsafe extern "system" fn ignore(_: u32) -> i32 {
        1
    }

    /// Leaves them to cargo, and this program to wait for its end.
    pub(super) fn are_cargos() {
        // SAFETY: the function is there as long as the process. If it is not taken, an interrupt ends this process before cargo.
        unsafe { SetConsoleCtrlHandler(ignore, 1) };
    }
}
