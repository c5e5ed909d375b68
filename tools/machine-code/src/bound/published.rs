//! What others measured on AMD's cards, against the bounds of the same work: these must not be slower, and not much faster.

use candle_rocm_gfx::profile::{Instruction, LINE, Profile, Touched, Traffic};
use rocm_kernels::Processor;

use super::time::{Bounds, Limit};

/// A measurement, and what its kernel executes.
struct Published {
    /// Where it stands.
    source: &'static str,
    processor: &'static str,
    /// Seconds.
    measured: f64,
    limit: Limit,
    launch: Profile,
}

/// The bound may be this much faster than what was measured.
const TOLERANCE: f64 = 0.25;

fn instruction(text: &str, executed: u64, bytes: u64) -> Instruction {
    let lines = bytes / LINE;
    let traffic = Traffic { accesses: executed, bytes, lines: [2 * lines, lines], ..Traffic::default() };
    Instruction { text: text.to_owned(), address: 0, executed, traffic }
}

fn launch(blocks: u64, waits: u64, memory: &[Touched], instructions: Vec<Instruction>) -> Profile {
    Profile {
        kernel: "published".to_owned(),
        blocks,
        ran: blocks,
        threads: 256,
        registers: 96,
        lds: 0,
        waits,
        memory: memory.to_vec(),
        instructions,
    }
}

/// Each thread copies an f32.
fn copy() -> Published {
    let bytes: u64 = 4 << 24;
    let waves = bytes / LINE;
    let touched = [
        Touched { size: bytes, read: bytes / LINE, written: 0 },
        Touched { size: bytes, read: 0, written: bytes / LINE },
    ];
    let code = vec![
        instruction("global_load_b32 v1, v0, s[0:1]", waves, bytes),
        instruction("global_store_b32 v0, v1, s[2:3]", waves, bytes),
        instruction("v_lshlrev_b32_e32 v0, 2, v0", 8 * waves, 0),
    ];
    Published {
        source: "datawhalechina/hello-gpu, code/part0-intro/chapter2/EXPERIMENT.md: global memory, stride-1",
        processor: "gfx1201",
        measured: 0.235e-3,
        limit: Limit::Memory,
        launch: launch(waves / 8, waves, &touched, code),
    }
}

/// A bf16 matrix of 4096 rows and 14336 columns with a vector; a workgroup takes a row.
fn matrix_vector() -> Published {
    let (rows, columns) = (4096, 14336);
    let bytes = rows * columns * 2;
    let loads = bytes / 16 / 32;
    let code = vec![
        instruction("global_load_b128 v[0:3], v4, s[0:1]", loads, bytes),
        instruction("v_dot2_f32_bf16 v5, v0, v6, v5", 4 * loads, 0),
    ];
    Published {
        source: "ggml-org/llama.cpp#17437: MUL_MAT bf16, m=4096, n=1, k=14336, 0.61 TFLOPS",
        processor: "gfx1201",
        measured: (2 * rows * columns) as f64 / 0.61e12,
        limit: Limit::Memory,
        launch: launch(rows, rows * 8, &[Touched { size: bytes, read: bytes / LINE, written: 0 }], code),
    }
}

/// f16 matrices of 4096 x 4096.
fn product() -> Published {
    let size: u64 = 4096;
    let bytes = size * size * 2;
    let text = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]";
    let touched = [
        Touched { size: bytes, read: 32 * bytes / LINE, written: 0 },
        Touched { size: bytes, read: 32 * bytes / LINE, written: 0 },
        Touched { size: bytes, read: 0, written: bytes / LINE },
    ];
    Published {
        source: "zzc0721/torch-performance-test-data#58: FP16, 4096x4096, 105.43 TFLOPS",
        processor: "gfx1100",
        measured: 2. * (size as f64).powi(3) / 105.43e12,
        limit: Limit::Matrix,
        launch: launch(32 * 32, 0, &touched, vec![instruction(text, (size / 16).pow(3), 0)]),
    }
}

#[test]
fn bounds_are_near_what_was_measured() {
    for published in [copy(), matrix_vector(), product()] {
        let processor = Processor::find(published.processor).unwrap();
        let (least, limit) = Bounds::new(&published.launch, processor, &processor.rates.unwrap()).least();
        let faster = published.measured / least - 1.;
        println!(
            "{}: bound {:.1} us, measured {:.1} us",
            published.source,
            least * 1e6,
            published.measured * 1e6
        );
        assert!((0. ..=TOLERANCE).contains(&faster), "{}: {:.0} % faster", published.source, faster * 100.);
        assert_eq!(limit, published.limit, "{}", published.source);
    }
}
