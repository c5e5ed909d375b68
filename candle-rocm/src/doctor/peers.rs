//! Whether cards reach each other's memory, and whether a copy between them arrives: on some machines it hangs, or is wrong.

use std::error::Error;
use std::io::{self, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::hip::{Device, HipError, Queue};

/// A copy that takes longer is not expected any more.
const LIMIT: Duration = Duration::from_secs(20);
/// Long enough for the way that large copies take.
const NUMBERS: usize = 1 << 20;

/// Writes about each pair of devices, before and after it is tried; false if a copy does not arrive.
pub(super) fn examine(out: &mut dyn Write, devices: &[Device]) -> io::Result<bool> {
    let mut works = true;
    for (index, &one) in devices.iter().enumerate() {
        for &other in &devices[index + 1..] {
            write!(out, "  {} and {}: {}, ", one.ordinal(), other.ordinal(), access(one, other))?;
            // It is read where the machine goes down, too.
            out.flush()?;
            let both = move || copy(one, other).and_then(|()| copy(other, one));
            match within(LIMIT, both) {
                Ok(()) => writeln!(out, "and copies arrive")?,
                Err(error) => {
                    works = false;
                    writeln!(out, "and copies DO NOT WORK: {error}")?;
                    writeln!(out, "     NCCL_P2P_DISABLE=1 has RCCL go through host memory")?;
                }
            }
        }
    }
    Ok(works)
}

/// What the driver says.
fn access(one: Device, other: Device) -> String {
    let both = || Ok::<_, HipError>([one.can_access(other)?, other.can_access(one)?]);
    match both() {
        Ok([true, true]) => "peer access".to_owned(),
        Ok([false, false]) => "no peer access".to_owned(),
        Ok(_) => "peer access from one side only".to_owned(),
        Err(error) => format!("peer access unknown ({error})"),
    }
}

fn copy(from: Device, to: Device) -> Result<(), Box<dyn Error + Send + Sync>> {
    let numbers: Vec<u32> = (0..NUMBERS as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (from_queue, to_queue) = (Queue::new(from)?, Queue::new(to)?);
    let arrived = to_queue.download(&to_queue.copy_of(&from_queue.upload(&numbers)?)?)?;
    match numbers.iter().zip(&arrived).position(|(sent, arrived)| sent != arrived) {
        None => Ok(()),
        Some(at) => Err(format!("from {from} to {to}, {:#x} became {:#x}", numbers[at], arrived[at]).into()),
    }
}

/// What hangs is left behind in its thread.
fn within(
    limit: Duration,
    run: impl FnOnce() -> Result<(), Box<dyn Error + Send + Sync>> + Send + 'static,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (result, ended) = mpsc::channel();
    // Nobody may wait any more.
    thread::Builder::new().name("rocm-peers".to_owned()).spawn(move || drop(result.send(run())))?;
    ended.recv_timeout(limit).unwrap_or_else(|_| Err(format!("no end within {limit:?}").into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_hangs_is_left_behind() {
        let (end, ended) = mpsc::channel::<()>();
        let hang = move || {
            let _ = ended.recv();
            Ok(())
        };
        let error = within(Duration::from_millis(20), hang).unwrap_err();
        assert_eq!(error.to_string(), "no end within 20ms");
        drop(end);
        assert!(within(LIMIT, || Ok(())).is_ok());
        assert_eq!(within(LIMIT, || Err("wrong".into())).unwrap_err().to_string(), "wrong");
    }
}
