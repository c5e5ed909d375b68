//! The table of docs/cards.md, made from the table of processors and compared with what is there.
//! `cargo xtask cards --write` runs this test so that it writes instead.

use std::fs;
use std::path::Path;

use rocm_kernels::{Build, MatrixCores, PROCESSORS, Processor};

const BEGIN: &str = "<!-- made by cargo xtask cards --write -->\n";
const END: &str = "<!-- end of what is made -->\n";

#[test]
fn the_page_of_cards_lists_every_processor() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cards.md");
    let page = fs::read_to_string(&file).expect("docs/cards.md");
    let (before, rest) = page.split_once(BEGIN).expect("the table begins");
    let (_, after) = rest.split_once(END).expect("the table ends");
    let made = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("CANDLE_ROCM_WRITE_CARDS").is_some() {
        fs::write(&file, made).expect("docs/cards.md is writable");
        return;
    }
    assert!(page == made, "docs/cards.md is out of date; run `cargo xtask cards --write`");
}

fn table() -> String {
    let mut text = String::from(
        "| Products | Processor | Architecture | Matrix cores | Kernels |\n|---|---|---|---|---|\n",
    );
    for processor in PROCESSORS.iter().rev().filter(|processor| !processor.products.is_empty()) {
        let products = processor.products.join("; ");
        text += &format!(
            "| {products} | {} | {} | {} | {} |\n",
            processor.name,
            processor.architecture,
            matrix_cores(processor.matrix),
            kernels(processor)
        );
    }
    text
}

/// The instructions that kernels use, and the dtypes they use them for.
fn matrix_cores(matrix: MatrixCores) -> &'static str {
    match matrix {
        MatrixCores::None => "–",
        MatrixCores::WmmaGfx11 | MatrixCores::WmmaGfx12 => "WMMA: f16, bf16",
        MatrixCores::MfmaF16 => "MFMA: f16",
        MatrixCores::Mfma => "MFMA: f16, bf16",
    }
}

fn kernels(processor: &Processor) -> String {
    let exact = (processor.build != Build::No).then(|| processor.name.to_owned());
    let generic = processor.generic.map(str::to_owned);
    let built: Vec<String> = exact.into_iter().chain(generic).map(|name| format!("`{name}`")).collect();
    built.join(", ")
}
