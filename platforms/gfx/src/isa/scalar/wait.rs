//! Instructions without an effect here: waits for what has already happened, hints, and caches (RDNA3 ISA guide, section 16.5
//! "SOPP"). Memory instructions take effect at once, hence nothing is ever outstanding.

use crate::assembly::{Decoded, Statement};
use crate::isa::{Execute, Form};
use crate::target::Target;

macro_rules! waits {
    ($($name:literal)*) => {
        pub(crate) const FORMS: &[Form] = &[$(Form { name: $name, decode: nothing }),*];

        #[cfg(test)]
        crate::isa::scalar::testing::references! { $($name: tests::check;)* }
    };
}

waits! {
    "s_nop" "s_sleep" "s_sleep_var" "s_setprio" "s_clause" "s_delay_alu"
    "s_inst_prefetch" "s_set_inst_prefetch_distance"
    "s_waitcnt" "s_waitcnt_vscnt" "s_waitcnt_vmcnt" "s_waitcnt_expcnt" "s_waitcnt_lgkmcnt" "s_waitcnt_depctr"
    "s_wait_alu" "s_wait_event" "s_wait_idle" "s_wait_loadcnt" "s_wait_storecnt" "s_wait_samplecnt" "s_wait_bvhcnt"
    "s_wait_expcnt" "s_wait_dscnt" "s_wait_kmcnt" "s_wait_loadcnt_dscnt" "s_wait_storecnt_dscnt"
    "s_icache_inv" "s_dcache_inv" "s_dcache_inv_vol" "s_dcache_wb" "s_dcache_wb_vol"
    "s_prefetch_inst" "s_prefetch_inst_pc_rel" "s_prefetch_data" "s_prefetch_data_pc_rel"
    "s_ttracedata" "s_ttracedata_imm" "s_incperflevel" "s_decperflevel"
}

fn nothing(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    statement.take_all();
    Ok(Box::new(|_, _| Ok(())))
}

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use super::REFERENCES;
    use crate::isa::testing::Bench;

    const OPERANDS: [&str; 5] = [
        "",
        "0x1",
        "null, 0x0",
        "vmcnt(0) lgkmcnt(3)",
        "instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(VALU_DEP_1)",
    ];

    /// Nothing that an instruction could change has changed.
    pub(super) fn check(name: &str) {
        let mut bench = Bench::new("gfx1201");
        bench.wave.set_scc(Some(true));
        bench.wave.set_scalar(0, 1);
        for operands in OPERANDS {
            bench.run(&format!("{name} {operands}"));
        }
        let wave = &bench.wave;
        assert!(wave.scc().unwrap() && wave.scalar(0).unwrap() == 1 && wave.next == 0, "{name}");
        assert_eq!(wave.exec(), wave.all(), "{name}");
    }
}
