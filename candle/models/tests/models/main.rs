//! candle-transformers' models, unmodified, on `Device::Rocm` against the CPU. They share one program, since linking
//! candle-transformers takes longer than most of them run.

mod convolutional;
mod decoders;
mod diffusion;
mod encoder_decoders;
mod encoders;
mod experts;
mod gguf;
mod images;
mod images_and_text;
mod minilm;
mod quantized;
mod recurrent;
mod sound;
