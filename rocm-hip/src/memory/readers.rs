//! Work of other streams that uses a buffer: its own stream waits for that before it writes there, and before the memory has another
//! use.

use rocm_sys::MissingSymbol;
use rocm_sys::hip::hipError_t;

use crate::lock::{self, Mutex};
use crate::{Device, Event, Result, Stream};

/// The streams that use a buffer besides its own: nearly always none, which costs a writer one comparison.
#[derive(Default)]
pub(crate) struct Readers(Mutex<Option<Box<List>>, lock::Readers>);

/// In an allocation of its own, as buffers are to be small.
#[derive(Default)]
struct List(Vec<Reader>);

enum Reader {
    /// Whoever uses the buffer may go on doing so: what counts is all that the stream has been given when somebody asks.
    Announced(Stream),
    /// Those reads of a stream that come before the event.
    Marked { stream: u32, event: Event },
}

impl Reader {
    fn is_of(&self, stream: &Stream) -> bool {
        match self {
            Self::Announced(own) => own == stream,
            Self::Marked { stream: id, .. } => *id == stream.id(),
        }
    }

    /// Has later work on the stream wait.
    fn let_wait(&self, stream: &Stream) -> Result<()> {
        match self {
            // Nobody will know what a device that is lost has read, and its stream may never go on.
            _ if self.device().check_usable().is_err() => Ok(()),
            Self::Announced(other) => stream.wait_for(other),
            Self::Marked { event, .. } => stream.wait(event),
        }
    }

    fn device(&self) -> Device {
        match self {
            Self::Announced(stream) => stream.device(),
            Self::Marked { event, .. } => event.device(),
        }
    }

    /// Has the host wait.
    fn synchronize(&self) -> Result<()> {
        match self {
            Self::Announced(stream) => stream.synchronize(),
            Self::Marked { event, .. } => event.synchronize(),
        }
    }
}

impl Readers {
    /// Another stream uses the buffer, as long as it lives.
    pub(crate) fn announce(&self, stream: &Stream) {
        let mut list = self.0.lock();
        let readers = &mut list.get_or_insert_default().0;
        match readers.iter_mut().find(|reader| reader.is_of(stream)) {
            Some(known) => *known = Reader::Announced(stream.clone()),
            None => readers.push(Reader::Announced(stream.clone())),
        }
    }

    /// Another stream was given something that reads the buffer.
    pub(crate) fn mark(&self, stream: &Stream) {
        let mut list = self.0.lock();
        let readers = &mut list.get_or_insert_default().0;
        match readers.iter().find(|reader| reader.is_of(stream)) {
            Some(Reader::Announced(_)) => return,
            // A stream comes to the later mark later.
            Some(Reader::Marked { event, .. }) if done(event.put(stream.as_raw())) => return,
            _ => {}
        }
        let marked = Event::new(stream.device()).ok();
        let marked = marked.filter(|event| done(event.put(stream.as_raw())));
        readers.retain(|reader| !reader.is_of(stream));
        // What the driver said against an event, the stream's next call says as well.
        readers.push(marked.map_or_else(
            || Reader::Announced(stream.clone()),
            |event| Reader::Marked { stream: stream.id(), event },
        ));
    }

    /// Has later work on the buffer's own stream wait, which writes there.
    #[inline]
    pub(crate) fn before_write(&mut self, own: &Stream) -> Result<()> {
        match self.0.get_mut() {
            None => Ok(()),
            Some(list) => wait_for(&mut list.0, own),
        }
    }

    /// Has later work on the buffer's own stream wait, which has another use for the memory. Errors come out at its next call.
    #[inline]
    pub(crate) fn before_reuse(&mut self, own: &Stream) {
        for reader in self.take() {
            if let Err(error) = reader.let_wait(own) {
                own.defer(error);
                // Ordering through the queues failed, so wait here.
                let _ = reader.synchronize();
            }
        }
    }

    /// Waits until none uses the buffer.
    pub(crate) fn synchronize(&mut self) -> Result<()> {
        self.take().map(|reader| reader.synchronize()).fold(Ok(()), Result::and)
    }

    fn take(&mut self) -> impl Iterator<Item = Reader> + use<> {
        self.0.get_mut().take().into_iter().flat_map(|list| list.0)
    }
}

#[cold]
fn wait_for(readers: &mut Vec<Reader>, own: &Stream) -> Result<()> {
    readers.iter().try_for_each(|reader| reader.let_wait(own))?;
    readers.retain(|reader| matches!(reader, Reader::Announced(_)));
    Ok(())
}

fn done(code: Result<hipError_t, MissingSymbol>) -> bool {
    matches!(code, Ok(hipError_t::hipSuccess))
}
