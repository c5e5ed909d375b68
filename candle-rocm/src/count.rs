//! How many elements there are. Sizes multiply beyond what can be counted sooner than memory runs out: views of a broadcast
//! tensor take none. All products of sizes go through here; a test keeps others out.

use crate::error::{Result, RocmError};

/// Elements of a tensor of these dimensions.
pub(crate) fn elem_count(op: &'static str, dims: &[usize]) -> Result<usize> {
    product(dims).ok_or_else(|| RocmError::TooManyElements { op, shape: dims.to_vec() })
}

/// `None` if the product does not fit. A zero makes it zero, whatever the other sizes are.
pub(crate) fn product(sizes: &[usize]) -> Option<usize> {
    if sizes.contains(&0) {
        return Some(0);
    }
    sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
}

/// The product of sizes that are part of a tensor's whose elements were counted; more than any memory holds, if they are not.
pub(crate) fn saturating(sizes: &[usize]) -> usize {
    product(sizes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LARGE: usize = 1 << 33;

    #[test]
    fn products() {
        assert_eq!(product(&[]), Some(1));
        assert_eq!(product(&[2, 3, 7]), Some(42));
        assert_eq!(product(&[1 << 31, LARGE - 1, 1]), Some((LARGE - 1) << 31));
        assert_eq!(product(&[usize::MAX, 1]), Some(usize::MAX));
        assert_eq!(product(&[LARGE, LARGE]), None);
        assert_eq!(product(&[LARGE, LARGE, 0]), Some(0), "nothing, in whatever order");
        assert_eq!(saturating(&[LARGE, LARGE]), usize::MAX);
        let text = elem_count("matmul", &[LARGE, LARGE]).unwrap_err().to_string();
        assert_eq!(text, "number of elements exceeds usize in matmul, shape: [8589934592, 8589934592]");
    }

    #[test]
    fn no_other_code_multiplies_sizes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let (mut folders, mut found, mut files) = (vec![root], Vec::new(), 0);
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if !path.ends_with("src/count.rs") {
                    files += 1;
                    let text = std::fs::read_to_string(&path).unwrap();
                    let wrapping = [".product()", ".product::<", ".elem_count()"];
                    let lines = text.lines().filter(|line| wrapping.iter().any(|call| line.contains(call)));
                    found.extend(lines.map(|line| format!("{}: {}", path.display(), line.trim())));
                }
            }
        }
        assert!(files > 50, "{files} files are not the crate's source");
        assert!(found.is_empty(), "products that wrap; use crate::count:\n{}", found.join("\n"));
    }
}
