//! Windows: AMD's Display Library (gpuopen.com/adl), which the graphics driver installs.
//!
//! A card has an adapter for each of its outputs; the first one speaks for it. Cards that ADL does not log have no sensors here: those
//! before Vega.

use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::{mem, ptr};

use super::{Quantity, Source};

/// In System32.
const LIBRARY: &str = "atiadlxx.dll";

/// The numbers of `ADLSensorType`. What a card has of one quantity is the first of these.
const SENSORS: [(usize, Quantity); 6] = [
    (23, Quantity::Power), // of the chip
    (73, Quantity::Power), // of the board
    (1, Quantity::ShaderClock),
    (2, Quantity::MemoryClock),
    (8, Quantity::EdgeTemperature),
    (27, Quantity::JunctionTemperature),
];

/// AMD's number as hexadecimal digits, or, as ADL gives it, these digits read as a decimal number.
const AMD: [c_int; 2] = [0x1002, 1002];

/// `AdapterInfo`, as Windows has it.
#[repr(C)]
#[derive(Clone, Copy)]
struct AdapterInfo {
    size: c_int,
    adapter: c_int,
    id: [c_char; 256],
    bus: c_int,
    device: c_int,
    function: c_int,
    vendor: c_int,
    name: [c_char; 256],
    display: [c_char; 256],
    present: c_int,
    exists: c_int,
    driver: [c_char; 256],
    driver_of_display: [c_char; 256],
    pnp: [c_char; 256],
    display_index: c_int,
}

/// `ADLPMLogDataOutput`.
#[repr(C)]
struct LogData {
    size: c_int,
    /// Whether there is the sensor, and its value in W, MHz or °C.
    sensors: [[c_int; 2]; 256],
}

type Allocate = extern "C" fn(c_int) -> *mut c_void;

/// The functions, by their C names.
struct Functions {
    #[allow(clippy::type_complexity, reason = "it is C's")]
    create: unsafe extern "C" fn(Allocate, c_int, *mut *mut c_void) -> c_int,
    count: unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int,
    adapters: unsafe extern "C" fn(*mut c_void, *mut AdapterInfo, c_int) -> c_int,
    log: unsafe extern "C" fn(*mut c_void, c_int, *mut LogData) -> c_int,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn LoadLibraryExA(name: *const c_char, file: *mut c_void, flags: u32) -> *mut c_void;
    fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The cards that the driver of this machine knows.
pub(super) fn source() -> Source {
    const FROM_SYSTEM32: u32 = 0x800;
    from(Path::new(LIBRARY), FROM_SYSTEM32)
}

fn from(library: &Path, flags: u32) -> Source {
    let Some(adl) = Adl::open(library, flags) else { return Box::new(Vec::new) };
    let cards = adl.cards();
    Box::new(move || {
        cards.iter().enumerate().flat_map(|(card, &adapter)| adl.sample(card, adapter)).collect()
    })
}

/// The library, open until the process ends.
struct Adl {
    functions: Functions,
    context: *mut c_void,
}

// SAFETY: a context may be used by any thread; here it is by one.
unsafe impl Send for Adl {}

impl Adl {
    fn open(library: &Path, flags: u32) -> Option<Self> {
        const CONNECTED_ONLY: c_int = 1;
        let name = CString::new(library.to_str()?).ok()?;
        // SAFETY: loads a library of the driver, or one that a test names.
        let library = unsafe { LoadLibraryExA(name.as_ptr(), ptr::null_mut(), flags) };
        let find = |name: &std::ffi::CStr| {
            // SAFETY: the library stays loaded.
            let address = unsafe { GetProcAddress(library, name.as_ptr()) };
            (!library.is_null() && !address.is_null()).then_some(address)
        };
        // SAFETY: the functions have these types in ADL's headers.
        let functions = unsafe {
            Functions {
                create: mem::transmute::<*mut c_void, _>(find(c"ADL2_Main_Control_Create")?),
                count: mem::transmute::<*mut c_void, _>(find(c"ADL2_Adapter_NumberOfAdapters_Get")?),
                adapters: mem::transmute::<*mut c_void, _>(find(c"ADL2_Adapter_AdapterInfo_Get")?),
                log: mem::transmute::<*mut c_void, _>(find(c"ADL2_New_QueryPMLogData_Get")?),
            }
        };
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let status = unsafe { (functions.create)(allocate, CONNECTED_ONLY, &mut context) };
        // Positive numbers are warnings.
        (status >= 0).then_some(Self { functions, context })
    }

    /// An adapter of each of AMD's cards.
    fn cards(&self) -> Vec<c_int> {
        let mut count = 0;
        // SAFETY: the context lives, and the pointer is valid for the call.
        let status = unsafe { (self.functions.count)(self.context, &mut count) };
        let count = usize::try_from(count).ok().filter(|_| status >= 0).unwrap_or_default();
        // SAFETY: numbers and characters, for which zero is a value.
        let mut adapters = vec![unsafe { mem::zeroed::<AdapterInfo>() }; count];
        let size = c_int::try_from(mem::size_of_val(&*adapters)).unwrap_or_default();
        // SAFETY: the context lives, and there is room for as many bytes as said.
        let status = unsafe { (self.functions.adapters)(self.context, adapters.as_mut_ptr(), size) };
        let mut seen = BTreeSet::new();
        let mut is_new = |it: &&AdapterInfo| seen.insert([it.bus, it.device, it.function]);
        let of_amd = adapters.iter().filter(|it| status >= 0 && it.present != 0 && AMD.contains(&it.vendor));
        of_amd.filter(|it| is_new(it)).map(|it| it.adapter).collect()
    }

    fn sample(&self, card: usize, adapter: c_int) -> Vec<(String, Quantity, f64)> {
        let mut data = LogData { size: mem::size_of::<LogData>() as c_int, sensors: [[0; 2]; 256] };
        // SAFETY: the context lives, and the structure is the one that the call writes.
        let status = unsafe { (self.functions.log)(self.context, adapter, &mut data) };
        let mut found: Vec<(String, Quantity, f64)> = Vec::new();
        for (sensor, quantity) in SENSORS {
            let [is_there, value] = data.sensors[sensor];
            let known = found.iter().any(|(_, known, _)| *known == quantity);
            if status >= 0 && is_there != 0 && !known {
                found.push((format!("card{card}"), quantity, f64::from(value)));
            }
        }
        found
    }
}

/// For what ADL returns in memory of its caller, which none of these functions does.
extern "C" fn allocate(bytes: c_int) -> *mut c_void {
    // SAFETY: takes any size.
    unsafe { libc::malloc(usize::try_from(bytes).unwrap_or_default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By a library that plays the driver's (tests/atiadlxx.c): a card with two outputs, one that is not logged, one of another
    /// vendor, and one that is not there any more.
    #[test]
    fn cards_are_sampled_once() {
        let Some(folder) = std::env::var_os("CANDLE_ROCM_TEST_DLLS") else { return };
        let sample = |power: f64| {
            let card = || "card0".to_owned();
            vec![
                (card(), Quantity::Power, power),
                (card(), Quantity::ShaderClock, 2300.),
                (card(), Quantity::EdgeTemperature, 61.),
            ]
        };
        let mut source = from(&Path::new(&folder).join(LIBRARY), 0);
        assert_eq!([source(), source()], [sample(215.), sample(216.)]);
    }

    #[test]
    fn without_the_driver_there_are_no_sensors() {
        assert_eq!(from(Path::new("no_such_library.dll"), 0)(), []);
    }
}
