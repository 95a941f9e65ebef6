//! The bytes of a file in, their contents out: gzip and xz are told by their first bytes.

use std::io::{self, Read};

/// The largest size of a file, unpacked; a model of this size has some hundred million gates.
pub const MAX_BYTES: usize = 1 << 30;

#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    #[error("cannot unpack the file ({0}): {1}")]
    Broken(&'static str, io::Error),
    #[error("the file unpacks to more than {MAX_BYTES} bytes")]
    TooLarge,
}

const GZIP: &[u8] = &[0x1f, 0x8b];
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];

/// Whether a file holds AIGER, going by its first bytes; a compressed one may.
pub fn looks_like_aiger(bytes: &[u8]) -> bool {
    [b"aag " as &[u8], b"aig ", GZIP, XZ].iter().any(|start| bytes.starts_with(start))
}

/// Unpacks a compressed file; any other is returned as it is.
pub fn unpack(bytes: Vec<u8>) -> Result<Vec<u8>, UnpackError> {
    if bytes.starts_with(GZIP) {
        read_all("gzip", flate2::read::MultiGzDecoder::new(&bytes[..]))
    } else if bytes.starts_with(XZ) {
        read_all("xz", lzma_rust2::XzReader::new(&bytes[..], true))
    } else {
        Ok(bytes)
    }
}

fn read_all(kind: &'static str, reader: impl Read) -> Result<Vec<u8>, UnpackError> {
    let mut unpacked = Vec::new();
    // One byte more than allowed shows that there is more.
    let limit = MAX_BYTES as u64 + 1;
    reader.take(limit).read_to_end(&mut unpacked).map_err(|error| UnpackError::Broken(kind, error))?;
    if unpacked.len() > MAX_BYTES { Err(UnpackError::TooLarge) } else { Ok(unpacked) }
}
