//! The loop of a server: requests come from many threads, and one thread answers them in batches.
//!
//! Tensors and devices may be used by any thread. Requests are gathered because a batch takes a card hardly longer than one request:
//! the thread takes what waits, up to a limit, and never waits for more.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use candle_core::{Device, Error, Result, Tensor};
use candle_rocm::RocmDevice;

const INPUTS: usize = 64;
const OUTPUTS: usize = 16;
const CLIENTS: usize = 8;
const REQUESTS: usize = 50;
const LARGEST_BATCH: usize = 16;

struct Request {
    input: Vec<f32>,
    reply: Sender<Vec<f32>>,
}

/// Small whole numbers, so that every device computes exactly the same.
fn weight(output: usize, input: usize) -> f32 {
    ((output * 7 + input * 3) % 5) as f32
}

/// Answers requests until no client is left; returns how many batches there were.
fn serve(device: &Device, requests: &Receiver<Request>) -> Result<usize> {
    let weights = (0..INPUTS * OUTPUTS).map(|i| weight(i % OUTPUTS, i / OUTPUTS)).collect::<Vec<f32>>();
    let weights = Tensor::from_vec(weights, (INPUTS, OUTPUTS), device)?;
    let mut batches = 0;
    while let Ok(first) = requests.recv() {
        let mut batch = vec![first];
        batch.extend(requests.try_iter().take(LARGEST_BATCH - 1));
        let inputs = batch.iter().flat_map(|request| request.input.iter().copied()).collect::<Vec<f32>>();
        let x = Tensor::from_vec(inputs, (batch.len(), INPUTS), device)?;
        let answers = x.matmul(&weights)?.relu()?.to_vec2::<f32>()?;
        for (request, answer) in batch.iter().zip(answers) {
            // A client that has gone needs no answer.
            let _ = request.reply.send(answer);
        }
        batches += 1;
    }
    Ok(batches)
}

/// Sends requests one after the other and checks the answers; returns how long they took.
fn ask(client: usize, requests: &Sender<Request>) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for number in 0..REQUESTS {
        let input: Vec<f32> = (0..INPUTS).map(|i| ((i + client + number) % 4) as f32).collect();
        let expected: Vec<f32> =
            (0..OUTPUTS).map(|output| (0..INPUTS).map(|i| input[i] * weight(output, i)).sum()).collect();
        let (reply, answer) = channel();
        let start = Instant::now();
        let gone = |_| Error::Msg("the server is gone".into());
        requests.send(Request { input, reply }).map_err(|_| gone(()))?;
        let answer = answer.recv().map_err(|_| gone(()))?;
        times.push(start.elapsed());
        if answer != expected {
            candle_core::bail!("client {client}, request {number}: {answer:?}, expected {expected:?}")
        }
    }
    Ok(times)
}

fn main() -> Result<()> {
    let device = Device::new_rocm(0)?;
    let rocm: &RocmDevice =
        device.as_rocm_device()?.downcast_ref().ok_or(Error::Msg("not candle-rocm's device".into()))?;
    println!("on {} ({})", rocm.label(), rocm.arch());

    let (requests, received) = channel();
    let start = Instant::now();
    let (batches, times) = thread::scope(|scope| -> Result<_> {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let requests = requests.clone();
                scope.spawn(move || ask(client, &requests))
            })
            .collect();
        drop(requests);
        // It owns the receiver: should it fail, clients that still wait get an error, and no hang.
        let server = scope.spawn({
            let device = &device;
            move || serve(device, &received)
        });
        let panicked = |_| Error::Msg("a thread panicked".into());
        let batches = server.join().map_err(panicked)??;
        let mut times = Vec::new();
        for client in clients {
            times.extend(client.join().map_err(panicked)??);
        }
        Ok((batches, times))
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    println!(
        "{} requests of {CLIENTS} clients in {batches} batches, {:.0} a second; an answer takes {mean:.1?} on average, {:.1?} at most",
        times.len(),
        times.len() as f64 / seconds,
        times.iter().max().unwrap_or(&Duration::ZERO),
    );
    Ok(())
}

#[test]
fn runs_without_a_card() -> Result<()> {
    if std::env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
        candle_rocm::hip::set_default_platform(candle_rocm::platform::HOST);
    }
    main()
}
