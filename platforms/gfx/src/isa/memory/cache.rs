//! Instructions that empty or write back caches, of which there are none here, and `ds_nop`.

use super::address::Policy;
use crate::assembly::{DecodeError, Decoded, Statement, Value};
use crate::isa::{Execute, Form};
use crate::target::Target;

macro_rules! cache_forms {
    ($($name:literal)*) => {
        pub(crate) const FORMS: &[Form] = &[$(Form { name: $name, decode: nothing }),*];
    };
}

cache_forms! {
    "buffer_gl0_inv" "buffer_gl1_inv" "buffer_inv" "buffer_wbl2" "buffer_wbinvl1" "buffer_wbinvl1_vol"
    "buffer_invl2" "global_inv" "global_wb" "global_wbinv" "ds_nop"
}

fn nothing(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    // Without operands, the first modifier is in their place.
    for (at, operand) in statement.operands.iter().enumerate() {
        let is_policy = ["sc0", "sc1", "nt"].into_iter().any(|bit| operand.is(bit))
            || matches!(&operand.value, Value::Word(word) if word.starts_with("scope:"));
        if at != 0 || !is_policy {
            return Err(DecodeError::Operand(at));
        }
    }
    Policy::take(statement, target);
    Ok(Box::new(|_, _| Ok(())))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::DecodeError;
    use crate::isa::testing::{Bench, Reference};

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "buffer_gl0_inv", check },
        Reference { name: "buffer_gl1_inv", check },
        Reference { name: "buffer_inv", check },
        Reference { name: "buffer_wbl2", check },
        Reference { name: "buffer_wbinvl1", check },
        Reference { name: "buffer_wbinvl1_vol", check },
        Reference { name: "buffer_invl2", check },
        Reference { name: "global_inv", check },
        Reference { name: "global_wb", check },
        Reference { name: "global_wbinv", check },
        Reference { name: "ds_nop", check },
    ];

    fn check(name: &str) {
        let mut bench = Bench::new("gfx1201");
        bench.set(1, |lane| lane as u32);
        bench.run(&format!("{name} scope:SCOPE_SE"));
        bench.run(&format!("{name} sc0 sc1"));
        bench.run(name);
        assert_eq!(bench.refusal(&format!("{name} v1")), DecodeError::Operand(0));
        assert_eq!(bench.get(1)[31], 31);
    }
}
