//! Numbers that depend on comgr's version.

use super::{amd_comgr_action_kind_t, amd_comgr_language_t};

/// The enum values for compiling HIP in a given major version of the library. Version 3 dropped a language and two actions, and renumbered
/// those after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// HIP as a source language.
    pub hip: amd_comgr_language_t,
    /// Compiles a source to bitcode.
    pub compile: amd_comgr_action_kind_t,
    /// Adds the device libraries' bitcode and links it with the source's; `None` if `compile` also does that.
    pub add_libraries: Option<[amd_comgr_action_kind_t; 2]>,
    /// Compiles bitcode to machine code.
    pub generate: amd_comgr_action_kind_t,
    /// Links machine code to a code object.
    pub link: amd_comgr_action_kind_t,
}

impl Numbers {
    /// The values of a major version; `None` if it is not known.
    pub fn of(major: usize) -> Option<Self> {
        let action = |number| amd_comgr_action_kind_t(number);
        match major {
            2 => Some(Self {
                hip: amd_comgr_language_t(4),
                // AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC, which does not link them into HIP in 2.4.
                compile: action(15),
                add_libraries: Some([action(3), action(4)]),
                generate: action(6),
                link: action(9),
            }),
            3 => Some(Self {
                hip: amd_comgr_language_t::AMD_COMGR_LANGUAGE_HIP,
                compile: amd_comgr_action_kind_t::AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC,
                add_libraries: None,
                generate: amd_comgr_action_kind_t::AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE,
                link: amd_comgr_action_kind_t::AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE,
            }),
            _ => None,
        }
    }
}
