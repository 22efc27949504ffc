//! Rotates points by quaternions.

/// One pose for each group of points.
#[hirace::monitor]
pub mod rotate_points {
    use hirace::prelude::*;
    use std::ops::{Mul, Neg};

    /// The quaternion `w + xi + yj + zk`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Quaternion {
        /// The real part.
        pub w: f32,
        /// The imaginary part.
        pub v: Vec3,
    }

    impl Quaternion {
        const IDENTITY: Self = Self { w: 1.0, v: Vec3::ZERO };

        fn about(axis: Vec3, angle: f32) -> Self {
            let Some(axis) = axis.try_normalize() else {
                return Self::IDENTITY;
            };
            let (sin, cos) = (angle / 2.0).sin_cos();
            Self { w: cos, v: axis * sin }
        }

        fn conjugate(self) -> Self {
            Self { v: -self.v, ..self }
        }

        fn rotate(self, point: Vec3) -> Vec3 {
            (self * Self { w: 0.0, v: point } * self.conjugate()).v
        }
    }

    impl Mul for Quaternion {
        type Output = Self;

        fn mul(self, rhs: Self) -> Self {
            Self {
                w: self.w * rhs.w - self.v.dot(rhs.v),
                v: self.w * rhs.v + rhs.w * self.v + self.v.cross(rhs.v),
            }
        }
    }

    impl Neg for Quaternion {
        type Output = Self;

        fn neg(self) -> Self {
            Self { w: -self.w, v: -self.v }
        }
    }

    /// Rotation and translation of a group of points.
    #[derive(Clone, Copy, Debug)]
    pub struct Pose {
        /// Axis of the rotation, of any length.
        pub axis: Vec3,
        /// Angle in radians.
        pub angle: f32,
        /// Translation, applied after the rotation.
        pub offset: Vec3,
    }

    /// Computes the rotation once per workgroup.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        poses: &[Pose],
        points: &mut [Vec3],
        #[workgroup] rotation: &mut Quaternion,
    ) {
        let Pose { axis, angle, offset } = poses[group.x as usize];
        if lane == 0 {
            let turn = Quaternion::about(axis, angle);
            // The same rotation, with a real part that is not negative.
            *rotation = if turn.w < 0.0 { -turn } else { turn };
        }
        workgroup_barrier();
        if let Some(point) = points.get_mut(id.x as usize) {
            *point = rotation.rotate(*point) + offset;
        }
    }

    /// Reads a shared value without a barrier after its computation.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        angles: &[f32],
        heights: &mut [f32],
        #[workgroup] sine: &mut [f32; 1],
    ) {
        if lane == 0 {
            sine[0] = angles[0].sin();
//          ^^^^^^^ race: write/read on sine[..]
        }
        let factor = sine[0];
//                   ^^^^^^^ race: read/write on sine[..]
        heights[id.x as usize] *= factor;
    }
}

#[cfg(test)]
mod tests {
    use super::rotate_points::{self, Pose};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn points_are_turned() {
        let points: Vec<Vec3> = floats(270, 390).chunks(3).map(Vec3::from_slice).collect();
        let poses = [
            Pose { axis: Vec3::new(1.0, 2.0, -1.0), angle: 1.3, offset: Vec3::X },
            Pose { axis: Vec3::new(0.0, 0.0, 5.0), angle: 4.4, offset: Vec3::ZERO },
            Pose { axis: Vec3::ZERO, angle: 2.0, offset: Vec3::ONE },
        ];
        let launch = Launch::new().workgroups(3).buffer("poses", &poses);
        let run = clean(&rotate_points::clean::kernel(), launch.buffer("points", &points));
        // Rodrigues' formula.
        let turned = |(i, p): (usize, &Vec3)| {
            let pose = &poses[i / 32];
            let (sin, cos) = pose.angle.sin_cos();
            let length = pose.axis.length();
            if length == 0.0 {
                return *p + pose.offset;
            }
            let k = pose.axis / length;
            *p * cos + k.cross(*p) * sin + k * k.dot(*p) * (1.0 - cos) + pose.offset
        };
        let expected: Vec<Vec3> = points.iter().enumerate().map(turned).collect();
        assert_close(&scalars(&run.read::<Vec3>("points")), &scalars(&expected), 1e-4);
    }

    #[test]
    fn an_angle_without_a_barrier_races() {
        let launch = Launch::new().workgroups(2).buffer("angles", &[0.5f32]);
        let launch = launch.buffer("heights", &floats(64, 391));
        racy(&rotate_points::racy::kernel(), launch, include_str!("rotate_points.rs"));
    }
}
