//! How the patches fit another version of candle.

use std::path::Path;

use crate::{Error, Seam, SearchPath, Tree, patch, registry, sources, tree};

/// Lines around an addition that must be the same.
const CONTEXT: usize = 3;

/// Says for each hunk of the patches where it belongs in another published version, as far as its context tells. Nothing is changed.
///
/// # Errors
///
/// Fails if a crate cannot be found or fetched, or is not what crates.io has.
pub fn against(version: &str) -> Result<(), Error> {
    let (seam, search_path) = (Seam::ours(), SearchPath::new()?);
    for base in super::crates_of(&seam, None)? {
        // No checksum is known. Cargo has compared the file with its index.
        let file = registry::find(&search_path, &base.of_version(version))?;
        let bytes = std::fs::read(&file).map_err(|error| Error::io("read", &file, error))?;
        let new = tree::unpack(&file, &bytes, &format!("{}-{version}", base.name))?;
        println!("{} {} -> {version}", base.name, base.version);
        print!("{}", report(&seam.hunks(&base)?, &sources(&search_path, &base)?, &new));
    }
    Ok(())
}

/// Where a hunk belongs in the other version.
#[derive(Debug, PartialEq, Eq)]
enum Fit {
    /// After this line, with all of its context.
    Applies(usize),
    /// After this line as far as fewer lines of context tell, or because other places with the same context are further away.
    Look(usize),
    /// Its context is gone.
    Hand,
}

fn report(hunks: &[patch::Hunk<'_>], stock: &Tree, new: &Tree) -> String {
    let (mut text, mut counts, mut drift, mut previous) = (String::new(), [0; 3], 0, "");
    for hunk in hunks {
        let lines = |tree: &Tree| {
            let text =
                tree.get(Path::new(hunk.file)).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            text.map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        };
        if hunk.file != previous {
            (previous, drift) = (hunk.file, 0);
        }
        let fit = match (lines(stock), lines(new)) {
            (Some(stock), Some(new)) if hunk.removed == 0 => place(&stock, hunk.first, &new, drift),
            _ => Fit::Hand,
        };
        let at = match fit {
            Fit::Applies(at) | Fit::Look(at) => {
                drift = at as isize - hunk.first as isize;
                Some(at)
            }
            Fit::Hand => None,
        };
        let (column, what) = match fit {
            Fit::Applies(_) => (0, "applies after line"),
            Fit::Look(_) => (1, "look at it, after line"),
            Fit::Hand => (2, "by hand: the lines around it are not there"),
        };
        counts[column] += 1;
        let at = at.map(|at| format!(" {at}")).unwrap_or_default();
        // What applies where it was needs no line.
        if !matches!(fit, Fit::Applies(at) if at == hunk.first) {
            text += &format!(
                "  {}, {} lines after line {}: {what}{at}\n",
                hunk.file,
                hunk.added.len(),
                hunk.first
            );
        }
    }
    let [applies, look, hand] = counts;
    text + &format!(
        "  {} hunks: {applies} apply in context, {look} need a look, {hand} a hand\n",
        hunks.len()
    )
}

/// Where the lines that were added after line `first` of `stock` belong in `new`, if earlier ones moved by `drift`.
fn place(stock: &[String], first: usize, new: &[String], drift: isize) -> Fit {
    for context in (1..=CONTEXT).rev() {
        let before = &stock[first.saturating_sub(context)..first.min(stock.len())];
        let after = &stock[first.min(stock.len())..(first + context).min(stock.len())];
        let fits = |at: &usize| new[..*at].ends_with(before) && new[*at..].starts_with(after);
        let found: Vec<usize> = (0..=new.len()).filter(fits).collect();
        let expected = first as isize + drift;
        let nearest = found.iter().copied().min_by_key(|at| (*at as isize - expected).abs());
        if let Some(at) = nearest {
            // Candle's matches are alike, so a place that is not where the others are may be another match.
            let sure = context == CONTEXT && (found.len() == 1 || at as isize == expected);
            return if sure { Fit::Applies(at) } else { Fit::Look(at) };
        }
    }
    Fit::Hand
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn places_are_found_by_their_context() {
        let stock = lines("a b c d e f g h");
        let place = |first, new: &str, drift| place(&stock, first, &lines(new), drift);
        assert_eq!(place(4, "a b c d e f g h", 0), Fit::Applies(4));
        assert_eq!(place(4, "x y a b c d e f g h", 0), Fit::Applies(6));
        assert_eq!(place(0, "x a b c d", 0), Fit::Applies(1), "the first line");
        assert_eq!(place(8, "x f g h", 0), Fit::Applies(4), "the last line");
        // One line of the context changed: two still fit, then one.
        assert_eq!(place(4, "a X c d e f g h", 0), Fit::Look(4));
        assert_eq!(place(4, "a b X d e Y g h", 0), Fit::Look(4));
        assert_eq!(place(4, "a b c d X e f g", 0), Fit::Hand);
        assert_eq!(place(4, "", 0), Fit::Hand);
        // Two places alike: the one where the hunks before it are.
        let twice = "b c d e f g b c d e f g";
        assert_eq!(place(4, twice, -1), Fit::Applies(3));
        assert_eq!(place(4, twice, 5), Fit::Applies(9));
        assert_eq!(place(4, twice, 4), Fit::Look(9));
    }

    #[test]
    fn the_report_counts() {
        let patch = "--- a/f\n+++ b/f\n@@ -4,0 +5,1 @@\n+x\n@@ -8,0 +10,1 @@\n+y\n--- a/g\n+++ b/g\n@@ -1,0 +2,1 @@\n+z\n";
        let hunks = patch::hunks(Path::new("seam.patch"), patch).unwrap();
        let tree = |text: &str| Tree::from([("f".into(), text.replace(' ', "\n").into_bytes())]);
        let text = report(&hunks, &tree("a b c d e f g h i j k"), &tree("new a b c d e f g h i j k"));
        assert!(text.contains("f, 1 lines after line 4: applies after line 5\n"), "{text}");
        assert!(text.contains("g, 1 lines after line 1: by hand"), "{text}");
        assert!(text.ends_with("3 hunks: 2 apply in context, 0 need a look, 1 a hand\n"), "{text}");
    }
}
