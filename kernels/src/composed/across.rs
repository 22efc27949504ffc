//! Kernels that use items of another crate.

use hirace::prelude::*;
use hirace_kernels_shared::mixing::{noise, tally};
use hirace_kernels_shared::shapes::discs;
use hirace_kernels_shared::steps::Step;

/// Each invocation throws a dart at the targets.
#[hirace::monitor(workgroup_size(16))]
pub fn darts(
    #[builtin(global_invocation_id)] id: UVec3,
    targets: &[discs::Disc; discs::COUNT],
    hits: &mut [u32],
) {
    let point = vec2(noise(2 * id.x), noise(2 * id.x + 1));
    for i in 0..discs::COUNT as u32 {
        if discs::holds(targets[i], point) {
            hits[id.x] += 1 << i;
        }
    }
}

/// Takes two steps from each position, through stand-alone `impl` blocks of another crate.
#[hirace::monitor(workgroup_size(16))]
pub fn walks(#[builtin(global_invocation_id)] id: UVec3, ends: &mut [Step]) {
    let start = Step { x: id.x as i32, y: 0 };
    ends[id.x] = start + Step::random(id.x) + Step::random(id.x + 1);
}

/// Calls a function of another crate that races.
#[hirace::monitor(workgroup_size(16))]
pub fn racy(#[builtin(global_invocation_id)] id: UVec3, counts: &mut [u32]) {
    tally(counts, hirace_kernels_shared::hashed(id.x) % 2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::clean;
    use hirace::{Launch, Verdict};

    #[test]
    fn what_stands_in_another_crate_comes_along_with_what_it_needs() {
        let disc = |x, y, radius| discs::Disc { center: vec2(x, y), radius };
        let targets =
            [disc(0.0, 0.0, 1.0), disc(0.5, 0.5, 0.5), disc(1.0, 0.0, 0.3), disc(0.2, 0.9, 0.1)];
        let launch = Launch::new().workgroups(4).buffer("targets", &targets).zeros("hits", 64);
        let run = clean(&darts::kernel(), launch);
        let of = |x: u32| {
            let half = |x: u32| (x ^ (x >> 15)).wrapping_mul(0x9e37_79b1);
            let scramble = |x: u32| half(half(x).wrapping_add(0x9e37_79b1));
            let noise = |x: u32| f32::from_bits(0x3f80_0000 | scramble(x) >> 9) - 1.0;
            let away = |disc: &discs::Disc| vec2(noise(2 * x), noise(2 * x + 1)) - disc.center;
            let hit = |disc: &discs::Disc| away(disc).length_squared() <= disc.radius * disc.radius;
            (0..).zip(&targets).map(|(i, disc)| u32::from(hit(disc)) << i).sum::<u32>()
        };
        assert_eq!(run.read::<u32>("hits"), (0..64).map(of).collect::<Vec<u32>>());
    }

    #[test]
    fn impls_of_another_crate_come_along() {
        let start = Step { x: 0, y: 0 };
        let launch = Launch::new().workgroups(1).buffer("ends", &[start; 16]);
        let run = clean(&walks::kernel(), launch);
        let end = |x: u32| Step { x: x as i32, y: 0 } + Step::random(x) + Step::random(x + 1);
        assert_eq!(run.read::<Step>("ends"), (0..16).map(end).collect::<Vec<_>>());
    }

    #[test]
    fn a_race_in_another_crate_is_reported_there() {
        let checked = hirace::check(&racy::kernel(), Launch::new().zeros("counts", 2)).unwrap();
        assert_eq!(checked.verdict(), Verdict::Findings);
        let finding = checked.findings().next().unwrap();
        let text = include_str!("../../shared/src/mixing.rs");
        let line = text.lines().position(|line| line.contains("counts[at] += 1")).unwrap() + 1;
        for access in &finding.accesses {
            assert!(access.file.ends_with("mixing.rs"), "{}", access.file);
            assert_eq!(access.line as usize, line);
        }
    }
}
