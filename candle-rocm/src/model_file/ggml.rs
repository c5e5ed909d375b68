//! GGML, GGMF, GGJT: llama's hyperparameters, its vocabulary, then each tensor's name and shape before its data.

use std::io::{Read, Seek};

use super::hyperparameters::Hyperparameters;
use super::input::Input;
use super::{Format, Header, ModelFault, TensorInfo, hyperparameters, types};

/// The first format with a version.
pub(super) fn read_versioned<R: Read + Seek>(
    input: &mut Input<R>,
    format: &'static str,
    newest: u32,
    of: fn(u32) -> Format,
) -> Result<Header, ModelFault> {
    let version = input.u32("the version")?;
    if !(1..=newest).contains(&version) {
        return Err(ModelFault::Version { format, version, expected: format!("1 to {newest}") });
    }
    read(input, of(version))
}

pub(super) fn read<R: Read + Seek>(input: &mut Input<R>, format: Format) -> Result<Header, ModelFault> {
    const WHAT: &str = "the list of hyperparameters";
    let [vocabulary, width, _, heads, layers, _, _] = {
        let mut fields = [0; 7];
        for field in &mut fields {
            *field = input.u32(WHAT)?;
        }
        fields
    };
    skip_vocabulary(input, vocabulary)?;
    let mut tensors = types::Tensors::default();
    while input.remaining() > 0 {
        tensors.push(tensor(input, format)?)?;
    }
    let tensors = tensors.into_list();
    hyperparameters::check_ggml(width, heads, layers, tensors.len())?;
    let hyperparameters = Some(Hyperparameters::of_ggml(width, heads, layers));
    Ok(Header { format, architecture: None, hyperparameters, tensors })
}

/// Each token is a length, its bytes and a score.
fn skip_vocabulary<R: Read + Seek>(input: &mut Input<R>, count: u32) -> Result<(), ModelFault> {
    const LEAST: u64 = 8;
    let most = input.remaining() / LEAST;
    if u64::from(count) > most {
        return Err(ModelFault::Field {
            field: "the size of the vocabulary".to_owned(),
            value: count.to_string(),
            expected: format!("at most {most}, as the file has room for"),
        });
    }
    for _ in 0..count {
        let length = input.u32("the vocabulary")?;
        input.skip("the vocabulary", u64::from(length) + 4)?;
    }
    Ok(())
}

fn tensor<R: Read + Seek>(input: &mut Input<R>, format: Format) -> Result<TensorInfo, ModelFault> {
    const WHAT: &str = "the list of tensors";
    let (rank, length, dtype) = (input.u32(WHAT)?, input.u32(WHAT)?, input.u32(WHAT)?);
    let at = format!("at byte {}", input.position());
    let dims = types::read_dims(&at, rank, || input.u32(WHAT).map(u64::from))?;
    let name = String::from_utf8_lossy(&input.bytes(WHAT, length.into())?).into_owned();
    if matches!(format, Format::Ggjt(_)) {
        input.align(32)?;
    }
    let tensor = types::tensor(types::GGML, name, dtype, &dims, input.position())?;
    input.skip(&format!("tensor `{}`", tensor.name), tensor.bytes)?;
    Ok(tensor)
}
