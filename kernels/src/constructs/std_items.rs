//! Items of `std` without a counterpart in WGSL: bytes, derived equality, functions and macros.

/// Checksums of the bytes of words.
#[hirace::monitor]
pub mod std_items {
    use hirace::prelude::*;
    use std::f32::consts::PI;

    /// The two sums of Fletcher's checksum.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Sums {
        first: u8,
        second: u8,
    }

    fn with(sums: Sums, byte: u8) -> Sums {
        let first = sums.first.wrapping_add(byte);
        Sums { first, second: sums.second.wrapping_add(first) }
    }

    /// Computes the checksum of a word's bytes, that of the bytes in reverse order, and other values of the bytes.
    #[kernel(workgroup_size(8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &[u32],
        sums: &mut [u32],
        #[workgroup] seen: &mut [[u8; 4]; 8],
    ) {
        const BYTES: usize = 4;
        fn byte(word: u32, at: usize) -> u8 {
            (word >> (at as u32 * u8::BITS)) as u8
        }
        let lane = id.x as usize % seen.len();
        let word = words[id.x as usize];
        let mut bytes = [0u8; BYTES];
        for i in 0..BYTES {
            bytes[i] = byte(word, i);
        }
        seen[lane] = bytes;
        workgroup_barrier();
        let start = Sums { first: 1, second: 0 };
        let (mut ahead, mut back) = (start, start);
        for i in 0..bytes.len() {
            ahead = with(ahead, bytes[i]);
            back = with(back, bytes[BYTES - 1 - i]);
        }
        if ahead != back && bytes[0] > bytes[3] {
            std::mem::swap(&mut ahead, &mut back);
        }
        let same = seen[lane] == seen[seen.len() - 1 - lane];
        let kind =
            matches!(bytes[0], b if b.is_power_of_two()) || matches!(bytes[3], 0..=9 | 200..);
        let turn = (PI * bytes[1] as f32) as i16;
        let exact = (bytes[2] as u32).pow(2).isqrt() == u32::from(bytes[2]);
        assert!(exact, "the root of the square of {}", bytes[2]);
        sums[id.x as usize] = ahead.first as u32
            | (ahead.second as u32) << 8
            | (same as u32) << 16
            | (kind as u32) << 17
            | (turn as u16 as u32) << 18;
    }
}

#[cfg(test)]
mod tests {
    use super::std_items;
    use crate::support::{clean, numbers};
    use hirace::Launch;

    #[test]
    fn checksums_of_bytes_are_those_of_rust() {
        let mut words = numbers(16, 12);
        words[6] = words[1];
        words[9] = 0x0102_0304;
        let launch = Launch::new().workgroups(2).buffer("words", &words).zeros("sums", 16);
        let run = clean(&std_items::clean::kernel(), launch);
        let sums = |bytes: &[u8; 4]| {
            bytes.iter().fold((1u8, 0u8), |(first, second), byte| {
                let first = first.wrapping_add(*byte);
                (first, second.wrapping_add(first))
            })
        };
        let expected = |(i, word): (usize, &u32)| {
            let bytes = word.to_le_bytes();
            let turned = [bytes[3], bytes[2], bytes[1], bytes[0]];
            let (ahead, back) = (sums(&bytes), sums(&turned));
            let sum = if ahead != back && bytes[0] > bytes[3] { back } else { ahead };
            let same = *word == words[i / 8 * 8 + 7 - i % 8];
            let kind = bytes[0].is_power_of_two() || matches!(bytes[3], 0..=9 | 200..);
            let turn = (std::f32::consts::PI * f32::from(bytes[1])) as i16;
            u32::from(sum.0)
                | u32::from(sum.1) << 8
                | u32::from(same) << 16
                | u32::from(kind) << 17
                | u32::from(turn as u16) << 18
        };
        let expected: Vec<u32> = words.iter().enumerate().map(expected).collect();
        assert_eq!(run.read::<u32>("sums"), expected);
    }
}
