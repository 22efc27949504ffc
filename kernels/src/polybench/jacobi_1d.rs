//! `jacobi-1d` of PolyBench: repeated means of three neighbors.

/// Alternates between two buffers. The ends do not change.
#[hirace::monitor]
pub mod jacobi_1d {
    use hirace::prelude::*;

    /// Returns the mean of a point and its neighbors.
    fn mean(line: &[f32], i: u32) -> f32 {
        if i == 0 || i + 1 == line.len() {
            return line[i];
        }
        (line[i - 1] + line[i] + line[i + 1]) / 3.0
    }

    /// Computes odd steps.
    #[kernel(workgroup_size(32))]
    pub fn forth(#[builtin(global_invocation_id)] id: UVec3, a: &mut [f32], b: &mut [f32]) {
        if id.x < a.len() {
            b[id.x] = mean(a, id.x);
        }
    }

    /// Computes even steps.
    #[kernel(workgroup_size(32))]
    pub fn back(#[builtin(global_invocation_id)] id: UVec3, a: &mut [f32], b: &mut [f32]) {
        if id.x < a.len() {
            a[id.x] = mean(b, id.x);
        }
    }

    /// Computes all steps in one dispatch of one workgroup: a barrier separates the two halves of an iteration, but
    /// nothing separates the iterations.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] rounds: u32,
        a: &mut [f32],
        b: &mut [f32],
    ) {
        for _ in 0..rounds {
            for i in (lane + 1..a.len() - 1).step_by(32) {
                b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
//              ^^^^ race: write/read on b[..]
//                      ^^^^^^^^ race: read/write on a[..]
            }
            storage_barrier();
            for i in (lane + 1..b.len() - 1).step_by(32) {
                a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3.0;
//              ^^^^ race: write/read on a[..]
//                      ^^^^^^^^ race: read/write on b[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::jacobi_1d;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn launch(a: &[f32]) -> Launch {
        Launch::new().buffer("a", a).zeros("b", a.len())
    }

    fn stepped(now: &[f32]) -> Vec<f32> {
        let last = now.len() - 1;
        let point = |i: usize| match i {
            0 => now[0],
            i if i == last => now[last],
            i => (now[i - 1] + now[i] + now[i + 1]) / 3.0,
        };
        (0..now.len()).map(point).collect()
    }

    fn holds(points: usize, rounds: usize) {
        let a = floats(points, 130);
        let groups = points.div_ceil(32) as u32;
        let round = |launch: Launch, _| launch.dispatch("forth", groups).dispatch("back", groups);
        let run = clean(&jacobi_1d::forth::kernel(), (0..rounds).fold(launch(&a), round));
        let expected = (0..2 * rounds).fold(a, |now, _| stepped(&now));
        assert_close(&run.read::<f32>("a"), &expected, 1e-5);
    }

    #[test]
    fn points_become_means() {
        holds(96, 4);
    }

    #[test]
    fn lines_need_not_fill_workgroups() {
        holds(45, 2);
        holds(3, 3);
    }

    #[test]
    fn a_line_that_is_all_ends_stays() {
        holds(2, 1);
        holds(1, 1);
    }

    #[test]
    fn rounds_need_a_barrier_between_them() {
        let launch = launch(&floats(64, 130)).buffer("rounds", &2u32).workgroups(1);
        racy(&jacobi_1d::racy::kernel(), launch, include_str!("jacobi_1d.rs"));
    }
}
