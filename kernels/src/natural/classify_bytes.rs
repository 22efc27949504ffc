//! Counts the kinds of bytes in a UTF-8 text, and its characters.

/// A word holds four bytes.
#[hirace::monitor]
pub mod classify_bytes {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    /// Number of kinds of bytes.
    pub const KINDS: usize = 7;

    /// The kind of a byte.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Class {
        Space,
        Digit,
        Letter,
        OtherAscii,
        Start { length: u32 },
        Continuation,
        Invalid,
    }

    impl From<u8> for Class {
        fn from(byte: u8) -> Self {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => Self::Space,
                b'0'..=b'9' => Self::Digit,
                b'a'..=b'z' | b'A'..=b'Z' => Self::Letter,
                0..=0x7f => Self::OtherAscii,
                0x80..=0xbf => Self::Continuation,
                0xc2..=0xf4 => Self::Start { length: byte.leading_ones() },
                _ => Self::Invalid,
            }
        }
    }

    impl Class {
        fn bin(self) -> usize {
            match self {
                Self::Space => 0,
                Self::Digit => 1,
                Self::Letter => 2,
                Self::OtherAscii => 3,
                Self::Start { .. } => 4,
                Self::Continuation => 5,
                Self::Invalid => 6,
            }
        }

        fn expected_continuations(self) -> u32 {
            if let Self::Start { length } = self { length - 1 } else { 0 }
        }
    }

    /// Counts the kinds, and the number of continuation bytes that the start bytes announce.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] length: u32,
        words: &[u32],
        counts: &[AtomicU32],
        promised: &AtomicU32,
    ) {
        let Some(word) = words.get(id.x as usize) else { return };
        let valid = length.saturating_sub(id.x * 4).min(4) as usize;
        let mut continuations = 0;
        for class in word.to_le_bytes().into_iter().take(valid).map(Class::from) {
            counts[class.bin()].fetch_add(1, Relaxed);
            continuations += class.expected_continuations();
        }
        promised.fetch_add(continuations, Relaxed);
    }

    /// Finds the first byte that is not ASCII.
    #[kernel(workgroup_size(64))]
    pub fn first_non_ascii(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &[u32],
        first: &AtomicU32,
    ) {
        let Some(word) = words.get(id.x as usize) else { return };
        if let Some(k) = word.to_le_bytes().iter().position(|byte| !byte.is_ascii()) {
            first.fetch_min(4 * id.x + k as u32, Relaxed);
        }
    }

    /// Each invocation that finds a byte that is not ASCII writes the flag.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], found: &mut [u32]) {
        let bytes = words[id.x as usize].to_le_bytes();
        if bytes.iter().any(|byte| !byte.is_ascii()) {
            found[0] = 1;
//          ^^^^^^^^ race: write/write on found[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::classify_bytes::{self, KINDS};
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    #[test]
    fn bytes_are_classified() {
        let mut text = "Größe 42 Ω,\n\t日本語 text — 7 × 6 😀!".as_bytes().to_vec();
        text.extend([0xff, 0xc0, b'x']);
        let length = text.len() as u32;
        let mut padded = text.clone();
        padded.resize(text.len().div_ceil(4) * 4, b' ');
        let words: Vec<u32> =
            padded.chunks(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect();
        let launch = Launch::new().workgroups(1).buffer("length", &length);
        let launch = launch.buffer("words", &words).zeros("counts", KINDS);
        let run = clean(&classify_bytes::clean::kernel(), launch.buffer("promised", &0u32));
        let mut expected = [0u32; KINDS];
        for byte in text {
            let bin = if byte.is_ascii_whitespace() {
                0
            } else if byte.is_ascii_digit() {
                1
            } else if byte.is_ascii_alphabetic() {
                2
            } else if byte < 128 {
                3
            } else if byte < 192 {
                5
            } else if (194..245).contains(&byte) {
                4
            } else {
                6
            };
            expected[bin] += 1;
        }
        assert_eq!(run.read::<u32>("counts"), expected);
        assert_eq!(run.one::<u32>("promised"), expected[5]);
    }

    #[test]
    fn the_first_byte_that_is_not_ascii_is_found() {
        let mut words = vec![0x6161_6161u32; 100];
        (words[70], words[71], words[90]) = (0x6180_6161, u32::MAX, 0x8061_6161);
        let launch = Launch::new().workgroups(2).buffer("words", &words);
        let launch = launch.buffer("first", &u32::MAX);
        let run = clean(&classify_bytes::first_non_ascii::kernel(), launch);
        assert_eq!(run.one::<u32>("first"), 282);
    }

    #[test]
    fn what_all_write_races() {
        let launch = Launch::new().workgroups(2).buffer("words", &numbers(128, 300));
        let launch = launch.zeros("found", 1);
        racy(&classify_bytes::racy::kernel(), launch, include_str!("classify_bytes.rs"));
    }
}
