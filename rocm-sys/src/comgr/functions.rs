// Made by `cargo xtask bindgen` from the headers of comgr 3.0; do not edit.

use super::*;

crate::api! {
    Comgr, Comgr;

    /// Return the number of data objects of a specified data kind that are added to a data set object.
    fn amd_comgr_action_data_count(
        data_set: amd_comgr_data_set_t,
        data_kind: amd_comgr_data_kind_t,
        count: *mut usize,
    ) -> amd_comgr_status_t;
    /// Return the Nth data object of a specified data kind that is added to a data set object.
    fn amd_comgr_action_data_get_data(
        data_set: amd_comgr_data_set_t,
        data_kind: amd_comgr_data_kind_t,
        index: usize,
        data: *mut amd_comgr_data_t,
    ) -> amd_comgr_status_t;
    /// Fetch the Nth specific bundle entry ID or that ID's length.
    fn amd_comgr_action_info_get_bundle_entry_id(
        action_info: amd_comgr_action_info_t,
        index: usize,
        size: *mut usize,
        bundle_entry_id: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Get number of bundle entry IDs
    fn amd_comgr_action_info_get_bundle_entry_id_count(
        action_info: amd_comgr_action_info_t,
        count: *mut usize,
    ) -> amd_comgr_status_t;
    /// Get the isa name and/or isa name length.
    fn amd_comgr_action_info_get_isa_name(
        action_info: amd_comgr_action_info_t,
        size: *mut usize,
        isa_name: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Get the language for an action info object.
    fn amd_comgr_action_info_get_language(
        action_info: amd_comgr_action_info_t,
        language: *mut amd_comgr_language_t,
    ) -> amd_comgr_status_t;
    /// Get whether logging is enabled for an action info object.
    fn amd_comgr_action_info_get_logging(
        action_info: amd_comgr_action_info_t,
        logging: *mut bool,
    ) -> amd_comgr_status_t;
    /// Return the number of options in the options array.
    fn amd_comgr_action_info_get_option_list_count(
        action_info: amd_comgr_action_info_t,
        count: *mut usize,
    ) -> amd_comgr_status_t;
    /// Return the Nth option string in the options array and/or that option's length.
    fn amd_comgr_action_info_get_option_list_item(
        action_info: amd_comgr_action_info_t,
        index: usize,
        size: *mut usize,
        option: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Get the working directory path and/or working directory path length of an action info object.
    fn amd_comgr_action_info_get_working_directory_path(
        action_info: amd_comgr_action_info_t,
        size: *mut usize,
        path: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Set the bundle entry IDs of an action info object.
    fn amd_comgr_action_info_set_bundle_entry_ids(
        action_info: amd_comgr_action_info_t,
        bundle_entry_ids: *mut *const ::core::ffi::c_char,
        count: usize,
    ) -> amd_comgr_status_t;
    /// Set the device library linking behavior of an action info object.
    fn amd_comgr_action_info_set_device_lib_linking(
        action_info: amd_comgr_action_info_t,
        should_link_device_libs: bool,
    ) -> amd_comgr_status_t;
    /// Set the isa name of an action info object.
    fn amd_comgr_action_info_set_isa_name(
        action_info: amd_comgr_action_info_t,
        isa_name: *const ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Set the source language of an action info object.
    fn amd_comgr_action_info_set_language(
        action_info: amd_comgr_action_info_t,
        language: amd_comgr_language_t,
    ) -> amd_comgr_status_t;
    /// Set whether logging is enabled for an action info object.
    fn amd_comgr_action_info_set_logging(
        action_info: amd_comgr_action_info_t,
        logging: bool,
    ) -> amd_comgr_status_t;
    /// Set the options array of an action info object.
    fn amd_comgr_action_info_set_option_list(
        action_info: amd_comgr_action_info_t,
        options: *mut *const ::core::ffi::c_char,
        count: usize,
    ) -> amd_comgr_status_t;
    /// Set whether the specified action should use an in-memory virtual file system (VFS).
    fn amd_comgr_action_info_set_vfs(
        action_info: amd_comgr_action_info_t,
        should_use_vfs: bool,
    ) -> amd_comgr_status_t;
    /// Set the working directory of an action info object.
    fn amd_comgr_action_info_set_working_directory_path(
        action_info: amd_comgr_action_info_t,
        path: *const ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Create an action info object.
    fn amd_comgr_create_action_info(
        action_info: *mut amd_comgr_action_info_t,
    ) -> amd_comgr_status_t;
    /// Create a data object that can hold data of a specified kind.
    fn amd_comgr_create_data(
        kind: amd_comgr_data_kind_t,
        data: *mut amd_comgr_data_t,
    ) -> amd_comgr_status_t;
    /// Create a data set object.
    fn amd_comgr_create_data_set(
        data_set: *mut amd_comgr_data_set_t,
    ) -> amd_comgr_status_t;
    /// Create a disassembly info object.
    fn amd_comgr_create_disassembly_info(
        isa_name: *const ::core::ffi::c_char,
        read_memory_callback: ::core::option::Option<
            unsafe extern "C" fn(
                from: u64,
                to: *mut ::core::ffi::c_char,
                size: u64,
                user_data: *mut ::core::ffi::c_void,
            ) -> u64,
        >,
        print_instruction_callback: ::core::option::Option<
            unsafe extern "C" fn(
                instruction: *const ::core::ffi::c_char,
                user_data: *mut ::core::ffi::c_void,
            ),
        >,
        print_address_annotation_callback: ::core::option::Option<
            unsafe extern "C" fn(address: u64, user_data: *mut ::core::ffi::c_void),
        >,
        disassembly_info: *mut amd_comgr_disassembly_info_t,
    ) -> amd_comgr_status_t;
    /// Create a symbolizer info object.
    fn amd_comgr_create_symbolizer_info(
        code_object: amd_comgr_data_t,
        print_symbol_callback: ::core::option::Option<
            unsafe extern "C" fn(
                symbol: *const ::core::ffi::c_char,
                user_data: *mut ::core::ffi::c_void,
            ),
        >,
        symbolizer_info: *mut amd_comgr_symbolizer_info_t,
    ) -> amd_comgr_status_t;
    /// Add a data object to a data set object if it is not already added.
    fn amd_comgr_data_set_add(
        data_set: amd_comgr_data_set_t,
        data: amd_comgr_data_t,
    ) -> amd_comgr_status_t;
    /// Remove all data objects of a specified kind from a data set object.
    fn amd_comgr_data_set_remove(
        data_set: amd_comgr_data_set_t,
        data_kind: amd_comgr_data_kind_t,
    ) -> amd_comgr_status_t;
    /// Demangle a symbol name.
    fn amd_comgr_demangle_symbol_name(
        mangled_symbol_name: amd_comgr_data_t,
        demangled_symbol_name: *mut amd_comgr_data_t,
    ) -> amd_comgr_status_t;
    /// Destroy an action info object.
    fn amd_comgr_destroy_action_info(
        action_info: amd_comgr_action_info_t,
    ) -> amd_comgr_status_t;
    /// Destroy a data set object.
    fn amd_comgr_destroy_data_set(data_set: amd_comgr_data_set_t) -> amd_comgr_status_t;
    /// Destroy a disassembly info object.
    fn amd_comgr_destroy_disassembly_info(
        disassembly_info: amd_comgr_disassembly_info_t,
    ) -> amd_comgr_status_t;
    /// Destroy a metadata handle.
    fn amd_comgr_destroy_metadata(
        metadata: amd_comgr_metadata_node_t,
    ) -> amd_comgr_status_t;
    /// Destroy symbolizer info object.
    fn amd_comgr_destroy_symbolizer_info(
        symbolizer_info: amd_comgr_symbolizer_info_t,
    ) -> amd_comgr_status_t;
    /// Disassemble a single instruction.
    fn amd_comgr_disassemble_instruction(
        disassembly_info: amd_comgr_disassembly_info_t,
        address: u64,
        user_data: *mut ::core::ffi::c_void,
        size: *mut u64,
    ) -> amd_comgr_status_t;
    /// Perform an action.
    fn amd_comgr_do_action(
        kind: amd_comgr_action_kind_t,
        info: amd_comgr_action_info_t,
        input: amd_comgr_data_set_t,
        result: amd_comgr_data_set_t,
    ) -> amd_comgr_status_t;
    /// Get the data contents, and/or the size of the data associated with a data object.
    fn amd_comgr_get_data(
        data: amd_comgr_data_t,
        size: *mut usize,
        bytes: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Get the data object isa name and/or isa name length.
    fn amd_comgr_get_data_isa_name(
        data: amd_comgr_data_t,
        size: *mut usize,
        isa_name: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Get the kind of the data object.
    fn amd_comgr_get_data_kind(
        data: amd_comgr_data_t,
        kind: *mut amd_comgr_data_kind_t,
    ) -> amd_comgr_status_t;
    /// Get a handle to the metadata of a data object.
    fn amd_comgr_get_data_metadata(
        data: amd_comgr_data_t,
        metadata: *mut amd_comgr_metadata_node_t,
    ) -> amd_comgr_status_t;
    /// Get the data object name and/or name length.
    fn amd_comgr_get_data_name(
        data: amd_comgr_data_t,
        size: *mut usize,
        name: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Return the number of isa names supported by this version of the code object manager library.
    fn amd_comgr_get_isa_count(count: *mut usize) -> amd_comgr_status_t;
    /// Get a handle to the metadata of an isa name.
    fn amd_comgr_get_isa_metadata(
        isa_name: *const ::core::ffi::c_char,
        metadata: *mut amd_comgr_metadata_node_t,
    ) -> amd_comgr_status_t;
    /// Return the Nth isa name supported by this version of the code object manager library.
    fn amd_comgr_get_isa_name(
        index: usize,
        isa_name: *mut *const ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Fetch the Nth specific mangled name from a set of populated names or that name's length.
    fn amd_comgr_get_mangled_name(
        data: amd_comgr_data_t,
        index: usize,
        size: *mut usize,
        mangled_name: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Get the kind of the metadata node.
    fn amd_comgr_get_metadata_kind(
        metadata: amd_comgr_metadata_node_t,
        kind: *mut amd_comgr_metadata_kind_t,
    ) -> amd_comgr_status_t;
    /// Get the list size from a metadata list node.
    fn amd_comgr_get_metadata_list_size(
        metadata: amd_comgr_metadata_node_t,
        size: *mut usize,
    ) -> amd_comgr_status_t;
    /// Get the map size from a metadata map node.
    fn amd_comgr_get_metadata_map_size(
        metadata: amd_comgr_metadata_node_t,
        size: *mut usize,
    ) -> amd_comgr_status_t;
    /// Get the string and/or string length from a metadata string node.
    fn amd_comgr_get_metadata_string(
        metadata: amd_comgr_metadata_node_t,
        size: *mut usize,
        string: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Get the version of the code object manager interface supported.
    fn amd_comgr_get_version(major: *mut usize, minor: *mut usize);
    /// Return the Nth metadata node of a list metadata node.
    fn amd_comgr_index_list_metadata(
        metadata: amd_comgr_metadata_node_t,
        index: usize,
        value: *mut amd_comgr_metadata_node_t,
    ) -> amd_comgr_status_t;
    /// Iterate over the elements a metadata map node.
    fn amd_comgr_iterate_map_metadata(
        metadata: amd_comgr_metadata_node_t,
        callback: ::core::option::Option<
            unsafe extern "C" fn(
                key: amd_comgr_metadata_node_t,
                value: amd_comgr_metadata_node_t,
                user_data: *mut ::core::ffi::c_void,
            ) -> amd_comgr_status_t,
        >,
        user_data: *mut ::core::ffi::c_void,
    ) -> amd_comgr_status_t;
    /// Iterate over the symbols of a machine code object.
    fn amd_comgr_iterate_symbols(
        data: amd_comgr_data_t,
        callback: ::core::option::Option<
            unsafe extern "C" fn(
                symbol: amd_comgr_symbol_t,
                user_data: *mut ::core::ffi::c_void,
            ) -> amd_comgr_status_t,
        >,
        user_data: *mut ::core::ffi::c_void,
    ) -> amd_comgr_status_t;
    /// correponding code object information.
    fn amd_comgr_lookup_code_object(
        data: amd_comgr_data_t,
        info_list: *mut amd_comgr_code_object_info_t,
        info_list_size: usize,
    ) -> amd_comgr_status_t;
    /// address to a code object offset. Also, determine if the ELF virtual address maps to an offset in a data region that is defined by the ELF file, but that does not occupy bytes in the ELF file. This is typically true of offsets that that refer to runtime or heap allocated memory. For ELF files with defined sections, these data regions are referred to as NOBITS or .bss sections.
    fn amd_comgr_map_elf_virtual_address_to_code_object_offset(
        data: amd_comgr_data_t,
        elf_virtual_address: u64,
        code_object_offset: *mut u64,
        slice_size: *mut u64,
        nobits: *mut bool,
    ) -> amd_comgr_status_t;
    /// Fetch a related symbol name for a given name expression; or that name's length.
    fn amd_comgr_map_name_expression_to_symbol_name(
        data: amd_comgr_data_t,
        size: *mut usize,
        name_expression: *mut ::core::ffi::c_char,
        symbol_name: *mut ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Use a string key to lookup an element of a metadata map node and return the entry value.
    fn amd_comgr_metadata_lookup(
        metadata: amd_comgr_metadata_node_t,
        key: *const ::core::ffi::c_char,
        value: *mut amd_comgr_metadata_node_t,
    ) -> amd_comgr_status_t;
    /// Fetch mangled symbol names from a code object.
    fn amd_comgr_populate_mangled_names(
        data: amd_comgr_data_t,
        count: *mut usize,
    ) -> amd_comgr_status_t;
    /// Populate a name expression map from a given code object.
    fn amd_comgr_populate_name_expression_map(
        data: amd_comgr_data_t,
        count: *mut usize,
    ) -> amd_comgr_status_t;
    /// Indicate that no longer using a data object handle.
    fn amd_comgr_release_data(data: amd_comgr_data_t) -> amd_comgr_status_t;
    /// Set the data content of a data object to the specified bytes.
    fn amd_comgr_set_data(
        data: amd_comgr_data_t,
        size: usize,
        bytes: *const ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// For the given open posix file descriptor, map a slice of the file into the data object. The slice is specified by offset and size. Internally this API calls amd_comgr_set_data and resets data object's current state.
    fn amd_comgr_set_data_from_file_slice(
        data: amd_comgr_data_t,
        file_descriptor: ::core::ffi::c_int,
        offset: u64,
        size: u64,
    ) -> amd_comgr_status_t;
    /// Set the name associated with a data object.
    fn amd_comgr_set_data_name(
        data: amd_comgr_data_t,
        name: *const ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Query additional information about a status code.
    fn amd_comgr_status_string(
        status: amd_comgr_status_t,
        status_string: *mut *const ::core::ffi::c_char,
    ) -> amd_comgr_status_t;
    /// Query information about a machine code object symbol.
    fn amd_comgr_symbol_get_info(
        symbol: amd_comgr_symbol_t,
        attribute: amd_comgr_symbol_info_t,
        value: *mut ::core::ffi::c_void,
    ) -> amd_comgr_status_t;
    /// Lookup a symbol in a machine code object by name.
    fn amd_comgr_symbol_lookup(
        data: amd_comgr_data_t,
        name: *const ::core::ffi::c_char,
        symbol: *mut amd_comgr_symbol_t,
    ) -> amd_comgr_status_t;
    /// Symbolize an address.
    fn amd_comgr_symbolize(
        symbolizer_info: amd_comgr_symbolizer_info_t,
        address: u64,
        is_code: bool,
        user_data: *mut ::core::ffi::c_void,
    ) -> amd_comgr_status_t;
}
