//! One step of bodies that attract each other.

/// All pairs of bodies.
#[hirace::monitor]
pub mod nbody_step {
    use hirace::prelude::*;

    const SOFTENING: f32 = 0.01;

    /// A body.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Body {
        /// Position.
        pub position: Vec3,
        /// Mass.
        pub mass: f32,
        /// Velocity.
        pub velocity: Vec3,
    }

    impl Body {
        fn pull_of(&self, other: &Body) -> Vec3 {
            let towards = other.position - self.position;
            let distance_squared = towards.length_squared() + SOFTENING;
            towards * (other.mass / (distance_squared * distance_squared.sqrt()))
        }

        fn moved(self, acceleration: Vec3, dt: f32) -> Self {
            let velocity = self.velocity + acceleration * dt;
            Self { velocity, position: self.position + velocity * dt, ..self }
        }
    }

    /// Computes a step into another buffer.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] dt: f32,
        bodies: &[Body],
        next: &mut [Body],
    ) {
        let i = id.x as usize;
        let Some(&body) = bodies.get(i) else { return };
        let acceleration = bodies
            .iter()
            .enumerate()
            .filter(|&(j, _)| j != i)
            .map(|(_, other)| body.pull_of(other))
            .fold(Vec3::ZERO, |sum, pull| sum + pull);
        next[i] = body.moved(acceleration, dt);
    }

    /// Moves bodies on a line, in place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] dt: f32,
        positions: &mut [f32],
    ) {
        let i = id.x as usize;
        if i >= positions.len() {
            return;
        }
        let mut drift = 0.0;
        for j in (0..positions.len()).filter(|&j| j != i) {
            drift += positions[j];
//                   ^^^^^^^^^^^^ race: read/write on positions[..]
        }
        positions[i] -= dt * drift;
//      ^^^^^^^^^^^^ race: write/read on positions[..]
    }
}

#[cfg(test)]
mod tests {
    use super::nbody_step::{self, Body};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn bodies_fall_towards_each_other() {
        let random = floats(7 * 70, 10);
        let body = |f: &[f32]| Body {
            position: Vec3::new(f[0], f[1], f[2]),
            mass: f[3].abs(),
            velocity: Vec3::new(f[4], f[5], f[6]),
        };
        let bodies: Vec<Body> = random.chunks(7).map(body).collect();
        let launch = Launch::new().workgroups(2).buffer("dt", &0.01f32);
        let launch = launch.buffer("bodies", &bodies).zeros("next", bodies.len());
        let run = clean(&nbody_step::clean::kernel(), launch);
        let mut expected = bodies.clone();
        for (i, body) in expected.iter_mut().enumerate() {
            for (j, other) in bodies.iter().enumerate() {
                if i != j {
                    let d = other.position - bodies[i].position;
                    body.velocity += d * 0.01 * other.mass / (d.length_squared() + 0.01).powf(1.5);
                }
            }
            body.position += body.velocity * 0.01;
        }
        assert_close(&scalars(&run.read::<Body>("next")), &scalars(&expected), 1e-3);
    }

    #[test]
    fn moving_in_place_races() {
        let launch = Launch::new().workgroups(2).buffer("dt", &0.01f32);
        let launch = launch.buffer("positions", &floats(128, 11));
        racy(&nbody_step::racy::kernel(), launch, include_str!("nbody_step.rs"));
    }
}
