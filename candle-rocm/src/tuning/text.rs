//! Choices as text: what files, exports and imports contain.

use std::fmt::Write as _;

use super::class::Class;
use crate::RocmDevice;

const MAGIC: &str = "candle-rocm tuning 1";
/// In place of the runtime where no card has run anything.
const PREDICTED: &str = "predicted";

/// The card and the software that choices were made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) card: String,
    pub(super) processor: String,
    pub(super) runtime: String,
    pub(super) release: String,
}

impl Origin {
    pub(super) fn of(device: &RocmDevice) -> Self {
        let hip = device.hip_device();
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            card: line(hip.name()),
            processor: line(hip.arch()),
            runtime: line(&hip.runtime().version_text()),
            release: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Whether a model of the card chose, which nobody had.
    pub(super) fn is_predicted(&self) -> bool {
        self.runtime == PREDICTED
    }

    fn fields(&self) -> [(&'static str, &str); 4] {
        [
            ("card", &self.card),
            ("processor", &self.processor),
            ("runtime", &self.runtime),
            ("release", &self.release),
        ]
    }
}

/// A class, and the index of the candidate that serves it.
pub(super) type Choice = (Class, u8);

/// A file: where its choices are from, a line for each, and their number, which tells a file that was cut.
pub(super) fn render(origin: &Origin, choices: &[Choice]) -> String {
    let mut text = format!("{MAGIC}\n");
    for (name, value) in origin.fields() {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "{name}: {value}");
    }
    let mut lines: Vec<String> = choices.iter().filter_map(line).collect();
    lines.sort_unstable();
    let _ = writeln!(text, "{}end {}", lines.concat(), lines.len());
    text
}

fn line(&(class, candidate): &Choice) -> Option<String> {
    let candidate = class.decision().candidates.get(usize::from(candidate))?;
    Some(format!("{class} -> {candidate}\n"))
}

/// What [`render`] wrote.
///
/// # Errors
/// The line that cannot be read, and why.
pub(super) fn parse(text: &str) -> Result<(Origin, Vec<Choice>), String> {
    let mut lines = text.lines().enumerate();
    let mut next = |what: &str| match lines.next() {
        Some((at, line)) => Ok((at + 1, line)),
        None => Err(format!("the text ends before {what}")),
    };
    if next("its first line")?.1 != MAGIC {
        return Err(format!("line 1 is not `{MAGIC}`"));
    }
    let mut field = |name: &str| {
        let (at, line) = next(name)?;
        let value = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
        value.map(str::to_owned).ok_or_else(|| format!("line {at} is not `{name}: ...`"))
    };
    let (card, processor) = (field("card")?, field("processor")?);
    let (runtime, release) = (field("runtime")?, field("release")?);
    let mut choices = Vec::new();
    loop {
        let (at, line) = next("`end`")?;
        if let Some(count) = line.strip_prefix("end ") {
            let whole = count.parse() == Ok(choices.len());
            return match (whole, lines.next()) {
                (true, None) => Ok((Origin { card, processor, runtime, release }, choices)),
                (false, _) => Err(format!("line {at} says {count} choices, there are {}", choices.len())),
                (true, Some(_)) => Err("there is text behind `end`".to_owned()),
            };
        }
        choices.push(choice(line).ok_or_else(|| format!("line {at}, `{line}`, is no known choice"))?);
    }
}

fn choice(line: &str) -> Option<Choice> {
    let (class, candidate) = line.split_once(" -> ")?;
    let class = Class::parse(class)?;
    let index = class.decision().candidates.iter().position(|&name| name == candidate)?;
    Some((class, index as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DECISIONS;
    use crate::tuning::decision::Decision;

    pub(crate) fn origin() -> Origin {
        Origin {
            card: "Radeon RX 7900 XTX".to_owned(),
            processor: "gfx1100".to_owned(),
            runtime: "HIP 6.4.2".to_owned(),
            release: "0.1.0".to_owned(),
        }
    }

    fn decision(name: &str) -> &'static Decision {
        Decision::named(name).expect("a decision")
    }

    fn choices() -> Vec<Choice> {
        vec![
            (decision("matmul").class(&[1, 0, 1, 0, 0, 1], &[1, 1, 4096, 4096]), 1),
            (decision("quantized_matmul").class(&[7, 2, 1], &[1, 4096, 4096]), 4),
        ]
    }

    #[test]
    fn what_is_written_is_read() {
        let text = render(&origin(), &choices());
        assert_eq!(
            text,
            "candle-rocm tuning 1\ncard: Radeon RX 7900 XTX\nprocessor: gfx1100\nruntime: HIP 6.4.2\nrelease: 0.1.0\n\
             matmul bf16 rows columns rows plain rocblas batch=1 m=1 n=4096 k=4096 -> matvec_rows\n\
             quantized_matmul q4_K f32 rocblas vectors=1 rows=4096 columns=4096 -> streamed_256\n\
             end 2\n"
        );
        let (read, same) = parse(&text).unwrap();
        assert!(read == origin() && !read.is_predicted() && same == choices());
        let (read, _) = parse(&text.replace("HIP 6.4.2", "predicted")).unwrap();
        assert!(read.is_predicted());
        assert!(parse(&render(&origin(), &[])).unwrap().1.is_empty());
    }

    #[test]
    fn damage_is_found() {
        let text = render(&origin(), &choices());
        for length in 0..text.len() - 1 {
            assert!(parse(&text[..length]).is_err(), "cut to {length}");
        }
        for (from, to) in [
            ("tuning 1", "tuning 2"),
            ("card:", "cart:"),
            ("bf16", "bf61"),
            ("k=4096", "k=4097"),
            ("matvec_rows", "matvec_row"),
            ("streamed_256", "matvec_rows"),
            ("end 2", "end 3"),
            ("end 2\n", "end 2\nmore\n"),
            (" -> ", " "),
        ] {
            assert!(parse(&text.replacen(from, to, 1)).is_err(), "{from} became {to}");
        }
    }

    #[test]
    fn every_candidate_has_a_name_of_its_own() {
        for decision in DECISIONS {
            for (i, name) in decision.candidates.iter().enumerate() {
                assert!(
                    !decision.candidates[..i].contains(name) && !name.contains(char::is_whitespace),
                    "{name}"
                );
            }
        }
    }
}
