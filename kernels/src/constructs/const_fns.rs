//! Constants that functions compute at compile time.

/// A table, numbers with methods, and a length that is computed.
#[hirace::monitor]
pub mod const_fns {
    use hirace::prelude::*;

    const POLYNOMIAL: u32 = 0xedb8_8320;

    /// Returns a table with one entry for each 4-bit number.
    pub const fn table() -> [u32; 16] {
        let mut table = [0; 16];
        let mut nibble = 0;
        while nibble < table.len() {
            let mut crc = nibble as u32;
            let mut bit = 0;
            while bit < 4 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
                bit += 1;
            }
            table[nibble] = crc;
            nibble += 1;
        }
        table
    }

    const TABLE: [u32; 16] = table();

    /// A part of a line.
    #[derive(Clone, Copy)]
    pub struct Span {
        /// Start of the span.
        pub from: f32,
        /// End of the span.
        pub to: f32,
    }

    impl Span {
        const UNIT: Self = Self::new(0.0, 1.0);
        const WIDE: Self = Self::UNIT.grown(0.75);

        /// Returns the span between two numbers, in ascending order.
        pub const fn new(a: f32, b: f32) -> Self {
            match a < b {
                true => Self { from: a, to: b },
                false => Self { from: b, to: a },
            }
        }

        /// Returns the span extended by `by` at both ends.
        pub const fn grown(self, by: f32) -> Self {
            Self { from: self.from - by, to: self.to + by }
        }
    }

    #[derive(Clone, Copy)]
    enum Step {
        Stay,
        By { offset: i32 },
    }

    const fn step(of: u32) -> Step {
        match of {
            0 | 3..=4 => Step::Stay,
            other if other % 2 == 0 => Step::By { offset: -(other as i32) },
            other => Step::By { offset: other as i32 * 3 },
        }
    }

    const STEPS: [Step; 6] = [step(0), step(1), step(2), step(3), step(4), step(5)];

    /// Returns how often a number can be halved until it is 1.
    pub const fn halvings(of: usize) -> usize {
        let mut count = 0;
        loop {
            if of >> count <= 1 {
                return count;
            }
            count += 1;
        }
    }

    /// Returns a pseudo-random number.
    pub const fn scrambled(mut x: u32) -> u32 {
        x ^= x >> 15;
        x.wrapping_mul(0x2c1b_3c6d).rotate_left(7)
    }

    const SEED: u32 = scrambled(12345);

    /// Runs one invocation for each 4-bit number.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        words: &mut [[u32; 3]],
        #[workgroup] sums: &mut [u32; halvings(1 << 16)],
    ) {
        let lane = lane as usize;
        let step = match STEPS[lane % STEPS.len()] {
            Step::Stay => 100,
            Step::By { offset } => offset,
        };
        sums[lane] = TABLE[lane] ^ SEED;
        workgroup_barrier();
        let span = if lane % 2 == 0 { Span::WIDE } else { Span::UNIT };
        let width = (span.to - span.from) * 4.0;
        words[lane] = [sums[15 - lane], width as u32, step as u32];
    }
}

#[cfg(test)]
mod tests {
    use super::const_fns::{self, halvings, scrambled, table};
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn constants_are_what_rust_computes() {
        let launch = Launch::new().workgroups(1).buffer("words", &[[0u32; 3]; 16]);
        let run = clean(&const_fns::clean::kernel(), launch);
        let steps = [100, 3, -2i32 as u32, 100, 100, 15];
        let expected: Vec<[u32; 3]> = (0..16)
            .map(|i| {
                let width = if i % 2 == 0 { 10 } else { 4 };
                [table()[15 - i] ^ scrambled(12345), width, steps[i % 6]]
            })
            .collect();
        assert_eq!(run.read::<[u32; 3]>("words"), expected);
        assert_eq!((halvings(1 << 16), halvings(1)), (16, 0));
    }
}
