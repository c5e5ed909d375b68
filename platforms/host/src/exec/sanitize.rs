//! Checked variants of kernels: which one is asked for, and what it takes.

use std::sync::LazyLock;

use super::fiber::Fiber;
use super::launch::Launch;
use super::loading::Copy;
use crate::hiprtc::compiler::Family;

/// The variable that asks for one.
const VARIABLE: &str = "CANDLE_ROCM_HOST_SANITIZE";

/// How kernels are checked while they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sanitizer {
    /// Accesses outside of allocations and arrays.
    Address,
    /// Accesses of two threads that nothing orders.
    Thread,
    /// What depends on the order in which threads run.
    Schedule,
}

impl Sanitizer {
    const ALL: [Self; 3] = [Self::Address, Self::Thread, Self::Schedule];

    /// What the environment asks for.
    pub(crate) fn from_env() -> Result<Option<Self>, String> {
        match std::env::var(VARIABLE) {
            Ok(name) if !name.is_empty() => {
                Self::ALL.into_iter().find(|kind| kind.name() == name).map(Some).ok_or_else(|| {
                    format!("error: {VARIABLE}={name}: there are `address`, `thread` and `schedule`\n")
                })
            }
            _ => Ok(None),
        }
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

    /// What the prelude knows it by.
    pub(crate) fn macro_name(self) -> &'static str {
        match self {
            Self::Address => "__CRH_ADDRESS",
            Self::Thread => "__CRH_THREAD",
            Self::Schedule => "__CRH_SCHEDULE",
        }
    }

    /// What makes the compiler put the checks in.
    pub(crate) fn compiler_flags(self, family: Family) -> &'static [&'static str] {
        match (self, family) {
            (Self::Address, _) => &["-fsanitize=address", "-fno-omit-frame-pointer", "-g"],
            (Self::Thread, _) => &["-fsanitize=thread", "-fno-omit-frame-pointer", "-g"],
            (Self::Schedule, _) => &["-g"],
        }
    }
}

impl Sanitizer {
    /// What this process was started for.
    pub(crate) fn active() -> Option<Self> {
        static ACTIVE: LazyLock<Option<Sanitizer>> = LazyLock::new(|| Sanitizer::from_env().ok().flatten());
        *ACTIVE
    }
}

/// A generator of schedules (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    /// With the seed from the environment.
    pub(crate) fn from_env() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Puts a list into any order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for index in (1..list.len()).rev() {
            let other = (self.next() >> 33) as usize % (index + 1);
            list.swap(index, other);
        }
    }
}

/// What sanitizers have to be told when another coroutine runs.
pub(crate) struct Switch {}

impl Switch {
    pub(crate) fn new(_sanitizer: Option<Sanitizer>) -> Self {
        Self {}
    }
    pub(crate) fn begin_block(&mut self, _copy: &Copy, _launch: &Launch, _random: &mut Random) {}
    pub(crate) fn end_block(&mut self, _copy: &Copy) {}
    pub(crate) fn to_fiber(&mut self, _fiber: &Fiber) {}
    pub(crate) fn from_fiber(&mut self) {}
    pub(crate) fn next_barrier(&mut self) {}
    pub(crate) fn arrive(&mut self, _thread: u32) {}
    pub(crate) fn depart(&mut self, _thread: u32) {}
    pub(crate) fn resumed(&mut self, _thread: u32) {}
    pub(crate) fn arrive_wave(&mut self, _wave: u32) {}
    pub(crate) fn depart_wave(&mut self, _wave: u32) {}
    pub(crate) fn begin_thread(&mut self, _thread: u32) {}
}

/// A fence of a kernel.
pub(crate) fn fence() {}
