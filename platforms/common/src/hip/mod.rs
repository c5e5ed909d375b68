//! libamdhip64: one trait and one export macro for each group of functions.
//!
//! Methods return what the C function writes, or the code that it returns instead. What the traits say about arguments has been
//! checked before a method is called; addresses and handles otherwise arrive as the program passed them.

pub mod copy;
pub mod device;
pub mod error;
pub mod event;
pub mod fill;
pub mod kernel;
pub mod memory;
pub mod module;
pub mod peer;
pub mod properties;
pub mod stream;

pub use copy::{Copies, Ends, Rectangle, Transfer};
pub use device::Device;
pub use event::Events;
pub use fill::{Fills, Pattern, Rows};
pub use kernel::{Arguments, Kernels, LaunchCall};
pub use memory::Memory;
pub use module::{JitOptions, Modules};
pub use peer::Peers;
pub use properties::Properties;
pub use stream::{HostFunction, StreamCallback, Streams};

use rocm_sys::hip::hipError_t;

/// What HIP's functions return.
pub type HipResult<T = ()> = Result<T, hipError_t>;
