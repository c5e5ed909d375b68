//! Model files on their way to a device: what is read, how often, and what it takes of the host's memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

use candle_core::quantized::{GgmlDType, QStorage, QTensor, gguf_file};
use candle_core::safetensors::{self, MmapedSafetensors};
use candle_core::{DType, Device, Result, Tensor};
use candle_rocm::RocmDevice;
use candle_rocm::platform::HOST;
use candle_rocm_tests::{devices, in_child};

/// The largest allocation of each thread.
struct Largest;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the caller's.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Largest = Largest;

fn note(size: usize) {
    // A thread that ends counts no more.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

/// What tensors of this test are larger than, and all else is smaller.
const SMALL: usize = 256 << 10;

/// Tensors of several pieces, and the smallest ones; rows of 256.
const TENSORS: [(&str, GgmlDType, usize); 5] = [
    ("q4_K", GgmlDType::Q4K, 20_000),
    ("f32", GgmlDType::F32, 3000),
    ("bf16", GgmlDType::BF16, 4097),
    ("f16", GgmlDType::F16, 1),
    ("none", GgmlDType::Q8_0, 0),
];

fn size(dtype: GgmlDType, rows: usize) -> usize {
    rows * 256 / dtype.block_size() * dtype.type_size()
}

fn total() -> usize {
    TENSORS.iter().map(|&(_, dtype, rows)| size(dtype, rows)).sum()
}

fn bytes(seed: usize, count: usize) -> Vec<u8> {
    (0..count).map(|i| ((i + seed).wrapping_mul(0x9e37_79b9) >> 11) as u8).collect()
}

/// A file of all of them, and their bytes.
fn write(path: &Path) -> Result<Vec<Vec<u8>>> {
    let all: Vec<Vec<u8>> =
        TENSORS.iter().enumerate().map(|(seed, &(_, dtype, rows))| bytes(seed, size(dtype, rows))).collect();
    let tensor = |(bytes, &(_, dtype, rows)): (&Vec<u8>, &(&str, GgmlDType, usize))| {
        QTensor::new(QStorage::from_data(Cow::from(&bytes[..]), &Device::Cpu, dtype)?, (rows, 256))
    };
    let tensors = all.iter().zip(&TENSORS).map(tensor).collect::<Result<Vec<_>>>()?;
    let named: Vec<_> = TENSORS.iter().map(|(name, ..)| *name).zip(&tensors).collect();
    let mut file = File::create(path)?;
    gguf_file::write(&mut file, &[], &named)?;
    // Something behind the last tensor.
    file.write_all(&[0; 64])?;
    Ok(all)
}

/// A reader that nobody knows. It counts what it is asked for.
struct Counting<R> {
    reader: R,
    bytes: usize,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(into)?;
        self.bytes += count;
        Ok(count)
    }
}

impl<R: Seek> Seek for Counting<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

fn rocm(device: &Device) -> Result<&RocmDevice> {
    Ok(device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device"))
}

/// Reads all tensors of a file, and compares them. Each byte is written to pinned memory once, and to no other.
fn load<R: Read + Seek>(device: &Device, reader: &mut R, expected: &[Vec<u8>]) -> Result<()> {
    reader.rewind()?;
    let content = gguf_file::Content::read(reader)?;
    // The second time, the device has memory from the first, and nothing but tensors could need much of the host's.
    for round in 0..2 {
        for (&(name, dtype, rows), expected) in TENSORS.iter().zip(expected) {
            let before = rocm(device)?.upload_stats().bytes;
            LARGEST.set(0);
            let tensor = content.tensor(reader, name, device)?;
            let largest = LARGEST.get();
            assert!(round == 0 || largest < SMALL, "{name}: {largest} bytes");
            assert_eq!(rocm(device)?.upload_stats().bytes - before, expected.len() as u64, "{name}");
            assert_eq!((tensor.dtype(), tensor.shape().dims()), (dtype, &[rows, 256][..]));
            assert!(*tensor.data()? == expected[..], "{name}");
            let end = content.tensor_data_offset + content.tensor_infos[name].offset + expected.len() as u64;
            if rows > 0 {
                assert_eq!(reader.stream_position()?, end, "{name}");
            }
        }
    }
    Ok(())
}

#[test]
fn every_reader_of_a_gguf_file_gives_the_same() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.gguf");
    let expected = write(&path)?;
    let whole = std::fs::read(&path)?;
    for device in devices() {
        let mut file = File::open(&path)?;
        load(&device, &mut file, &expected)?;
        load(&device, &mut &mut file, &expected)?;
        let mut buffered = BufReader::new(File::open(&path)?);
        load(&device, &mut buffered, &expected)?;
        load(&device, &mut &mut buffered, &expected)?;
        load(&device, &mut Cursor::new(&whole[..]), &expected)?;
        load(&device, &mut &mut Cursor::new(&whole[..]), &expected)?;
        load(&device, &mut Cursor::new(whole.clone()), &expected)?;
        let mut unknown = Counting { reader: File::open(&path)?, bytes: 0 };
        load(&device, &mut unknown, &expected)?;
        // The header, and all tensors twice.
        let header = unknown.bytes - 2 * total();
        assert!((1..4096).contains(&header), "{header}");
    }
    Ok(())
}

#[test]
fn a_file_that_was_cut_is_an_error() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.gguf");
    write(&path)?;
    let whole = std::fs::read(&path)?;
    for device in devices() {
        let file = File::options().read(true).write(true).open(&path)?;
        let content = gguf_file::Content::read(&mut Cursor::new(&whole))?;
        file.set_len(content.tensor_data_offset + (5 << 20))?;
        let cut = &whole[..content.tensor_data_offset as usize + (5 << 20)];
        let fails = |result: Result<QTensor>| assert!(result.is_err(), "{result:?}");
        for (name, ..) in TENSORS.iter().filter(|(name, ..)| *name != "q4_K" && *name != "none") {
            fails(content.tensor(&mut File::open(&path)?, name, &device));
            fails(content.tensor(&mut Cursor::new(cut), name, &device));
            fails(content.tensor(&mut Counting { reader: Cursor::new(cut), bytes: 0 }, name, &device));
        }
        assert!(content.tensor(&mut File::open(&path)?, "q4_K", &device).is_ok());
        std::fs::write(&path, &whole)?;
    }
    Ok(())
}

#[test]
fn safetensors_go_from_the_mapped_file_to_pinned_memory() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.safetensors");
    let values: Vec<f32> = (0..1_500_001).map(|i| (i % 2003) as f32).collect();
    let long = Tensor::from_vec(values, 1_500_001, &Device::Cpu)?;
    let tensors =
        [("f32", long.clone()), ("bf16", long.to_dtype(DType::BF16)?), ("one", long.narrow(0, 5, 1)?)];
    safetensors::save(&tensors.iter().cloned().collect(), &path)?;
    for device in devices() {
        // SAFETY: nobody else has the file.
        let file = unsafe { MmapedSafetensors::new(&path) }?;
        for round in 0..2 {
            for (name, expected) in &tensors {
                let before = rocm(&device)?.upload_stats();
                LARGEST.set(0);
                let tensor = file.load(name, &device)?;
                let largest = LARGEST.get();
                assert!(round == 0 || largest < SMALL, "{name}: {largest} bytes");
                let size = expected.elem_count() * expected.dtype().size_in_bytes();
                let after = rocm(&device)?.upload_stats();
                assert_eq!(after.bytes - before.bytes, size as u64, "{name}");
                assert_eq!(after.copies - before.copies, size.div_ceil(4 << 20) as u64, "{name}");
                let flat = |x: &Tensor| x.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.to_vec1::<f32>();
                assert!(flat(&tensor)? == flat(expected)?, "{name}");
            }
        }
    }
    Ok(())
}

/// Where the memory of an integrated GPU is the machine's, weights are written once: from the file to where they stay.
#[test]
fn integrated_gpus_have_weights_where_they_were_written() -> Result<()> {
    let name = "integrated_gpus_have_weights_where_they_were_written";
    // All that is large is more than the device has of its own.
    let variables = [("CANDLE_ROCM_HOST_INTEGRATED", "on"), ("CANDLE_ROCM_HOST_MEMORY", "1048576")];
    if in_child(name, &variables).is_some() {
        return Ok(());
    }
    let device = Device::from(RocmDevice::on(HOST, 0)?);
    let large = |size: usize| if size > 1 << 20 { size as u64 } else { 0 };
    let counts = || {
        let stats = rocm(&device)?.upload_stats();
        Ok::<_, candle_core::Error>((stats.direct, stats.copies))
    };
    let folder = tempfile::tempdir()?;

    let path = folder.path().join("model.gguf");
    let expected = write(&path)?;
    let mut file = File::open(&path)?;
    let mut unknown = Counting { reader: File::open(&path)?, bytes: 0 };
    let content = gguf_file::Content::read(&mut file)?;
    let mut all = Vec::new();
    for (&(name, dtype, rows), expected) in TENSORS.iter().zip(&expected).filter(|((.., rows), _)| *rows > 1)
    {
        let before = counts()?;
        all.push((content.tensor(&mut file, name, &device)?, expected));
        all.push((content.tensor(&mut unknown, name, &device)?, expected));
        let after = counts()?;
        let written = 2 * large(size(dtype, rows));
        assert!(written > 0);
        assert_eq!((after.0 - before.0, after.1 - before.1), (written, 0), "{name}");
    }
    assert!(rocm(&device)?.pool().stats().system > 1 << 20);
    for (tensor, expected) in &all {
        assert!(*tensor.data()? == expected[..]);
    }

    let path = folder.path().join("model.safetensors");
    let values: Vec<f32> = (0..1_500_001).map(|i| (i % 2003) as f32).collect();
    safetensors::save(&[("x", Tensor::new(&values[..], &Device::Cpu)?)].into_iter().collect(), &path)?;
    // SAFETY: nobody else has the file.
    let file = unsafe { MmapedSafetensors::new(&path) }?;
    let before = counts()?;
    let tensor = file.load("x", &device)?;
    let after = counts()?;
    assert_eq!((after.0 - before.0, after.1 - before.1), (large(4 * values.len()), 0));
    assert!(tensor.to_vec1::<f32>()? == values);
    Ok(())
}
