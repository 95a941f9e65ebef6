//! Time of the processor, which does not depend on what else the machine does.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// The processor time of all threads of this process so far, in seconds.
pub fn processor_time() -> f64 {
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    getrusage(UsageWho::RUSAGE_SELF).map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()))
}
