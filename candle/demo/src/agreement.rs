//! Compares the logits of two devices.

use anyhow::{Result, ensure};
use candle_core::Device;

use crate::model::Model;

/// How well two devices agree on the same tokens.
#[derive(Debug, Default)]
pub struct Agreement {
    /// Number of positions compared.
    pub positions: usize,
    /// Positions where both devices choose the same token.
    pub same: usize,
    /// The largest difference of two logits, relative to the range of the logits at that position.
    pub difference: f32,
    /// The largest lead, relative to that range, of a token that the other device did not choose.
    pub overturned: f32,
}

/// The largest lead that rounding may overturn. Both devices use the same quantized weights, but differ in whether and in which blocks
/// activations are rounded to 8 bits (1/254 of a block's largest value) and in the order of additions. In the built-in model this
/// changes logits by 1 % of their range.
const CLOSE: f32 = 0.02;

impl Agreement {
    /// Whether every choice was the same or a close call.
    pub fn holds(&self) -> bool {
        self.overturned <= CLOSE && self.difference <= 2. * CLOSE
    }
}

/// Lets the reference continue the prompt greedily by `count` tokens, and feeds the same tokens to the other model.
///
/// # Errors
///
/// Fails if a forward pass fails, if the models have different vocabularies, or if a logit is not finite.
pub fn compare(
    reference: (&mut Model, &Device),
    other: (&mut Model, &Device),
    prompt: &[u32],
    count: usize,
) -> Result<Agreement> {
    let mut agreement = Agreement::default();
    let (mut tokens, mut position) = (prompt.to_vec(), 0);
    for _ in 0..count {
        let expected = reference.0.forward(&tokens[position..], position, reference.1)?.to_vec1::<f32>()?;
        let actual = other.0.forward(&tokens[position..], position, other.1)?.to_vec1::<f32>()?;
        agreement.add(&expected, &actual)?;
        position = tokens.len();
        tokens.push(largest(&expected) as u32);
    }
    Ok(agreement)
}

impl Agreement {
    fn add(&mut self, expected: &[f32], actual: &[f32]) -> Result<()> {
        ensure!(
            expected.len() == actual.len(),
            "got {} logits, expected {} as on the CPU",
            actual.len(),
            expected.len()
        );
        ensure!(expected.iter().all(|x| x.is_finite()), "the CPU's logits are not all finite");
        ensure!(actual.iter().all(|x| x.is_finite()), "the device's logits are not all finite");
        let (best, chosen) = (largest(expected), largest(actual));
        let lowest = expected.iter().copied().fold(f32::INFINITY, f32::min);
        let range = (expected[best] - lowest).max(f32::MIN_POSITIVE);
        let difference = expected.iter().zip(actual).map(|(e, a)| (e - a).abs()).fold(0., f32::max);
        self.positions += 1;
        self.same += usize::from(best == chosen);
        self.difference = self.difference.max(difference / range);
        self.overturned = self.overturned.max((expected[best] - expected[chosen]) / range);
        Ok(())
    }
}

/// The index of the largest value, the first of several.
fn largest(values: &[f32]) -> usize {
    values.iter().enumerate().fold(0, |best, (i, v)| if *v > values[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_call_holds_and_a_wrong_token_does_not() -> Result<()> {
        let expected = [0., 10., 9.99, -10.];
        let mut agreement = Agreement::default();
        agreement.add(&expected, &expected)?;
        assert_eq!((agreement.positions, agreement.same, agreement.difference), (1, 1, 0.));
        agreement.add(&expected, &[0., 9.98, 10., -10.])?;
        assert_eq!((agreement.positions, agreement.same), (2, 1));
        assert!(agreement.holds(), "{agreement:?}");
        agreement.add(&expected, &[10.5, 10., 9.99, -10.])?;
        assert!(!agreement.holds(), "{agreement:?}");
        Ok(())
    }

    #[test]
    fn a_constant_error_in_the_logits_does_not_hold() -> Result<()> {
        let mut agreement = Agreement::default();
        agreement.add(&[0., 10., -10.], &[0., 11., -10.])?;
        assert_eq!(agreement.same, 1);
        assert!(!agreement.holds(), "{agreement:?}");
        Ok(())
    }

    #[test]
    fn nan_is_an_error() {
        assert!(Agreement::default().add(&[0., 1.], &[0., f32::NAN]).is_err());
    }
}
