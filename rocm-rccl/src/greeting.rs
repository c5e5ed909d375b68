//! Connections that have not said yet who they are. One thread looks after all of them, and their number, what each may send and how
//! long it may take are limited: who does not know the id costs the hub neither threads nor memory.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::message::{self, Hello};

/// How many connections may be about to greet. Ranks greet as they connect, and one that is turned away comes again.
const PLACES: usize = 64;
/// How long a greeting may take from its connection to its last byte.
const LIMIT: Duration = Duration::from_secs(30);
/// The longest greeting. A rank's has a token and RCCL's id of 128 bytes.
const LONGEST: usize = 16 << 10;

/// The connections, the oldest first.
pub(crate) struct Greetings {
    connected: VecDeque<Connection>,
    places: usize,
    limit: Duration,
}

struct Connection {
    socket: TcpStream,
    from: SocketAddr,
    since: Instant,
    received: Vec<u8>,
}

/// A connection that has greeted, or never will. The hub has not looked at the token.
pub(crate) struct Greeting {
    pub(crate) socket: TcpStream,
    pub(crate) from: SocketAddr,
    /// An error says why it is a stranger.
    pub(crate) hello: Result<Hello, String>,
}

impl Default for Greetings {
    fn default() -> Self {
        Self::limited(PLACES, LIMIT)
    }
}

impl Greetings {
    fn limited(places: usize, limit: Duration) -> Self {
        Self { connected: VecDeque::new(), places, limit }
    }

    /// Takes a connection. If there is no place, it gets that of the oldest one, which is closed unless its greeting has come.
    pub(crate) fn add(&mut self, socket: TcpStream, from: SocketAddr) -> io::Result<Option<Greeting>> {
        socket.set_nonblocking(true)?;
        let oldest = if self.connected.len() < self.places { None } else { self.connected.pop_front() };
        self.connected.push_back(Connection { socket, from, since: Instant::now(), received: Vec::new() });
        Ok(oldest.and_then(|oldest| oldest.look(self.limit).ok()))
    }

    /// Those that have greeted since the last look, or never will.
    pub(crate) fn look(&mut self) -> Vec<Greeting> {
        let mut done = Vec::new();
        for connection in std::mem::take(&mut self.connected) {
            match connection.look(self.limit) {
                Ok(greeting) => done.push(greeting),
                Err(waiting) => self.connected.push_back(waiting),
            }
        }
        done
    }
}

impl Connection {
    /// The greeting; the connection while more is to come.
    fn look(mut self, limit: Duration) -> Result<Greeting, Self> {
        match self.read(limit) {
            Some(hello) => Ok(Greeting { socket: self.socket, from: self.from, hello }),
            None => Err(self),
        }
    }

    /// Reads what has come; `None` while more is to come.
    fn read(&mut self, limit: Duration) -> Option<Result<Hello, String>> {
        let mut chunk = [0; 1024];
        loop {
            if let Some(end) = self.received.iter().position(|&byte| byte == b'\n') {
                return Some(message::parse(&self.received[..end]).map_err(|error| foreign(&error)));
            }
            if self.received.len() >= LONGEST {
                return Some(Err(format!("its greeting exceeds {LONGEST} bytes")));
            }
            match self.socket.read(&mut chunk) {
                Ok(0) if self.received.is_empty() => {
                    return Some(Err("it closed the connection without a greeting".to_owned()));
                }
                Ok(0) => return Some(Err("it closed the connection during its greeting".to_owned())),
                Ok(count) => self.received.extend(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let late = self.since.elapsed() >= limit;
                    return late.then(|| Err(format!("it sent no complete greeting within {limit:?}")));
                }
                Err(error) => return Some(Err(foreign(&error))),
            }
        }
    }
}

fn foreign(error: &io::Error) -> String {
    format!("it does not speak the rendezvous protocol ({error})")
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{Ipv4Addr, TcpListener};
    use std::thread;

    use super::*;

    /// Both ends of connections, the hub's added to `greetings` as they come; those that had to go with a greeting.
    struct Line {
        listener: TcpListener,
        greetings: Greetings,
        displaced: Vec<Greeting>,
    }

    impl Line {
        fn new(places: usize, limit: Duration) -> Self {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            Self { listener, greetings: Greetings::limited(places, limit), displaced: Vec::new() }
        }

        fn connect(&mut self) -> TcpStream {
            let stranger = TcpStream::connect(self.listener.local_addr().unwrap()).unwrap();
            let (socket, from) = self.listener.accept().unwrap();
            self.displaced.extend(self.greetings.add(socket, from).unwrap());
            stranger
        }

        /// Looks until somebody has greeted, or never will.
        fn wait(&mut self) -> Vec<Greeting> {
            let began = Instant::now();
            loop {
                let done = self.greetings.look();
                if !done.is_empty() {
                    return done;
                }
                assert!(began.elapsed() < LIMIT, "nobody greets");
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    fn hello(rank: u32) -> Vec<u8> {
        let hello =
            Hello { token: "t".to_owned(), rank, world_size: 2, limit: LIMIT, id: Some(vec![255; 128]) };
        let mut line = serde_json::to_vec(&hello).unwrap();
        line.push(b'\n');
        line
    }

    fn only(greetings: Vec<Greeting>) -> Result<u32, String> {
        let [greeting] = <[Greeting; 1]>::try_from(greetings).ok().expect("one greeting");
        greeting.hello.map(|hello| hello.rank)
    }

    fn is_closed(socket: &mut TcpStream) -> bool {
        // Reset if there was something that nobody read.
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        !matches!(socket.read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    #[test]
    fn a_greeting_may_come_in_pieces() {
        let mut line = Line::new(4, LIMIT);
        let mut rank = line.connect();
        let hello = hello(1);
        let (first, second) = hello.split_at(hello.len() / 2);
        rank.write_all(first).unwrap();
        thread::sleep(Duration::from_millis(20));
        assert!(line.greetings.look().is_empty());
        rank.write_all(second).unwrap();
        assert_eq!(only(line.wait()), Ok(1));
        assert!(line.greetings.connected.is_empty());
    }

    /// One byte now and then keeps no connection.
    #[test]
    fn half_a_greeting_ends_with_the_limit() {
        let limit = Duration::from_millis(60);
        let mut line = Line::new(4, limit);
        let (mut slow, began) = (line.connect(), Instant::now());
        let refused = loop {
            slow.write_all(b"{").unwrap();
            if let Some(greeting) = line.greetings.look().pop() {
                break greeting;
            }
            assert!(began.elapsed() < LIMIT, "it is kept");
            thread::sleep(Duration::from_millis(5));
        };
        assert!(began.elapsed() >= limit);
        assert_eq!(refused.hello.unwrap_err(), "it sent no complete greeting within 60ms");
    }

    #[test]
    fn many_strangers_have_few_places() {
        let mut line = Line::new(3, LIMIT);
        let mut silent: Vec<TcpStream> = (0..10).map(|_| line.connect()).collect();
        assert_eq!(line.greetings.connected.len(), 3);
        assert!(silent[..7].iter_mut().all(is_closed));
        let mut rank = line.connect();
        rank.write_all(&hello(0)).unwrap();
        assert_eq!(only(line.wait()), Ok(0));
        assert_eq!(line.greetings.connected.len(), 2);
        assert!(line.displaced.is_empty());
    }

    /// What the oldest sent is read before others get its place.
    #[test]
    fn a_rank_is_heard_before_it_has_to_go() {
        let mut line = Line::new(1, LIMIT);
        let mut rank = line.connect();
        rank.write_all(&hello(1)).unwrap();
        // Both ends are on this machine, but not at once.
        thread::sleep(Duration::from_millis(50));
        let _stranger = line.connect();
        assert_eq!(only(line.displaced), Ok(1));
    }

    #[test]
    fn long_greetings_and_other_protocols_are_refused() {
        let mut line = Line::new(4, LIMIT);
        let mut long = line.connect();
        long.write_all(&[b'x'; LONGEST]).unwrap();
        assert_eq!(only(line.wait()), Err(format!("its greeting exceeds {LONGEST} bytes")));
        let mut other = line.connect();
        other.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        assert!(only(line.wait()).unwrap_err().starts_with("it does not speak the rendezvous protocol"));
        drop(line.connect());
        assert_eq!(only(line.wait()), Err("it closed the connection without a greeting".to_owned()));
        line.connect().write_all(b"{").unwrap();
        assert_eq!(only(line.wait()), Err("it closed the connection during its greeting".to_owned()));
    }
}
