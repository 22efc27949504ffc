//! Copies the selected elements of a list, without gaps.

/// Uses a prefix sum over each block; one invocation reserves space for the block.
#[hirace::monitor]
pub mod compact {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const BLOCK: usize = 64;

    /// A measurement.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Sample {
        /// Identifier of the sensor.
        pub sensor: u32,
        /// The measured value.
        pub value: f32,
    }

    impl Sample {
        fn is_valid(&self) -> bool {
            self.sensor != 0 && (-0.5..0.5).contains(&self.value)
        }
    }

    /// Keeps the order of the elements in a block; the order of the blocks is arbitrary.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        samples: &[Sample],
        kept: &mut [Sample],
        kept_len: &AtomicU32,
        #[workgroup] counts: &mut [u32; BLOCK],
        #[workgroup] start: &mut u32,
    ) {
        let lane = lane as usize;
        let sample = samples.get(id.x as usize).copied().filter(Sample::is_valid);
        counts[lane] = sample.is_some() as u32;
        workgroup_barrier();

        let mut offset = 1;
        while offset < BLOCK {
            let before = lane.checked_sub(offset).map_or(0, |i| counts[i]);
            workgroup_barrier();
            counts[lane] += before;
            workgroup_barrier();
            offset <<= 1;
        }

        if lane == BLOCK - 1 {
            *start = kept_len.fetch_add(counts[lane], Ordering::Relaxed);
        }
        workgroup_barrier();
        if let Some(sample) = sample {
            kept[(*start + counts[lane] - 1) as usize] = sample;
        }
    }

    /// Counts the odd values with a plain read and a plain write.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, values: &[u32], kept_len: &mut u32) {
        if values[id.x as usize] % 2 == 1 {
            let slot = *kept_len;
//                     ^^^^^^^^^ race: read/write on kept_len
            *kept_len = slot + 1;
//          ^^^^^^^^^ race: write/write on kept_len
//          ^^^^^^^^^ race: write/read on kept_len
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compact::{self, Sample};
    use crate::support::{below, clean, floats, numbers, racy};
    use hirace::Launch;

    #[test]
    fn what_is_valid_is_kept() {
        let samples: Vec<Sample> = below(4, 150, 180)
            .into_iter()
            .zip(floats(150, 181))
            .map(|(sensor, value)| Sample { sensor, value })
            .collect();
        let launch = Launch::new().workgroups(3).buffer("samples", &samples);
        let launch = launch.zeros("kept", 150).buffer("kept_len", &0u32);
        let run = clean(&compact::clean::kernel(), launch);
        let valid = |s: &&Sample| s.sensor != 0 && s.value >= -0.5 && s.value < 0.5;
        let mut blocks: Vec<Vec<Sample>> =
            samples.chunks(64).map(|block| block.iter().filter(valid).copied().collect()).collect();
        let kept = run.read::<Sample>("kept");
        let mut kept = &kept[..run.one::<u32>("kept_len") as usize];
        while !kept.is_empty() {
            let next = blocks.iter().position(|block| !block.is_empty() && kept.starts_with(block));
            let block = blocks.remove(next.expect("a block in its order"));
            kept = &kept[block.len()..];
        }
        assert!(blocks.iter().all(Vec::is_empty));
    }

    #[test]
    fn counting_without_an_atomic_races() {
        let launch = Launch::new().workgroups(2).buffer("values", &numbers(128, 182));
        let launch = launch.buffer("kept_len", &0u32);
        racy(&compact::racy::kernel(), launch, include_str!("compact.rs"));
    }
}
