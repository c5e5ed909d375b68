//! Why bars are missed: the measured limiting factor and the next step.

use crate::row::Row;

/// Tab-separated: operation, prefix of the type (or `*`), prefix of the shape (or `*`), reason.
const REASONS: &str = include_str!("../misses.tsv");

/// The reason why a row misses its bar, if it is known.
pub(crate) fn reason(row: &Row) -> Option<&'static str> {
    let matches = |pattern: &str, text: &str| pattern == "*" || text.starts_with(pattern);
    REASONS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = line.splitn(4, '\t');
        let (name, dtype, shape) = (fields.next()?, fields.next()?, fields.next()?);
        let reason = fields.next()?;
        (name == row.name && matches(dtype, &row.dtype) && matches(shape, &row.shape)).then_some(reason)
    })
}
