// Made by `cargo xtask bindgen` from the headers of ROCm 6.4 (MIOpen 3.4.0); do not edit.

use crate::hip::*;
pub type miopenAcceleratorQueue_t = hipStream_t;
/// Creates the miopenHandle_t type
pub type miopenHandle_t = *mut miopenHandle;
/// Custom allocator function
pub type miopenAllocatorFunction = ::core::option::Option<
    unsafe extern "C" fn(
        context: *mut ::core::ffi::c_void,
        sizeBytes: usize,
    ) -> *mut ::core::ffi::c_void,
>;
/// Custom deallocator function
pub type miopenDeallocatorFunction = ::core::option::Option<
    unsafe extern "C" fn(
        context: *mut ::core::ffi::c_void,
        memory: *mut ::core::ffi::c_void,
    ),
>;
/// Creates the miopenFusionOpDescriptor_t type
pub type miopenFusionOpDescriptor_t = *mut miopenFusionOpDescriptor;
/// Creates the miopenTensorDescriptor_t type
pub type miopenTensorDescriptor_t = *mut miopenTensorDescriptor;
/// Creates the miopenSeqTensorDescriptor_t type
pub type miopenSeqTensorDescriptor_t = *mut miopenSeqTensorDescriptor;
/// Creates the miopenConvolutionDescriptor_t type
pub type miopenConvolutionDescriptor_t = *mut miopenConvolutionDescriptor;
/// Creates the miopenPoolingDescriptor_t type
pub type miopenPoolingDescriptor_t = *mut miopenPoolingDescriptor;
/// Creates the miopenLRNDescriptor_t type
pub type miopenLRNDescriptor_t = *mut miopenLRNDescriptor;
/// Creates the miopenActivationDescriptor_t type
pub type miopenActivationDescriptor_t = *mut miopenActivationDescriptor;
/// Creates the miopenRNNDescriptor_t type
pub type miopenRNNDescriptor_t = *mut miopenRNNDescriptor;
/// Creates the miopenCTCLossDescriptor_t type
pub type miopenCTCLossDescriptor_t = *mut miopenCTCLossDescriptor;
/// Creates the miopenDropoutDescriptor_t type
pub type miopenDropoutDescriptor_t = *mut miopenDropoutDescriptor;
/// Creates the miopenReduceTensorDescriptor_t type
pub type miopenReduceTensorDescriptor_t = *mut miopenReduceTensorDescriptor;
/// Creates the miopenMhaDescriptor_t type
pub type miopenMhaDescriptor_t = *mut miopenMhaDescriptor;
/// Creates the miopenSoftmaxDescriptor_t type
pub type miopenSoftmaxDescriptor_t = *mut miopenSoftmaxDescriptor;
/// MIOpen fusion interface
pub type miopenFusionPlanDescriptor_t = *mut miopenFusionPlanDescriptor;
pub type miopenOperatorDescriptor_t = *mut miopenOperatorDescriptor;
pub type miopenOperatorArgs_t = *mut miopenOperatorArgs;
/// Describes a problem for different miopen operations.
pub type miopenProblem_t = *mut miopenProblem;
/// The miopenFindOptions allows the user to configure how find will be used.
pub type miopenFindOptions_t = *mut miopenFindOptions;
/// The miopenSolution object describes a prepared solution.
pub type miopenSolution_t = *mut miopenSolution;
/// Creates the miopenHandle_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenHandle {}
#[repr(transparent)]
/// Error codes that are returned by all MIOpen API calls.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenStatus_t(pub ::core::ffi::c_uint);
/// Creates the miopenFusionOpDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenFusionOpDescriptor {}
/// Creates the miopenTensorDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenTensorDescriptor {}
/// Creates the miopenSeqTensorDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenSeqTensorDescriptor {}
/// Creates the miopenConvolutionDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenConvolutionDescriptor {}
/// Creates the miopenPoolingDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenPoolingDescriptor {}
/// Creates the miopenLRNDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenLRNDescriptor {}
/// Creates the miopenActivationDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenActivationDescriptor {}
/// Creates the miopenRNNDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenRNNDescriptor {}
/// Creates the miopenCTCLossDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenCTCLossDescriptor {}
/// Creates the miopenDropoutDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenDropoutDescriptor {}
/// Creates the miopenReduceTensorDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenReduceTensorDescriptor {}
/// Creates the miopenMhaDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenMhaDescriptor {}
/// Creates the miopenSoftmaxDescriptor_t type
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenSoftmaxDescriptor {}
#[repr(transparent)]
/// MIOpen floating point datatypes. Both 32-bit and 16-bit floats are supported in MIOpen.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenDataType_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Tensor layouts supported by MIOpen. miopenTensorCHWNc4 and miopenTensorCHWNc8 layout only support weight tensor.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenTensorLayout_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// MIOpen index datatypes.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenIndexType_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Element-wise tensor operation modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenTensorOp_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Convolution mode selection for convolution layer preference.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenConvolutionMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Padding mode selection for convolution/Pooling layer preference
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenPaddingMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Pooling layer mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenPoolingMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Pooling layer workspace index mode. miopenPoolingWorkspaceIndexMask mode records indices indicating the max values' positions in the filter/mask. miopenPoolingWorkspaceIndexImage mode records indices indicating the max values' positions in the image.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenPoolingWorkspaceIndexMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Local Response Normalization layer mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenLRNMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Batch Normalization layer mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenBatchNormMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Activation layer modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenActivationMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Softmax implementation algorithms
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenSoftmaxAlgorithm_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Softmax modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenSoftmaxMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Tensor Reduction operation types
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenReduceTensorOp_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Nan numbers propagation modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenNanPropagation_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Reduction Indices computation modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenReduceTensorIndices_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Reduction Indices types
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenIndicesType_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Attribute for convolution descriptor, used for alternating the convolution behavior
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenConvolutionAttrib_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Findmode for convolution descriptor, used for changing the find behavior when calling miopenFindConvolutionForwardAlgorithm(), miopenFindConvolutionBackwardDataAlgorithm(), or miopenFindConvolutionBackwardWeightsAlgorithm().
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenConvolutionFindMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Convolutional algorithm mode for forward propagation. MIOpen use cross-correlation for its convolution implementation.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenConvFwdAlgorithm_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Convolutional algorithm mode for back propagation on weights.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenConvBwdWeightsAlgorithm_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Convolutional algorithm mode for back propagation on data.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenConvBwdDataAlgorithm_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Top-level convolutional algorithm mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenConvAlgorithm_t(pub ::core::ffi::c_uint);
/// Perf struct for forward, backward filter, or backward data algorithms
#[repr(C)]
#[derive(Copy, Clone)]
pub struct miopenConvAlgoPerf_t {
    pub __bindgen_anon_1: miopenConvAlgoPerf_t__bindgen_ty_1,
    /// Time to exectued the selected algorithm represented in the union
    pub time: f32,
    /// Workspace required to run the selected algorithm represented in the union
    pub memory: usize,
}
/// Performance struct for forward, backward filter, or backward data algorithms in immediate mode
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct miopenConvSolution_t {
    /// Represents the approximate time required to execute this solution on the GPU, in milliseconds. This value may either be based on an acutal kernel run or an estimate based on a heuristic.
    pub time: f32,
    /// Workspace required to run the selected algorithm represented in the union
    pub workspace_size: usize,
    /// Identifier for the returned solution
    pub solution_id: u64,
    /// The algorithm used to compute the solution
    pub algorithm: miopenConvAlgorithm_t,
}
/// MIOpen fusion interface
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenFusionPlanDescriptor {}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenOperatorDescriptor {}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenOperatorArgs {}
#[repr(transparent)]
/// Kernel fusion direction in the network
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenFusionDirection_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// RNN mode selection for rnn layer preference
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Recurrent Neural Network layer initial input mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNInputMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Recurrent Neural Network algorithm mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNAlgo_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Recurrent Neural Network bi-directional behavior
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNDirectionMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Recurrent Neural Network add on bias
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNBiasMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Recurrent Neural Network add on bias
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNGEMMalgoMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Recurrent Neural Network input/output data padding mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNPaddingMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Recurrent Neural Network Training/Inference mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNFWDMode_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Data layouts for RNN operations
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNNBaseLayout_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Algorithms available to execute the CTC loss operation
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenCTCLossAlgo_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// random number generator type
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenRNGType_t(pub ::core::ffi::c_uint);
/// Describes a problem for different miopen operations.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenProblem {}
#[repr(transparent)]
/// Directions of miopen operation.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenProblemDirection_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Identifiers for tensor arguments of problems and operations.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenTensorArgumentId_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Different ways to sort results of the find call.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenFindResultsOrder_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Different masks for Mha.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct miopenMhaMask_t(pub ::core::ffi::c_uint);
/// The miopenFindOptions allows the user to configure how find will be used.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenFindOptions {}
/// The miopenSolution object describes a prepared solution.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct miopenSolution {}
/// Values of a tensor or scalar argument for the miopenRunSolution function.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct miopenTensorArgument_t {
    pub id: miopenTensorArgumentId_t,
    pub descriptor: *mut miopenTensorDescriptor_t,
    pub buffer: *mut ::core::ffi::c_void,
}
pub const MIOPEN_BACKEND_OPENCL: u32 = 0;
pub const MIOPEN_BACKEND_HIP: u32 = 1;
pub const MIOPEN_MODE_NOGPU: u32 = 0;
pub const MIOPEN_USE_ROCBLAS: u32 = 1;
pub const MIOPEN_USE_HIPBLASLT: u32 = 0;
pub const MIOPEN_USE_ROCTRACER: u32 = 1;
pub const MIOPEN_BUILD_DEV: u32 = 0;
pub const MIOPEN_GPU_SYNC: u32 = 0;
pub const MIOPEN_ENABLE_SQLITE: u32 = 1;
pub const MIOPEN_ENABLE_SQLITE_KERN_CACHE: u32 = 1;
pub const MIOPEN_DEBUG_FIND_DB_CACHING: u32 = 1;
pub const MIOPEN_USE_COMGR: u32 = 0;
pub const MIOPEN_USE_HIPRTC: u32 = 0;
pub const MIOPEN_USE_HIP_KERNELS: u32 = 1;
pub const MIOPEN_DISABLE_USERDB: u32 = 0;
pub const MIOPEN_EMBED_DB: u32 = 0;
pub const MIOPEN_DISABLE_SYSDB: u32 = 1;
pub const MIOPEN_LOG_FUNC_TIME_ENABLE: u32 = 0;
pub const MIOPEN_ENABLE_SQLITE_BACKOFF: u32 = 1;
pub const MIOPEN_USE_MLIR: u32 = 0;
pub const MIOPEN_USE_COMPOSABLEKERNEL: u32 = 0;
pub const MIOPEN_BUILD_DRIVER: u32 = 1;
pub const MIOPEN_ENABLE_AI_IMMED_MODE_FALLBACK: u32 = 1;
pub const MIOPEN_ENABLE_AI_KERNEL_TUNING: u32 = 1;
pub const MIOPEN_HIP_COMPILER_HAS_OPTION_OFFLOAD_UNIFORM_BLOCK: u32 = 1;
pub const MIOPEN_WORKAROUND_USE_BOOST_FILESYSTEM: u32 = 0;
pub const MIOPEN_ENABLE_FIN_INTERFACE: u32 = 0;
pub const MIOPEN_AMD_COMGR_VERSION_MAJOR: u32 = 3;
pub const MIOPEN_AMD_COMGR_VERSION_MINOR: u32 = 0;
pub const MIOPEN_AMD_COMGR_VERSION_PATCH: u32 = 0;
pub const MIOPEN_USE_RNE_BFLOAT16: u32 = 1;
pub const MIOPEN_FP8_IEEE_EXPONENT_BIAS: u32 = 0;
pub const MIOPEN_FP8_CLIPPING: u32 = 1;
pub const MIOPEN_OFFLINE_COMPILER_PATHS_V2: u32 = 0;
pub const MIOPEN_HIP_COMPILER: &[u8; 20] = b"/usr/bin/clang++-21\0";
pub const MIOPEN_CACHE_DIR: &[u8; 17] = b"~/.cache/miopen/\0";
pub const MIOPEN_USE_SQLITE_PERFDB: u32 = 0;
pub const MIOPEN_NDEBUG: u32 = 0;
pub const MIOPEN_ALLOC_BUFFERS: u32 = 0;
pub const MIOPEN_ROCBLAS_VERSION_MAJOR: u32 = 4;
pub const MIOPEN_ROCBLAS_VERSION_MINOR: u32 = 4;
pub const MIOPEN_ROCBLAS_VERSION_PATCH: u32 = 1;
pub const MIOPEN_ROCBLAS_VERSION_FLAT: u32 = 4004001;
pub const MIOPEN_GOLDEN_DB_VERSION: u32 = 21;
pub const MIOPEN_API_VERSION_REDUCE_TENSOR: u32 = 1;
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of miopenHandle"][::core::mem::size_of::<miopenHandle>() - 0usize];
    ["Alignment of miopenHandle"][::core::mem::align_of::<miopenHandle>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenFusionOpDescriptor",
    ][::core::mem::size_of::<miopenFusionOpDescriptor>() - 0usize];
    [
        "Alignment of miopenFusionOpDescriptor",
    ][::core::mem::align_of::<miopenFusionOpDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenTensorDescriptor",
    ][::core::mem::size_of::<miopenTensorDescriptor>() - 0usize];
    [
        "Alignment of miopenTensorDescriptor",
    ][::core::mem::align_of::<miopenTensorDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenSeqTensorDescriptor",
    ][::core::mem::size_of::<miopenSeqTensorDescriptor>() - 0usize];
    [
        "Alignment of miopenSeqTensorDescriptor",
    ][::core::mem::align_of::<miopenSeqTensorDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenConvolutionDescriptor",
    ][::core::mem::size_of::<miopenConvolutionDescriptor>() - 0usize];
    [
        "Alignment of miopenConvolutionDescriptor",
    ][::core::mem::align_of::<miopenConvolutionDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenPoolingDescriptor",
    ][::core::mem::size_of::<miopenPoolingDescriptor>() - 0usize];
    [
        "Alignment of miopenPoolingDescriptor",
    ][::core::mem::align_of::<miopenPoolingDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenLRNDescriptor",
    ][::core::mem::size_of::<miopenLRNDescriptor>() - 0usize];
    [
        "Alignment of miopenLRNDescriptor",
    ][::core::mem::align_of::<miopenLRNDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenActivationDescriptor",
    ][::core::mem::size_of::<miopenActivationDescriptor>() - 0usize];
    [
        "Alignment of miopenActivationDescriptor",
    ][::core::mem::align_of::<miopenActivationDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenRNNDescriptor",
    ][::core::mem::size_of::<miopenRNNDescriptor>() - 0usize];
    [
        "Alignment of miopenRNNDescriptor",
    ][::core::mem::align_of::<miopenRNNDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenCTCLossDescriptor",
    ][::core::mem::size_of::<miopenCTCLossDescriptor>() - 0usize];
    [
        "Alignment of miopenCTCLossDescriptor",
    ][::core::mem::align_of::<miopenCTCLossDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenDropoutDescriptor",
    ][::core::mem::size_of::<miopenDropoutDescriptor>() - 0usize];
    [
        "Alignment of miopenDropoutDescriptor",
    ][::core::mem::align_of::<miopenDropoutDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenReduceTensorDescriptor",
    ][::core::mem::size_of::<miopenReduceTensorDescriptor>() - 0usize];
    [
        "Alignment of miopenReduceTensorDescriptor",
    ][::core::mem::align_of::<miopenReduceTensorDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenMhaDescriptor",
    ][::core::mem::size_of::<miopenMhaDescriptor>() - 0usize];
    [
        "Alignment of miopenMhaDescriptor",
    ][::core::mem::align_of::<miopenMhaDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenSoftmaxDescriptor",
    ][::core::mem::size_of::<miopenSoftmaxDescriptor>() - 0usize];
    [
        "Alignment of miopenSoftmaxDescriptor",
    ][::core::mem::align_of::<miopenSoftmaxDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenConvAlgoPerf_t__bindgen_ty_1",
    ][::core::mem::size_of::<miopenConvAlgoPerf_t__bindgen_ty_1>() - 4usize];
    [
        "Alignment of miopenConvAlgoPerf_t__bindgen_ty_1",
    ][::core::mem::align_of::<miopenConvAlgoPerf_t__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: miopenConvAlgoPerf_t__bindgen_ty_1::fwd_algo",
    ][::core::mem::offset_of!(miopenConvAlgoPerf_t__bindgen_ty_1, fwd_algo) - 0usize];
    [
        "Offset of field: miopenConvAlgoPerf_t__bindgen_ty_1::bwd_weights_algo",
    ][::core::mem::offset_of!(miopenConvAlgoPerf_t__bindgen_ty_1, bwd_weights_algo)
        - 0usize];
    [
        "Offset of field: miopenConvAlgoPerf_t__bindgen_ty_1::bwd_data_algo",
    ][::core::mem::offset_of!(miopenConvAlgoPerf_t__bindgen_ty_1, bwd_data_algo)
        - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenConvAlgoPerf_t",
    ][::core::mem::size_of::<miopenConvAlgoPerf_t>() - 16usize];
    [
        "Alignment of miopenConvAlgoPerf_t",
    ][::core::mem::align_of::<miopenConvAlgoPerf_t>() - 8usize];
    [
        "Offset of field: miopenConvAlgoPerf_t::time",
    ][::core::mem::offset_of!(miopenConvAlgoPerf_t, time) - 4usize];
    [
        "Offset of field: miopenConvAlgoPerf_t::memory",
    ][::core::mem::offset_of!(miopenConvAlgoPerf_t, memory) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenConvSolution_t",
    ][::core::mem::size_of::<miopenConvSolution_t>() - 32usize];
    [
        "Alignment of miopenConvSolution_t",
    ][::core::mem::align_of::<miopenConvSolution_t>() - 8usize];
    [
        "Offset of field: miopenConvSolution_t::time",
    ][::core::mem::offset_of!(miopenConvSolution_t, time) - 0usize];
    [
        "Offset of field: miopenConvSolution_t::workspace_size",
    ][::core::mem::offset_of!(miopenConvSolution_t, workspace_size) - 8usize];
    [
        "Offset of field: miopenConvSolution_t::solution_id",
    ][::core::mem::offset_of!(miopenConvSolution_t, solution_id) - 16usize];
    [
        "Offset of field: miopenConvSolution_t::algorithm",
    ][::core::mem::offset_of!(miopenConvSolution_t, algorithm) - 24usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenFusionPlanDescriptor",
    ][::core::mem::size_of::<miopenFusionPlanDescriptor>() - 0usize];
    [
        "Alignment of miopenFusionPlanDescriptor",
    ][::core::mem::align_of::<miopenFusionPlanDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenOperatorDescriptor",
    ][::core::mem::size_of::<miopenOperatorDescriptor>() - 0usize];
    [
        "Alignment of miopenOperatorDescriptor",
    ][::core::mem::align_of::<miopenOperatorDescriptor>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenOperatorArgs",
    ][::core::mem::size_of::<miopenOperatorArgs>() - 0usize];
    [
        "Alignment of miopenOperatorArgs",
    ][::core::mem::align_of::<miopenOperatorArgs>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of miopenProblem"][::core::mem::size_of::<miopenProblem>() - 0usize];
    ["Alignment of miopenProblem"][::core::mem::align_of::<miopenProblem>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of miopenFindOptions"][::core::mem::size_of::<miopenFindOptions>() - 0usize];
    [
        "Alignment of miopenFindOptions",
    ][::core::mem::align_of::<miopenFindOptions>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of miopenSolution"][::core::mem::size_of::<miopenSolution>() - 0usize];
    ["Alignment of miopenSolution"][::core::mem::align_of::<miopenSolution>() - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of miopenTensorArgument_t",
    ][::core::mem::size_of::<miopenTensorArgument_t>() - 24usize];
    [
        "Alignment of miopenTensorArgument_t",
    ][::core::mem::align_of::<miopenTensorArgument_t>() - 8usize];
    [
        "Offset of field: miopenTensorArgument_t::id",
    ][::core::mem::offset_of!(miopenTensorArgument_t, id) - 0usize];
    [
        "Offset of field: miopenTensorArgument_t::descriptor",
    ][::core::mem::offset_of!(miopenTensorArgument_t, descriptor) - 8usize];
    [
        "Offset of field: miopenTensorArgument_t::buffer",
    ][::core::mem::offset_of!(miopenTensorArgument_t, buffer) - 16usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub union miopenConvAlgoPerf_t__bindgen_ty_1 {
    /// Forward convolution algorithm enum selection
    pub fwd_algo: miopenConvFwdAlgorithm_t,
    /// Back propagation on weights convolution algorithm enum selection
    pub bwd_weights_algo: miopenConvBwdWeightsAlgorithm_t,
    /// Back propagation on data convolution algorithm enum selection
    pub bwd_data_algo: miopenConvBwdDataAlgorithm_t,
}
impl miopenStatus_t {
    /// No errors
    pub const miopenStatusSuccess: miopenStatus_t = miopenStatus_t(0);
    /// Data not initialized.
    pub const miopenStatusNotInitialized: miopenStatus_t = miopenStatus_t(1);
    /// Incorrect variable value.
    pub const miopenStatusInvalidValue: miopenStatus_t = miopenStatus_t(2);
    /// Incorrect parameter detected.
    pub const miopenStatusBadParm: miopenStatus_t = miopenStatus_t(3);
    /// Memory allocation error.
    pub const miopenStatusAllocFailed: miopenStatus_t = miopenStatus_t(4);
    /// MIOpen failure.
    pub const miopenStatusInternalError: miopenStatus_t = miopenStatus_t(5);
    /// Use of unimplemented feature.
    pub const miopenStatusNotImplemented: miopenStatus_t = miopenStatus_t(6);
    /// Unknown error occurred.
    pub const miopenStatusUnknownError: miopenStatus_t = miopenStatus_t(7);
    /// Unsupported operator for fusion.
    pub const miopenStatusUnsupportedOp: miopenStatus_t = miopenStatus_t(8);
    /// This is not an error.
    pub const miopenStatusGpuOperationsSkipped: miopenStatus_t = miopenStatus_t(9);
    /// Version mismatch of the supplied binary data argment.
    pub const miopenStatusVersionMismatch: miopenStatus_t = miopenStatus_t(10);
}
impl miopenDataType_t {
    /// 16-bit floating point (Fully supported)
    pub const miopenHalf: miopenDataType_t = miopenDataType_t(0);
    /// 32-bit floating point (Fully supported)
    pub const miopenFloat: miopenDataType_t = miopenDataType_t(1);
    /// 32-bit integer (Partially supported)
    pub const miopenInt32: miopenDataType_t = miopenDataType_t(2);
    /// 8-bit integer (Partially supported)
    pub const miopenInt8: miopenDataType_t = miopenDataType_t(3);
    /// 16-bit binary floating point (8-bit exponent, 7-bit fraction) (Partially supported)
    pub const miopenBFloat16: miopenDataType_t = miopenDataType_t(5);
    /// 64-bit floating point (Partially supported)
    pub const miopenDouble: miopenDataType_t = miopenDataType_t(6);
    pub const miopenInt64: miopenDataType_t = miopenDataType_t(9);
}
impl miopenTensorLayout_t {
    /// NCHW memory layout (Fully supported)
    pub const miopenTensorNCHW: miopenTensorLayout_t = miopenTensorLayout_t(0);
    /// NHWC memory layout (Fully supported)
    pub const miopenTensorNHWC: miopenTensorLayout_t = miopenTensorLayout_t(1);
    /// CHWN memory layout (Not supported)
    pub const miopenTensorCHWN: miopenTensorLayout_t = miopenTensorLayout_t(2);
    /// NCHWc4 memory layout (Partially supported)
    pub const miopenTensorNCHWc4: miopenTensorLayout_t = miopenTensorLayout_t(3);
    /// NCHWc8 memory layout (Partially supported)
    pub const miopenTensorNCHWc8: miopenTensorLayout_t = miopenTensorLayout_t(4);
    /// CHWNc4 memory layout (Partially supported)
    pub const miopenTensorCHWNc4: miopenTensorLayout_t = miopenTensorLayout_t(5);
    /// CHWNc8 memory layout (Partially supported)
    pub const miopenTensorCHWNc8: miopenTensorLayout_t = miopenTensorLayout_t(6);
    /// NCDHW memory layout (Fully supported)
    pub const miopenTensorNCDHW: miopenTensorLayout_t = miopenTensorLayout_t(7);
    /// NCDHW memory layout (Fully supported)
    pub const miopenTensorNDHWC: miopenTensorLayout_t = miopenTensorLayout_t(8);
}
impl miopenIndexType_t {
    /// 8-bit unsigned
    pub const miopenIndexUint8: miopenIndexType_t = miopenIndexType_t(0);
    /// 16-bit unsigned
    pub const miopenIndexUint16: miopenIndexType_t = miopenIndexType_t(1);
    /// 32-bit unsigned
    pub const miopenIndexUint32: miopenIndexType_t = miopenIndexType_t(2);
    /// 64-bit unsigned
    pub const miopenIndexUint64: miopenIndexType_t = miopenIndexType_t(3);
}
impl miopenTensorOp_t {
    /// Add tensors element-wise
    pub const miopenTensorOpAdd: miopenTensorOp_t = miopenTensorOp_t(0);
    /// Multiply two tensors element-wise
    pub const miopenTensorOpMul: miopenTensorOp_t = miopenTensorOp_t(1);
    /// Minimum of tensor element pairs
    pub const miopenTensorOpMin: miopenTensorOp_t = miopenTensorOp_t(2);
    /// Maximum of tensor element pairs
    pub const miopenTensorOpMax: miopenTensorOp_t = miopenTensorOp_t(3);
}
impl miopenConvolutionMode_t {
    /// Cross-Correlation convolution
    pub const miopenConvolution: miopenConvolutionMode_t = miopenConvolutionMode_t(0);
    /// Transpose convolutions -- deconvolution
    pub const miopenTranspose: miopenConvolutionMode_t = miopenConvolutionMode_t(1);
    /// Deprecated Group convolution legacy, ToBe Removed
    pub const miopenGroupConv: miopenConvolutionMode_t = miopenConvolutionMode_t(2);
    /// Deprecated Depthwise convolution legacy, ToBe Removed
    pub const miopenDepthwise: miopenConvolutionMode_t = miopenConvolutionMode_t(3);
}
impl miopenPaddingMode_t {
    /// MIOPEN Default Padding
    pub const miopenPaddingDefault: miopenPaddingMode_t = miopenPaddingMode_t(0);
    /// Tensorflow SAME Padding
    pub const miopenPaddingSame: miopenPaddingMode_t = miopenPaddingMode_t(1);
    /// Tensorflow VALID Padding
    pub const miopenPaddingValid: miopenPaddingMode_t = miopenPaddingMode_t(2);
}
impl miopenPoolingMode_t {
    /// Maximum pooling
    pub const miopenPoolingMax: miopenPoolingMode_t = miopenPoolingMode_t(0);
    /// Average pooling
    pub const miopenPoolingAverage: miopenPoolingMode_t = miopenPoolingMode_t(1);
    /// Inclusive Average pooling
    pub const miopenPoolingAverageInclusive: miopenPoolingMode_t = miopenPoolingMode_t(
        2,
    );
}
impl miopenPoolingWorkspaceIndexMode_t {
    /// Use mask indices, 2D pooling only
    pub const miopenPoolingWorkspaceIndexMask: miopenPoolingWorkspaceIndexMode_t = miopenPoolingWorkspaceIndexMode_t(
        0,
    );
    /// Use image indices
    pub const miopenPoolingWorkspaceIndexImage: miopenPoolingWorkspaceIndexMode_t = miopenPoolingWorkspaceIndexMode_t(
        1,
    );
}
impl miopenLRNMode_t {
    /// Channel independent
    pub const miopenLRNWithinChannel: miopenLRNMode_t = miopenLRNMode_t(0);
    /// Cross Channel
    pub const miopenLRNCrossChannel: miopenLRNMode_t = miopenLRNMode_t(1);
}
impl miopenBatchNormMode_t {
    /// Element-wise normalization for fully connected layer
    pub const miopenBNPerActivation: miopenBatchNormMode_t = miopenBatchNormMode_t(0);
    /// Mini-batch spatial normalization for convolutional layers
    pub const miopenBNSpatial: miopenBatchNormMode_t = miopenBatchNormMode_t(1);
}
impl miopenActivationMode_t {
    /// No activation, pass through the data
    pub const miopenActivationPASTHRU: miopenActivationMode_t = miopenActivationMode_t(
        0,
    );
    /// Sigmoid function: f$1 / (1 + e^{-x})f$
    pub const miopenActivationLOGISTIC: miopenActivationMode_t = miopenActivationMode_t(
        1,
    );
    /// Tanh activation f$ beta * tanh( alpha * x) f$
    pub const miopenActivationTANH: miopenActivationMode_t = miopenActivationMode_t(2);
    /// Rectified Linear Unit f$ max(0, x) f$
    pub const miopenActivationRELU: miopenActivationMode_t = miopenActivationMode_t(3);
    pub const miopenActivationSOFTRELU: miopenActivationMode_t = miopenActivationMode_t(
        4,
    );
    /// Absolute value f$abs(x)f$
    pub const miopenActivationABS: miopenActivationMode_t = miopenActivationMode_t(5);
    /// Scaled and shifted power f$(alpha + beta * x)^{gamma}f$
    pub const miopenActivationPOWER: miopenActivationMode_t = miopenActivationMode_t(6);
    pub const miopenActivationCLIPPEDRELU: miopenActivationMode_t = miopenActivationMode_t(
        7,
    );
    pub const miopenActivationLEAKYRELU: miopenActivationMode_t = miopenActivationMode_t(
        8,
    );
    pub const miopenActivationELU: miopenActivationMode_t = miopenActivationMode_t(9);
}
impl miopenSoftmaxAlgorithm_t {
    /// straightforward softmax
    pub const MIOPEN_SOFTMAX_FAST: miopenSoftmaxAlgorithm_t = miopenSoftmaxAlgorithm_t(
        0,
    );
    /// scaled softmax by maximum value in input domain
    pub const MIOPEN_SOFTMAX_ACCURATE: miopenSoftmaxAlgorithm_t = miopenSoftmaxAlgorithm_t(
        1,
    );
    /// log softmax
    pub const MIOPEN_SOFTMAX_LOG: miopenSoftmaxAlgorithm_t = miopenSoftmaxAlgorithm_t(2);
}
impl miopenSoftmaxMode_t {
    /// compute per image (N) across C, H, W
    pub const MIOPEN_SOFTMAX_MODE_INSTANCE: miopenSoftmaxMode_t = miopenSoftmaxMode_t(0);
    pub const MIOPEN_SOFTMAX_MODE_CHANNEL: miopenSoftmaxMode_t = miopenSoftmaxMode_t(1);
}
impl miopenReduceTensorOp_t {
    /// the operation is adding the values of the reduced elements
    pub const MIOPEN_REDUCE_TENSOR_ADD: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        0,
    );
    pub const MIOPEN_REDUCE_TENSOR_MUL: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        1,
    );
    pub const MIOPEN_REDUCE_TENSOR_MIN: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        2,
    );
    pub const MIOPEN_REDUCE_TENSOR_MAX: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        3,
    );
    pub const MIOPEN_REDUCE_TENSOR_AMAX: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        4,
    );
    pub const MIOPEN_REDUCE_TENSOR_AVG: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        5,
    );
    pub const MIOPEN_REDUCE_TENSOR_NORM1: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        6,
    );
    /// the operation is getting the square root of the sum of squares of the reduced elements
    pub const MIOPEN_REDUCE_TENSOR_NORM2: miopenReduceTensorOp_t = miopenReduceTensorOp_t(
        7,
    );
}
impl miopenNanPropagation_t {
    /// does not propagate Nan number
    pub const MIOPEN_NOT_PROPAGATE_NAN: miopenNanPropagation_t = miopenNanPropagation_t(
        0,
    );
    /// propagate the Nan number by the Reduction operation
    pub const MIOPEN_PROPAGATE_NAN: miopenNanPropagation_t = miopenNanPropagation_t(1);
}
impl miopenReduceTensorIndices_t {
    /// Does not compuate indices
    pub const MIOPEN_REDUCE_TENSOR_NO_INDICES: miopenReduceTensorIndices_t = miopenReduceTensorIndices_t(
        0,
    );
    /// Compute the relative, flatted indices
    pub const MIOPEN_REDUCE_TENSOR_FLATTENED_INDICES: miopenReduceTensorIndices_t = miopenReduceTensorIndices_t(
        1,
    );
}
impl miopenIndicesType_t {
    /// 32-bit unsigned integer indices
    pub const MIOPEN_32BIT_INDICES: miopenIndicesType_t = miopenIndicesType_t(0);
    /// 64-bit unsigned integer indices
    pub const MIOPEN_64BIT_INDICES: miopenIndicesType_t = miopenIndicesType_t(1);
    /// 16-bit unsigned integer indices
    pub const MIOPEN_16BIT_INDICES: miopenIndicesType_t = miopenIndicesType_t(2);
    /// 8-bit unsigned integer indices
    pub const MIOPEN_8BIT_INDICES: miopenIndicesType_t = miopenIndicesType_t(3);
}
impl miopenConvolutionAttrib_t {
    pub const MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL: miopenConvolutionAttrib_t = miopenConvolutionAttrib_t(
        0,
    );
    pub const MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC: miopenConvolutionAttrib_t = miopenConvolutionAttrib_t(
        1,
    );
}
impl miopenConvolutionFindMode_t {
    pub const miopenConvolutionFindModeNormal: miopenConvolutionFindMode_t = miopenConvolutionFindMode_t(
        1,
    );
    pub const miopenConvolutionFindModeFast: miopenConvolutionFindMode_t = miopenConvolutionFindMode_t(
        2,
    );
    pub const miopenConvolutionFindModeHybrid: miopenConvolutionFindMode_t = miopenConvolutionFindMode_t(
        3,
    );
    pub const miopenConvolutionFindModeDynamicHybrid: miopenConvolutionFindMode_t = miopenConvolutionFindMode_t(
        5,
    );
    pub const miopenConvolutionFindModeDefault: miopenConvolutionFindMode_t = miopenConvolutionFindMode_t(
        5,
    );
}
impl miopenConvFwdAlgorithm_t {
    /// GEMM variant
    pub const miopenConvolutionFwdAlgoGEMM: miopenConvFwdAlgorithm_t = miopenConvFwdAlgorithm_t(
        0,
    );
    /// Direct convolutions
    pub const miopenConvolutionFwdAlgoDirect: miopenConvFwdAlgorithm_t = miopenConvFwdAlgorithm_t(
        1,
    );
    /// Fast Fourier Transform indirect convolutions
    pub const miopenConvolutionFwdAlgoFFT: miopenConvFwdAlgorithm_t = miopenConvFwdAlgorithm_t(
        2,
    );
    /// Winograd indirect convolutions
    pub const miopenConvolutionFwdAlgoWinograd: miopenConvFwdAlgorithm_t = miopenConvFwdAlgorithm_t(
        3,
    );
    /// Implicit GEMM convolutions
    pub const miopenConvolutionFwdAlgoImplicitGEMM: miopenConvFwdAlgorithm_t = miopenConvFwdAlgorithm_t(
        5,
    );
}
impl miopenConvBwdWeightsAlgorithm_t {
    /// GEMM variant
    pub const miopenConvolutionBwdWeightsAlgoGEMM: miopenConvBwdWeightsAlgorithm_t = miopenConvBwdWeightsAlgorithm_t(
        0,
    );
    /// Direct convolution algorithm
    pub const miopenConvolutionBwdWeightsAlgoDirect: miopenConvBwdWeightsAlgorithm_t = miopenConvBwdWeightsAlgorithm_t(
        1,
    );
    /// Winograd convolutions
    pub const miopenConvolutionBwdWeightsAlgoWinograd: miopenConvBwdWeightsAlgorithm_t = miopenConvBwdWeightsAlgorithm_t(
        3,
    );
    /// Implicit GEMM convolutions
    pub const miopenConvolutionBwdWeightsAlgoImplicitGEMM: miopenConvBwdWeightsAlgorithm_t = miopenConvBwdWeightsAlgorithm_t(
        5,
    );
}
impl miopenConvBwdDataAlgorithm_t {
    /// GEMM variant
    pub const miopenConvolutionBwdDataAlgoGEMM: miopenConvBwdDataAlgorithm_t = miopenConvBwdDataAlgorithm_t(
        0,
    );
    /// Direct convolutions
    pub const miopenConvolutionBwdDataAlgoDirect: miopenConvBwdDataAlgorithm_t = miopenConvBwdDataAlgorithm_t(
        1,
    );
    /// Fast Fourier Transform indirect convolutions
    pub const miopenConvolutionBwdDataAlgoFFT: miopenConvBwdDataAlgorithm_t = miopenConvBwdDataAlgorithm_t(
        2,
    );
    /// Winograd indirect convolutions
    pub const miopenConvolutionBwdDataAlgoWinograd: miopenConvBwdDataAlgorithm_t = miopenConvBwdDataAlgorithm_t(
        3,
    );
    pub const miopenTransposeBwdDataAlgoGEMM: miopenConvBwdDataAlgorithm_t = miopenConvBwdDataAlgorithm_t(
        4,
    );
    /// Implicit GEMM convolutions
    pub const miopenConvolutionBwdDataAlgoImplicitGEMM: miopenConvBwdDataAlgorithm_t = miopenConvBwdDataAlgorithm_t(
        5,
    );
}
impl miopenConvAlgorithm_t {
    /// GEMM variant
    pub const miopenConvolutionAlgoGEMM: miopenConvAlgorithm_t = miopenConvAlgorithm_t(
        0,
    );
    /// Direct convolutions
    pub const miopenConvolutionAlgoDirect: miopenConvAlgorithm_t = miopenConvAlgorithm_t(
        1,
    );
    /// Fast Fourier Transform indirect convolutions
    pub const miopenConvolutionAlgoFFT: miopenConvAlgorithm_t = miopenConvAlgorithm_t(2);
    /// Winograd indirect convolutions
    pub const miopenConvolutionAlgoWinograd: miopenConvAlgorithm_t = miopenConvAlgorithm_t(
        3,
    );
    /// Implicit GEMM convolutions
    pub const miopenConvolutionAlgoImplicitGEMM: miopenConvAlgorithm_t = miopenConvAlgorithm_t(
        5,
    );
}
impl Default for miopenConvAlgoPerf_t__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for miopenConvAlgoPerf_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for miopenConvSolution_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl miopenFusionDirection_t {
    /// fuses layers vertically, current the only supported mode
    pub const miopenVerticalFusion: miopenFusionDirection_t = miopenFusionDirection_t(0);
    /// fuses layers horizontally, this is unimplemented
    pub const miopenHorizontalFusion: miopenFusionDirection_t = miopenFusionDirection_t(
        1,
    );
}
impl miopenRNNMode_t {
    /// RNN with ReLU activation
    pub const miopenRNNRELU: miopenRNNMode_t = miopenRNNMode_t(0);
    /// RNN with tanh activation
    pub const miopenRNNTANH: miopenRNNMode_t = miopenRNNMode_t(1);
    /// LSTM
    pub const miopenLSTM: miopenRNNMode_t = miopenRNNMode_t(2);
    /// GRU
    pub const miopenGRU: miopenRNNMode_t = miopenRNNMode_t(3);
}
impl miopenRNNInputMode_t {
    /// Matrix multiplication at the input of the first layer
    pub const miopenRNNlinear: miopenRNNInputMode_t = miopenRNNInputMode_t(0);
    /// No operation is performed at the input of the first layer.
    pub const miopenRNNskip: miopenRNNInputMode_t = miopenRNNInputMode_t(1);
}
impl miopenRNNAlgo_t {
    /// Use dedicated gate-operation kernel for LSTM and fundamental algorithm for vanilla RNN & GRU
    pub const miopenRNNdefault: miopenRNNAlgo_t = miopenRNNAlgo_t(0);
    /// Deprecated, low performance. Function by basic tesnsor operations, supported for vanilla RNN, LSTM, GRU
    pub const miopenRNNfundamental: miopenRNNAlgo_t = miopenRNNAlgo_t(1);
    /// The algorithm rounds some RNN parametrs upwards to utilize the most optimal GEMM kernel in the computation.
    pub const miopenRNNroundedDynamic: miopenRNNAlgo_t = miopenRNNAlgo_t(2);
}
impl miopenRNNDirectionMode_t {
    /// Forward in time only.
    pub const miopenRNNunidirection: miopenRNNDirectionMode_t = miopenRNNDirectionMode_t(
        0,
    );
    /// Forward and backwards in time.
    pub const miopenRNNbidirection: miopenRNNDirectionMode_t = miopenRNNDirectionMode_t(
        1,
    );
}
impl miopenRNNBiasMode_t {
    /// No Biases will be applied to GEMM operations
    pub const miopenRNNNoBias: miopenRNNBiasMode_t = miopenRNNBiasMode_t(0);
    /// Biases will be applied to GEMM operations
    pub const miopenRNNwithBias: miopenRNNBiasMode_t = miopenRNNBiasMode_t(1);
}
impl miopenRNNGEMMalgoMode_t {
    pub const miopenRNNAlgoGEMM: miopenRNNGEMMalgoMode_t = miopenRNNGEMMalgoMode_t(0);
}
impl miopenRNNPaddingMode_t {
    /// Not padded data at RNN input/output
    pub const miopenRNNIONotPadded: miopenRNNPaddingMode_t = miopenRNNPaddingMode_t(0);
    /// Padded data at RNN input/output
    pub const miopenRNNIOWithPadding: miopenRNNPaddingMode_t = miopenRNNPaddingMode_t(1);
}
impl miopenRNNFWDMode_t {
    /// FWD, BWD, WRW
    pub const miopenRNNTraining: miopenRNNFWDMode_t = miopenRNNFWDMode_t(0);
    /// Only FWD-inference no back-propagation
    pub const miopenRNNInference: miopenRNNFWDMode_t = miopenRNNFWDMode_t(1);
}
impl miopenRNNBaseLayout_t {
    pub const miopenRNNDataUnknownLayout: miopenRNNBaseLayout_t = miopenRNNBaseLayout_t(
        0,
    );
    pub const miopenRNNDataSeqMajorNotPadded: miopenRNNBaseLayout_t = miopenRNNBaseLayout_t(
        1,
    );
    pub const miopenRNNDataSeqMajorPadded: miopenRNNBaseLayout_t = miopenRNNBaseLayout_t(
        2,
    );
    pub const miopenRNNDataBatchMajorPadded: miopenRNNBaseLayout_t = miopenRNNBaseLayout_t(
        3,
    );
}
impl miopenCTCLossAlgo_t {
    /// Results are guaranteed to be reproducible
    pub const MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC: miopenCTCLossAlgo_t = miopenCTCLossAlgo_t(
        0,
    );
}
impl miopenRNGType_t {
    /// XORWOW pseudorandom generator
    pub const MIOPEN_RNG_PSEUDO_XORWOW: miopenRNGType_t = miopenRNGType_t(0);
}
impl miopenProblemDirection_t {
    pub const miopenProblemDirectionForward: miopenProblemDirection_t = miopenProblemDirection_t(
        0,
    );
    pub const miopenProblemDirectionBackward: miopenProblemDirection_t = miopenProblemDirection_t(
        1,
    );
    pub const miopenProblemDirectionBackwardWeights: miopenProblemDirection_t = miopenProblemDirection_t(
        2,
    );
}
impl miopenTensorArgumentId_t {
    pub const miopenTensorArgumentIdInvalid: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        0,
    );
    pub const miopenTensorConvolutionX: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        1,
    );
    pub const miopenTensorConvolutionW: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        2,
    );
    pub const miopenTensorConvolutionY: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        3,
    );
    pub const miopenTensorMhaK: miopenTensorArgumentId_t = miopenTensorArgumentId_t(4);
    pub const miopenTensorMhaQ: miopenTensorArgumentId_t = miopenTensorArgumentId_t(5);
    pub const miopenTensorMhaV: miopenTensorArgumentId_t = miopenTensorArgumentId_t(6);
    pub const miopenTensorMhaDescaleK: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        7,
    );
    pub const miopenTensorMhaDescaleQ: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        8,
    );
    pub const miopenTensorMhaDescaleV: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        9,
    );
    pub const miopenTensorMhaDescaleS: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        10,
    );
    pub const miopenTensorMhaScaleS: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        11,
    );
    pub const miopenTensorMhaScaleO: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        12,
    );
    pub const miopenTensorMhaDropoutProbability: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        13,
    );
    pub const miopenTensorMhaDropoutSeed: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        14,
    );
    pub const miopenTensorMhaDropoutOffset: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        15,
    );
    pub const miopenTensorMhaO: miopenTensorArgumentId_t = miopenTensorArgumentId_t(16);
    pub const miopenTensorMhaAmaxO: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        17,
    );
    pub const miopenTensorMhaAmaxS: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        18,
    );
    pub const miopenTensorMhaM: miopenTensorArgumentId_t = miopenTensorArgumentId_t(19);
    pub const miopenTensorMhaZInv: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        20,
    );
    pub const miopenTensorMhaDO: miopenTensorArgumentId_t = miopenTensorArgumentId_t(21);
    pub const miopenTensorMhaDescaleO: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        22,
    );
    pub const miopenTensorMhaDescaleDO: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        23,
    );
    pub const miopenTensorMhaDescaleDS: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        24,
    );
    pub const miopenTensorMhaScaleDS: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        25,
    );
    pub const miopenTensorMhaScaleDQ: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        26,
    );
    pub const miopenTensorMhaScaleDK: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        27,
    );
    pub const miopenTensorMhaScaleDV: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        28,
    );
    pub const miopenTensorMhaDQ: miopenTensorArgumentId_t = miopenTensorArgumentId_t(29);
    pub const miopenTensorMhaDK: miopenTensorArgumentId_t = miopenTensorArgumentId_t(30);
    pub const miopenTensorMhaDV: miopenTensorArgumentId_t = miopenTensorArgumentId_t(31);
    pub const miopenTensorMhaAmaxDQ: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        32,
    );
    pub const miopenTensorMhaAmaxDK: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        33,
    );
    pub const miopenTensorMhaAmaxDV: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        34,
    );
    pub const miopenTensorMhaAmaxDS: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        35,
    );
    pub const miopenTensorMhaBias: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        36,
    );
    pub const miopenTensorArgumentIsScalar: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        2147483648,
    );
    pub const miopenTensorMhaMask: miopenTensorArgumentId_t = miopenTensorArgumentId_t(
        2147483649,
    );
}
impl miopenFindResultsOrder_t {
    pub const miopenFindResultsOrderByTime: miopenFindResultsOrder_t = miopenFindResultsOrder_t(
        0,
    );
    pub const miopenFindResultsOrderByWorkspaceSize: miopenFindResultsOrder_t = miopenFindResultsOrder_t(
        1,
    );
}
impl miopenMhaMask_t {
    pub const miopenMhaMaskNone: miopenMhaMask_t = miopenMhaMask_t(0);
    pub const miopenMhaMaskCausal: miopenMhaMask_t = miopenMhaMask_t(1);
}
impl Default for miopenTensorArgument_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
