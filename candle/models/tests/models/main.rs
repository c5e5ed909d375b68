//! candle-transformers' unmodified models on `Device::Rocm` against the CPU. One program, because linking candle-transformers takes longer
//! than most tests.

mod convolutional;
mod decoders;
mod diffusion;
mod encoder_decoders;
mod encoders;
mod experts;
mod fused_kernels;
mod gguf;
mod images;
mod images_and_text;
mod launches;
mod minilm;
mod perplexity;
mod quantized;
mod recurrent;
mod sound;
mod steps;
