//! Waves on water, several steps in one dispatch: storage buffers and textures with their barriers.

/// One workgroup computes all of the water.
#[hirace::monitor]
pub mod wave {
    use hirace::prelude::*;

    /// Height of a point, now and one step before.
    #[derive(Clone, Copy)]
    pub struct Water {
        /// Current height.
        pub height: f32,
        /// Height one step before.
        pub before: f32,
    }

    /// Returns the next height of a point.
    fn swing(left: f32, own: Water, right: f32) -> f32 {
        2.0 * own.height - own.before + 0.25 * (left - 2.0 * own.height + right)
    }

    /// Orders the buffer with `storage_barrier()`, after all have read and after all have written.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] steps: u32,
        water: &mut [Water; 32],
    ) {
        for _ in 0..steps {
            let left = water[(lane + 31) % 32].height;
            let right = water[(lane + 1) % 32].height;
            let own = water[lane];
            storage_barrier();
            water[lane] = Water { height: swing(left, own, right), before: own.height };
            storage_barrier();
        }
    }

    /// Uses `workgroup_barrier()`, which orders workgroup memory but not the buffer in storage memory.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] steps: u32,
        water: &mut [Water; 32],
    ) {
        for _ in 0..steps {
            let left = water[(lane + 31) % 32].height;
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on water[..].height
            let right = water[(lane + 1) % 32].height;
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on water[..].height
            let own = water[lane];
            workgroup_barrier();
            water[lane] = Water { height: swing(left, own, right), before: own.height };
//          ^^^^^^^^^^^ race: write/read on water[..].height
            workgroup_barrier();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wave::{self, Water};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;

    const STEPS: u32 = 3;

    fn water() -> Vec<Water> {
        let random = floats(64, 31);
        random.chunks(2).map(|w| Water { height: w[0], before: w[1] }).collect()
    }

    fn launch(water: &[Water]) -> Launch {
        Launch::new().workgroups(1).buffer("steps", &STEPS).buffer("water", water)
    }

    #[test]
    fn waves_go_both_ways() {
        let mut water = water();
        let run = clean(&wave::clean::kernel(), launch(&water));
        for _ in 0..STEPS {
            let height = |i: usize| water[i % 32].height;
            let next = |i: usize| {
                let Water { height: own, before } = water[i];
                let pull = height(i + 31) - 2.0 * own + height(i + 1);
                Water { height: 2.0 * own - before + 0.25 * pull, before: own }
            };
            water = (0..32).map(next).collect();
        }
        assert_close(&scalars(&run.read::<Water>("water")), &scalars(&water), 1e-5);
    }

    #[test]
    fn a_barrier_of_workgroup_memory_does_not_order_a_buffer() {
        racy(&wave::racy::kernel(), launch(&water()), include_str!("wave.rs"));
    }
}
