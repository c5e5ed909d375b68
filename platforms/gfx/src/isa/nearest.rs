//! Rounding to halves for references, by searching all halves.

/// The bits of the half that is nearest to a number, ties to even.
pub(crate) fn half(value: f64) -> u64 {
    if value.is_nan() {
        return 0x7e00;
    }
    let sign = u64::from(value.is_sign_negative()) << 15;
    // The one after the largest stands for infinity.
    let of = |bits: u64| match bits {
        0x7c00 => 65536.0,
        bits => half::f16::from_bits(bits as u16).to_f64(),
    };
    let magnitude = value.abs();
    let (mut low, mut high) = (0, 0x7c00);
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if of(middle) <= magnitude { low = middle } else { high = middle }
    }
    let boundary = f64::midpoint(of(low), of(high));
    let up = magnitude > boundary || (magnitude == boundary && low % 2 == 1);
    sign | if up { high } else { low }
}
