//! Hashes that say which files something was made for.

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An identifier (RFC 9562, version 8: made from a hash) of these parts.
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
