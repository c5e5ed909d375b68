//! The table of AMD processors: what kernels, launchers, reports and documentation need to know about them.
//!
//! Sources: LLVM's "User Guide for AMDGPU Backend" (names, generic targets), AMD's ISA guides and LLVM's
//! `AMDGPUBaseInfo.cpp` (registers), ROCm's "GPU hardware specifications" and system requirements and TheRock's list of
//! targets (products).

use crate::rates::{MI250X, MI300X, RX_7900_XTX, RX_9070_XT, Rates};

/// A processor, or a generic target that covers a family of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// The name in LLVM and in `gcnArchName`, such as `gfx1100`.
    pub name: &'static str,
    /// The architecture's marketing name, such as `RDNA 3`.
    pub architecture: &'static str,
    /// The generic target whose code it can run, such as `gfx11-generic`. LLVM has none for gfx908 and gfx90a.
    pub generic: Option<&'static str>,
    /// Threads per wavefront in HIP: 32 or 64.
    pub wavefront: u32,
    /// The registers of a SIMD.
    pub registers: Registers,
    /// Local data share (LDS, HIP's shared memory) available to a workgroup, in bytes.
    pub lds: u32,
    /// Whether it has an instruction for the dot product of four signed bytes.
    pub dot4: bool,
    /// The matrix cores, as far as the kernels use them.
    pub matrix: MatrixCores,
    /// Whether `cargo xtask build-kernels --arch all` compiles for exactly this processor. Others run the code of their generic target, or
    /// compile their kernels at run time.
    pub is_built: bool,
    /// Products with this processor.
    pub products: &'static [&'static str],
    /// The rates of one of the products, if known.
    pub rates: Option<Rates>,
}

/// The limits on the number of waves resident on a SIMD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Vector registers per lane in wavefronts of 64. Wavefronts of 32 have twice as many.
    pub vector: u64,
    /// Granule in which vector registers are allocated, for wavefronts of 64. Twice as large for wavefronts of 32.
    pub granule: u64,
    /// Scalar registers shared by the waves of a SIMD, allocated in multiples of 16; `None` if every wave has its own.
    pub scalar: Option<u64>,
    /// The maximum number of waves on a SIMD.
    pub waves: u64,
}

impl Registers {
    /// The number of waves that fit on a SIMD: the size of the vector register file divided by the wave's registers, which are rounded up
    /// to the allocation granule, but at most the number of hardware slots. Up to gfx9, waves also share scalar registers.
    pub fn occupancy(&self, vector: u64, scalar: u64, wavefront: u32) -> u64 {
        let halves = if wavefront == 32 { 2 } else { 1 };
        let allocated = vector.max(1).next_multiple_of(self.granule * halves);
        let by_scalars = self.scalar.map(|shared| shared / scalar.max(1).next_multiple_of(16));
        let waves = (self.vector * halves / allocated).min(by_scalars.unwrap_or(self.waves));
        waves.clamp(1, self.waves)
    }
}

/// The matrix instructions that kernels use on a processor. `common/matrix.h` makes the same choice with the compiler's macros, and
/// tests/processors.rs compares the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixCores {
    /// None, or none that the kernels use.
    None,
    /// `v_wmma_f32_16x16x16` of gfx11: both halves of a wavefront hold the same operands.
    WmmaGfx11,
    /// `v_wmma_f32_16x16x16` of gfx12.
    WmmaGfx12,
    /// `v_mfma_f32_16x16x16` for f16 only; the instruction for bf16 is 8 deep.
    MfmaF16,
    /// `v_mfma_f32_16x16x16` for f16 and bf16.
    Mfma,
}

const VEGA_REGISTERS: Registers = Registers { vector: 256, granule: 4, scalar: Some(800), waves: 10 };
const CDNA2_REGISTERS: Registers = Registers { vector: 512, granule: 8, scalar: Some(800), waves: 8 };
const RDNA_REGISTERS: Registers = Registers { vector: 512, granule: 4, scalar: None, waves: 20 };
const RDNA2_REGISTERS: Registers = Registers { vector: 512, granule: 8, scalar: None, waves: 16 };
const LARGE_RDNA_REGISTERS: Registers = Registers { vector: 768, granule: 12, scalar: None, waves: 16 };

const GFX9: Processor = Processor {
    name: "gfx9-generic",
    architecture: "GCN 5",
    generic: None,
    wavefront: 64,
    registers: VEGA_REGISTERS,
    lds: 64 << 10,
    dot4: false,
    matrix: MatrixCores::None,
    is_built: true,
    products: &[],
    rates: None,
};
const GFX9_4: Processor = Processor {
    name: "gfx9-4-generic",
    architecture: "CDNA 3",
    registers: CDNA2_REGISTERS,
    dot4: true,
    matrix: MatrixCores::Mfma,
    ..GFX9
};
const GFX10_1: Processor = Processor {
    name: "gfx10-1-generic",
    architecture: "RDNA",
    wavefront: 32,
    registers: RDNA_REGISTERS,
    ..GFX9
};
const GFX10_3: Processor = Processor {
    name: "gfx10-3-generic",
    architecture: "RDNA 2",
    registers: RDNA2_REGISTERS,
    dot4: true,
    ..GFX10_1
};
const GFX11: Processor =
    Processor { name: "gfx11-generic", architecture: "RDNA 3", matrix: MatrixCores::WmmaGfx11, ..GFX10_3 };
/// Like gfx11, with the matrix instructions of gfx12.
const GFX11_7: Processor =
    Processor { name: "gfx11-7-generic", architecture: "RDNA 4m", matrix: MatrixCores::WmmaGfx12, ..GFX11 };
const GFX12: Processor = Processor {
    name: "gfx12-generic",
    architecture: "RDNA 4",
    registers: LARGE_RDNA_REGISTERS,
    matrix: MatrixCores::WmmaGfx12,
    ..GFX11
};
/// Its matrix instructions differ from gfx12's, and kernels do not use them yet.
const GFX12_5: Processor = Processor {
    name: "gfx12-5-generic",
    architecture: "CDNA 5",
    lds: 320 << 10,
    matrix: MatrixCores::None,
    ..GFX12
};

/// A processor of the family that the generic target stands for.
const fn of(family: Processor, name: &'static str) -> Processor {
    Processor { name, generic: Some(family.name), is_built: false, ..family }
}

/// The data crates, which hold the code objects of some generations each: `candle-rocm-kernels-rdna3`.
pub const FAMILIES: [&str; 6] = ["gcn5", "cdna2", "cdna3", "rdna2", "rdna3", "rdna4"];

/// Every processor since gfx900, oldest first, and LLVM's generic targets.
pub const PROCESSORS: &[Processor] = &[
    Processor {
        products: &["Radeon RX Vega 56, 64", "Radeon Vega Frontier Edition", "Instinct MI25"],
        ..of(GFX9, "gfx900")
    },
    Processor { products: &["Radeon graphics of Ryzen 2000 and 3000 APUs"], ..of(GFX9, "gfx902") },
    Processor { products: &["Radeon Pro Vega 16, 20"], ..of(GFX9, "gfx904") },
    Processor {
        architecture: "GCN 5.1",
        dot4: true,
        is_built: true,
        products: &["Radeon VII", "Radeon Pro VII", "Instinct MI50, MI60"],
        ..of(GFX9, "gfx906")
    },
    Processor {
        architecture: "CDNA",
        generic: None,
        dot4: true,
        matrix: MatrixCores::MfmaF16,
        is_built: true,
        products: &["Instinct MI100"],
        ..of(GFX9, "gfx908")
    },
    Processor { products: &["Radeon graphics of Athlon 3000 APUs"], ..of(GFX9, "gfx909") },
    Processor {
        architecture: "CDNA 2",
        generic: None,
        is_built: true,
        products: &["Instinct MI210, MI250, MI250X"],
        rates: Some(MI250X),
        ..of(GFX9_4, "gfx90a")
    },
    Processor { products: &["Radeon graphics of Ryzen 4000 and 5000 APUs"], ..of(GFX9, "gfx90c") },
    of(GFX9_4, "gfx940"),
    of(GFX9_4, "gfx941"),
    Processor {
        is_built: true,
        products: &["Instinct MI300A, MI300X, MI308X, MI325X"],
        rates: Some(MI300X),
        ..of(GFX9_4, "gfx942")
    },
    Processor {
        architecture: "CDNA 4",
        lds: 160 << 10,
        is_built: true,
        products: &["Instinct MI350X, MI355X"],
        ..of(GFX9_4, "gfx950")
    },
    Processor {
        is_built: true,
        products: &["Radeon RX 5600, 5600 XT, 5700, 5700 XT", "Radeon Pro W5700"],
        ..of(GFX10_1, "gfx1010")
    },
    Processor { dot4: true, products: &["Radeon Pro V520"], ..of(GFX10_1, "gfx1011") },
    Processor {
        dot4: true,
        products: &["Radeon RX 5300, 5500, 5500 XT", "Radeon Pro W5500"],
        ..of(GFX10_1, "gfx1012")
    },
    Processor { products: &["BC-250"], ..of(GFX10_1, "gfx1013") },
    Processor {
        is_built: true,
        products: &["Radeon RX 6800, 6800 XT, 6900 XT, 6950 XT", "Radeon PRO W6800, V620"],
        ..of(GFX10_3, "gfx1030")
    },
    Processor {
        products: &["Radeon RX 6700, 6700 XT, 6750 XT", "Radeon RX 6800M"],
        ..of(GFX10_3, "gfx1031")
    },
    Processor {
        products: &["Radeon RX 6600, 6600 XT, 6650 XT", "Radeon PRO W6600"],
        ..of(GFX10_3, "gfx1032")
    },
    Processor { products: &["Steam Deck"], ..of(GFX10_3, "gfx1033") },
    Processor { products: &["Radeon RX 6400, 6500 XT", "Radeon PRO W6400"], ..of(GFX10_3, "gfx1034") },
    Processor { products: &["Radeon 660M, 680M (Ryzen 6000)"], ..of(GFX10_3, "gfx1035") },
    Processor {
        products: &["Radeon graphics of Ryzen 7000 and 9000 desktop processors"],
        ..of(GFX10_3, "gfx1036")
    },
    Processor {
        registers: LARGE_RDNA_REGISTERS,
        is_built: true,
        products: &["Radeon RX 7900 XTX, 7900 XT, 7900 GRE", "Radeon PRO W7800, W7900"],
        rates: Some(RX_7900_XTX),
        ..of(GFX11, "gfx1100")
    },
    Processor {
        registers: LARGE_RDNA_REGISTERS,
        is_built: true,
        products: &["Radeon RX 7700 XT, 7800 XT", "Radeon PRO W7700, V710"],
        ..of(GFX11, "gfx1101")
    },
    Processor {
        is_built: true,
        products: &["Radeon RX 7600, 7600 XT", "Radeon RX 7700S", "Radeon PRO W7500, W7600"],
        ..of(GFX11, "gfx1102")
    },
    Processor {
        is_built: true,
        products: &["Radeon 740M, 760M, 780M (Ryzen 7040 and 8040, Ryzen Z1)"],
        ..of(GFX11, "gfx1103")
    },
    Processor {
        architecture: "RDNA 3.5",
        is_built: true,
        products: &["Radeon 880M, 890M (Ryzen AI 300, Strix Point)"],
        ..of(GFX11, "gfx1150")
    },
    Processor {
        architecture: "RDNA 3.5",
        registers: LARGE_RDNA_REGISTERS,
        is_built: true,
        products: &["Radeon 8050S, 8060S (Ryzen AI Max 300, Strix Halo)"],
        ..of(GFX11, "gfx1151")
    },
    Processor {
        architecture: "RDNA 3.5",
        products: &["Radeon 840M, 860M (Ryzen AI 300, Krackan Point)"],
        ..of(GFX11, "gfx1152")
    },
    Processor { architecture: "RDNA 3.5", products: &["Radeon 820M (Ryzen AI 300)"], ..of(GFX11, "gfx1153") },
    Processor { architecture: "RDNA 3.5", ..of(GFX11, "gfx1154") },
    of(GFX11_7, "gfx1170"),
    of(GFX11_7, "gfx1171"),
    of(GFX11_7, "gfx1172"),
    Processor { is_built: true, products: &["Radeon RX 9060, 9060 XT"], ..of(GFX12, "gfx1200") },
    Processor {
        is_built: true,
        products: &["Radeon RX 9070, 9070 XT, 9070 GRE", "Radeon AI PRO R9700"],
        rates: Some(RX_9070_XT),
        ..of(GFX12, "gfx1201")
    },
    Processor { is_built: true, ..of(GFX12_5, "gfx1250") },
    of(GFX12_5, "gfx1251"),
    GFX9,
    GFX9_4,
    GFX10_1,
    GFX10_3,
    GFX11,
    GFX11_7,
    GFX12,
    GFX12_5,
];

impl Processor {
    /// Looks up the row of a processor or generic target, by its name without features.
    pub fn find(name: &str) -> Option<&'static Processor> {
        PROCESSORS.iter().find(|processor| processor.name == name)
    }

    /// The row for an arch such as `gfx90a:sramecc+:xnack-`. A processor without a row gets that of its closest relative, which is the one
    /// with the longest common prefix, and the newest if there are several.
    pub fn nearest(arch: &str) -> &'static Processor {
        let name = arch.split(':').next().unwrap_or(arch);
        let common = |processor: &&Processor| {
            let pairs = processor.name.bytes().zip(name.bytes());
            (pairs.take_while(|(ours, wanted)| ours == wanted).count(), processor.generic.is_some())
        };
        Self::find(name).or_else(|| PROCESSORS.iter().max_by_key(common)).unwrap_or(&PROCESSORS[0])
    }

    /// Whether releases contain code objects for exactly this target. They do for generic targets, for processors that none covers, and for
    /// processors whose kernels use instructions that their generic target lacks.
    pub fn is_released(&self) -> bool {
        let generic = self.generic.and_then(Self::find);
        self.is_built
            && generic.is_none_or(|generic| (self.dot4, self.matrix) != (generic.dot4, generic.matrix))
    }

    /// The data crate that contains its code objects, one of [`FAMILIES`].
    pub fn family(&self) -> &'static str {
        match self.architecture {
            "RDNA" | "RDNA 2" => "rdna2",
            "RDNA 3" | "RDNA 3.5" | "RDNA 4m" => "rdna3",
            "CDNA" | "CDNA 2" => "cdna2",
            newer if newer.starts_with("RDNA") => "rdna4",
            newer if newer.starts_with("CDNA") => "cdna3",
            _ => "gcn5",
        }
    }

    /// Compute units that HIP counts as one multiprocessor: on RDNA, two that share an LDS.
    pub fn units_per_multiprocessor(&self) -> u32 {
        if self.wavefront == 32 { 2 } else { 1 }
    }

    /// Whether it is a generic target.
    pub fn is_generic(&self) -> bool {
        self.name.ends_with("-generic")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{default_target, generic_target};

    #[test]
    fn every_processor_has_one_row_and_its_generic_target_another() {
        let mut seen = std::collections::HashSet::new();
        for processor in PROCESSORS {
            assert!(seen.insert(processor.name), "{} has two rows", processor.name);
            let target = default_target(processor.name);
            assert_eq!(generic_target(&target), processor.generic);
            assert_eq!(target.wavefront, Some(processor.wavefront), "{}", processor.name);
            let Some(generic) = processor.generic else { continue };
            let generic = Processor::find(generic).expect("the generic target has a row");
            assert_eq!(generic.wavefront, processor.wavefront, "{}", processor.name);
            // Every member has what code for the generic target relies on.
            assert!(generic.registers.vector <= processor.registers.vector, "{}", processor.name);
            assert!(generic.lds <= processor.lds && generic.dot4 <= processor.dot4, "{}", processor.name);
            assert_eq!(generic.matrix, processor.matrix, "{}", processor.name);
        }
    }

    #[test]
    fn a_processor_that_is_sold_is_built_for_or_covered() {
        for processor in PROCESSORS.iter().filter(|processor| !processor.products.is_empty()) {
            assert!(processor.is_built || processor.generic.is_some(), "{}", processor.name);
        }
    }

    #[test]
    fn releases_cover_all_processors() {
        for processor in PROCESSORS.iter().filter(|processor| !processor.is_released()) {
            let covered = processor.generic.and_then(Processor::find).is_some_and(Processor::is_released);
            assert!(covered, "{}", processor.name);
        }
        let released = |name| Processor::find(name).map(Processor::is_released);
        let exact = ["gfx906", "gfx908", "gfx90a"];
        assert_eq!(exact.map(released), [Some(true); 3]);
        assert_eq!(["gfx942", "gfx1100", "gfx900"].map(released), [Some(false); 3]);
    }

    /// crates.io takes 10 MiB, which three targets' kernels come near to.
    #[test]
    fn data_crates_are_for_two_released_targets_at_most() {
        for family in FAMILIES {
            let released = PROCESSORS.iter().filter(|it| it.is_released() && it.family() == family).count();
            assert!((1..=2).contains(&released), "{family}: {released}");
        }
        assert!(PROCESSORS.iter().all(|processor| FAMILIES.contains(&processor.family())));
        let family = |name| Processor::nearest(name).family();
        assert_eq!(["gfx900", "gfx906", "gfx908", "gfx90a"].map(family), ["gcn5", "gcn5", "cdna2", "cdna2"]);
        assert_eq!(["gfx942", "gfx950", "gfx1250"].map(family), ["cdna3"; 3]);
        assert_eq!(
            ["gfx1010", "gfx1036", "gfx1151", "gfx1155"].map(family),
            ["rdna2", "rdna2", "rdna3", "rdna3"]
        );
        assert_eq!(["gfx1170", "gfx1201"].map(family), ["rdna3", "rdna4"]);
    }

    #[test]
    fn unknown_processors_are_taken_for_their_nearest_relative() {
        assert_eq!(Processor::nearest("gfx90a:sramecc+:xnack-").name, "gfx90a");
        assert_eq!(Processor::nearest("gfx1155").architecture, "RDNA 3.5");
        assert_eq!(Processor::nearest("gfx1202").matrix, MatrixCores::WmmaGfx12);
        assert_eq!(Processor::nearest("gfx1037").architecture, "RDNA 2");
    }
}
