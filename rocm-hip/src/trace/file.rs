//! The file format: [Trace Event Format](https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), the
//! JSON that Perfetto and chrome://tracing open. The array's end may be missing, so a file is valid whenever the process ends.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
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

pub(super) struct TraceFile {
    out: BufWriter<File>,
    named: Vec<Row>,
}

impl TraceFile {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create(path)?);
        writeln!(out, "[")?;
        Ok(Self { out, named: Vec::new() })
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
        writeln!(self.out, "{event},")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
