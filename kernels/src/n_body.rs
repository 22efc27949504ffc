//! One step of bodies that attract each other, with tiles of bodies in workgroup memory.

/// Each invocation moves one body.
#[hirace::monitor]
pub mod n_body {
    use hirace::prelude::*;

    const TILE: usize = 16;

    /// A body.
    #[derive(Clone, Copy)]
    pub struct Body {
        /// Position, and mass as the fourth component.
        pub place: Vec4,
        /// Distance per unit of time.
        pub velocity: Vec3,
    }

    /// Returns the acceleration at `place` that the bodies of a tile cause.
    fn pull(tile: &mut [Vec4; TILE], place: Vec3) -> Vec3 {
        let mut acceleration = Vec3::ZERO;
        for i in 0..TILE as u32 {
            let away = tile[i].xyz() - place;
            let distance = dot(away, away) + 0.01;
            acceleration += away * (tile[i].w * inverse_sqrt(distance * distance * distance));
        }
        acceleration
    }

    /// Processes tile after tile, with a barrier before and after each use.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(num_workgroups)] groups: UVec3,
        #[uniform] step: f32,
        now: &[Body],
        next: &mut [Body],
        #[workgroup] tile: &mut [Vec4; TILE],
    ) {
        let mut body = now[id.x];
        let mut acceleration = Vec3::ZERO;
        for block in 0..groups.x {
            tile[lane] = now[block * TILE as u32 + lane].place;
            workgroup_barrier();
            acceleration += pull(tile, body.place.xyz());
            workgroup_barrier();
        }
        body.velocity += acceleration * step;
        body.place = (body.place.xyz() + body.velocity * step).extend(body.place.w);
        next[id.x] = body;
    }

    /// Moves bodies in place, while other workgroups still read their positions.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(num_workgroups)] groups: UVec3,
        #[uniform] step: f32,
        next: &mut [Body],
        #[workgroup] tile: &mut [Vec4; TILE],
    ) {
        let mut body = next[id.x];
        let mut acceleration = Vec3::ZERO;
        for block in 0..groups.x {
            tile[lane] = next[block * TILE as u32 + lane].place;
//                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on next[..].place.x
            workgroup_barrier();
            acceleration += pull(tile, body.place.xyz());
            workgroup_barrier();
        }
        body.velocity += acceleration * step;
        body.place = (body.place.xyz() + body.velocity * step).extend(body.place.w);
        next[id.x] = body;
//      ^^^^^^^^^^ race: write/read on next[..].place.x
    }
}

#[cfg(test)]
mod tests {
    use super::n_body::{self, Body};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::{Vec3, Vec4};

    const BODIES: usize = 48;

    fn bodies() -> Vec<Body> {
        let body = |b: &[f32]| Body {
            place: Vec4::new(b[0], b[1], b[2], b[3].abs()),
            velocity: Vec3::new(b[4], b[5], b[6]),
        };
        floats(BODIES * 7, 23).chunks(7).map(body).collect()
    }

    fn moved(body: &Body, bodies: &[Body]) -> Body {
        let mut pull = Vec3::ZERO;
        for other in bodies {
            let away = other.place.truncate() - body.place.truncate();
            let squared = away.length_squared() + 0.01;
            pull += away * other.place.w / (squared * squared.sqrt());
        }
        let velocity = body.velocity + pull * 0.125;
        Body { place: body.place + (velocity * 0.125).extend(0.0), velocity }
    }

    #[test]
    fn all_bodies_pull_at_each() {
        let bodies = bodies();
        let launch = Launch::new()
            .workgroups(3)
            .buffer("step", &0.125f32)
            .buffer("now", &bodies)
            .buffer("next", &bodies);
        let run = clean(&n_body::clean::kernel(), launch);
        let expected: Vec<Body> = bodies.iter().map(|body| moved(body, &bodies)).collect();
        assert_close(&scalars(&run.read::<Body>("next")), &scalars(&expected), 1e-4);
    }

    #[test]
    fn bodies_must_not_move_while_others_look() {
        let launch =
            Launch::new().workgroups(3).buffer("step", &0.125f32).buffer("next", &bodies());
        racy(&n_body::racy::kernel(), launch, include_str!("n_body.rs"));
    }
}
