// Made by `cargo xtask bindgen` from the headers of comgr 3.0; do not edit.

/// A handle to a data object.
pub type amd_comgr_data_t = amd_comgr_data_s;
/// A handle to an action data object.
pub type amd_comgr_data_set_t = amd_comgr_data_set_s;
/// A handle to an action information object.
pub type amd_comgr_action_info_t = amd_comgr_action_info_s;
/// A handle to a metadata node.
pub type amd_comgr_metadata_node_t = amd_comgr_metadata_node_s;
/// A handle to a machine code object symbol.
pub type amd_comgr_symbol_t = amd_comgr_symbol_s;
/// A handle to a disassembly information object.
pub type amd_comgr_disassembly_info_t = amd_comgr_disassembly_info_s;
/// A handle to a symbolizer information object.
pub type amd_comgr_symbolizer_info_t = amd_comgr_symbolizer_info_s;
/// A data structure for Code object information.
pub type amd_comgr_code_object_info_t = code_object_info_s;
#[repr(transparent)]
/// Status codes.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct amd_comgr_status_s(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// The source languages supported by the compiler.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct amd_comgr_language_s(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// The kinds of data supported.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct amd_comgr_data_kind_s(pub ::core::ffi::c_uint);
/// A handle to a data object.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct amd_comgr_data_s {
    pub handle: u64,
}
/// A handle to an action data object.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct amd_comgr_data_set_s {
    pub handle: u64,
}
/// A handle to an action information object.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct amd_comgr_action_info_s {
    pub handle: u64,
}
/// A handle to a metadata node.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct amd_comgr_metadata_node_s {
    pub handle: u64,
}
/// A handle to a machine code object symbol.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct amd_comgr_symbol_s {
    pub handle: u64,
}
/// A handle to a disassembly information object.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct amd_comgr_disassembly_info_s {
    pub handle: u64,
}
/// A handle to a symbolizer information object.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct amd_comgr_symbolizer_info_s {
    pub handle: u64,
}
#[repr(transparent)]
/// The kinds of actions that can be performed.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct amd_comgr_action_kind_s(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// The kinds of metadata nodes.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct amd_comgr_metadata_kind_s(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Machine code object symbol type.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct amd_comgr_symbol_type_s(pub ::core::ffi::c_int);
#[repr(transparent)]
/// Machine code object symbol attributes.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct amd_comgr_symbol_info_s(pub ::core::ffi::c_uint);
/// A data structure for Code object information.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct code_object_info_s {
    /// ISA name representing the code object.
    pub isa: *const ::core::ffi::c_char,
    /// The size of the code object.
    pub size: usize,
    pub offset: u64,
}
pub const AMD_COMGR_INTERFACE_VERSION_MAJOR: u32 = 3;
pub const AMD_COMGR_INTERFACE_VERSION_MINOR: u32 = 0;
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of amd_comgr_data_s"][::core::mem::size_of::<amd_comgr_data_s>() - 8usize];
    [
        "Alignment of amd_comgr_data_s",
    ][::core::mem::align_of::<amd_comgr_data_s>() - 8usize];
    [
        "Offset of field: amd_comgr_data_s::handle",
    ][::core::mem::offset_of!(amd_comgr_data_s, handle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of amd_comgr_data_set_s",
    ][::core::mem::size_of::<amd_comgr_data_set_s>() - 8usize];
    [
        "Alignment of amd_comgr_data_set_s",
    ][::core::mem::align_of::<amd_comgr_data_set_s>() - 8usize];
    [
        "Offset of field: amd_comgr_data_set_s::handle",
    ][::core::mem::offset_of!(amd_comgr_data_set_s, handle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of amd_comgr_action_info_s",
    ][::core::mem::size_of::<amd_comgr_action_info_s>() - 8usize];
    [
        "Alignment of amd_comgr_action_info_s",
    ][::core::mem::align_of::<amd_comgr_action_info_s>() - 8usize];
    [
        "Offset of field: amd_comgr_action_info_s::handle",
    ][::core::mem::offset_of!(amd_comgr_action_info_s, handle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of amd_comgr_metadata_node_s",
    ][::core::mem::size_of::<amd_comgr_metadata_node_s>() - 8usize];
    [
        "Alignment of amd_comgr_metadata_node_s",
    ][::core::mem::align_of::<amd_comgr_metadata_node_s>() - 8usize];
    [
        "Offset of field: amd_comgr_metadata_node_s::handle",
    ][::core::mem::offset_of!(amd_comgr_metadata_node_s, handle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of amd_comgr_symbol_s",
    ][::core::mem::size_of::<amd_comgr_symbol_s>() - 8usize];
    [
        "Alignment of amd_comgr_symbol_s",
    ][::core::mem::align_of::<amd_comgr_symbol_s>() - 8usize];
    [
        "Offset of field: amd_comgr_symbol_s::handle",
    ][::core::mem::offset_of!(amd_comgr_symbol_s, handle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of amd_comgr_disassembly_info_s",
    ][::core::mem::size_of::<amd_comgr_disassembly_info_s>() - 8usize];
    [
        "Alignment of amd_comgr_disassembly_info_s",
    ][::core::mem::align_of::<amd_comgr_disassembly_info_s>() - 8usize];
    [
        "Offset of field: amd_comgr_disassembly_info_s::handle",
    ][::core::mem::offset_of!(amd_comgr_disassembly_info_s, handle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of amd_comgr_symbolizer_info_s",
    ][::core::mem::size_of::<amd_comgr_symbolizer_info_s>() - 8usize];
    [
        "Alignment of amd_comgr_symbolizer_info_s",
    ][::core::mem::align_of::<amd_comgr_symbolizer_info_s>() - 8usize];
    [
        "Offset of field: amd_comgr_symbolizer_info_s::handle",
    ][::core::mem::offset_of!(amd_comgr_symbolizer_info_s, handle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of code_object_info_s",
    ][::core::mem::size_of::<code_object_info_s>() - 24usize];
    [
        "Alignment of code_object_info_s",
    ][::core::mem::align_of::<code_object_info_s>() - 8usize];
    [
        "Offset of field: code_object_info_s::isa",
    ][::core::mem::offset_of!(code_object_info_s, isa) - 0usize];
    [
        "Offset of field: code_object_info_s::size",
    ][::core::mem::offset_of!(code_object_info_s, size) - 8usize];
    [
        "Offset of field: code_object_info_s::offset",
    ][::core::mem::offset_of!(code_object_info_s, offset) - 16usize];
};
impl amd_comgr_status_s {
    /// The function has been executed successfully.
    pub const AMD_COMGR_STATUS_SUCCESS: amd_comgr_status_s = amd_comgr_status_s(0);
    /// A generic error has occurred.
    pub const AMD_COMGR_STATUS_ERROR: amd_comgr_status_s = amd_comgr_status_s(1);
    /// One of the actual arguments does not meet a precondition stated in the documentation of the corresponding formal argument. This includes both invalid Action types, and invalid arguments to valid Action types.
    pub const AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT: amd_comgr_status_s = amd_comgr_status_s(
        2,
    );
    /// Failed to allocate the necessary resources.
    pub const AMD_COMGR_STATUS_ERROR_OUT_OF_RESOURCES: amd_comgr_status_s = amd_comgr_status_s(
        3,
    );
}
impl amd_comgr_language_s {
    /// No high level language.
    pub const AMD_COMGR_LANGUAGE_NONE: amd_comgr_language_s = amd_comgr_language_s(0);
    /// OpenCL 1.2.
    pub const AMD_COMGR_LANGUAGE_OPENCL_1_2: amd_comgr_language_s = amd_comgr_language_s(
        1,
    );
    /// OpenCL 2.0.
    pub const AMD_COMGR_LANGUAGE_OPENCL_2_0: amd_comgr_language_s = amd_comgr_language_s(
        2,
    );
    /// HIP.
    pub const AMD_COMGR_LANGUAGE_HIP: amd_comgr_language_s = amd_comgr_language_s(3);
    /// LLVM IR, either textual (.ll) or bitcode (.bc) format.
    pub const AMD_COMGR_LANGUAGE_LLVM_IR: amd_comgr_language_s = amd_comgr_language_s(4);
    /// Marker for last valid language.
    pub const AMD_COMGR_LANGUAGE_LAST: amd_comgr_language_s = amd_comgr_language_s(4);
}
impl amd_comgr_data_kind_s {
    /// No data is available.
    pub const AMD_COMGR_DATA_KIND_UNDEF: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        0,
    );
    /// The data is a textual main source.
    pub const AMD_COMGR_DATA_KIND_SOURCE: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        1,
    );
    /// The data is a textual source that is included in the main source or other include source.
    pub const AMD_COMGR_DATA_KIND_INCLUDE: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        2,
    );
    /// The data is a precompiled-header source that is included in the main source or other include source.
    pub const AMD_COMGR_DATA_KIND_PRECOMPILED_HEADER: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        3,
    );
    /// The data is a diagnostic output.
    pub const AMD_COMGR_DATA_KIND_DIAGNOSTIC: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        4,
    );
    /// The data is a textual log output.
    pub const AMD_COMGR_DATA_KIND_LOG: amd_comgr_data_kind_s = amd_comgr_data_kind_s(5);
    /// The data is compiler LLVM IR bit code for a specific isa.
    pub const AMD_COMGR_DATA_KIND_BC: amd_comgr_data_kind_s = amd_comgr_data_kind_s(6);
    /// The data is a relocatable machine code object for a specific isa.
    pub const AMD_COMGR_DATA_KIND_RELOCATABLE: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        7,
    );
    /// The data is an executable machine code object for a specific isa. An executable is the kind of code object that can be loaded and executed.
    pub const AMD_COMGR_DATA_KIND_EXECUTABLE: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        8,
    );
    /// The data is a block of bytes.
    pub const AMD_COMGR_DATA_KIND_BYTES: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        9,
    );
    /// The data is a fat binary (clang-offload-bundler output).
    pub const AMD_COMGR_DATA_KIND_FATBIN: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        16,
    );
    /// The data is an archive.
    pub const AMD_COMGR_DATA_KIND_AR: amd_comgr_data_kind_s = amd_comgr_data_kind_s(17);
    /// The data is a bitcode bundle.
    pub const AMD_COMGR_DATA_KIND_BC_BUNDLE: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        18,
    );
    /// The data is an archive bundle.
    pub const AMD_COMGR_DATA_KIND_AR_BUNDLE: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        19,
    );
    /// The data is an object file bundle.
    pub const AMD_COMGR_DATA_KIND_OBJ_BUNDLE: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        20,
    );
    /// The data is SPIR-V IR
    pub const AMD_COMGR_DATA_KIND_SPIRV: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        21,
    );
    /// Marker for last valid data kind.
    pub const AMD_COMGR_DATA_KIND_LAST: amd_comgr_data_kind_s = amd_comgr_data_kind_s(
        21,
    );
}
impl amd_comgr_action_kind_s {
    /// Preprocess each source data object in input in order. For each successful preprocessor invocation, add a source data object to result. Resolve any include source names using the names of include data objects in input. Resolve any include relative path names using the working directory path in info. Preprocess the source for the language in info.
    pub const AMD_COMGR_ACTION_SOURCE_TO_PREPROCESSOR: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        0,
    );
    /// Copy all existing data objects in input to output, then add the device-specific and language-specific precompiled headers required for compilation.
    pub const AMD_COMGR_ACTION_ADD_PRECOMPILED_HEADERS: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        1,
    );
    /// Compile each source data object in input in order. For each successful compilation add a bc data object to result. Resolve any include source names using the names of include data objects in input. Resolve any include relative path names using the working directory path in info. Produce bc for isa name in info. Compile the source for the language in info.
    pub const AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        2,
    );
    /// Link a collection of bitcodes, bundled bitcodes, and bundled bitcode archives in into a single composite (unbundled) bitcode @p. Any device library bc data object must be explicitly added to input if needed.
    pub const AMD_COMGR_ACTION_LINK_BC_TO_BC: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        3,
    );
    /// Perform code generation for each bc data object in input in order. For each successful code generation add a relocatable data object to result.
    pub const AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        4,
    );
    /// Perform code generation for each bc data object in input in order. For each successful code generation add an assembly source data object to result.
    pub const AMD_COMGR_ACTION_CODEGEN_BC_TO_ASSEMBLY: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        5,
    );
    /// Link each relocatable data object in input together and add the linked relocatable data object to result. Any device library relocatable data object must be explicitly added to input if needed.
    pub const AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_RELOCATABLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        6,
    );
    /// Link each relocatable data object in input together and add the linked executable data object to result. Any device library relocatable data object must be explicitly added to input if needed.
    pub const AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        7,
    );
    /// Assemble each source data object in input in order into machine code. For each successful assembly add a relocatable data object to result. Resolve any include source names using the names of include data objects in
    pub const AMD_COMGR_ACTION_ASSEMBLE_SOURCE_TO_RELOCATABLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        8,
    );
    /// Disassemble each relocatable data object in input in order. For each successful disassembly add a source data object to
    pub const AMD_COMGR_ACTION_DISASSEMBLE_RELOCATABLE_TO_SOURCE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        9,
    );
    /// Disassemble each executable data object in input in order. For each successful disassembly add a source data object to result.
    pub const AMD_COMGR_ACTION_DISASSEMBLE_EXECUTABLE_TO_SOURCE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        10,
    );
    /// Disassemble each bytes data object in input in order. For each successful disassembly add a source data object to result. Only simple assembly language commands are generate that corresponf to raw bytes are supported, not any directives that control the code object layout, or symbolic branch targets or names.
    pub const AMD_COMGR_ACTION_DISASSEMBLE_BYTES_TO_SOURCE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        11,
    );
    /// Compile each source data object in input in order. For each successful compilation add a bc data object to result. Resolve any include source names using the names of include data objects in input. Resolve any include relative path names using the working directory path in info. Produce bc for isa name in info. Compile the source for the language in info. Link against the device-specific and language-specific bitcode device libraries required for compilation.
    pub const AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        12,
    );
    /// Compile a single source data object in input in order. For each successful compilation add a relocatable data object to result. Resolve any include source names using the names of include data objects in input. Resolve any include relative path names using the working directory path in info. Produce relocatable for hip name in info. Compile the source for the language in info. Link against the device-specific and language-specific bitcode device libraries required for compilation. Currently only supports HIP language.
    pub const AMD_COMGR_ACTION_COMPILE_SOURCE_TO_RELOCATABLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        13,
    );
    /// Compile each source data object in input and create a single executabele in result. Resolve any include source names using the names of include data objects in input. Resolve any include relative path names using the working directory path in info. Produce executable for isa name in info. Compile the source for the language in info. Link against the device-specific and language-specific bitcode device libraries required for compilation.
    pub const AMD_COMGR_ACTION_COMPILE_SOURCE_TO_EXECUTABLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        14,
    );
    /// Unbundle each source data object in input. These objects can be bitcode bundles, or an archive containing bitcode bundles. For each successful unbundling, add a bc object or archive object to result, depending on the corresponding input.
    pub const AMD_COMGR_ACTION_UNBUNDLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        15,
    );
    /// Compile each source SPIR-V object in input into a relocatable. For each successful compilation, add a relocatable object to result
    pub const AMD_COMGR_ACTION_COMPILE_SPIRV_TO_RELOCATABLE: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        16,
    );
    /// Translate each source SPIR-V object in input into LLVM IR Bitcode. For each successful translation, add a bc object to result *
    pub const AMD_COMGR_ACTION_TRANSLATE_SPIRV_TO_BC: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        19,
    );
    /// Marker for last valid action kind.
    pub const AMD_COMGR_ACTION_LAST: amd_comgr_action_kind_s = amd_comgr_action_kind_s(
        19,
    );
}
impl amd_comgr_metadata_kind_s {
    /// The NULL metadata handle.
    pub const AMD_COMGR_METADATA_KIND_NULL: amd_comgr_metadata_kind_s = amd_comgr_metadata_kind_s(
        0,
    );
    /// A sting value.
    pub const AMD_COMGR_METADATA_KIND_STRING: amd_comgr_metadata_kind_s = amd_comgr_metadata_kind_s(
        1,
    );
    /// A map that consists of a set of key and value pairs.
    pub const AMD_COMGR_METADATA_KIND_MAP: amd_comgr_metadata_kind_s = amd_comgr_metadata_kind_s(
        2,
    );
    /// A list that consists of a sequence of values.
    pub const AMD_COMGR_METADATA_KIND_LIST: amd_comgr_metadata_kind_s = amd_comgr_metadata_kind_s(
        3,
    );
    /// Marker for last valid metadata kind.
    pub const AMD_COMGR_METADATA_KIND_LAST: amd_comgr_metadata_kind_s = amd_comgr_metadata_kind_s(
        3,
    );
}
impl amd_comgr_symbol_type_s {
    /// The symbol's type is unknown.
    pub const AMD_COMGR_SYMBOL_TYPE_UNKNOWN: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        -1,
    );
    /// The symbol's type is not specified.
    pub const AMD_COMGR_SYMBOL_TYPE_NOTYPE: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        0,
    );
    /// The symbol is associated with a data object, such as a variable, an array, and so on.
    pub const AMD_COMGR_SYMBOL_TYPE_OBJECT: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        1,
    );
    /// The symbol is associated with a function or other executable code.
    pub const AMD_COMGR_SYMBOL_TYPE_FUNC: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        2,
    );
    /// The symbol is associated with a section. Symbol table entries of this type exist primarily for relocation.
    pub const AMD_COMGR_SYMBOL_TYPE_SECTION: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        3,
    );
    /// Conventionally, the symbol's name gives the name of the source file associated with the object file.
    pub const AMD_COMGR_SYMBOL_TYPE_FILE: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        4,
    );
    /// The symbol labels an uninitialized common block.
    pub const AMD_COMGR_SYMBOL_TYPE_COMMON: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        5,
    );
    /// The symbol is associated with an AMDGPU Code Object V2 kernel function.
    pub const AMD_COMGR_SYMBOL_TYPE_AMDGPU_HSA_KERNEL: amd_comgr_symbol_type_s = amd_comgr_symbol_type_s(
        10,
    );
}
impl amd_comgr_symbol_info_s {
    /// The length of the symbol name in bytes. Does not include the NUL terminator. The type of this attribute is uint64_t.
    pub const AMD_COMGR_SYMBOL_INFO_NAME_LENGTH: amd_comgr_symbol_info_s = amd_comgr_symbol_info_s(
        0,
    );
    /// The name of the symbol. The type of this attribute is character array with the length equal to the value of the AMD_COMGR_SYMBOL_INFO_NAME_LENGTH attribute plus 1 for a NUL terminator.
    pub const AMD_COMGR_SYMBOL_INFO_NAME: amd_comgr_symbol_info_s = amd_comgr_symbol_info_s(
        1,
    );
    /// The kind of the symbol. The type of this attribute is amd_comgr_symbol_type_t.
    pub const AMD_COMGR_SYMBOL_INFO_TYPE: amd_comgr_symbol_info_s = amd_comgr_symbol_info_s(
        2,
    );
    /// Size of the variable. The value of this attribute is undefined if the symbol is not a variable. The type of this attribute is uint64_t.
    pub const AMD_COMGR_SYMBOL_INFO_SIZE: amd_comgr_symbol_info_s = amd_comgr_symbol_info_s(
        3,
    );
    /// Indicates whether the symbol is undefined. The type of this attribute is bool.
    pub const AMD_COMGR_SYMBOL_INFO_IS_UNDEFINED: amd_comgr_symbol_info_s = amd_comgr_symbol_info_s(
        4,
    );
    /// The value of the symbol. The type of this attribute is uint64_t.
    pub const AMD_COMGR_SYMBOL_INFO_VALUE: amd_comgr_symbol_info_s = amd_comgr_symbol_info_s(
        5,
    );
    /// Marker for last valid symbol info.
    pub const AMD_COMGR_SYMBOL_INFO_LAST: amd_comgr_symbol_info_s = amd_comgr_symbol_info_s(
        5,
    );
}
impl Default for code_object_info_s {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// Status codes.
pub use self::amd_comgr_status_s as amd_comgr_status_t;
/// The source languages supported by the compiler.
pub use self::amd_comgr_language_s as amd_comgr_language_t;
/// The kinds of data supported.
pub use self::amd_comgr_data_kind_s as amd_comgr_data_kind_t;
/// The kinds of actions that can be performed.
pub use self::amd_comgr_action_kind_s as amd_comgr_action_kind_t;
/// The kinds of metadata nodes.
pub use self::amd_comgr_metadata_kind_s as amd_comgr_metadata_kind_t;
/// Machine code object symbol type.
pub use self::amd_comgr_symbol_type_s as amd_comgr_symbol_type_t;
/// Machine code object symbol attributes.
pub use self::amd_comgr_symbol_info_s as amd_comgr_symbol_info_t;
