//! What complete packages are written with.

/// What packages are written with.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PackageOptions {
    /// Features of candle-rocm that are on in addition to its default ones, such as `host`.
    pub candle_rocm_features: Vec<String>,
    /// Whether ROCm devices are in a variant of their own, `Rocm`, as with candle's feature `rocm`: for programs that name the variant, and
    /// do not turn on the feature.
    pub own_variant: bool,
}
