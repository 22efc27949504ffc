//! A stencil in one dimension: one step of the heat equation on a rod.

/// One invocation per point.
#[hirace::monitor]
pub mod heat {
    use hirace::prelude::*;

    /// The parameters of the rod.
    pub struct Rod {
        /// Rate of heat flow, at most 0.5.
        pub rate: f32,
        /// Fixed temperatures of the two ends.
        pub ends: Vec2,
    }

    /// Computes a step into another buffer.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] rod: &Rod,
        now: &[f32],
        next: &mut [f32],
    ) {
        let i = id.x;
        let left = if i == 0 { rod.ends.x } else { now[i - 1] };
        let right = if i + 1 < now.len() { now[i + 1] } else { rod.ends.y };
        next[i] = now[i] + rod.rate * (left - 2.0 * now[i] + right);
    }

    /// Works in place, with a barrier between reading and writing. The barrier orders the accesses of one
    /// workgroup, but not those of the neighbors at its ends.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] rod: &Rod,
        next: &mut [f32],
    ) {
        let i = id.x;
        let left = if i == 0 { rod.ends.x } else { next[i - 1] };
//                                                 ^^^^^^^^^^^ race: read/write on next[..]
        let right = if i + 1 < next.len() { next[i + 1] } else { rod.ends.y };
//                                          ^^^^^^^^^^^ race: read/write on next[..]
        let own = next[i];
        storage_barrier();
        next[i] = own + rod.rate * (left - 2.0 * own + right);
//      ^^^^^^^ race: write/read on next[..]
    }
}

#[cfg(test)]
mod tests {
    use super::heat::{self, Rod};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    const ROD: Rod = Rod { rate: 0.25, ends: Vec2::new(1.0, -1.0) };

    #[test]
    fn heat_flows_to_colder_neighbors() {
        let now = floats(96, 12);
        let launch = Launch::new()
            .workgroups(3)
            .buffer("rod", &ROD)
            .buffer("now", &now)
            .buffer("next", &[0f32; 96]);
        let run = clean(&heat::clean::kernel(), launch);
        let at = |i: usize| now.get(i).copied();
        let expected: Vec<f32> = (0..96usize)
            .map(|i| {
                let left = i.checked_sub(1).and_then(at).unwrap_or(1.0);
                let right = at(i + 1).unwrap_or(-1.0);
                now[i] + 0.25 * (left - 2.0 * now[i] + right)
            })
            .collect();
        assert_close(&run.read::<f32>("next"), &expected, 1e-6);
    }

    #[test]
    fn in_place_workgroups_race_at_their_ends() {
        let launch =
            Launch::new().workgroups(3).buffer("rod", &ROD).buffer("next", &floats(96, 12));
        racy(&heat::racy::kernel(), launch, include_str!("heat.rs"));
    }
}
