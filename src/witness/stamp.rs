//! What says which files something was made for, and when: hashes, times and identifiers.

use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::circuit::{Circuit, aiger};
use crate::text::Sources;

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The names of the files of a program and their SHA-256.
pub fn files(sources: &Sources) -> Vec<(String, String)> {
    sources.files().iter().map(|file| (file.name.clone(), sha256(file.text.as_bytes()))).collect()
}

/// One SHA-256 for all files of a program, whatever they are called.
pub fn program(sources: &Sources) -> String {
    let hashes: Vec<String> = files(sources).into_iter().map(|(_, hash)| hash).collect();
    if let [only] = hashes.as_slice() { only.clone() } else { sha256(hashes.concat().as_bytes()) }
}

/// A SHA-256 of what a circuit does, however it was written.
pub fn circuit(circuit: &Circuit) -> String {
    let mut text = vec![];
    let written = aiger::write(&mut text, circuit, aiger::Format::Ascii, "");
    debug_assert!(written.is_ok(), "writing to memory does not fail");
    sha256(&text)
}

/// The time now, as ISO 8601 writes it.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// An identifier (RFC 9562, version 8: made from a hash) of what these parts say.
pub fn uuid(parts: &[&str]) -> String {
    let mut bytes = Sha256::digest(parts.join("\0").as_bytes());
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let id = uuid(&["a", "b"]);
        assert_eq!((id.len(), &id[14..15]), (36, "8"));
        assert_ne!(id, uuid(&["ab"]));
    }
}
