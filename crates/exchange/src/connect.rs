//! Addresses to connections: each process calls those before it and is called by those after it, and all make sure that they are
//! about the same.
//!
//! There are two connections between any two processes, one for messages and one for signs of life.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::{Cluster, Trouble};

/// The time to wait for others.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time for a caller to introduce itself.
const GREETING: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);
/// A greeting has no more bytes than this.
const LONGEST: usize = 500;

const KINDS: usize = 2;
const WELCOME: &str = "welcome";

/// The connections for messages and for signs of life to each process; none to this one.
pub fn connect(
    cluster: &Cluster,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<Option<(TcpStream, TcpStream)>>, Trouble> {
    let call = Call { cluster, is_wanted, begun: Instant::now() };
    let address = &cluster.hosts[cluster.process];
    let unusable = |error: io::Error| Trouble::Address { address: address.clone(), reason: error.to_string() };
    let listener = TcpListener::bind(address).map_err(unusable)?;
    listener.set_nonblocking(true).map_err(unusable)?;
    let mut streams: Vec<[Option<TcpStream>; KINDS]> = cluster.hosts.iter().map(|_| [None, None]).collect();
    for (process, kinds) in streams.iter_mut().enumerate().take(cluster.process) {
        for (kind, stream) in kinds.iter_mut().enumerate() {
            *stream = Some(call.reach(process, kind)?);
        }
    }
    while let Some(missing) =
        (cluster.process + 1..streams.len()).find(|&other| streams[other].iter().any(Option::is_none))
    {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Some((process, kind, stream)) = call.admit(stream)? {
                    streams[process][kind] = Some(stream);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => call.wait_for(missing)?,
            Err(error) => return Err(unusable(error)),
        }
    }
    Ok(streams.into_iter().map(|[data, pulse]| data.zip(pulse)).collect())
}

struct Call<'c> {
    cluster: &'c Cluster,
    is_wanted: &'c dyn Fn() -> bool,
    begun: Instant,
}

impl Call<'_> {
    fn wait_for(&self, process: usize) -> Result<(), Trouble> {
        if !(self.is_wanted)() {
            return Err(Trouble::Unwanted);
        }
        if self.begun.elapsed() > PATIENCE {
            let address = self.cluster.hosts[process].clone();
            return Err(Trouble::Absent { process, address, seconds: PATIENCE.as_secs() });
        }
        std::thread::sleep(PAUSE);
        Ok(())
    }

    /// The terms that all have to agree on, in words without spaces.
    fn terms(&self) -> [String; 4] {
        let Cluster { workers, hosts, question, .. } = self.cluster;
        let question: String = question.split_whitespace().collect();
        [
            format!("version={}", env!("CARGO_PKG_VERSION")),
            format!("processes={}", hosts.len()),
            format!("workers={workers}"),
            format!("question={question}"),
        ]
    }

    /// Calls a process until it answers.
    fn reach(&self, process: usize, kind: usize) -> Result<TcpStream, Trouble> {
        loop {
            let greeting = format!("redoubt {} {kind} {}\n", self.cluster.process, self.terms().join(" "));
            let answer = TcpStream::connect(&self.cluster.hosts[process]).and_then(|mut stream| {
                stream.set_nodelay(true)?;
                stream.write_all(greeting.as_bytes())?;
                let answer = line(&mut stream, PATIENCE)?;
                Ok((stream, answer))
            });
            match answer {
                Ok((stream, answer)) if answer == WELCOME => return Ok(stream),
                Ok((_, reason)) if !reason.is_empty() => return Err(Trouble::Stranger { process, reason }),
                _ => self.wait_for(process)?,
            }
        }
    }

    /// Hears who has called: which process, and for what. Callers without a proper greeting are sent away.
    fn admit(&self, mut stream: TcpStream) -> Result<Option<(usize, usize, TcpStream)>, Trouble> {
        let prepared = stream.set_nonblocking(false).and_then(|()| stream.set_nodelay(true));
        let Ok(greeting) = prepared.and_then(|()| line(&mut stream, GREETING)) else { return Ok(None) };
        let words: Vec<&str> = greeting.split(' ').collect();
        let ["redoubt", process, kind, theirs @ ..] = &words[..] else { return Ok(None) };
        let (Ok(process), Ok(kind)) = (process.parse::<usize>(), kind.parse::<usize>()) else { return Ok(None) };
        let is_expected = (self.cluster.process + 1..self.cluster.hosts.len()).contains(&process) && kind < KINDS;
        let ours = self.terms();
        if let Some((ours, theirs)) = ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs) {
            let _ = writeln!(stream, "{ours} here, {theirs} there");
            return Err(Trouble::Stranger { process, reason: format!("{ours} here, {theirs} there") });
        }
        if !is_expected || ours.len() != theirs.len() || writeln!(stream, "{WELCOME}").is_err() {
            return Ok(None);
        }
        Ok(Some((process, kind, stream)))
    }
}

/// Reads a line, and nothing behind it.
fn line(stream: &mut TcpStream, patience: Duration) -> io::Result<String> {
    stream.set_read_timeout(Some(patience))?;
    let (mut bytes, mut byte) = (vec![], [0]);
    while bytes.len() < LONGEST && stream.read(&mut byte)? == 1 && byte != *b"\n" {
        bytes.push(byte[0]);
    }
    stream.set_read_timeout(None)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
