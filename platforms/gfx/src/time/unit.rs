//! A unit of a card that executes waves: a compute unit, on RDNA a pair of them with a common LDS.
//!
//! A wave issues its instructions in order. Each one waits for the registers that it reads, for counters (`s_waitcnt`), for barriers, and
//! for its turn at the port that it needs; who is ready first has it first. What is issued makes registers ready, or counters smaller,
//! after its latency.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rocm_kernels::cards::Card;

use super::memory::{Memory, Server, TICKS};
use super::operation::{Access, COUNTERS, Counter, Kind, Operation, REGISTERS};
use super::trace::{Step, Workgroup};
use crate::class::Vector;

/// What a wave waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stall {
    /// The result of an instruction.
    Result,
    /// Loads.
    Loads,
    /// The LDS, or scalar loads where they share a counter.
    Local,
    /// Stores.
    Stores,
    /// The barrier.
    Barrier,
    /// Other waves, which have the port.
    Port,
}

impl Stall {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Result, Self::Loads, Self::Local, Self::Stores, Self::Barrier, Self::Port];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "results",
            Self::Loads => "loads",
            Self::Local => "LDS",
            Self::Stores => "stores",
            Self::Barrier => "barriers",
            Self::Port => "ports",
        }
    }
}

/// The ports of a SIMD.
#[derive(Clone, Copy, Debug, Default)]
struct Ports {
    vector: Server,
    transcendental: Server,
    matrix: Server,
    branch: Server,
}

struct Wave<'t> {
    workgroup: &'t Workgroup,
    steps: &'t [Step],
    next: usize,
    group: usize,
    simd: usize,
    /// When each register can be read.
    ready: Vec<u64>,
    /// When what is under way will be there, the oldest first.
    under_way: [VecDeque<u64>; COUNTERS],
    /// The barriers that it has arrived at.
    arrived: u64,
    /// Where it waits now.
    blocked: Option<(Stall, u64)>,
}

struct Group {
    left: usize,
    waves: usize,
    /// Waves that have arrived at the present barrier, and barriers that all have passed.
    arrived: usize,
    passed: u64,
    /// When all had arrived at the last one.
    released: u64,
    waiting: Vec<usize>,
}

/// A unit with the workgroups that it has.
pub(super) struct Unit<'t> {
    card: &'t Card,
    operations: &'t [Operation],
    memory: Memory,
    simds: Vec<Ports>,
    /// Of each compute unit.
    scalars: Vec<Server>,
    addresses: Vec<Server>,
    local: Vec<Server>,
    fetch: Server,
    residents: Vec<usize>,
    waves: Vec<Wave<'t>>,
    groups: Vec<Group>,
    /// When each wave can go on.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    lanes: u64,
    /// Cycles from one instruction of a wave to the next.
    turn: u64,
    /// When everything that was issued will have ended.
    pub(super) end: u64,
    pub(super) stalled: [u64; Stall::ALL.len()],
}

impl<'t> Unit<'t> {
    pub(super) fn new(card: &'t Card, operations: &'t [Operation], memory: Memory) -> Self {
        let cus = card.processor().units_per_multiprocessor() as usize;
        Self {
            card,
            operations,
            memory,
            simds: vec![Ports::default(); cus * card.rates.simds as usize],
            scalars: vec![Server::default(); cus * card.rates.scalar as usize],
            addresses: vec![Server::default(); cus],
            local: vec![Server::default(); cus],
            fetch: Server::default(),
            residents: vec![0; cus * card.rates.simds as usize],
            waves: Vec::new(),
            groups: Vec::new(),
            queue: BinaryHeap::new(),
            lanes: card.processor().wavefront.into(),
            turn: u64::from(card.rates.vector) * TICKS,
            end: 0,
            stalled: [0; Stall::ALL.len()],
        }
    }

    /// Starts a workgroup.
    pub(super) fn start(&mut self, workgroup: &'t Workgroup, now: u64) {
        let group = self.groups.len();
        let waves = workgroup.waves.len();
        self.groups.push(Group {
            left: waves,
            waves,
            arrived: 0,
            passed: 0,
            released: 0,
            waiting: Vec::new(),
        });
        for steps in &workgroup.waves {
            let simd =
                (0..self.simds.len()).min_by_key(|&simd| (self.residents[simd], simd)).unwrap_or_default();
            self.residents[simd] += 1;
            let number = self.waves.len();
            self.waves.push(Wave {
                workgroup,
                steps,
                next: 0,
                group,
                simd,
                ready: vec![0; REGISTERS],
                under_way: Default::default(),
                arrived: 0,
                blocked: None,
            });
            self.queue.push(Reverse((now, number)));
        }
    }

    /// Runs until a workgroup ends: gives when, or `None` if there is none left.
    pub(super) fn run(&mut self) -> Option<u64> {
        while let Some(Reverse((now, number))) = self.queue.pop() {
            let step = self.waves[number].steps.get(self.waves[number].next).copied();
            let Some(step) = step else {
                if self.ends(number, now) {
                    return Some(now);
                }
                continue;
            };
            if let Some((stall, since)) = self.waves[number].blocked.take() {
                self.stalled[stall as usize] += now - since;
            }
            self.issue(number, step, now);
        }
        None
    }

    /// A wave has ended; tells whether its workgroup has.
    fn ends(&mut self, number: usize, now: u64) -> bool {
        let (group, simd) = (self.waves[number].group, self.waves[number].simd);
        self.residents[simd] -= 1;
        // What it held is not needed any more.
        self.waves[number].ready = Vec::new();
        self.end = self.end.max(now);
        self.groups[group].left -= 1;
        self.groups[group].waves -= 1;
        self.pass(group, now);
        self.groups[group].left == 0
    }

    /// Lets waves pass a barrier at which all have arrived.
    fn pass(&mut self, group: usize, now: u64) {
        let group = &mut self.groups[group];
        if group.arrived == 0 || group.arrived < group.waves {
            return;
        }
        (group.arrived, group.released) = (0, now);
        group.passed += 1;
        let waiting = std::mem::take(&mut group.waiting);
        self.queue.extend(waiting.into_iter().map(|wave| Reverse((now + TICKS, wave))));
    }

    fn issue(&mut self, number: usize, step: Step, now: u64) {
        let operations = self.operations;
        let operation = &operations[step.operation as usize];
        let (simd, group) = (self.waves[number].simd, self.waves[number].group);
        let cu = simd / self.card.rates.simds as usize;
        let rates = &self.card.rates;
        let (ticks, latency) = self.cost(operation.kind);
        let fetched = (operation.size * TICKS) as f64 / self.card.fetch.value;
        let ready = now;
        let now = self.fetch.serve(now, fetched as u64);
        let workgroup = self.waves[number].workgroup;
        let ports = &mut self.simds[simd];
        let mut at = now;
        let mut after = self.turn;
        match operation.kind {
            Kind::Hint => after = 0,
            Kind::Idle(cycles) => after = cycles * TICKS,
            Kind::Wait(_) => {}
            Kind::Barrier { arrives, waits } => {
                if arrives {
                    self.groups[group].arrived += 1;
                    self.waves[number].arrived += 1;
                }
                self.waves[number].next += 1;
                if waits && (arrives || self.groups[group].passed < self.waves[number].arrived) {
                    self.waves[number].blocked = Some((Stall::Barrier, now));
                    self.groups[group].waiting.push(number);
                } else {
                    let released = self.groups[group].released;
                    self.queue.push(Reverse((now.max(if waits { released } else { 0 }) + self.turn, number)));
                }
                self.pass(group, now);
                return;
            }
            Kind::Scalar => at = self.scalar_port(simd).serve(now, TICKS),
            Kind::Branch => {
                at = ports.branch.serve(now, TICKS);
                let next = self.waves[number].steps.get(self.waves[number].next + 1);
                if next.is_some_and(|next| next.operation != step.operation + 1) {
                    after = latency;
                }
            }
            Kind::ScalarLoad(counter) => {
                let due = self.memory.scalar(now, workgroup.pieces(step));
                self.counts(number, counter, due);
            }
            Kind::Vector(Vector::Transcendental) if rates.transcendental_unit => {
                at = ports.transcendental.serve(now, ticks);
                at = ports.vector.serve(at, u64::from(rates.vector) * TICKS);
            }
            Kind::Vector(_) => at = ports.vector.serve(now, ticks),
            Kind::Matrix { .. } => {
                at = ports.matrix.serve(now, ticks);
                // RDNA's matrix instructions run on the vector unit.
                if rates.transcendental_unit {
                    at = ports.vector.serve(at, ticks);
                }
            }
            Kind::Memory { bytes, access, counter } => {
                let pieces = workgroup.pieces(step);
                let busy = (self.lanes / u64::from(rates.addresses))
                    .max(self.lanes * bytes / u64::from(rates.cache));
                at = self.addresses[cu].serve(now, if pieces.is_empty() { 1 } else { busy } * TICKS);
                let (taken, due) = match access {
                    Access::Store => (at, self.memory.store(at, cu, pieces)),
                    access => self.memory.load(at, cu, pieces, access == Access::Atomic),
                };
                after = after.max(taken - at);
                self.counts(number, counter, due);
            }
            Kind::Local => {
                // Those that permute lanes do not touch memory, but use its ways in and out.
                let turns = workgroup.turns(step).max(self.lanes / 32);
                let ticks = turns * TICKS * 128 / u64::from(rates.lds);
                at = self.local[cu].serve(now, ticks);
                self.counts(number, Counter::Local, at + ticks + latency - TICKS);
            }
        }
        self.stalled[Stall::Port as usize] += at - ready;
        let wave = &mut self.waves[number];
        if matches!(operation.kind, Kind::Vector(_) | Kind::Matrix { .. } | Kind::Scalar) {
            operation.writes.iter().for_each(|&register| wave.ready[usize::from(register)] = at + latency);
        }
        wave.next += 1;
        self.end = self.end.max(at);
        self.schedule(number, at + after);
    }

    /// Puts a wave into the queue, for when its next instruction has what it needs.
    fn schedule(&mut self, number: usize, now: u64) {
        let wave = &mut self.waves[number];
        let (mut at, mut why) = (now, None);
        if let Some(step) = wave.steps.get(wave.next) {
            let operation = &self.operations[step.operation as usize];
            let ready = operation.reads.iter().map(|&register| wave.ready[usize::from(register)]).max();
            if let Some(ready) = ready.filter(|ready| *ready > at) {
                (at, why) = (ready, Some(Stall::Result));
            }
            if let Kind::Wait(counters) = operation.kind {
                let stalls = [Stall::Loads, Stall::Stores, Stall::Local, Stall::Local];
                for ((queue, left), stall) in wave.under_way.iter_mut().zip(counters).zip(stalls) {
                    let Some(left) = left else { continue };
                    while queue.len() > usize::from(left) {
                        let due = queue.pop_front().unwrap_or_default();
                        if due > at {
                            (at, why) = (due, Some(stall));
                        }
                    }
                }
            }
        }
        wave.blocked = why.map(|why| (why, now));
        self.queue.push(Reverse((at, number)));
    }

    /// Notes when something that a counter counts will be there. Counters become smaller in order.
    fn counts(&mut self, number: usize, counter: Counter, due: u64) {
        let queue = &mut self.waves[number].under_way[counter as usize];
        let due = queue.back().map_or(due, |last| due.max(*last));
        queue.push_back(due);
        self.end = self.end.max(due);
    }

    fn scalar_port(&mut self, simd: usize) -> &mut Server {
        let at = simd * self.scalars.len() / self.simds.len();
        &mut self.scalars[at]
    }

    /// How long an instruction holds its port, and when its result can be used.
    fn cost(&self, kind: Kind) -> (u64, u64) {
        let (card, rates) = (self.card, &self.card.rates);
        let latency = (card.vector_latency.value * TICKS as f64) as u64;
        let of = |cycles: u32| {
            let more = u64::from(cycles.saturating_sub(rates.vector)) * TICKS;
            (u64::from(cycles) * TICKS, latency + more)
        };
        match kind {
            Kind::Vector(Vector::Full) => of(rates.vector),
            Kind::Vector(Vector::Transcendental) => of(rates.transcendental),
            Kind::Vector(Vector::Multiply) => of(rates.multiply),
            Kind::Vector(Vector::Double) => of(rates.double),
            Kind::Matrix { operations, bytes } => {
                let each = if bytes { rates.matrix8 } else { rates.matrix16 } / rates.simds;
                of((operations / u64::from(each.max(1))).max(1) as u32)
            }
            Kind::Scalar => (TICKS, (card.scalar_latency.value * TICKS as f64) as u64),
            Kind::Branch => (TICKS, (card.branch.value * TICKS as f64) as u64),
            Kind::Local => (TICKS, (card.lds_latency.value * TICKS as f64) as u64),
            _ => (TICKS, TICKS),
        }
    }

    /// How long each part was busy at most, by name.
    pub(super) fn busy(&self) -> Vec<(&'static str, u64)> {
        let most =
            |of: fn(&Ports) -> Server| self.simds.iter().map(|simd| of(simd).busy).max().unwrap_or_default();
        let longest = |all: &[Server]| all.iter().map(|server| server.busy).max().unwrap_or_default();
        let mut all = vec![
            ("instructions", self.fetch.busy),
            ("VALU", most(|ports| ports.vector)),
            ("transcendental", most(|ports| ports.transcendental)),
            ("matrix", most(|ports| ports.matrix)),
            ("SALU", longest(&self.scalars)),
            ("addresses", longest(&self.addresses)),
            ("LDS", longest(&self.local)),
        ];
        all.extend(self.memory.busy());
        all
    }
}
