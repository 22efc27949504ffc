//! Encodes bytes as base64: three words of bytes become four words of letters.

/// A word holds four letters.
#[hirace::monitor]
pub mod base64 {
    use hirace::prelude::*;

    const fn letter(sextet: u8) -> u8 {
        match sextet {
            0..26 => b'A' + sextet,
            26..52 => b'a' + (sextet - 26),
            52..62 => b'0' + (sextet - 52),
            62 => b'+',
            _ => b'/',
        }
    }

    fn encode([a, b, c]: [u8; 3]) -> [u8; 4] {
        let bits = u32::from_be_bytes([0, a, b, c]);
        [18, 12, 6, 0].map(|shift| letter((bits >> shift) as u8 & 0x3f))
    }

    /// Each invocation encodes twelve bytes.
    #[kernel(workgroup_size(32))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, bytes: &[u32], letters: &mut [u32]) {
        let i = id.x as usize;
        if 3 * i + 2 >= bytes.len() {
            return;
        }
        let mut group = [0u8; 12];
        for (word, four) in bytes[3 * i..].iter().zip(group.chunks_exact_mut(4)) {
            four.copy_from_slice(&word.to_le_bytes());
        }
        for k in 0..4 {
            let three = [group[3 * k], group[3 * k + 1], group[3 * k + 2]];
            letters[4 * i + k] = u32::from_le_bytes(encode(three));
        }
    }

    /// Each invocation writes one word too many.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, bytes: &[u32], letters: &mut [u32]) {
        let i = id.x as usize;
        for k in 0..=4 {
            letters[4 * i + k] = u32::from(letter(bytes[3 * i] as u8 & 0x3f));
//          ^^^^^^^^^^^^^^^^^^ race: write/write on letters[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::base64;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    #[test]
    fn bytes_are_encoded() {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let words = numbers(3 * 40, 310);
        let launch = Launch::new().workgroups(2).buffer("bytes", &words).zeros("letters", 160);
        let run = clean(&base64::clean::kernel(), launch);
        let bits: Vec<u8> = words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
            .collect();
        let expected: Vec<u8> = bits
            .chunks(6)
            .map(|six| LETTERS[six.iter().fold(0, |n, bit| n * 2 + usize::from(*bit))])
            .collect();
        let found: Vec<u8> =
            run.read::<u32>("letters").iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_word_too_many_races() {
        let launch = Launch::new().workgroups(1).buffer("bytes", &numbers(96, 311));
        racy(&base64::racy::kernel(), launch.zeros("letters", 129), include_str!("base64.rs"));
    }
}
