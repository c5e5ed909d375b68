//! Operations: what a rank may ask for, with checks of the operands.

use rocm_hip::{Buffer, Element, HipError};
use rocm_sys::rccl::ncclDataType_t;

use crate::arguments::{Arguments, BYTES, Operation};
use crate::description::Call;
use crate::memory::Memory;
use crate::{Communicator, RcclError, Reduce, Reducible, Request, Result, View};

/// Where an operand or a result is.
#[derive(Clone, Copy)]
struct Place<'a> {
    address: usize,
    buffer: &'a dyn Memory,
}

impl<'a, T: Element> From<View<'a, T>> for Place<'a> {
    fn from(view: View<'a, T>) -> Self {
        Self { address: view.address(), buffer: view.buffer() }
    }
}

impl<'a> Place<'a> {
    /// Of a result, behind what other streams read there.
    fn of_result<T: Element>(buffer: &'a mut Buffer<T>) -> Result<Self> {
        Ok(Self { address: buffer.as_mut_ptr()?.address() as usize, buffer })
    }
}

impl Communicator {
    /// Reduces the operands of all ranks element by element, and gives every rank the result. All operands and results have the same
    /// length.
    ///
    /// # Errors
    /// [`RcclError::InvalidArgument`] if the lengths differ, [`HipError::WrongDevice`], [`HipError::WrongQueue`].
    pub fn all_reduce<'a, T: Reducible>(
        &'a self,
        operand: impl Into<View<'a, T>>,
        result: &'a mut Buffer<T>,
        reduce: Reduce,
    ) -> Result<Request<'a>> {
        let operand = operand.into();
        let count = operand.len();
        let call = call::<T>("all_reduce", Some(reduce), count, None);
        check_lengths(&call, count, result.len())?;
        let of = (Operation::AllReduce(reduce.to_raw()), T::DATATYPE, count);
        self.request(call, of, Some(operand.into()), Some(Place::of_result(result)?))
    }

    /// As [`Communicator::all_reduce`], with one buffer as operand and result.
    ///
    /// # Errors
    /// [`HipError::WrongDevice`].
    pub fn all_reduce_in_place<'a, T: Reducible>(
        &'a self,
        buffer: &'a mut Buffer<T>,
        reduce: Reduce,
    ) -> Result<Request<'a>> {
        let count = buffer.len();
        let call = call::<T>("all_reduce", Some(reduce), count, None);
        let of = (Operation::AllReduce(reduce.to_raw()), T::DATATYPE, count);
        let place = Place::of_result(buffer)?;
        self.request(call, of, Some(place), Some(place))
    }

    /// Concatenates the operands of all ranks, in the order of ranks, and gives every rank the result. All operands have the same length,
    /// and `result` is as long as all of them together.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn all_gather<'a, T: Element>(
        &'a self,
        operand: impl Into<View<'a, T>>,
        result: &'a mut Buffer<T>,
    ) -> Result<Request<'a>> {
        let operand = operand.into();
        let call = call::<T>("all_gather", None, operand.len(), None);
        check_lengths(&call, operand.len().saturating_mul(self.world_size() as usize), result.len())?;
        let of = (Operation::AllGather, BYTES, operand.len() * size_of::<T>());
        self.request(call, of, Some(operand.into()), Some(Place::of_result(result)?))
    }

    /// Reduces the operands of all ranks element by element, and gives rank r the r-th part of the result. There are as many equal parts as
    /// ranks.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn reduce_scatter<'a, T: Reducible>(
        &'a self,
        operand: impl Into<View<'a, T>>,
        result: &'a mut Buffer<T>,
        reduce: Reduce,
    ) -> Result<Request<'a>> {
        let operand = operand.into();
        let call = call::<T>("reduce_scatter", Some(reduce), operand.len(), None);
        check_lengths(&call, result.len().saturating_mul(self.world_size() as usize), operand.len())?;
        let of = (Operation::ReduceScatter(reduce.to_raw()), T::DATATYPE, result.len());
        self.request(call, of, Some(operand.into()), Some(Place::of_result(result)?))
    }

    /// Copies the elements of rank `root` to all ranks.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`], and [`RcclError::InvalidArgument`] if there is no such rank.
    pub fn broadcast<'a, T: Element>(&'a self, buffer: &'a mut Buffer<T>, root: u32) -> Result<Request<'a>> {
        let call = call::<T>("broadcast", None, buffer.len(), Some(root));
        let of = (Operation::Broadcast(self.check_rank(&call, root)?), BYTES, buffer.size_in_bytes());
        let place = Place::of_result(buffer)?;
        self.request(call, of, Some(place), Some(place))
    }

    /// Sends elements to a rank, which [receives](Communicator::receive) them. Two ranks that send to each other must do so in a
    /// [`group`](crate::group).
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    pub fn send<'a, T: Element>(&'a self, operand: impl Into<View<'a, T>>, to: u32) -> Result<Request<'a>> {
        let operand = operand.into();
        let call = call::<T>("send", None, operand.len(), Some(to));
        let of = (Operation::Send(self.check_rank(&call, to)?), BYTES, operand.len() * size_of::<T>());
        self.request(call, of, Some(operand.into()), None)
    }

    /// Receives elements from a rank, as many as it sends.
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    pub fn receive<'a, T: Element>(&'a self, result: &'a mut Buffer<T>, from: u32) -> Result<Request<'a>> {
        let call = call::<T>("receive", None, result.len(), Some(from));
        let of = (Operation::Receive(self.check_rank(&call, from)?), BYTES, result.size_in_bytes());
        self.request(call, of, None, Some(Place::of_result(result)?))
    }

    /// Exchanges parts between all ranks: the `result` of rank r consists of the r-th part of every rank's operand, in the order of ranks.
    /// All operands and results have the same length, a multiple of the number of ranks.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn all_to_all<'a, T: Element>(
        &'a self,
        operand: impl Into<View<'a, T>>,
        result: &'a mut Buffer<T>,
    ) -> Result<Request<'a>> {
        let operand = operand.into();
        let call = call::<T>("all_to_all", None, operand.len(), None);
        check_lengths(&call, operand.len(), result.len())?;
        let ranks = self.world_size() as usize;
        if !operand.len().is_multiple_of(ranks) {
            let message = format!("{} elements are not a multiple of {ranks} ranks", operand.len());
            return Err(RcclError::InvalidArgument { operation: call.name, message });
        }
        let part = result.size_in_bytes() / ranks;
        let of = (Operation::AllToAll(part), BYTES, part);
        self.request(call, of, Some(operand.into()), Some(Place::of_result(result)?))
    }

    fn request<'a>(
        &'a self,
        call: Call,
        (operation, datatype, count): (Operation, ncclDataType_t, usize),
        operand: Option<Place<'a>>,
        result: Option<Place<'a>>,
    ) -> Result<Request<'a>> {
        let no_place =
            || RcclError::InvalidArgument { operation: call.name, message: "no buffers given".to_owned() };
        let pool = result.or(operand).ok_or_else(no_place)?.buffer.pool();
        if let Some(other) = operand.map(|operand| operand.buffer.pool()).filter(|other| *other != pool) {
            let (lhs, rhs) = (other.stream().to_string(), pool.stream().to_string());
            return Err(HipError::WrongQueue { op: call.name, lhs, rhs }.into());
        }
        if pool.device() != self.device() {
            let (lhs, rhs) = (pool.device().to_string(), self.device().to_string());
            return Err(HipError::WrongDevice { op: call.name, lhs, rhs }.into());
        }
        let address = |place: Option<Place<'a>>| place.map_or(0, |place| place.address);
        let arguments =
            Arguments { operation, operand: address(operand), result: address(result), count, datatype };
        let buffers = [operand, result].map(|place| place.map(|place| place.buffer));
        Ok(Request::new(self, pool.stream(), call, arguments, buffers))
    }

    fn check_rank(&self, call: &Call, rank: u32) -> Result<i32> {
        let ranks = self.world_size();
        i32::try_from(rank).ok().filter(|_| rank < ranks).ok_or_else(|| RcclError::InvalidArgument {
            operation: call.name,
            message: format!("rank {rank} is out of range for {ranks} ranks; ranks start at 0"),
        })
    }
}

fn call<T: Element>(name: &'static str, reduce: Option<Reduce>, count: usize, rank: Option<u32>) -> Call {
    Call { name, reduce, count, element: T::NAME, rank, number: None }
}

fn check_lengths(call: &Call, expected: usize, given: usize) -> Result<()> {
    if expected == given {
        return Ok(());
    }
    let message = format!("unexpected number of elements, expected: {expected}, got: {given}");
    Err(RcclError::InvalidArgument { operation: call.name, message })
}
