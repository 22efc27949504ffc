//! Cyclic redundancy checks of many packets, with a table.

/// One packet per invocation.
#[hirace::monitor]
pub mod crc32 {
    use hirace::prelude::*;

    const POLYNOMIAL: u32 = 0xedb8_8320;

    const fn table() -> [u32; 256] {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut crc = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
                bit += 1;
            }
            table[byte] = crc;
            byte += 1;
        }
        table
    }

    const TABLE: [u32; 256] = table();

    #[derive(Clone, Copy)]
    struct Crc(u32);

    impl Default for Crc {
        fn default() -> Self {
            Self(!0)
        }
    }

    impl Crc {
        fn update(self, byte: u8) -> Self {
            let index = (self.0 as u8 ^ byte) as usize;
            Self(TABLE[index] ^ (self.0 >> 8))
        }

        fn finish(self) -> u32 {
            !self.0
        }
    }

    /// Computes the checks: packet `i` has `lengths[i]` bytes, four per word, starting at the word `starts[i]`.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &[u32],
        starts: &[u32],
        lengths: &[u32],
        checks: &mut [u32],
    ) {
        let i = id.x as usize;
        if i >= checks.len() {
            return;
        }
        let mut crc = Crc::default();
        let mut left = lengths[i];
        'packet: for word in &words[starts[i] as usize..] {
            for byte in word.to_le_bytes() {
                if left == 0 {
                    break 'packet;
                }
                crc = crc.update(byte);
                left -= 1;
            }
        }
        checks[i] = crc.finish();
    }

    /// Returns the 16-bit checksum of the Internet protocols.
    fn internet_checksum(words: &[u32]) -> u16 {
        let mut sum = 0u32;
        for word in words {
            sum += (word >> 16) + (word & 0xffff);
        }
        while let carry @ 1.. = sum >> 16 {
            sum = (sum & 0xffff) + carry;
        }
        !(sum as u16)
    }

    /// Computes the checksums of headers of five words.
    #[kernel(workgroup_size(64))]
    pub fn headers(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], checks: &mut [u32]) {
        let i = id.x as usize;
        if let Some(header) = words.chunks_exact(5).nth(i) {
            checks[i] = internet_checksum(header).into();
        }
    }

    /// Uses a table that the workgroup computes before it is complete.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        words: &[u32],
        checks: &mut [u32],
        #[workgroup] small: &mut [u32; 64],
    ) {
        let lane = lane as usize;
        small[lane] = TABLE[lane * 4];
//      ^^^^^^^^^^^ race: write/read on small[..]
        let other = (words[lane] ^ 21) as usize % 64;
        checks[lane] = small[other] ^ words[lane];
//                     ^^^^^^^^^^^^ race: read/write on small[..]
    }
}

#[cfg(test)]
mod tests {
    use super::crc32;
    use crate::support::{below, clean, numbers, racy};
    use hirace::Launch;

    fn crc(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = crc >> 1 ^ if crc % 2 == 1 { 0xedb88320 } else { 0 };
            }
        }
        !crc
    }

    #[test]
    fn packets_are_checked() {
        assert_eq!(crc(b"123456789"), 0xcbf43926);
        let words = numbers(200, 290);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (starts, lengths) = (below(190, 80, 291), below(41, 80, 292));
        let launch = Launch::new().workgroups(2).buffer("words", &words);
        let launch = launch.buffer("starts", &starts).buffer("lengths", &lengths);
        let run = clean(&crc32::clean::kernel(), launch.zeros("checks", 80));
        let packets = starts.iter().zip(&lengths);
        let expected: Vec<u32> = packets
            .map(|(&start, &length)| crc(&bytes[start as usize * 4..][..length as usize]))
            .collect();
        assert_eq!(run.read::<u32>("checks"), expected);
    }

    #[test]
    fn headers_are_checked() {
        let words = numbers(5 * 70, 294);
        let launch = Launch::new().workgroups(2).buffer("words", &words).zeros("checks", 70);
        let run = clean(&crc32::headers::kernel(), launch);
        // The sum is taken modulo 0xffff, but 0 is represented as 0xffff.
        let sum = |header: &[u32]| header.iter().map(|&word| u64::from(word) % 0xffff).sum::<u64>();
        let expected: Vec<u32> = words
            .chunks(5)
            .map(|header| 0xffff - ((sum(header) + 0xfffe) % 0xffff + 1) as u32)
            .collect();
        assert_eq!(run.read::<u32>("checks"), expected);
    }

    #[test]
    fn a_table_without_a_barrier_races() {
        let launch = Launch::new().workgroups(1).buffer("words", &below(64, 64, 293));
        racy(&crc32::racy::kernel(), launch.zeros("checks", 64), include_str!("crc32.rs"));
    }
}
