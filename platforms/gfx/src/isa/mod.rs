//! The meaning of instructions.
//!
//! A [`Form`] is an instruction by its name, without the suffix of its encoding. Each class of instructions has a file with a
//! table of its forms, and names the section of AMD's manual that it follows. Decoding gives a closure that executes the
//! instruction on a wave.

mod cross_lane;
mod dual;
mod element;
#[cfg(test)]
mod faults;
mod lanes;
mod matrix;
mod memory;
#[cfg(test)]
mod nearest;
mod plain;
mod scalar;
mod source;
#[cfg(test)]
mod speed;
mod sub_dword;
#[cfg(test)]
mod testing;
mod vector;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::assembly::{DecodeError, Decoded, Statement};
use crate::fault::{FaultKind, fail};
pub(crate) use crate::machine::code::Execute;
use crate::machine::code::{Code, Instruction};
use crate::target::Target;
pub(crate) use source::{PRIVATE_BASE, SHARED_BASE};

/// An instruction whose meaning is known.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) decode: fn(&mut Statement, &Target) -> Decoded<Execute>,
}

/// The tables of all classes.
const TABLES: &[&[&[Form]]] = &[vector::TABLES, scalar::TABLES, memory::TABLES, matrix::TABLES];

/// All forms.
fn forms() -> impl Iterator<Item = &'static Form> {
    TABLES.iter().copied().flatten().copied().flatten()
}

/// The suffixes that tell encodings apart. They do not change an instruction's meaning.
const ENCODINGS: &[&str] = &["_e64_dpp", "_e32", "_e64", "_dpp", "_dpp8", "_sdwa"];

/// The name of an instruction's form.
pub(crate) fn form_name(mnemonic: &str) -> &str {
    ENCODINGS.iter().find_map(|suffix| mnemonic.strip_suffix(suffix)).unwrap_or(mnemonic)
}

/// The form with this name.
pub(crate) fn form(name: &str) -> Option<&'static Form> {
    static FORMS: LazyLock<HashMap<&'static str, &'static Form>> =
        LazyLock::new(|| forms().map(|form| (form.name, form)).collect());
    FORMS.get(name).copied()
}

/// Decodes an instruction.
pub(crate) fn decode(mut statement: Statement, target: &Target) -> Decoded<Execute> {
    if statement.mnemonic.starts_with("v_dual_") {
        return dual::decode(statement, target);
    }
    let form = form(form_name(&statement.mnemonic)).ok_or(DecodeError::Mnemonic)?;
    let execute = (form.decode)(&mut statement, target)?;
    statement.finish()?;
    Ok(execute)
}

/// Decodes the instructions of a code object, whose addresses are `base` higher in memory. One that is not understood stops a
/// launch when it is reached.
pub(crate) fn code(statements: Vec<(String, Statement)>, base: u64, target: &Target) -> Code {
    let instruction = |(text, statement): (String, Statement)| {
        let address = statement.address;
        match decode(statement, target) {
            Ok(execute) => (execute, Instruction { address, text, refusal: None }),
            Err(error) => (unknown(error.clone()), Instruction { address, text, refusal: Some(error) }),
        }
    };
    Code::new(statements.into_iter().map(instruction), base)
}

/// What executes in the place of an instruction that was not understood.
fn unknown(error: DecodeError) -> Execute {
    Box::new(move |_, _| fail(FaultKind::Unknown, error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Each form is compared with something that was written down independently of it.
    #[test]
    fn every_form_has_a_reference() {
        let tables = [vector::REFERENCES, scalar::REFERENCES, memory::REFERENCES, matrix::REFERENCES];
        let references: HashMap<&str, &testing::Reference> = tables
            .into_iter()
            .flatten()
            .copied()
            .flatten()
            .map(|reference| (reference.name, reference))
            .collect();
        for form in forms() {
            let reference =
                references.get(form.name).unwrap_or_else(|| panic!("{} has no reference", form.name));
            (reference.check)(form.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut seen = HashSet::new();
        for form in forms() {
            assert!(seen.insert(form.name), "{} is in two tables", form.name);
            assert_eq!(form_name(form.name), form.name, "a form's name has no suffix of an encoding");
        }
    }
}
