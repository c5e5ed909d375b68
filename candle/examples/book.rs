//! Runs the programs in the book, and in the READMEs that have the same program, on the device that `CANDLE_ROCM_PLATFORM` names.

/// A page whose blocks of Rust are tests of documentation.
macro_rules! pages {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($file)]
            pub struct $name;
        )*
    };
}

pages! {
    FirstTensor = "../../docs/book/src/first-tensor.md";
    Fusion = "../../docs/book/src/fusion.md";
    Gguf = "../../docs/book/src/gguf.md";
    Kernels = "../../docs/book/src/kernels.md";
    Profiling = "../../docs/book/src/profiling.md";
    SeveralCards = "../../docs/book/src/several-cards.md";
    Training = "../../docs/book/src/training.md";
    Tuning = "../../docs/book/src/tuning.md";
    YourProgram = "../../docs/book/src/your-program.md";
    Readme = "../../README.md";
    OfCandle = "../README.md";
}
