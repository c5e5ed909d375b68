//! What launchers tell a process of its rank.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use rocm_hip::variable;

use crate::{RcclError, Result, UniqueId};

/// Seconds that ranks wait for each other.
const TIMEOUT: &str = "CANDLE_ROCM_COLLECTIVE_TIMEOUT";
/// The address that rank 0 listens at, if not the one that others connect to.
const BIND: &str = "CANDLE_ROCM_RENDEZVOUS_BIND";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
const DEFAULT_PORT: u16 = 29500;

/// The default limit for ranks that wait for each other: ten minutes, or the seconds in `CANDLE_ROCM_COLLECTIVE_TIMEOUT`.
pub fn default_timeout() -> Duration {
    variable::read(TIMEOUT, "a number of seconds above 0", variable::seconds).unwrap_or(DEFAULT_TIMEOUT)
}

/// What the launcher told this process about its rank.
///
/// | | rank | number of ranks | rank on this machine | address of rank 0 |
/// |---|---|---|---|---|
/// | torchrun, or by hand | `RANK` | `WORLD_SIZE` | `LOCAL_RANK` | `MASTER_ADDR`, `MASTER_PORT` |
/// | SLURM | `SLURM_PROCID` | `SLURM_NTASKS` | `SLURM_LOCALID` | the first of `SLURM_STEP_NODELIST`, a port from `SLURM_JOB_ID` |
/// | Open MPI | `OMPI_COMM_WORLD_RANK` | `OMPI_COMM_WORLD_SIZE` | `OMPI_COMM_WORLD_LOCAL_RANK` | this machine, if all ranks are on it |
///
/// `MASTER_ADDR` and `MASTER_PORT` override what a launcher implies. If torchrun's agent itself listens at that port, ranks meet at the
/// next one. Rank 0 listens at the address that others connect to, including loopback addresses, or at `CANDLE_ROCM_RENDEZVOUS_BIND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// This rank.
    pub rank: u32,
    /// The number of ranks.
    pub world_size: u32,
    /// The rank among those on this machine, which is the ordinal of the device to use.
    pub local_rank: u32,
    /// The machine of rank 0.
    pub address: String,
    /// The port at which rank 0 listens.
    pub port: u16,
    /// Names the job: ranks of another one are strangers.
    job: String,
    bind: Option<String>,
}

/// What launchers call the rank, the number of ranks, and the rank on its machine.
const LAUNCHERS: [[&str; 3]; 3] = [
    ["RANK", "WORLD_SIZE", "LOCAL_RANK"],
    ["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"],
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
];

impl Environment {
    /// Whether a launcher started this process.
    pub fn is_set() -> bool {
        LAUNCHERS.iter().any(|[rank, ..]| variable::text(rank).is_some())
    }

    /// Reads the launcher's environment variables.
    ///
    /// # Errors
    /// [`RcclError::Environment`], which names the variable that is missing or wrong.
    pub fn read() -> Result<Self> {
        Self::of(variable::text)
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let launcher = LAUNCHERS.into_iter().find(|[rank, ..]| variable(rank).is_some());
        let [rank, world_size, local_rank] = launcher.unwrap_or(LAUNCHERS[0]);
        let number = |name: &'static str| {
            let value = variable(name).ok_or_else(|| wrong(name, "not set"))?;
            value.trim().parse::<u32>().map_err(|_| wrong(name, &format!("{value:?} is not a number")))
        };
        let of = Self {
            rank: number(rank)?,
            world_size: number(world_size)?,
            // A launcher that starts one process per machine need not say it.
            local_rank: variable(local_rank).map_or(Ok(0), |_| number(local_rank))?,
            address: address(&variable)?,
            port: port(&variable)?,
            job: ["TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "PMIX_NAMESPACE"]
                .iter()
                .find_map(|name| variable(name))
                .unwrap_or_else(|| "default".to_owned()),
            bind: variable(BIND),
        };
        if of.rank >= of.world_size {
            return Err(wrong(
                rank,
                &format!("rank {} is out of range for {} ranks", of.rank, of.world_size),
            ));
        }
        Ok(of)
    }

    /// The id with which the ranks meet. On rank 0, starts listening.
    ///
    /// # Errors
    /// [`RcclError::Environment`] if the machine of rank 0 is unknown, [`RcclError::Rendezvous`] if rank 0 cannot listen.
    pub fn id(&self) -> Result<UniqueId> {
        if self.rank > 0 {
            return Ok(UniqueId::of(resolve("MASTER_ADDR", &self.address, self.port)?, self.job.clone()));
        }
        let listen = match &self.bind {
            Some(bind) => resolve(BIND, bind, self.port)?,
            None => resolve("MASTER_ADDR", &self.address, self.port)?,
        };
        let id = UniqueId::listen(listen, self.job.clone())?;
        // Listening everywhere is no place to connect to.
        let address =
            if listen.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { listen.ip() };
        Ok(UniqueId::of(SocketAddr::new(address, id.address().port()), self.job.clone()))
    }
}

fn wrong(variable: &'static str, message: &str) -> RcclError {
    RcclError::Environment { variable, message: message.to_owned() }
}

fn resolve(variable: &'static str, address: &str, port: u16) -> Result<SocketAddr> {
    let found = (address, port).to_socket_addrs();
    let found = found.map_err(|error| wrong(variable, &format!("cannot resolve {address:?}: {error}")))?;
    // Names have addresses of both kinds; all ranks shall take the same one.
    let all: Vec<SocketAddr> = found.collect();
    let first = all.iter().find(|address| address.is_ipv4()).or(all.first());
    first.copied().ok_or_else(|| wrong(variable, &format!("{address:?} has no address")))
}

fn address(variable: &impl Fn(&str) -> Option<String>) -> Result<String> {
    if let Some(address) = variable("MASTER_ADDR") {
        return Ok(address);
    }
    let nodes = variable("SLURM_STEP_NODELIST").or_else(|| variable("SLURM_JOB_NODELIST"));
    if let Some(nodes) = nodes {
        return Ok(first_node(&nodes));
    }
    let local = variable("OMPI_COMM_WORLD_LOCAL_SIZE");
    if local.is_some() && local == variable("OMPI_COMM_WORLD_SIZE") {
        return Ok(Ipv4Addr::LOCALHOST.to_string());
    }
    Err(wrong("MASTER_ADDR", "not set, and no launcher provides the address of rank 0"))
}

/// `node01` of `node[01-04,07],other`.
fn first_node(list: &str) -> String {
    match list.split_once('[') {
        Some((prefix, rest)) if !prefix.contains(',') => {
            let first = rest.split([',', '-', ']']).next().unwrap_or_default();
            format!("{prefix}{first}")
        }
        _ => list.split(',').next().unwrap_or_default().to_owned(),
    }
}

fn port(variable: &impl Fn(&str) -> Option<String>) -> Result<u16> {
    let number = |name: &'static str| {
        let value = variable(name);
        let parse = |value: String| value.trim().parse::<u16>();
        value.map(parse).transpose().map_err(|_| wrong(name, "not a port number"))
    };
    if let Some(port) = number("MASTER_PORT")? {
        let taken =
            variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        return Ok(if taken { port.wrapping_add(1) } else { port });
    }
    // Jobs on one machine shall not meet.
    let job = variable("SLURM_JOB_ID").and_then(|job| job.parse::<u64>().ok());
    Ok(job.map_or(DEFAULT_PORT, |job| 20_000 + (job % 20_000) as u16))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Environment> {
        let map: HashMap<&str, &str> = variables.iter().copied().collect();
        Environment::of(|name| map.get(name).map(|&value| value.to_owned()))
    }

    fn place(environment: &Environment) -> (u32, u32, u32, &str, u16) {
        let Environment { rank, world_size, local_rank, address, port, .. } = environment;
        (*rank, *world_size, *local_rank, address, *port)
    }

    #[test]
    fn torchrun_slurm_and_open_mpi() {
        let torchrun = [
            ("RANK", "5"),
            ("WORLD_SIZE", "8"),
            ("LOCAL_RANK", "1"),
            ("MASTER_ADDR", "10.0.0.1"),
            ("MASTER_PORT", "1234"),
        ];
        assert_eq!(place(&read(&torchrun).unwrap()), (5, 8, 1, "10.0.0.1", 1234));
        let agent = [&torchrun[..], &[("TORCHELASTIC_USE_AGENT_STORE", "True")]].concat();
        assert_eq!(read(&agent).unwrap().port, 1235);
        let slurm = [
            ("SLURM_PROCID", "3"),
            ("SLURM_NTASKS", "4"),
            ("SLURM_LOCALID", "1"),
            ("SLURM_STEP_NODELIST", "gpu[07-08,11]"),
            ("SLURM_JOB_ID", "1000042"),
        ];
        assert_eq!(place(&read(&slurm).unwrap()), (3, 4, 1, "gpu07", 20_042));
        let mpi = [
            ("OMPI_COMM_WORLD_RANK", "0"),
            ("OMPI_COMM_WORLD_SIZE", "2"),
            ("OMPI_COMM_WORLD_LOCAL_RANK", "0"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
        ];
        assert_eq!(place(&read(&mpi).unwrap()), (0, 2, 0, "127.0.0.1", 29_500));
    }

    #[test]
    fn node_lists() {
        assert_eq!(
            ["a,b", "n[1-3]", "n[004,006]", "single", "a,b[1-2]"].map(first_node),
            ["a", "n1", "n004", "single", "a"]
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |variables: &[(&str, &str)]| read(variables).unwrap_err().to_string();
        assert!(error(&[]).starts_with("RANK: not set; start the program with torchrun"), "{}", error(&[]));
        let one = ("RANK", "0");
        assert!(error(&[one]).starts_with("WORLD_SIZE: not set"));
        assert!(error(&[one, ("WORLD_SIZE", "two")]).starts_with("WORLD_SIZE: \"two\" is not a number"));
        assert!(error(&[one, ("WORLD_SIZE", "2")]).starts_with("MASTER_ADDR: not set"));
        let all = [one, ("WORLD_SIZE", "0"), ("MASTER_ADDR", "a")];
        assert!(error(&all).starts_with("RANK: rank 0 is out of range for 0 ranks"));
        let all = [one, ("WORLD_SIZE", "1"), ("MASTER_ADDR", "a"), ("MASTER_PORT", "x")];
        assert!(error(&all).starts_with("MASTER_PORT: not a port number"));
    }
}
