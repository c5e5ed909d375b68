//! The numbers of synthetic weights. Nothing here depends on candle: programs that use another version of it take them too.

/// The elements of a weight of that name and shape, and of nothing else. Matrices preserve the scale of their input; scale factors of
/// norms are about 1, variances and counts positive, biases small.
pub fn of(name: &str, shape: &[usize]) -> Vec<f32> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let inputs: usize = shape.iter().skip(1).product();
    let (scale, shift) = match (shape.len(), last) {
        (0 | 1, "running_var" | "cluster_usage") => (0.5, 1.),
        (0 | 1, "weight" | "gamma") => (0.1, 1.),
        (0 | 1, _) => (0.1, 0.),
        _ => ((3. / inputs as f32).sqrt(), 0.),
    };
    Sequence(seed(name)).take(shape.iter().product()).map(|x| x * scale + shift).collect()
}

/// FNV-1a.
fn seed(name: &str) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Numbers in [-1, 1] (SplitMix64).
pub struct Sequence(pub u64);

impl Iterator for Sequence {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = (x ^ (x >> 31)) >> 40;
        Some(bits as f32 / (1 << 23) as f32 - 1.)
    }
}
