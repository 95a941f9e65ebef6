//! Bytes to memory that the processor may execute, and that can no longer be written.

use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Executable memory.
pub struct Pages {
    start: NonNull<c_void>,
    length: NonZeroUsize,
}

// SAFETY: the memory is never written once it is made, and belongs to the owner of this, wherever that is.
unsafe impl Send for Pages {}
// SAFETY: as above; reading it from several threads is fine.
unsafe impl Sync for Pages {}

impl Pages {
    /// With a copy of these bytes at its start.
    pub fn new(code: &[u8]) -> Result<Pages, Errno> {
        let length = NonZeroUsize::new(code.len()).ok_or(Errno::EINVAL)?;
        let (private, writable) = (MapFlags::MAP_PRIVATE, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE);
        // SAFETY: the system finds a place for new memory by itself; nothing else is there.
        let start = unsafe { mmap_anonymous(None, length, writable, private)? };
        let pages = Pages { start, length };
        // SAFETY: the memory was made just now, so it is writable, as long as the code at least, and no part of the code.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start.as_ptr().cast::<u8>(), code.len()) };
        // SAFETY: this is the memory that was made above, and there is no reference into it.
        unsafe { mprotect(start, length.get(), ProtFlags::PROT_READ | ProtFlags::PROT_EXEC)? };
        Ok(pages)
    }

    pub fn start(&self) -> *const u8 {
        self.start.as_ptr().cast()
    }

    pub fn len(&self) -> usize {
        self.length.get()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: this is the memory that `new` made; its owner goes away, and with it every way to execute it. Should
        // the system refuse, the memory is lost, which does no harm.
        let _ = unsafe { munmap(self.start, self.length.get()) };
    }
}
