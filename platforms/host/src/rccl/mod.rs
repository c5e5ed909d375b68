//! RCCL: collectives between devices of this process and of other processes on this machine.
//!
//! Every two ranks of a communicator have a TCP connection over loopback, so threads and processes are the same to it. An operation is
//! a task of the stream it was queued on: it sends each peer what that needs together with a description of the call, and compares the
//! peers' descriptions with its own. A rank that made another call, or is gone, is an asynchronous error of the communicator; as on
//! GPUs, the stream stands still then until the communicator is aborted.

pub(crate) mod api;
mod bootstrap;
mod communicator;
mod exchange;
mod failure;
mod peer;
mod reduce;
