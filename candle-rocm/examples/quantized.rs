//! How fast products with quantized weights are, by each algorithm: `cargo run --release -p candle-rocm --example quantized`, with
//! `CANDLE_ROCM_PLATFORM` for another platform than AMD's. Rows, columns and the types may be given: `-- 14336 4096 q8_0,q4_k`.
//!
//! GB/s count the weights alone. Weights come from more copies than caches hold.
//!
//! `-- ratio` prints how many times as long as by `Tiles` products take by `Half`, for shapes of models and 16 to 4096 vectors; types may be
//! given: `-- ratio q4_0,q4_k`.

use std::time::Instant;

use candle_core::Layout;
use candle_core::backend::BackendDevice;
use candle_core::quantized::GgmlDType as G;
use candle_rocm::quantized::BlockType::{self, Candle};
use candle_rocm::quantized::{Algorithm, QStorage};
use candle_rocm::{RocmDevice, RocmError};

const TYPES: [(&str, BlockType); 22] = [
    ("q4_0", Candle(G::Q4_0)),
    ("q4_1", Candle(G::Q4_1)),
    ("q5_0", Candle(G::Q5_0)),
    ("q5_1", Candle(G::Q5_1)),
    ("q8_0", Candle(G::Q8_0)),
    ("q2_k", Candle(G::Q2K)),
    ("q3_k", Candle(G::Q3K)),
    ("q4_k", Candle(G::Q4K)),
    ("q5_k", Candle(G::Q5K)),
    ("q6_k", Candle(G::Q6K)),
    ("iq4_nl", BlockType::Iq4Nl),
    ("iq4_xs", BlockType::Iq4Xs),
    ("mxfp4", BlockType::Mxfp4),
    ("tq1_0", BlockType::Tq1_0),
    ("tq2_0", BlockType::Tq2_0),
    ("iq2_xxs", BlockType::Iq2Xxs),
    ("iq2_xs", BlockType::Iq2Xs),
    ("iq2_s", BlockType::Iq2S),
    ("iq3_xxs", BlockType::Iq3Xxs),
    ("iq3_s", BlockType::Iq3S),
    ("iq1_s", BlockType::Iq1S),
    ("iq1_m", BlockType::Iq1M),
];
const VECTORS: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 512];
/// Rows and columns: of models' projections, and of a vocabulary.
const SHAPES: [(usize, usize); 7] =
    [(4096, 4096), (1024, 4096), (14336, 4096), (4096, 14336), (2048, 2048), (8192, 2048), (32000, 4096)];
const MANY: [usize; 9] = [16, 24, 32, 64, 128, 256, 512, 1024, 4096];
/// Bytes of weights that no cache holds.
const MANY_BYTES: usize = 1 << 29;

fn main() -> candle_core::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "ratio") {
        return ratio(arguments.get(1).map_or("q4_0,q8_0,q4_k,q6_k", String::as_str));
    }
    let size = |i: usize, or: usize| arguments.get(i).and_then(|text| text.parse().ok()).unwrap_or(or);
    let (rows, columns) = (size(0, 4096), size(1, 4096));
    let wanted: Vec<&str> =
        arguments.get(2).map_or(vec!["q8_0", "q4_0", "q4_k", "q6_k"], |text| text.split(',').collect());
    let device = RocmDevice::new(0)?;
    println!("{} ({}), {rows} x {columns}", device.label(), device.arch());
    for (name, dtype) in TYPES.into_iter().filter(|(name, _)| wanted.contains(name)) {
        let bytes = rows * columns / dtype.block_size() * dtype.type_size();
        let copies = MANY_BYTES.div_ceil(bytes).min(64);
        let weights = (0..copies)
            .map(|_| QStorage::zeros(&device, rows * columns, dtype))
            .collect::<Result<Vec<_>, RocmError>>()?;
        for vectors in VECTORS {
            let x = device.storage_from_slice(&vec![0.5f32; vectors * columns])?;
            let layout = Layout::contiguous((vectors, columns));
            print!("{name} x {vectors:<4}");
            for algorithm in [
                Algorithm::Streamed,
                Algorithm::Exact,
                Algorithm::Vectors,
                Algorithm::Tiles,
                Algorithm::Dequantized,
                Algorithm::Half,
            ] {
                if matches!(
                    (algorithm, vectors),
                    (Algorithm::Exact, 2..)
                        | (Algorithm::Vectors | Algorithm::Streamed, 65..)
                        | (Algorithm::Tiles, ..4)
                ) {
                    continue;
                }
                let mut best = f64::MAX;
                for round in 0..4 {
                    let start = Instant::now();
                    for weights in &weights {
                        weights.forward_with(algorithm, (rows, columns), &x, &layout)?;
                    }
                    device.synchronize()?;
                    if round > 0 {
                        best = best.min(start.elapsed().as_secs_f64() / copies as f64);
                    }
                }
                print!("   {algorithm:?} {:8.2} us {:6.0} GB/s", best * 1e6, bytes as f64 / best / 1e9);
            }
            println!();
        }
    }
    Ok(())
}

/// Both algorithms in turns, the median of each.
fn ratio(types: &str) -> candle_core::Result<()> {
    const ROUNDS: usize = 9;
    let device = RocmDevice::new(0)?;
    println!("{} ({}): time by Half / time by Tiles", device.label(), device.arch());
    let wanted: Vec<&str> = types.split(',').collect();
    for (name, dtype) in TYPES.into_iter().filter(|(name, _)| wanted.contains(name)) {
        println!("{name:<14}{}", MANY.map(|vectors| format!("{vectors:>8}")).concat());
        for (rows, columns) in SHAPES {
            let bytes = rows * columns / dtype.block_size() * dtype.type_size();
            let weights = (0..MANY_BYTES.div_ceil(bytes).min(16))
                .map(|_| QStorage::zeros(&device, rows * columns, dtype))
                .collect::<Result<Vec<_>, RocmError>>()?;
            print!("{:<14}", format!("{rows}x{columns}"));
            for vectors in MANY {
                let x = device.storage_from_slice(&vec![0.5f32; vectors * columns])?;
                let layout = Layout::contiguous((vectors, columns));
                let mut times = [Vec::new(), Vec::new()];
                for round in 0..=ROUNDS {
                    for (algorithm, times) in [Algorithm::Half, Algorithm::Tiles].into_iter().zip(&mut times)
                    {
                        let start = Instant::now();
                        for weights in &weights {
                            weights.forward_with(algorithm, (rows, columns), &x, &layout)?;
                        }
                        device.synchronize()?;
                        // The first round compiles and allocates.
                        if round > 0 {
                            times.push(start.elapsed().as_secs_f64() / weights.len() as f64);
                        }
                    }
                }
                let [half, tiles] = times.map(|mut times| {
                    times.sort_by(f64::total_cmp);
                    times[ROUNDS / 2]
                });
                print!("{:>8.2}", half / tiles);
            }
            println!();
        }
    }
    Ok(())
}
