//! A connection that carries messages, for timely: if it breaks, that is noted, and nothing panics.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::loss::Loss;

/// The last bytes that timely sends on a connection are a header of this length, all of them zero.
const FAREWELL: usize = 48;

pub struct Wire {
    stream: TcpStream,
    remote: String,
    loss: Arc<Loss>,
    /// The number of zeros at the end of the bytes read so far.
    zeros: usize,
}

impl Wire {
    pub fn new(stream: TcpStream, remote: String, loss: Arc<Loss>) -> Wire {
        Wire { stream, remote, loss, zeros: 0 }
    }

    /// Timely's threads have no other answer to a broken connection than to panic, so this one waits for the end of the process.
    fn rest(&self) -> ! {
        loop {
            std::thread::park();
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) if self.zeros >= FAREWELL => return Ok(0),
                Ok(0) => self.loss.report(&self.remote, "is gone"),
                Ok(count) => {
                    let trailing = buffer[..count].iter().rev().take_while(|byte| **byte == 0).count();
                    self.zeros = if trailing == count { self.zeros + count } else { trailing };
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => self.loss.report(&self.remote, &format!("is gone: {error}")),
            }
            self.rest();
        }
    }
}

impl Write for Wire {
    /// Bytes that cannot be sent any more are dropped: there is no receiver.
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self.stream.write(buffer) {
            Ok(count) => Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.loss.report(&self.remote, &format!("is gone: {error}"));
                Ok(buffer.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.stream.flush();
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Wire> {
        Ok(Wire::new(self.stream.try_clone()?, self.remote.clone(), Arc::clone(&self.loss)))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}
