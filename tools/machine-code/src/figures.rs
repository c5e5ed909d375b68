//! Numbers as text, and quantiles.

/// With four digits or so.
pub(crate) fn short(number: f64) -> String {
    if number < 10. { format!("{number:.3}") } else { format!("{number:.1}") }
}

/// Of sorted numbers, between the two nearest ones.
pub(crate) fn quantile(sorted: &[f64], at: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0. };
    let place = at * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        assert_eq!(quantile(&[1., 2., 3.], 0.5), 2.);
        assert_eq!(quantile(&[1., 3.], 0.5), 2.);
        assert_eq!((quantile(&[1.], 0.9), quantile(&[], 0.9)), (1., 0.));
    }
}
