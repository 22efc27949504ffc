//! One step of a cloth of masses and springs.

/// Verlet integration; the upper edge is fixed.
#[hirace::monitor]
pub mod cloth {
    use hirace::prelude::*;

    const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

    /// Parameters of the cloth.
    #[derive(Clone, Copy, Debug)]
    pub struct Cloth {
        /// Number of masses per row.
        pub width: u32,
        /// Number of rows.
        pub height: u32,
        /// Rest length of a spring.
        pub rest: f32,
        /// Force per unit of length.
        pub stiffness: f32,
        /// Time step in seconds.
        pub dt: f32,
    }

    /// Direction of a spring, and its rest length.
    struct Spring(i32, i32, f32);

    const DIAGONAL: f32 = std::f32::consts::SQRT_2;
    const SPRINGS: [Spring; 8] = [
        Spring(1, 0, 1.0),
        Spring(-1, 0, 1.0),
        Spring(0, 1, 1.0),
        Spring(0, -1, 1.0),
        Spring(1, 1, DIAGONAL),
        Spring(1, -1, DIAGONAL),
        Spring(-1, 1, DIAGONAL),
        Spring(-1, -1, DIAGONAL),
    ];

    impl Cloth {
        fn mass_at(&self, x: i32, y: i32) -> Option<usize> {
            let x = u32::try_from(x).ok().filter(|&x| x < self.width)?;
            let y = u32::try_from(y).ok().filter(|&y| y < self.height)?;
            Some((y * self.width + x) as usize)
        }
    }

    fn pull(from: Vec3, to: Vec3, rest: f32, stiffness: f32) -> Vec3 {
        let offset = to - from;
        match offset.length() {
            0.0 => Vec3::ZERO,
            length => offset * (stiffness * (length - rest) / length),
        }
    }

    /// Computes new positions from the previous and the current ones.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] cloth: Cloth,
        before: &[Vec3],
        now: &[Vec3],
        after: &mut [Vec3],
    ) {
        let (x, y) = (id.x as i32, id.y as i32);
        let Some(here) = cloth.mass_at(x, y) else { return };
        let position = now[here];
        if y == 0 {
            after[here] = position;
            return;
        }
        let mut force = GRAVITY;
        for Spring(dx, dy, length) in &SPRINGS {
            if let Some(other) = cloth.mass_at(x + dx, y + dy) {
                force += pull(position, now[other], length * cloth.rest, cloth.stiffness);
            }
        }
        after[here] = 2.0 * position - before[here] + force * cloth.dt.powi(2);
    }

    /// Updates only heights, in place: each mass reads the one above it.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] cloth: Cloth,
        heights: &mut [f32],
    ) {
        let i = id.x as usize;
        let width = cloth.width as usize;
        if i < width || i >= heights.len() {
            return;
        }
        let above = heights[i - width];
//                  ^^^^^^^^^^^^^^^^^^ race: read/write on heights[..]
        heights[i] = above - cloth.rest;
//      ^^^^^^^^^^ race: write/read on heights[..]
    }
}

#[cfg(test)]
mod tests {
    use super::cloth::{self, Cloth};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::*;

    const CLOTH: Cloth = Cloth { width: 10, height: 9, rest: 1.0, stiffness: 4.0, dt: 0.1 };

    #[test]
    fn masses_are_pulled() {
        let random = floats(6 * 90, 270);
        let at = |i: usize, k: usize| {
            let base = Vec3::new((i % 10) as f32, -((i / 10) as f32), 0.0);
            base + Vec3::from_slice(&random[i * 6 + k..]) * 0.2
        };
        let before: Vec<Vec3> = (0..90).map(|i| at(i, 0)).collect();
        let now: Vec<Vec3> = (0..90).map(|i| at(i, 3)).collect();
        let launch = Launch::new().workgroups([2, 2]).buffer("cloth", &CLOTH);
        let launch = launch.buffer("before", &before).buffer("now", &now).zeros("after", 90);
        let run = clean(&cloth::clean::kernel(), launch);
        let mut expected = now.clone();
        for i in 10..90usize {
            let mut force = Vec3::new(0.0, -9.81, 0.0);
            for j in 0..90usize {
                let (dx, dy) = ((i % 10).abs_diff(j % 10), (i / 10).abs_diff(j / 10));
                if i != j && dx <= 1 && dy <= 1 {
                    let rest = ((dx + dy) as f32).sqrt();
                    let distance = now[i].distance(now[j]);
                    force += (now[j] - now[i]) / distance * 4.0 * (distance - rest);
                }
            }
            expected[i] = now[i] + (now[i] - before[i]) + force * 0.01;
        }
        assert_close(&scalars(&run.read::<Vec3>("after")), &scalars(&expected), 1e-3);
    }

    #[test]
    fn heights_in_place_race() {
        let launch = Launch::new().workgroups(2).buffer("cloth", &CLOTH);
        let launch = launch.buffer("heights", &floats(128, 271));
        racy(&cloth::racy::kernel(), launch, include_str!("cloth.rs"));
    }
}
