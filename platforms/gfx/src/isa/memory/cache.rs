//! Instructions that empty or write back caches, and `ds_nop`. There are no caches here, but to empty those of a compute unit gives
//! [an order](crate::machine::order).

use super::address::Policy;
use crate::assembly::{DecodeError, Decoded, Statement, Value};
use crate::isa::{Execute, Form};
use crate::target::Target;

macro_rules! cache_forms {
    ($($name:literal)*) => {
        pub(crate) const FORMS: &[Form] = &[$(Form {
            name: $name,
            decode: |statement, target| decode(statement, target, $name),
        }),*];
    };
}

cache_forms! {
    "buffer_gl0_inv" "buffer_gl1_inv" "buffer_inv" "buffer_wbl2" "buffer_wbinvl1" "buffer_wbinvl1_vol"
    "buffer_invl2" "global_inv" "global_wb" "global_wbinv" "ds_nop"
}

fn decode(statement: &mut Statement, target: &Target, name: &str) -> Decoded<Execute> {
    let is_device = |scope: &str| matches!(scope, "SCOPE_DEV" | "SCOPE_SYS");
    let mut is_of_device =
        statement.take_flag("sc1") || statement.take("scope").is_some_and(|scope| is_device(&scope));
    // Without operands, the first modifier is in their place.
    for (at, operand) in statement.operands.iter().enumerate() {
        let scope = match &operand.value {
            Value::Word(word) => word.strip_prefix("scope:"),
            _ => None,
        };
        let is_policy = scope.is_some() || ["sc0", "sc1", "nt"].into_iter().any(|bit| operand.is(bit));
        if at != 0 || !is_policy {
            return Err(DecodeError::Operand(at));
        }
        is_of_device |= operand.is("sc1") || scope.is_some_and(is_device);
    }
    Policy::take(statement, target);
    let empties = match name {
        "buffer_gl0_inv" | "buffer_gl1_inv" | "buffer_wbinvl1" | "buffer_wbinvl1_vol" => true,
        "buffer_inv" | "global_inv" | "global_wbinv" => is_of_device,
        _ => false,
    };
    if !empties {
        return Ok(Box::new(|_, _| Ok(())));
    }
    Ok(Box::new(|_, block| {
        block.view.invalidates();
        Ok(())
    }))
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
