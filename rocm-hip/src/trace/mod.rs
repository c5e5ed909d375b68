//! A trace of what a process does on its devices, for [Perfetto](https://ui.perfetto.dev) and chrome://tracing.
//!
//! With the environment variable `CANDLE_ROCM_TRACE=FILE`, or after [`start`], the file gets a row for each host thread, with its
//! [spans](span) and waits, and a row for each stream, with its kernels and copies, timed by events around them. Each kernel names the span
//! that launched it. The file is complete JSON at any time: it contains everything that was done when a call last waited for a stream or
//! device and, after the process exits, also the host's rows until then. On Windows that is when `main` returns,
//! not `std::process::exit`.
//!
//! Without a trace, a launch reads one more word of memory. With one, each launch costs two events, and kernels may start slightly later.

mod device;
mod file;

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rocm_sys::variable;
use serde_json::{Value, json};

use crate::lock::{self, Mutex};
use crate::runtime::{exit, fork};
use crate::{Device, Event, HipError, Result, Stream};
use device::Track;
use file::{Row, Slice, TraceFile};

/// Names the file. `%p` stands for the number of the process.
const VARIABLE: &str = "CANDLE_ROCM_TRACE";

/// When so much of a stream's work has no times yet, what is done is written.
const MOST_PENDING: usize = 4096;

static ON: AtomicBool = AtomicBool::new(false);
static TRACE: Mutex<Option<Trace>, lock::Trace> = Mutex::new(None);

struct Trace {
    file: TraceFile,
    path: PathBuf,
    began: Instant,
    /// In the order of their groups of rows, which the host's precedes.
    devices: Vec<Device>,
    tracks: Vec<Track>,
}

thread_local! {
    /// This thread's number, and the spans that it is in.
    static THREAD: (u64, RefCell<Vec<String>>) = {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        (NEXT.fetch_add(1, Ordering::Relaxed), RefCell::new(Vec::new()))
    };
}

/// Whether a trace is being written.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// In a forked child there is none: its file is the parent's.
#[cfg(unix)]
pub(crate) fn abandon() {
    ON.store(false, Ordering::Relaxed);
}

/// Starts the trace that the environment asks for.
pub(crate) fn from_env() -> Result<()> {
    let Some(value) = variable::path(VARIABLE).filter(|_| !is_on()) else { return Ok(()) };
    let path = value.to_string_lossy().replace("%p", &std::process::id().to_string());
    start(&path).map_err(|_| HipError::InvalidVariable {
        variable: VARIABLE,
        value: path,
        why: "not a file that can be written",
    })
}

/// Starts a trace in the given file. Ends an earlier trace.
///
/// # Errors
/// The file cannot be created, or this process was forked from one that had opened a device.
pub fn start(path: impl AsRef<Path>) -> io::Result<()> {
    // Before the lock, which a thread of the parent may have held.
    if fork::in_child() {
        return Err(io::Error::other(fork::error()));
    }
    let path = path.as_ref().to_owned();
    exit::watch();
    let file = TraceFile::create(&path)?;
    stop();
    *TRACE.lock() =
        Some(Trace { file, path, began: Instant::now(), devices: Vec::new(), tracks: Vec::new() });
    ON.store(true, Ordering::Relaxed);
    Ok(())
}

/// Ends the trace, if there is one. Work that is not done yet is left out.
pub fn stop() {
    ON.store(false, Ordering::Relaxed);
    with(|trace| {
        (0..trace.tracks.len()).try_for_each(|track| trace.write_done(track))?;
        trace.file.flush()
    });
    if !fork::in_child() {
        *TRACE.lock() = None;
    }
}

/// Writes what the host did until the process exits. The runtime may be gone by now, so devices are not asked for more.
pub(crate) fn at_exit() {
    /// A thread that holds the trace may wait for a device that hangs, or be gone.
    const PATIENCE: Duration = Duration::from_secs(1);
    let began = Instant::now();
    while !fork::in_child() {
        let mut trace = match TRACE.try_lock() {
            Some(trace) => trace,
            None if began.elapsed() < PATIENCE => {
                std::thread::yield_now();
                continue;
            }
            None => return,
        };
        if let Some(trace) = &mut *trace {
            trace.write(|trace| trace.file.flush());
        }
        return;
    }
}

/// Marks a part of the calling thread's work, such as an operation, a layer or a step, until the returned value is dropped. In the trace,
/// what is launched meanwhile carries its name.
///
/// ```
/// let step = rocm_hip::trace::span("step", || "batch 32".to_owned());
/// // launches
/// drop(step);
/// ```
#[must_use = "the span ends when it is dropped"]
pub fn span(name: &'static str, describe: impl FnOnce() -> String) -> Span {
    if !is_on() {
        return Span(None);
    }
    let details = describe();
    let text = if details.is_empty() { name.to_owned() } else { format!("{name} {details}") };
    let _ = THREAD.try_with(|(_, spans)| spans.borrow_mut().push(text));
    Span(Some(Open { name, category: "span", details, start: Instant::now() }))
}

/// A part of a thread's work in the trace. See [`span`].
pub struct Span(Option<Open>);

struct Open {
    name: &'static str,
    category: &'static str,
    details: String,
    start: Instant,
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(open) = self.0.take() else { return };
        let _ = THREAD.try_with(|(_, spans)| spans.borrow_mut().pop());
        open.end();
    }
}

impl Open {
    fn end(self) {
        let end = Instant::now();
        with(|trace| {
            let row = trace.thread()?;
            let (start, end) = (trace.at(self.start), trace.at(end));
            let details = if self.details.is_empty() { json!({}) } else { json!({"what": self.details}) };
            trace.file.slice(Slice {
                row,
                category: self.category,
                name: self.name,
                start,
                duration: end - start,
                details,
            })
        });
    }
}

/// A call in which the host waits for a stream; what is done by its end is written.
pub(crate) fn wait<R>(stream: &Stream, name: &'static str, run: impl FnOnce() -> R) -> R {
    wait_for(stream, name, |track| track.is_of(stream), run)
}

/// The same for all streams of a device.
pub(crate) fn wait_for_device<R>(device: Device, name: &'static str, run: impl FnOnce() -> R) -> R {
    wait_for(&device, name, |track| track.device == device, run)
}

fn wait_for<R>(
    what: &dyn fmt::Display,
    name: &'static str,
    waits_for: impl Fn(&Track) -> bool,
    run: impl FnOnce() -> R,
) -> R {
    if !is_on() {
        return run();
    }
    let open = Open { name, category: "wait", details: what.to_string(), start: Instant::now() };
    let result = run();
    open.end();
    with(|trace| {
        for track in 0..trace.tracks.len() {
            if waits_for(&trace.tracks[track]) {
                trace.write_done(track)?;
            }
        }
        trace.file.flush()
    });
    result
}

/// Work that is put on a stream.
#[inline]
pub(crate) fn work<R>(
    stream: &Stream,
    category: &'static str,
    describe: impl FnOnce() -> (String, Value),
    run: impl FnOnce() -> R,
) -> R {
    if is_on() { timed(stream, category, describe, run) } else { run() }
}

/// [`work`] that moves so many bytes.
#[inline]
pub(crate) fn copy<R>(stream: &Stream, name: &str, bytes: usize, run: impl FnOnce() -> R) -> R {
    work(stream, "copy", || (name.to_owned(), json!({"bytes": bytes})), run)
}

#[cold]
fn timed<R>(
    stream: &Stream,
    category: &'static str,
    describe: impl FnOnce() -> (String, Value),
    run: impl FnOnce() -> R,
) -> R {
    with(|trace| trace.track(stream).map(|_| ()).or(Ok(())));
    let events = Event::timed(stream.device()).and_then(|start| Ok((start, Event::timed(stream.device())?)));
    // What fails here, the work's own call reports.
    let Ok((start, end)) = events else { return run() };
    let started = start.put(stream.as_raw()).is_ok();
    let result = run();
    if started && end.put(stream.as_raw()).is_ok() {
        let (name, mut details) = describe();
        let span = THREAD.try_with(|(_, spans)| spans.borrow().last().cloned()).ok().flatten();
        if let (Some(details), Some(span)) = (details.as_object_mut(), span) {
            details.insert("operation".to_owned(), span.into());
        }
        with(|trace| {
            let Ok(track) = trace.track(stream) else { return Ok(()) };
            trace.tracks[track].push((start, end), category, name, details);
            if trace.tracks[track].pending() < MOST_PENDING { Ok(()) } else { trace.write_done(track) }
        });
    }
    result
}

fn with(write: impl FnOnce(&mut Trace) -> io::Result<()>) {
    // A forked child has the parent's trace, and maybe the lock of a thread that it has not.
    if fork::in_child() {
        return;
    }
    if let Some(trace) = &mut *TRACE.lock() {
        trace.write(write);
    }
}

impl Trace {
    /// A file that cannot be written, as on a full disk, ends the trace, not the program.
    fn write(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) {
        if let Err(error) = write(self)
            && ON.swap(false, Ordering::Relaxed)
        {
            use io::Write as _;
            let path = self.path.display();
            let _ = writeln!(io::stderr(), "candle-rocm: warning: the trace {path} ends here: {error}");
        }
    }

    /// Microseconds since the trace began.
    fn at(&self, moment: Instant) -> f64 {
        moment.saturating_duration_since(self.began).as_secs_f64() * 1e6
    }

    /// The row of the calling thread.
    fn thread(&mut self) -> io::Result<Row> {
        let number = THREAD.try_with(|(number, _)| *number).unwrap_or(0);
        let row = Row { group: 0, row: number };
        let name = || match std::thread::current().name() {
            Some(name) => name.to_owned(),
            None => format!("thread {number}"),
        };
        self.file.name(row, "host", name)?;
        Ok(row)
    }

    /// The index of a stream's track, which is begun now if there was none.
    fn track(&mut self, stream: &Stream) -> Result<usize> {
        if let Some(known) = self.tracks.iter().position(|track| track.is_of(stream)) {
            return Ok(known);
        }
        let began = self.began;
        self.tracks.push(Track::new(stream, || began.elapsed().as_secs_f64() * 1e6)?);
        Ok(self.tracks.len() - 1)
    }

    fn write_done(&mut self, track: usize) -> io::Result<()> {
        let done = self.tracks[track].done();
        let (device, stream) = (self.tracks[track].device, self.tracks[track].stream);
        let known = self.devices.iter().position(|known| *known == device);
        let index = known.unwrap_or_else(|| {
            self.devices.push(device);
            self.devices.len() - 1
        });
        let row = Row { group: index + 1, row: u64::from(stream) };
        self.file.name(row, &format!("{device} ({})", device.arch()), || format!("stream {stream}"))?;
        for (mut work, start, duration) in done {
            let details = work.details.take();
            self.file.slice(Slice {
                row,
                category: work.category,
                name: &work.name,
                start,
                duration,
                details,
            })?;
            self.tracks[track].set_anchor(work, start + duration);
        }
        Ok(())
    }
}
