//! Which checker the environment chooses for this process, and what all layers tell the sanitizers' libraries.

mod functions;
pub(crate) mod order;
pub(crate) mod thread;

use std::sync::LazyLock;

use rocm_sys::variable;

pub(crate) use functions::functions;

/// The variable that asks for a check.
pub(crate) const VARIABLE: &str = "CANDLE_ROCM_HOST_SANITIZE";

/// How kernels are checked while they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sanitizer {
    /// Accesses out of bounds.
    Address,
    /// Data races.
    Thread,
    /// Results that depend on the order of threads.
    Schedule,
}

impl Sanitizer {
    pub(crate) const ALL: [Self; 3] = [Self::Address, Self::Thread, Self::Schedule];

    /// The checker that the environment asks for.
    pub(crate) fn from_env() -> Result<Option<Self>, String> {
        let unknown = |name: &str| {
            format!("error: {VARIABLE}={name} is unknown; use `address`, `thread` or `schedule`\n")
        };
        let named = |name: String| Self::from_name(&name).ok_or_else(|| unknown(&name));
        variable::text(VARIABLE).map(named).transpose()
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        variable::find(name, &Self::ALL.map(|kind| (kind.name(), kind)))
    }

    /// Whether code checked by it needs a library of the compiler that made it.
    pub(crate) fn has_runtime(self) -> bool {
        matches!(self, Self::Address | Self::Thread)
    }

    /// The checker of this process.
    pub(crate) fn active() -> Option<Self> {
        static ACTIVE: LazyLock<Option<Sanitizer>> = LazyLock::new(|| Sanitizer::from_env().ok().flatten());
        *ACTIVE
    }

    /// As in the variable.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
            Self::Schedule => "schedule",
        }
    }

    /// As in a module's header.
    pub(crate) fn code(self) -> u32 {
        self as u32 + 1
    }

    pub(crate) fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Its macro in the prelude.
    pub(crate) fn macro_name(self) -> &'static str {
        match self {
            Self::Address => "__CRH_ADDRESS",
            Self::Thread => "__CRH_THREAD",
            Self::Schedule => "__CRH_SCHEDULE",
        }
    }

    /// The flags with which the compiler inserts the checks.
    pub(crate) fn compiler_flags(self) -> &'static [&'static str] {
        match self {
            Self::Address => &["-fsanitize=address", "-fno-omit-frame-pointer", "-g"],
            Self::Thread => &["-fsanitize=thread", "-fno-omit-frame-pointer", "-g"],
            Self::Schedule => &["-g"],
        }
    }

    /// Whether this is a function that the sanitizer adds to each module, to be called when it is loaded or unloaded.
    pub(crate) fn owns(self, name: &str) -> bool {
        let clang = ["`asan.module_ctor`", "`asan.module_dtor`", "`tsan.module_ctor`"];
        // g++ numbers them by priority; sources have priorities from 101.
        let gcc = ["`_sub_I_00099_", "`_sub_D_00099_"];
        self != Self::Schedule && (clang.contains(&name) || gcc.iter().any(|prefix| name.starts_with(prefix)))
    }
}
