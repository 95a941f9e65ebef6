//! Signs of life between processes, on connections of their own: a host that vanishes closes no connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::loss::Loss;

/// The interval between signs of life.
const BEAT: Duration = Duration::from_millis(500);
/// A participant that is silent for this long is lost.
const SILENCE: Duration = Duration::from_secs(8);

const ALIVE: u8 = b'.';
const BYE: u8 = b'!';

/// Until it is dropped, others hear that this process is there.
pub struct Pulse {
    is_over: Arc<AtomicBool>,
    streams: Vec<TcpStream>,
    loss: Arc<Loss>,
}

impl Pulse {
    pub fn start(others: Vec<(String, TcpStream)>, loss: &Arc<Loss>) -> io::Result<Pulse> {
        let is_over = Arc::new(AtomicBool::new(false));
        let mut streams = vec![];
        for (remote, stream) in others {
            streams.push(stream.try_clone()?);
            let (is_over, loss) = (Arc::clone(&is_over), Arc::clone(loss));
            let listen = move || listen(&remote, stream, &is_over, &loss);
            std::thread::Builder::new().name("pulse".into()).spawn(listen)?;
        }
        let beating = streams.iter().map(TcpStream::try_clone).collect::<io::Result<Vec<_>>>()?;
        let over = Arc::clone(&is_over);
        std::thread::Builder::new().name("pulse".into()).spawn(move || {
            while !over.load(Ordering::Relaxed) {
                // A participant that does not hear it is noticed by listening.
                beating.iter().for_each(|mut stream| drop(stream.write_all(&[ALIVE])));
                std::thread::sleep(BEAT);
            }
        })?;
        Ok(Pulse { is_over, streams, loss: Arc::clone(loss) })
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for mut stream in &self.streams {
            // After a loss the work is not done, and the others are to notice.
            let _ = if self.loss.is_known() { stream.shutdown(Shutdown::Both) } else { stream.write_all(&[BYE]) };
        }
    }
}

fn listen(remote: &str, mut stream: TcpStream, is_over: &AtomicBool, loss: &Loss) {
    let mut signs = [0; 64];
    let timed = stream.set_read_timeout(Some(SILENCE));
    loop {
        let how = match stream.read(&mut signs) {
            Ok(0) => "is gone",
            Ok(count) if signs[..count].contains(&BYE) => return,
            Ok(_) => continue,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => "is silent",
            Err(_) => "is gone",
        };
        if timed.is_ok() && !is_over.load(Ordering::Relaxed) {
            loss.report(remote, how);
        }
        return;
    }
}
