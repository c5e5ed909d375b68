//! What a kernel finds in memory when it starts: its arguments, those that the runtime adds, and the dispatch packet.

use candle_rocm_host::processor::Launch;

use crate::isa::{PRIVATE_BASE, SHARED_BASE};
use crate::machine::memory::Region;
use crate::object::Kernel;

/// Arguments and packet of a launch.
pub(super) struct Arguments {
    /// Never read or written here once it has been made: kernels do, by address.
    memory: Box<[u128]>,
    regions: [Region; 2],
}

/// The size of `hsa_kernel_dispatch_packet_t`.
const PACKET: usize = 64;
/// What lies between and behind the arguments.
const POISON: u8 = 0xA5;
/// Of the arguments' segment.
const ALIGNMENT: usize = 64;

impl Arguments {
    pub(super) fn new(kernel: &Kernel, launch: &Launch) -> Self {
        let mut bytes = vec![POISON; kernel.metadata.arguments_size];
        let own = launch.arguments.bytes();
        bytes[..own.len()].copy_from_slice(own);
        for hidden in &kernel.metadata.hidden {
            let value = hidden_value(&hidden.kind, kernel, launch).to_le_bytes();
            let (at, size) = (hidden.argument.offset, hidden.argument.size.min(8));
            bytes[at..at + size].copy_from_slice(&value[..size]);
        }
        let size = bytes.len();
        // The packet comes first; a gap between the two is in no region.
        let start = PACKET + 64;
        let mut all = packet(kernel, launch);
        all.resize(start, 0);
        all.extend(bytes);
        all.resize(start + size.next_multiple_of(ALIGNMENT), POISON);
        let words =
            all.as_chunks::<16>().0.iter().map(|word| u128::from_le_bytes(*word)).collect::<Box<[u128]>>();
        let address = words.as_ptr() as u64;
        let region = |from: usize, size: usize, description: &str| Region {
            addresses: address + from as u64..address + (from + size) as u64,
            writable: false,
            watched: true,
            description: description.to_owned(),
        };
        let regions = [
            // The segment is a multiple of 16 bytes, and compilers load past the last argument within it.
            region(start, size.next_multiple_of(ALIGNMENT), "the kernel's arguments"),
            region(0, PACKET, "the dispatch packet"),
        ];
        Self { memory: words, regions }
    }

    /// The address of the arguments.
    pub(super) fn address(&self) -> u64 {
        self.memory.as_ptr() as u64 + (PACKET + 64) as u64
    }

    /// The address of the packet.
    pub(super) fn packet(&self) -> u64 {
        self.memory.as_ptr() as u64
    }

    pub(super) fn regions(&self) -> &[Region] {
        &self.regions
    }
}

/// "Kernel argument value kinds" in LLVM's user guide for AMDGPU. Services of the runtime that there are none of, such as `printf`,
/// are null.
fn hidden_value(kind: &str, kernel: &Kernel, launch: &Launch) -> u64 {
    let dimension = match kind.as_bytes().last() {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    };
    match kind {
        "hidden_block_count_x" | "hidden_block_count_y" | "hidden_block_count_z" => {
            launch.grid[dimension].into()
        }
        "hidden_group_size_x" | "hidden_group_size_y" | "hidden_group_size_z" => {
            launch.block[dimension].into()
        }
        "hidden_grid_dims" => 3,
        "hidden_dynamic_lds_size" => launch.shared_bytes.into(),
        "hidden_private_base" => PRIVATE_BASE >> 32,
        "hidden_shared_base" => SHARED_BASE >> 32,
        "hidden_private_segment_size" => kernel.descriptor.scratch.into(),
        _ => 0,
    }
}

/// "Kernel dispatch packet" of the HSA runtime specification.
fn packet(kernel: &Kernel, launch: &Launch) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    launch.block.iter().for_each(|&size| bytes.extend((size as u16).to_le_bytes()));
    bytes.extend([0; 2]);
    launch
        .grid
        .iter()
        .zip(launch.block)
        .for_each(|(&grid, block)| bytes.extend(grid.wrapping_mul(block).to_le_bytes()));
    bytes.extend(kernel.descriptor.scratch.to_le_bytes());
    bytes.extend((kernel.descriptor.lds + launch.shared_bytes).to_le_bytes());
    bytes.resize(PACKET, 0);
    bytes
}
