//! DPP: operands taken from other lanes (Vega ISA guide, section 6.5 "Data parallel processing"; RDNA3 ISA guide, sections 7.7 and
//! 15.3.6 "VOP DPP").

use crate::assembly::{DecodeError, Decoded, Statement};
use crate::fault::{FaultKind, Step, fail};
use crate::machine::wave::{LANES, Row, Wave};

/// Lanes of a row and of a bank.
const ROW: usize = 16;
const BANK: usize = 4;

/// Which lanes an operand's values come from.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// The lane that each lane takes its value from.
    from: [u8; LANES],
    /// Lanes for which there is such a lane.
    inside: u64,
    /// Lanes that `row_mask` and `bank_mask` let through.
    enabled: u64,
    missing: Missing,
    /// `fi`: lanes that are off give their values too.
    inactive: bool,
}

/// What a lane gets that has no lane to take a value from, or one that is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is not written.
    Nothing,
    /// `bound_ctrl`: 0.
    Zero,
    /// The manuals do not agree (DPP8): the wave stops.
    Unknown,
}

impl Exchange {
    /// Takes DPP's modifiers, if there are any.
    pub(crate) fn take(statement: &mut Statement) -> Decoded<Option<Self>> {
        if let Some(lanes) = statement.take_list("dpp8")? {
            let lanes = selectors::<8>(&lanes, "dpp8")?;
            let inactive = flag(statement, "fi")?;
            return Ok(Some(Self {
                enabled: u64::MAX,
                missing: Missing::Unknown,
                inactive,
                ..Self::of(|lane| Some(lane / 8 * 8 + lanes[lane % 8]))
            }));
        }
        let Some(exchange) = Self::take_control(statement)? else { return Ok(None) };
        let mut enabled = u64::MAX;
        for (key, lanes) in [("row_mask", ROW), ("bank_mask", BANK)] {
            let mask = statement.take_number(key)?.unwrap_or(0xf);
            if !(0..16).contains(&mask) {
                return Err(DecodeError::Modifier(key.to_owned()));
            }
            let off = (0..LANES).filter(|lane| mask >> (lane / lanes % 4) & 1 == 0);
            off.for_each(|lane| enabled &= !(1 << lane));
        }
        // `bound_ctrl:0` is how LLVM once wrote that the bit is set.
        let zero = statement.take("bound_ctrl").is_some();
        let missing = if zero { Missing::Zero } else { Missing::Nothing };
        Ok(Some(Self { enabled, missing, inactive: flag(statement, "fi")?, ..exchange }))
    }

    /// Takes the modifier that says which lanes.
    fn take_control(statement: &mut Statement) -> Decoded<Option<Self>> {
        if let Some(lanes) = statement.take_list("quad_perm")? {
            let lanes = selectors::<4>(&lanes, "quad_perm")?;
            return Ok(Some(Self::of(|lane| Some(lane / 4 * 4 + lanes[lane % 4]))));
        }
        if statement.take_flag("row_mirror") {
            return Ok(Some(Self::of(|lane| Some(lane ^ 15))));
        }
        if statement.take_flag("row_half_mirror") {
            return Ok(Some(Self::of(|lane| Some(lane ^ 7))));
        }
        let mut amount = |key: &str, allowed: std::ops::RangeInclusive<i64>| {
            let amount = statement.take_number(key)?;
            match amount {
                Some(amount) if !allowed.contains(&amount) => {
                    Err(DecodeError::Modifier(format!("{key}:{amount}")))
                }
                amount => Ok(amount.map(|amount| amount as usize)),
            }
        };
        // A lane of the same row, at a place that may be outside it.
        let in_row = |lane: usize, at: usize| (at < ROW).then(|| lane / ROW * ROW + at);
        // "Left" is towards lane 0.
        Ok(Some(if let Some(n) = amount("row_shl", 1..=15)? {
            Self::of(|lane| in_row(lane, lane % ROW + n))
        } else if let Some(n) = amount("row_shr", 1..=15)? {
            Self::of(|lane| in_row(lane, (lane % ROW).wrapping_sub(n)))
        } else if let Some(n) = amount("row_ror", 1..=15)? {
            Self::of(|lane| in_row(lane, (lane + ROW - n) % ROW))
        } else if amount("wave_shl", 1..=1)?.is_some() {
            Self::of(|lane| (lane + 1 < LANES).then_some(lane + 1))
        } else if amount("wave_rol", 1..=1)?.is_some() {
            Self::of(|lane| Some((lane + 1) % LANES))
        } else if amount("wave_shr", 1..=1)?.is_some() {
            Self::of(|lane| lane.checked_sub(1))
        } else if amount("wave_ror", 1..=1)?.is_some() {
            Self::of(|lane| Some((lane + LANES - 1) % LANES))
        } else if let Some(last) = amount("row_bcast", 15..=31)? {
            match last {
                15 => Self::of(|lane| (lane / ROW * ROW).checked_sub(1)),
                31 => Self::of(|lane| (lane > 31).then_some(31)),
                _ => return Err(DecodeError::Modifier(format!("row_bcast:{last}"))),
            }
        } else if let Some(n) = amount("row_newbcast", 0..=15)? {
            Self::of(|lane| in_row(lane, n))
        } else if let Some(n) = amount("row_share", 0..=15)? {
            Self::of(|lane| in_row(lane, n))
        } else if let Some(n) = amount("row_xmask", 0..=15)? {
            Self::of(|lane| Some(lane ^ n))
        } else {
            return Ok(None);
        }))
    }

    /// The exchange in which each lane takes the value of lane `from`, where there is one.
    pub(crate) fn of(from: impl Fn(usize) -> Option<usize>) -> Self {
        let mut exchange = Self {
            from: [0; LANES],
            inside: 0,
            enabled: u64::MAX,
            missing: Missing::Nothing,
            inactive: false,
        };
        for lane in 0..LANES {
            if let Some(source) = from(lane) {
                exchange.from[lane] = source as u8;
                exchange.inside |= 1 << lane;
            }
        }
        exchange
    }

    /// With what a lane gets whose source is outside or off, and whether lanes that are off give their values.
    pub(crate) fn with(self, missing: Missing, inactive: bool) -> Self {
        Self { missing, inactive, ..self }
    }

    /// The lanes that are written: those for which there is a value.
    pub(crate) fn written(&self, wave: &Wave) -> u64 {
        match self.missing {
            Missing::Nothing => self.enabled & self.found(wave),
            Missing::Zero | Missing::Unknown => self.enabled & wave.all(),
        }
    }

    /// The values that the lanes of `mask` get.
    pub(crate) fn read(&self, wave: &Wave, row: usize, mask: u64, to: &mut Row) -> Step {
        let found = self.found(wave);
        if self.missing == Missing::Unknown && mask & !found != 0 {
            return fail(
                FaultKind::LanesOff,
                format!("lane {} takes the value of a lane that is off", (mask & !found).trailing_zeros()),
            );
        }
        if wave.written(row) & wave.all() != wave.all() {
            wave.demand(row, self.scatter(mask & found))?;
        }
        let from = wave.row(row);
        for lane in 0..LANES {
            let keep = ((found >> lane) as u32 & 1).wrapping_neg();
            to[lane] = from[usize::from(self.from[lane]) % LANES] & keep;
        }
        Ok(())
    }

    /// The lanes for which a value that is copied counts as written, given those in which its register was.
    pub(crate) fn copied(&self, wave: &Wave, written: u64) -> u64 {
        self.gather(written) | !self.found(wave)
    }

    /// The lanes that have a lane to take a value from.
    fn found(&self, wave: &Wave) -> u64 {
        let exec = wave.exec();
        if self.inactive || exec == wave.all() { self.inside } else { self.inside & self.gather(exec) }
    }

    /// The bits that lanes take from `mask`.
    fn gather(&self, mask: u64) -> u64 {
        match mask {
            0 | u64::MAX => mask,
            _ => (0..LANES).fold(0, |bits, lane| bits | (mask >> self.from[lane] & 1) << lane),
        }
    }

    /// The lanes that those of `mask` take their values from.
    fn scatter(&self, mask: u64) -> u64 {
        (0..LANES).fold(0, |bits, lane| bits | (mask >> lane & 1) << self.from[lane])
    }
}

/// Lane numbers below `N`.
fn selectors<const N: usize>(list: &[i64], key: &str) -> Decoded<[usize; N]> {
    let lanes: Option<Vec<usize>> =
        list.iter().map(|&lane| (0..N as i64).contains(&lane).then_some(lane as usize)).collect();
    lanes.and_then(|lanes| lanes.try_into().ok()).ok_or_else(|| DecodeError::Modifier(key.to_owned()))
}

/// Takes out a modifier that is 0 or 1.
fn flag(statement: &mut Statement, key: &str) -> Decoded<bool> {
    match statement.take_number(key)? {
        None | Some(0) => Ok(false),
        Some(1) => Ok(true),
        Some(value) => Err(DecodeError::Modifier(format!("{key}:{value}"))),
    }
}

#[cfg(test)]
mod tests {
    use crate::assembly::DecodeError;
    use crate::fault::FaultKind;
    use crate::isa::testing::Bench;

    /// What lane `lane` gets from `control`, written out from the manuals' figures.
    fn expected(control: &str, lane: u32) -> Option<u32> {
        let (row, place) = (lane & !15, lane & 15);
        let (name, amount) = control.split_once(':').unwrap_or((control, "0"));
        let amount: u32 = amount.parse().unwrap_or(0);
        match name {
            "quad_perm" => Some(lane - lane % 4 + [3, 0, 2, 2][lane as usize % 4]),
            "dpp8" => Some(lane - lane % 8 + [7, 0, 6, 1, 5, 2, 4, 3][lane as usize % 8]),
            "row_mirror" => Some(row + 15 - place),
            "row_half_mirror" => Some(lane - lane % 8 + 7 - lane % 8),
            "row_shl" => (place + amount < 16).then(|| lane + amount),
            "row_shr" => (place >= amount).then(|| lane - amount),
            "row_ror" => Some(if place >= amount { lane - amount } else { lane + 16 - amount }),
            "wave_shl" => (lane != 63).then(|| lane + 1),
            "wave_rol" => Some(if lane == 63 { 0 } else { lane + 1 }),
            "wave_shr" => (lane != 0).then(|| lane - 1),
            "wave_ror" => Some(if lane == 0 { 63 } else { lane - 1 }),
            "row_bcast" if amount == 15 => match lane {
                0..16 => None,
                16..32 => Some(15),
                32..48 => Some(31),
                _ => Some(47),
            },
            "row_bcast" => (lane >= 32).then_some(31),
            "row_newbcast" | "row_share" => Some(row + amount),
            "row_xmask" => Some(row + (place ^ amount)),
            _ => panic!("{control}"),
        }
    }

    const CONTROLS: [(&str, &[&str]); 2] = [
        (
            "gfx90a",
            &[
                "quad_perm:[3,0,2,2]",
                "row_mirror",
                "row_half_mirror",
                "row_shl:1",
                "row_shl:15",
                "row_shr:1",
                "row_shr:8",
                "row_ror:5",
                "wave_shl:1",
                "wave_rol:1",
                "wave_shr:1",
                "wave_ror:1",
                "row_bcast:15",
                "row_bcast:31",
                "row_newbcast:9",
            ],
        ),
        (
            "gfx1100",
            &[
                "quad_perm:[3,0,2,2]",
                "row_mirror",
                "row_half_mirror",
                "row_shl:3",
                "row_shr:2",
                "row_ror:12",
                "row_share:4",
                "row_xmask:11",
                "dpp8:[7,0,6,1,5,2,4,3]",
            ],
        ),
    ];

    #[test]
    fn every_control() {
        for (processor, controls) in CONTROLS {
            for control in controls {
                let is_dpp8 = control.starts_with("dpp8");
                for (masks, bound, inactive) in [
                    ("", false, false),
                    (" row_mask:0xa bank_mask:0x6", false, false),
                    (" row_mask:0xf bank_mask:0xf bound_ctrl:1", true, false),
                    (" row_mask:0xe bank_mask:0x7 fi:1", false, true),
                    (" row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1", true, true),
                    (" fi:1", false, true),
                ] {
                    if is_dpp8 && (masks.contains("mask") || !inactive) {
                        continue;
                    }
                    for exec in [u64::MAX, 0x00ff_7ff5_8f3f_0ff3] {
                        let mut bench = Bench::new(processor);
                        bench.set(0, |_| 7);
                        bench.set(1, |lane| lane as u32 * 5 + 1000);
                        bench.set(2, |lane| lane as u32);
                        bench.set_exec(exec);
                        bench.run(&format!(
                            "v_sub_co_u32_dpp v0, {}, v1, v2 {control}{masks}",
                            if bench.wave.lanes == 64 { "vcc" } else { "vcc_lo" }
                        ));
                        let (rows, banks) = match masks.split_once("row_mask:0x") {
                            None => (15, 15),
                            Some((_, rest)) => (
                                u32::from_str_radix(&rest[..1], 16).unwrap(),
                                u32::from_str_radix(&rest.split_once("bank_mask:0x").unwrap().1[..1], 16)
                                    .unwrap(),
                            ),
                        };
                        for lane in 0..bench.wave.lanes as u32 {
                            let source = expected(control, lane)
                                .filter(|&source| inactive || exec >> source & 1 == 1)
                                .map(|source| source * 5 + 1000);
                            let source = if bound { source.or(Some(0)) } else { source };
                            let on = exec >> lane & 1 == 1
                                && rows >> (lane / 16) & 1 == 1
                                && banks >> (lane / 4 % 4) & 1 == 1;
                            let result = source.filter(|_| on).map_or(7, |source| source.wrapping_sub(lane));
                            assert_eq!(
                                bench.get(0)[lane as usize],
                                result,
                                "{processor} {control}{masks} {exec:#x} lane {lane}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lanes_that_were_never_written() {
        let mut bench = Bench::new("gfx90a");
        bench.set_exec(0xff);
        bench.run("v_mov_b32_e32 v0, 1");
        bench.set_exec(u64::MAX);
        // Every other row and bank takes from lanes that have no value.
        bench.run("v_not_b32_dpp v1, v0 quad_perm:[0,1,2,3] row_mask:0x1 bank_mask:0x3");
        let fault = bench.fault("v_not_b32_dpp v1, v0 quad_perm:[0,1,2,3] row_mask:0x1 bank_mask:0x7");
        assert_eq!(fault, FaultKind::Undefined);
        // Moves take such values, and know it.
        bench.run("v_mov_b32_dpp v2, v0 row_ror:8 row_mask:0xf bank_mask:0xf");
        bench.run("v_not_b32_dpp v1, v2 quad_perm:[0,1,2,3] row_mask:0x1 bank_mask:0xc");
        bench.expect_undefined("v_not_b32_e32 v1, v2");
        bench.run("v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0x1 bank_mask:0x3 bound_ctrl:1");
        assert_eq!((bench.get(2)[0], bench.get(2)[1]), (0, 1));
    }

    #[test]
    fn pairs_of_registers() {
        let mut bench = Bench::new("gfx942");
        bench.set64(0, |lane| lane as u64 * 0x1_0000_0001);
        bench.run("v_mov_b64_dpp v[2:3], v[0:1] row_newbcast:3 row_mask:0xf bank_mask:0xf");
        assert_eq!(bench.get64(2)[40], 35 * 0x1_0000_0001);
    }

    #[test]
    fn what_the_manuals_leave_open() {
        let mut bench = Bench::new("gfx1100");
        bench.set(0, |_| 1);
        bench.set_exec(0xfe);
        let text = "v_mov_b32_dpp v1, v0 dpp8:[0,1,2,3,4,5,6,0]";
        assert_eq!(bench.fault(text), FaultKind::LanesOff);
        bench.run(&format!("{text} fi:1"));
        assert_eq!(
            bench.refusal("v_mov_b32_dpp v1, v0 row_shl:16"),
            DecodeError::Modifier("row_shl:16".to_owned())
        );
        assert_eq!(
            bench.refusal("v_mov_b32_dpp v1, v0 quad_perm:[0,1,2]"),
            DecodeError::Modifier("quad_perm".to_owned())
        );
    }
}
