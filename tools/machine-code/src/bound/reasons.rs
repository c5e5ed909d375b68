//! Why memory-bound operations stay below the bar.

/// A memory-bound operation whose bound is below this share of the bandwidth is listed, with the reason.
pub(super) const BAR: f64 = 0.85;

/// Tab-separated: processor (or `*`), operation, prefix of the type (or `*`), reason.
const REASONS: &str = include_str!("reasons.tsv");

/// The reason why an operation stays below [`BAR`], if it is known.
pub(super) fn reason(processor: &str, name: &str, dtype: &str) -> Option<&'static str> {
    REASONS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = line.splitn(4, '\t');
        let (of, operation, prefix) = (fields.next()?, fields.next()?, fields.next()?);
        let reason = fields.next()?;
        let is_it = (of == "*" || of == processor)
            && operation == name
            && (prefix == "*" || dtype.starts_with(prefix));
        is_it.then_some(reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_below_the_bar_has_a_reason() {
        let path = tools_common::root().join("candle/bench/results/bound.tsv");
        let table = std::fs::read_to_string(path).expect("the bounds");
        let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let titles = lines.next().expect("titles");
        let column = |title| titles.iter().position(|&of| of == title).expect("a column");
        let [processor, case, dtype, of, share] = ["processor", "case", "dtype", "of", "share"].map(column);
        let mut below = 0;
        for row in lines.filter(|row| row[of] == "bandwidth") {
            let percent: f64 = row[share].parse().expect("a share");
            if percent < BAR * 100. {
                below += 1;
                let reason = reason(row[processor], row[case], row[dtype]);
                assert!(
                    reason.is_some(),
                    "reasons.tsv lacks {} {} {}",
                    row[processor],
                    row[case],
                    row[dtype]
                );
            }
        }
        assert!(below > 0, "no row was read");
    }
}
