//! Collectives between AMD GPUs, on one machine or several, through RCCL, which is loaded at run time.
//!
//! ```
//! use rocm_hip::{Platform, Queue, Runtime};
//! use rocm_rccl::{Communicator, Reduce, group};
//! # use rocm_hip::{Adapter, Linked};
//! # static ADAPTER: Adapter = Adapter::linked("host", Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable });
//! # const HOST: Platform = Platform::of(&ADAPTER);
//! // On AMD GPUs: Platform::AMD. This one is the CPU.
//! let runtime = Runtime::get(HOST)?;
//! let devices = [runtime.device(0)?, runtime.device(1)?];
//! let ranks = Communicator::from_devices(&devices)?;
//! let queues = [Queue::new(devices[0])?, Queue::new(devices[1])?];
//! let mut buffers = [queues[0].upload(&[1f32, 2.])?, queues[1].upload(&[10f32, 20.])?];
//! // One thread drives all devices and must group its calls. Ranks with their own thread or process call `run`.
//! let requests = ranks.iter().zip(&mut buffers).map(|(rank, buffer)| rank.all_reduce_in_place(buffer, Reduce::Sum));
//! group(requests.collect::<Result<Vec<_>, _>>()?)?;
//! assert_eq!(queues[1].download(&buffers[1])?, [11., 22.]);
//! # Ok::<(), rocm_rccl::RcclError>(())
//! ```
//!
//! # Ranks
//!
//! A [`Communicator`] is one rank of a group. The ranks are [in one process](Communicator::from_devices), in processes that a launcher
//! [started](Communicator::from_env), or in any processes that share a [`UniqueId`]. Operations are [`Request`]s, queued on the stream of
//! their buffers; the host does not wait. All ranks must make the same calls in the same order.
//!
//! # When things go wrong
//!
//! Besides calling RCCL, ranks report to each other over TCP which collectives they call, without waiting for each other. If a rank dies,
//! leaves, or makes a different call, or if an operation exceeds [the timeout](Communicator::set_timeout), every rank gets a [`Failure`].
//! It names the rank, the operation it was waiting for, and the [`Cause`]. The communicator's calls return it, and so does the call that
//! waits for the stream. The communicator is aborted. The stream remains usable, and you can create a new communicator.
//!
//! On some machines, copies between cards hang. [`disable_peer_access`], or `NCCL_P2P_DISABLE=1`, makes RCCL copy through host memory.
//!
//! Calls of `send` and `receive` are not compared. One without a counterpart ends with the timeout.
//!
//! # Who may connect
//!
//! The port where ranks meet is on loopback, unless the id is created [for another address](UniqueId::at) or `MASTER_ADDR` names one. It is
//! open until all ranks have joined. A connection that does not present the id or the job within half a minute and 16 KiB is refused with
//! an explanation. At most 64 such connections are kept; another one replaces the oldest. RCCL's own connections follow its variables
//! (`NCCL_SOCKET_IFNAME`).

mod arguments;
mod communicator;
mod description;
mod element;
mod environment;
mod error;
mod greeting;
mod host_memory;
mod hub;
mod id;
mod library;
mod link;
mod memory;
mod message;
mod operations;
mod peer_access;
mod request;
mod shared;
mod view;
mod watch;

pub use communicator::Communicator;
pub use element::{Reduce, Reducible};
pub use environment::{Environment, default_timeout};
pub use error::{Cause, Failure, RcclError, Refusal, Result};
pub use id::UniqueId;
pub use peer_access::disable_peer_access;
pub use request::{Request, group};
pub use rocm_hip as hip;
pub use view::View;
