//! Where ranks meet, and what tells them of each other while they work: a thread per rank in the process that made the id, and one
//! for all [who have not said that they are ranks](crate::greeting).
//!
//! The hub hears of every collective, compares the ranks' calls, and says who failed. It carries no data.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::description::Description;
use crate::greeting::{Greeting, Greetings};
use crate::message::{self, Hello, Notice, Report};
use crate::{Cause, Refusal};

/// How long a rank may take to read what it is told.
const WRITING: Duration = Duration::from_secs(30);
/// How long the hub waits for the first rank.
const IDLE: Duration = Duration::from_secs(600);
const POLL: Duration = Duration::from_millis(2);
/// How many connections are taken before the hub looks at what they say, and at the time.
const AT_ONCE: usize = 64;
/// How many strangers are written about.
const REPORTED: usize = 16;

/// Listens; the port is closed when all ranks have come, or will not.
pub(crate) fn start(address: SocketAddr, token: String) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let hub = Arc::new(Hub { token, state: Mutex::default() });
    thread::Builder::new().name("rccl-hub".to_owned()).spawn(move || hub.listen(&listener))?;
    Ok(address)
}

struct Hub {
    token: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    members: BTreeMap<u32, Member>,
    /// When those that have not come are given up, and after which time.
    deadline: Option<(Instant, Duration)>,
    phase: Phase,
    /// Collectives that some rank has still to call, with the rank that was first.
    pending: VecDeque<(Description, u32)>,
    /// How many every rank has called.
    settled: u64,
}

#[derive(Default, PartialEq)]
enum Phase {
    #[default]
    Gathering,
    Working,
    Ended,
}

struct Member {
    socket: TcpStream,
    world_size: u32,
    /// RCCL's own id, from rank 0.
    id: Option<Vec<u8>>,
    /// Whether RCCL has connected it.
    ready: bool,
    calls: u64,
    left: bool,
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(self: Arc<Self>, listener: &TcpListener) {
        let began = Instant::now();
        let (mut greetings, mut strangers) = (Greetings::default(), 0);
        loop {
            let mut done = Vec::new();
            // Errors are a connection's that is gone by now, or of a process with too many files: they pass, or the time does.
            let accepted = std::iter::from_fn(|| listener.accept().ok()).take(AT_ONCE);
            let accepted =
                accepted.map(|(socket, from)| done.extend(greetings.add(socket, from).ok().flatten()));
            let all_accepted = accepted.count() < AT_ONCE;
            done.extend(greetings.look());
            done.into_iter().for_each(|greeting| self.meet(greeting, &mut strangers));
            let mut state = self.state();
            let (deadline, limit) = state.deadline.unwrap_or((began + IDLE, IDLE));
            if state.phase == Phase::Gathering && Instant::now() > deadline {
                let ranks = state.missing();
                state.refuse(&Refusal::Missing { ranks, limit });
            }
            if state.phase != Phase::Gathering {
                return;
            }
            drop(state);
            if all_accepted {
                thread::sleep(POLL);
            }
        }
    }

    /// Has a rank join, and gives it a thread. Others are refused.
    fn meet(self: &Arc<Self>, greeting: Greeting, strangers: &mut usize) {
        let Greeting { socket, from, hello } = greeting;
        let known = hello.and_then(|hello| self.check(hello));
        let kept = known.and_then(|hello| Ok((hello, keep(&socket).map_err(|error| error.to_string())?)));
        let (hello, kept) = match kept {
            Ok(kept) => kept,
            Err(why) => {
                *strangers += 1;
                if *strangers <= REPORTED {
                    let last = if *strangers < REPORTED { "" } else { "; further refusals are not printed" };
                    eprintln!("rocm-rccl: refused a connection from {from}: {why}{last}");
                }
                let refused = Notice::Refused(Refusal::Stranger { why });
                return drop(message::send(&socket, &refused));
            }
        };
        let Some(rank) = self.state().join(hello, kept) else { return };
        let hub = self.clone();
        let serve = move || {
            let mut reports = BufReader::new(socket);
            while let Ok(Some(report)) = message::receive::<Report>(&mut reports) {
                hub.state().hear(rank, report);
            }
            hub.state().lost(rank);
        };
        if thread::Builder::new().name("rccl-hub".to_owned()).spawn(serve).is_err() {
            self.state().lost(rank);
        }
    }

    /// An error says why it is a stranger.
    fn check(&self, hello: Hello) -> Result<Hello, String> {
        if hello.token != self.token {
            return Err("it has a different id".to_owned());
        }
        if hello.rank >= hello.world_size {
            return Err(format!("it claims to be rank {} of {}", hello.rank, hello.world_size));
        }
        Ok(hello)
    }
}

/// What the hub writes to; a thread reads from the socket itself.
fn keep(socket: &TcpStream) -> io::Result<TcpStream> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    socket.set_write_timeout(Some(WRITING))?;
    socket.try_clone()
}

impl State {
    /// `None` if the rank does not fit.
    fn join(&mut self, hello: Hello, socket: TcpStream) -> Option<u32> {
        let Hello { rank, world_size, limit, id, .. } = hello;
        let member = Member { socket, world_size, id, ready: false, calls: 0, left: false };
        let other = self.members.iter().find(|(_, other)| other.world_size != world_size);
        let refusal = match other {
            Some((&other, expected)) => {
                Some(Refusal::WorldSize { rank, world_size, other, expected: expected.world_size })
            }
            None if self.members.contains_key(&rank) => Some(Refusal::SameRank { rank }),
            None => None,
        };
        if self.phase != Phase::Gathering || refusal.is_some() {
            let refusal = refusal.unwrap_or(Refusal::SameRank { rank });
            let _ = message::send(&member.socket, &Notice::Refused(refusal.clone()));
            if self.phase == Phase::Gathering {
                self.refuse(&refusal);
            }
            return None;
        }
        self.deadline.get_or_insert_with(|| (Instant::now() + limit, limit));
        self.members.insert(rank, member);
        if self.missing().is_empty() {
            let id = self.members.values_mut().find_map(|member| member.id.take()).unwrap_or_default();
            self.phase = Phase::Working;
            self.tell(&Notice::Welcome(id));
        }
        Some(rank)
    }

    fn missing(&self) -> Vec<u32> {
        let world_size = self.members.values().next().map_or(0, |member| member.world_size);
        (0..world_size).filter(|rank| !self.members.contains_key(rank)).collect()
    }

    fn tell(&self, notice: &Notice) {
        for member in self.members.values() {
            // One that is gone will be found out.
            let _ = message::send(&member.socket, notice);
        }
    }

    fn refuse(&mut self, refusal: &Refusal) {
        self.phase = Phase::Ended;
        self.tell(&Notice::Refused(refusal.clone()));
    }

    fn fail(&mut self, cause: Cause) {
        if self.phase == Phase::Working {
            self.phase = Phase::Ended;
            self.tell(&Notice::Failed(cause));
        }
    }

    fn hear(&mut self, rank: u32, report: Report) {
        match report {
            Report::Ready => {
                let Some(member) = self.members.get_mut(&rank) else { return };
                member.ready = true;
                if self.members.values().all(|member| member.ready) {
                    self.tell(&Notice::Ready);
                }
            }
            Report::Called(calls) => calls.into_iter().for_each(|call| self.called(rank, call)),
            Report::Stuck { number, operation, limit } => {
                let late = |(_, member): &(&u32, &Member)| number.is_some_and(|number| member.calls < number);
                let missing = self.members.iter().filter(late).map(|(&rank, _)| rank).collect();
                self.fail(Cause::Timeout { rank, operation, limit, missing });
            }
            Report::Failed(cause) => self.fail(cause),
            Report::Bye => {
                let Some(member) = self.members.get_mut(&rank) else { return };
                member.left = true;
                let notice = Notice::Left { rank, calls: member.calls };
                // Its process may end when it hears this, and the hub with it.
                let (own, others): (Vec<_>, Vec<_>) =
                    self.members.iter().partition(|(other, _)| **other == rank);
                for (_, member) in others.into_iter().chain(own) {
                    let _ = message::send(&member.socket, &notice);
                }
            }
        }
    }

    /// Compares a call with those that other ranks made in its place.
    fn called(&mut self, rank: u32, call: Description) {
        let Some(member) = self.members.get_mut(&rank) else { return };
        let index = (member.calls - self.settled) as usize;
        member.calls += 1;
        match self.pending.get(index) {
            None => self.pending.push_back((call, rank)),
            Some((expected, _)) if *expected == call => {}
            Some((expected, other)) => {
                let (other, expected) = (*other, expected.0.clone());
                return self.fail(Cause::Mismatch { rank, called: call.0, other, expected });
            }
        }
        let slowest = self.members.values().map(|member| member.calls).min().unwrap_or(0);
        self.pending.drain(..(slowest - self.settled) as usize);
        self.settled = slowest;
    }

    fn lost(&mut self, rank: u32) {
        match self.phase {
            Phase::Gathering => self.refuse(&Refusal::Lost { rank }),
            Phase::Working if !self.members.get(&rank).is_none_or(|member| member.left) => {
                self.fail(Cause::Lost { rank });
            }
            _ => {}
        }
    }
}
