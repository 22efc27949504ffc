//! `mri-q` of Parboil: the matrix Q of a magnetic resonance image, from the positions of its samples in k-space.

/// Computes magnitudes of samples first, then the sums over all samples for each voxel.
#[hirace::monitor]
pub mod mri_q {
    use hirace::prelude::*;

    const TILE: usize = 32;
    const TAU: f32 = 6.283_185_5;

    /// First dispatch: stores the magnitude of each sample with its position.
    #[kernel(workgroup_size(TILE))]
    pub fn magnitudes(
        #[builtin(global_invocation_id)] id: UVec3,
        phases: &[Vec2],
        samples: &mut [Vec4],
    ) {
        if id.x < phases.len() {
            samples[id.x].w = dot(phases[id.x], phases[id.x]);
        }
    }

    /// Returns the contribution of `count` samples of a tile to a voxel.
    fn part(tile: &mut [Vec4; TILE], count: u32, voxel: Vec3) -> Vec2 {
        let mut sum = Vec2::ZERO;
        for i in 0..count {
            let angle = TAU * dot(tile[i].xyz(), voxel);
            sum += vec2(cos(angle), sin(angle)) * tile[i].w;
        }
        sum
    }

    /// Second dispatch: sums over tiles of samples, with one invocation per voxel.
    #[kernel(workgroup_size(TILE))]
    pub fn sums(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        samples: &mut [Vec4],
        voxels: &[Vec3],
        q: &mut [Vec2],
        #[workgroup] tile: &mut [Vec4; TILE],
    ) {
        let voxel = if id.x < voxels.len() { voxels[id.x] } else { Vec3::ZERO };
        let mut sum = Vec2::ZERO;
        for start in (0..samples.len()).step_by(TILE as u32) {
            if start + lane < samples.len() {
                tile[lane] = samples[start + lane];
            }
            workgroup_barrier();
            sum += part(tile, min(TILE as u32, samples.len() - start), voxel);
            workgroup_barrier();
        }
        if id.x < voxels.len() {
            q[id.x] = sum;
        }
    }

    /// Lacks the first barrier of the loop: a tile is used before it is completely loaded.
    #[rustfmt::skip]
    #[kernel(workgroup_size(TILE))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        samples: &mut [Vec4],
        voxels: &[Vec3],
        q: &mut [Vec2],
        #[workgroup] tile: &mut [Vec4; TILE],
    ) {
        let mut sum = Vec2::ZERO;
        for start in (0..samples.len()).step_by(TILE as u32) {
            tile[lane] = samples[start + lane];
//          ^^^^^^^^^^ race: write/read on tile[..].x
            for i in 0..TILE as u32 {
                let sample = tile[i];
//                           ^^^^^^^ race: read/write on tile[..].x
                let angle = TAU * dot(sample.xyz(), voxels[id.x]);
                sum += vec2(cos(angle), sin(angle)) * sample.w;
            }
            workgroup_barrier();
        }
        q[id.x] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::mri_q;
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::{Vec2, Vec3, Vec4};

    fn launch(samples: usize, voxels: usize) -> (Launch, Vec<Vec2>) {
        let phases: Vec<Vec2> =
            floats(2 * samples, 48).chunks(2).map(|c| Vec2::new(c[0], c[1])).collect();
        let points = |count, seed| {
            let point = |c: &[f32]| Vec3::new(c[0], c[1], c[2]);
            floats(3 * count, seed).chunks(3).map(point).collect::<Vec<Vec3>>()
        };
        let (places, voxels) = (points(samples, 49), points(voxels, 50));
        let q = |voxel: &Vec3| {
            let (mut real, mut imaginary) = (0.0, 0.0);
            for (place, phase) in places.iter().zip(&phases) {
                let angle = std::f64::consts::TAU * f64::from(place.dot(*voxel));
                let magnitude = f64::from(phase.length_squared());
                real += magnitude * angle.cos();
                imaginary += magnitude * angle.sin();
            }
            Vec2::new(real as f32, imaginary as f32)
        };
        let launch = Launch::new()
            .buffer("phases", &phases)
            .buffer("samples", &places.iter().map(|p| p.extend(0.0)).collect::<Vec<Vec4>>())
            .buffer("voxels", &voxels)
            .zeros("q", voxels.len());
        (launch, voxels.iter().map(q).collect())
    }

    fn holds(samples: usize, voxels: usize) {
        let (launch, expected) = launch(samples, voxels);
        let launch = launch
            .dispatch("magnitudes", samples.div_ceil(32) as u32)
            .dispatch("sums", voxels.div_ceil(32) as u32);
        let run = clean(&mri_q::sums::kernel(), launch);
        assert_close(&scalars(&run.read::<Vec2>("q")), &scalars(&expected), 1e-4);
    }

    #[test]
    fn q_is_that_of_the_definition() {
        holds(64, 64);
    }

    #[test]
    fn the_last_tile_and_the_last_workgroup_need_not_be_full() {
        holds(75, 40);
        holds(1, 1);
    }

    #[test]
    fn a_tile_must_be_full_before_it_is_used() {
        let launch = launch(64, 32).0.workgroups(1);
        racy(&mri_q::racy::kernel(), launch, include_str!("mri_q.rs"));
    }
}
