//! The file format: [Trace Event Format](https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), the
//! JSON that Perfetto and chrome://tracing open. Each write to the file begins with new events in place of the array's end and puts a
//! new end behind them, so the file is an array at any time, however the process ends.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::mem;
use std::path::Path;

use serde_json::{Value, json};

/// A row of the picture: a thread of the host, or a stream of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The group of rows: 0 for the host, then the devices.
    pub(super) group: usize,
    pub(super) row: u64,
}

/// Something that took time.
pub(super) struct Slice<'a> {
    pub(super) row: Row,
    pub(super) category: &'static str,
    pub(super) name: &'a str,
    /// Microseconds since the trace began.
    pub(super) start: f64,
    pub(super) duration: f64,
    pub(super) details: Value,
}

/// The array's end.
const END: &[u8] = b"\n]\n";

/// So many bytes are written without waiting for a [`flush`](TraceFile::flush).
const BUFFERED: usize = 64 << 10;

pub(super) struct TraceFile {
    file: File,
    /// Where the array's end is.
    end: u64,
    /// What will take its place.
    events: Vec<u8>,
    named: Vec<Row>,
}

impl TraceFile {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut created =
            Self { file: File::create(path)?, end: 0, events: b"[".to_vec(), named: Vec::new() };
        created.flush()?;
        Ok(created)
    }

    /// Gives a row and its group their names, once.
    pub(super) fn name(&mut self, row: Row, group: &str, name: impl FnOnce() -> String) -> io::Result<()> {
        if self.named.contains(&row) {
            return Ok(());
        }
        let (pid, tid) = (row.group, row.row);
        if !self.named.iter().any(|named| named.group == row.group) {
            self.write(&json!({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": group}}))?;
            self.write(
                &json!({"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}),
            )?;
        }
        self.write(
            &json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name()}}),
        )?;
        self.named.push(row);
        Ok(())
    }

    pub(super) fn slice(&mut self, slice: Slice<'_>) -> io::Result<()> {
        self.write(&json!({
            "ph": "X",
            "name": slice.name,
            "cat": slice.category,
            "pid": slice.row.group,
            "tid": slice.row.row,
            "ts": slice.start,
            "dur": slice.duration,
            "args": slice.details,
        }))
    }

    fn write(&mut self, event: &Value) -> io::Result<()> {
        const OPENING: u64 = 1;
        let is_first = self.end == OPENING && self.events.is_empty();
        write!(self.events, "{}{event}", if is_first { "\n" } else { ",\n" })?;
        if self.events.len() < BUFFERED { Ok(()) } else { self.flush() }
    }

    /// Writes all events.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.events.is_empty() {
            return Ok(());
        }
        let mut events = mem::take(&mut self.events);
        let end = self.end + events.len() as u64;
        events.extend_from_slice(END);
        let written = self.write_at_end(&events);
        match written {
            Ok(()) => self.end = end,
            // As it was before. There was room for that.
            Err(_) => drop(self.file.set_len(self.end).and_then(|()| self.write_at_end(END))),
        }
        written
    }

    fn write_at_end(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)
    }
}
