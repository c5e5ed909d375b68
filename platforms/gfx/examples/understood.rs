//! Lists the instructions of code objects whose meaning is not known: `understood gfx1100 a.hsaco b.hsaco`.

use std::collections::BTreeMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let processor = arguments.next().ok_or("the first argument is a processor: gfx1100")?;
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for path in arguments {
        for text in candle_rocm_gfx::not_understood(&std::fs::read(&path)?, &processor)? {
            let (name, why) = (
                text.split_whitespace().next().unwrap_or_default(),
                text.rsplit(": ").next().unwrap_or_default(),
            );
            *unknown.entry(format!("{name}: {why}")).or_default() += 1;
        }
    }
    unknown.iter().for_each(|(what, count)| println!("{count:7} {what}"));
    Ok(())
}
