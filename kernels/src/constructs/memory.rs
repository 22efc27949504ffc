//! Address spaces: storage, uniform, workgroup and private memory, and nested structs and arrays.

/// A scene of groups of lights.
#[hirace::monitor]
pub mod memory {
    use hirace::prelude::*;

    const LIGHTS: usize = 3;

    /// A light.
    #[derive(Clone, Copy)]
    pub struct Light {
        /// Color of the light.
        pub color: Vec3,
        /// Intensity of the light.
        pub power: f32,
    }

    /// Lights that are switched together.
    #[derive(Clone, Copy)]
    pub struct Group {
        /// The lights.
        pub lights: [Light; LIGHTS],
        /// Whether the lights are on.
        pub on: u32,
        /// A gain, aligned to 64 bytes.
        #[align(64)]
        pub gain: f32,
    }

    /// Values that are the same for all points.
    pub struct Scene {
        /// Factor that dims everything.
        pub exposure: f32,
        /// Number of points.
        #[size(16)]
        pub points: u32,
        /// Factors: point `i` uses factor `i % 4`.
        pub factors: [Vec4; 4],
    }

    /// A header, and as many groups as the buffer holds.
    pub struct Groups {
        /// Ambient light, added to every point.
        pub ambient: Vec3,
        /// The groups.
        pub all: [Group],
    }

    /// Counts in private memory which groups affected a point.
    fn remember(seen: &mut [u32; 4], group: u32) {
        seen[group % 4] += 1;
    }

    fn seen_most(seen: &mut [u32; 4]) -> u32 {
        let mut most = 0;
        for i in 1..4 {
            if seen[i] > seen[most] {
                most = i;
            }
        }
        most
    }

    /// Each invocation lights one point and keeps its contributions in private memory.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] scene: &Scene,
        groups: &Groups,
        points: &mut [Vec4],
        #[workgroup] gains: &mut [Vec2; 16],
        #[private] seen: &mut [u32; 4],
        #[private] light: &mut Vec3,
    ) {
        if lane < groups.all.len() {
            gains[lane] = vec2(groups.all[lane].on as f32, groups.all[lane].gain);
        }
        workgroup_barrier();
        *light = groups.ambient;
        for g in 0..groups.all.len() {
            let group = groups.all[g];
            if gains[g].x == 0.0 {
                continue;
            }
            for l in 0..LIGHTS as u32 {
                *light += group.lights[l].color * group.lights[l].power * gains[g].y;
            }
            remember(seen, g);
        }
        if id.x < scene.points {
            let factor = scene.factors[id.x % 4].x * scene.exposure;
            points[id.x] = (*light * factor).extend(seen_most(seen) as f32);
        }
    }

    /// Bindings without explicit numbers are numbered in the order of the parameters.
    #[kernel(workgroup_size(16))]
    pub fn bound(
        #[builtin(global_invocation_id)] id: UVec3,
        #[binding(2, 5)] numbers: &[f32],
        #[binding(1, 0)] doubled: &mut [f32],
    ) {
        doubled[id.x] = 2.0 * numbers[id.x];
    }

    /// Uses workgroup memory where `clean` uses private memory.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] scene: &Scene,
        points: &mut [Vec4],
        #[workgroup] sum: &mut Vec4,
    ) {
        *sum = scene.factors[id.x % 4];
//      ^^^^ race: write/read on sum.x
//      ^^^^ race: write/write on sum.x
        points[id.x] = *sum * scene.exposure;
//                     ^^^^ race: read/write on sum.x
    }
}

#[cfg(test)]
mod tests {
    use super::memory::{self, Group, Light, Scene};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::{Vec3, Vec4};

    /// Returns five groups, of which those in `off` are switched off.
    fn groups(off: &[usize]) -> Vec<Group> {
        let light = |l: &[f32]| Light { color: Vec3::new(l[0], l[1], l[2]), power: l[3].abs() };
        let lights: Vec<Light> = floats(60, 45).chunks(4).map(light).collect();
        let groups = lights.chunks(3).zip(0..);
        groups
            .map(|(lights, i)| Group {
                lights: lights.try_into().unwrap(),
                on: u32::from(!off.contains(&i)),
                gain: 0.5 + i as f32,
            })
            .collect()
    }

    fn launch() -> Launch {
        let factors = [1.0, 0.5, 2.0, -1.0].map(Vec4::splat);
        Launch::new()
            .workgroups(2)
            .buffer("scene", &Scene { exposure: 0.75, points: 20, factors })
            .buffer("points", &[Vec4::ZERO; 32])
    }

    /// Checks the results; `most` is the group, modulo four, that every point has seen most often.
    fn holds(off: &[usize], most: f32) {
        let ambient = Vec3::new(0.125, 0.25, 0.5);
        let groups = groups(off);
        let launch = launch().buffer("groups", &(ambient, groups.clone()));
        let run = clean(&memory::clean::kernel(), launch);
        let lit: Vec3 = groups
            .iter()
            .filter(|group| group.on == 1)
            .flat_map(|group| group.lights.map(|light| light.color * light.power * group.gain))
            .sum();
        let point = |i: usize| match i {
            0..20 => {
                let [x, y, z] = ((ambient + lit) * 0.75 * [1.0, 0.5, 2.0, -1.0][i % 4]).to_array();
                Vec4::new(x, y, z, most)
            }
            _ => Vec4::ZERO,
        };
        let expected: Vec<Vec4> = (0..32).map(point).collect();
        assert_close(&scalars(&run.read::<Vec4>("points")), &scalars(&expected), 1e-5);
    }

    #[test]
    fn every_kind_of_memory_holds_what_is_put_there() {
        // Groups 0, 1, 3 and 4 are on: counted modulo 4, the first is seen twice.
        holds(&[2], 0.0);
    }

    #[test]
    fn private_memory_tells_which_group_was_seen() {
        // Only group 3, and group 1 before it.
        holds(&[0, 1, 2, 4], 3.0);
        holds(&[0, 2, 4], 1.0);
    }

    #[test]
    fn what_was_private_must_not_be_shared() {
        racy(&memory::racy::kernel(), launch(), include_str!("memory.rs"));
    }

    #[test]
    fn bindings_are_where_they_are_said_to_be() {
        let kernel = memory::bound::kernel();
        let binding = |name: &str| {
            let found = kernel.bindings().iter().find(|binding| binding.name == name).unwrap();
            (found.group, found.binding)
        };
        assert_eq!((binding("numbers"), binding("doubled")), ((2, 5), (1, 0)));
        let numbers = floats(32, 60);
        let launch =
            Launch::new().workgroups(2).buffer("numbers", &numbers).buffer("doubled", &[0f32; 32]);
        let run = clean(&kernel, launch);
        let doubled: Vec<f32> = numbers.iter().map(|n| 2.0 * n).collect();
        assert_eq!(run.read::<f32>("doubled"), doubled);
    }
}
