//! How long a wave waits for memory, counted in loads that follow one another.

use std::collections::VecDeque;

/// What an instruction does to the counter of loads that a wave waits for: `vmcnt`, on gfx12 `loadcnt`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Event {
    #[default]
    Nothing,
    Load,
    /// A store, where it counts too: up to gfx9.
    Store,
    /// Waits until only so many are under way.
    Wait(usize),
}

impl Event {
    /// That of an instruction, as the disassembler prints it.
    pub(crate) fn of(text: &str, generation: u32) -> Self {
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        let number = |text: &str| {
            let text = text.trim();
            match text.strip_prefix("0x") {
                Some(digits) => usize::from_str_radix(digits, 16).ok(),
                None => text.parse().ok(),
            }
        };
        let wait = match mnemonic {
            "s_waitcnt" => {
                operands.split_once("vmcnt(").and_then(|(_, rest)| number(rest.split(')').next()?))
            }
            "s_waitcnt_vmcnt" => operands.split_once(',').and_then(|(_, rest)| number(rest)),
            "s_wait_loadcnt" => number(operands),
            // The counter of loads is in bits 8 to 13.
            "s_wait_loadcnt_dscnt" => number(operands).map(|both| both >> 8),
            _ => None,
        };
        if let Some(left) = wait {
            return Self::Wait(left);
        }
        let memory = ["global_", "flat_", "buffer_", "scratch_"];
        let Some(what) = memory.iter().find_map(|prefix| mnemonic.strip_prefix(prefix)) else {
            return Self::Nothing;
        };
        let returns = ["sc0", "glc", "TH_ATOMIC_RETURN"].iter().any(|flag| operands.contains(flag));
        match what.split('_').next() {
            Some("load") => Self::Load,
            Some("atomic") if returns => Self::Load,
            Some("store" | "atomic") if generation <= 9 => Self::Store,
            _ => Self::Nothing,
        }
    }
}

/// The time of a wave if nothing but loads took any, each of them as long as the others.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    now: u64,
    /// When what is under way will be there.
    due: VecDeque<u64>,
}

impl Clock {
    pub(crate) fn happens(&mut self, event: Event) {
        match event {
            Event::Nothing => {}
            Event::Load => self.due.push_back(self.now + 1),
            Event::Store => self.due.push_back(self.now),
            Event::Wait(left) => {
                while self.due.len() > left {
                    self.now = self.now.max(self.due.pop_front().unwrap_or_default());
                }
            }
        }
    }

    /// How many loads it waited for, one after the other.
    pub(crate) fn waits(&self) -> u64 {
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(code: &[&str], generation: u32) -> u64 {
        let mut clock = Clock::default();
        code.iter().for_each(|text| clock.happens(Event::of(text, generation)));
        clock.waits()
    }

    #[test]
    fn loads_under_way_together_are_one() {
        let load = "global_load_b128 v[4:7], v[2:3], off";
        assert_eq!(waits(&[load, "s_waitcnt vmcnt(0)", load, load, "s_waitcnt vmcnt(0) lgkmcnt(0)"], 11), 2);
        // The second begins while the first is awaited, and the third before the second is.
        let pipelined = [load, load, "s_waitcnt vmcnt(1)", load, "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(0)"];
        assert_eq!(waits(&pipelined, 11), 2);
        assert_eq!(waits(&[load, "s_waitcnt lgkmcnt(0)"], 11), 0);
        assert_eq!(waits(&[load, "s_wait_loadcnt 0x0", load, "s_wait_loadcnt_dscnt 0x100"], 12), 1);
        assert_eq!(waits(&[load, "s_wait_loadcnt_dscnt 0x3f"], 12), 1);
    }

    #[test]
    fn what_counts() {
        let of = Event::of;
        assert_eq!(of("global_store_dword v[2:3], v4, off", 9), Event::Store);
        assert_eq!(of("global_store_b32 v[2:3], v4, off", 11), Event::Nothing);
        assert_eq!(of("global_atomic_add_u32 v[2:3], v4, off", 11), Event::Nothing);
        assert_eq!(of("global_atomic_add_u32 v1, v[2:3], v4, off glc", 11), Event::Load);
        assert_eq!(of("s_waitcnt_vmcnt null, 0x2", 10), Event::Wait(2));
        assert_eq!(of("s_load_b64 s[0:1], s[4:5], 0x0", 11), Event::Nothing);
    }
}
