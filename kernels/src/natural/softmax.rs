//! Softmax of each row.

/// One workgroup per row.
#[hirace::monitor]
pub mod softmax {
    use hirace::prelude::*;

    const LANES: usize = 64;

    fn reduce<F: Fn(f32, f32) -> f32>(
        tile: &mut [f32; LANES],
        lane: usize,
        own: f32,
        combine: F,
    ) -> f32 {
        tile[lane] = own;
        workgroup_barrier();
        let mut half = LANES / 2;
        while half != 0 {
            if lane < half {
                tile[lane] = combine(tile[lane], tile[lane + half]);
            }
            workgroup_barrier();
            half >>= 1;
        }
        let result = tile[0];
        workgroup_barrier();
        result
    }

    /// Computes rows of any length.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] columns: u32,
        logits: &[f32],
        shares: &mut [f32],
        #[workgroup] tile: &mut [f32; LANES],
    ) {
        let (lane, columns) = (lane as usize, columns as usize);
        let start = group.x as usize * columns;
        let row = &logits[start..start + columns];
        let mine = (lane..columns).step_by(LANES);

        let largest = mine.clone().map(|i| row[i]).fold(f32::NEG_INFINITY, f32::max);
        let largest = reduce(tile, lane, largest, f32::max);
        let total: f32 = mine.clone().map(|i| (row[i] - largest).exp()).sum();
        let total = reduce(tile, lane, total, |a, b| a + b);
        for i in mine {
            shares[start + i] = (row[i] - largest).exp() / total;
        }
    }

    /// Computes the sum before the whole tile is written.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        logits: &[f32],
        shares: &mut [f32],
        #[workgroup] tile: &mut [f32; LANES],
    ) {
        let lane = lane as usize;
        let mut largest = logits[0];
        for i in 1..LANES {
            largest = largest.max(logits[i]);
        }
        tile[lane] = (logits[lane] - largest).exp();
//      ^^^^^^^^^^ race: write/read on tile[..]
        let mut total = 0.0;
        for i in 0..LANES {
            total += tile[i];
//                   ^^^^^^^ race: read/write on tile[..]
        }
        workgroup_barrier();
        shares[lane] = tile[lane] / total;
    }
}

#[cfg(test)]
mod tests {
    use super::softmax;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    #[test]
    fn shares_sum_up_to_one() {
        let logits: Vec<f32> = floats(300, 350).iter().map(|f| f * 5.0).collect();
        let launch = Launch::new().workgroups(3).buffer("columns", &100u32);
        let launch = launch.buffer("logits", &logits).zeros("shares", 300);
        let run = clean(&softmax::clean::kernel(), launch);
        let mut expected = Vec::new();
        for row in logits.chunks(100) {
            let total: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
            expected.extend(row.iter().map(|x| (f64::from(*x).exp() / total) as f32));
        }
        assert_close(&run.read::<f32>("shares"), &expected, 1e-4);
    }

    #[test]
    fn a_sum_without_a_barrier_races() {
        let launch = Launch::new().workgroups(1).buffer("logits", &floats(64, 351));
        let launch = launch.zeros("shares", 64);
        racy(&softmax::racy::kernel(), launch, include_str!("softmax.rs"));
    }
}
