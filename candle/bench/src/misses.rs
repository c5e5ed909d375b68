//! Why bars are missed: what bounds the operation, as measured, and what could be done.

use crate::row::Row;

/// Lines of: operation, type (or `*`), start of the shape (or `*`), why.
const WHY: &str = include_str!("../misses.tsv");

/// What is known about a row that misses its bar.
pub(crate) fn why(row: &Row) -> Option<&'static str> {
    let fits = |pattern: &str, text: &str| pattern == "*" || text.starts_with(pattern);
    WHY.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = line.splitn(4, '\t');
        let (name, dtype, shape) = (fields.next()?, fields.next()?, fields.next()?);
        let why = fields.next()?;
        (name == row.name && fits(dtype, &row.dtype) && fits(shape, &row.shape)).then_some(why)
    })
}
