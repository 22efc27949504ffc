#[hirace::monitor]
mod rays {
    use hirace::prelude::*;
    use std::ops::{Add, AddAssign, Mul};

    #[derive(Clone, Copy)]
    struct Ray {
        origin: Vec3,
        direction: Vec3,
    }

    impl Ray {
        const STEPS: u32 = Self::HALF * 2;
        const HALF: u32 = 4;

        fn new(origin: Vec3, direction: Vec3) -> Self {
            Self { origin, direction }
        }

        fn at(&self, t: f32) -> Vec3 {
            self.origin + self.direction * t
        }

        fn advance(&mut self, t: f32) {
            self.origin = self.at(t);
        }
    }

    impl Add for Ray {
        type Output = Self;
        fn add(self, other: Self) -> Self::Output {
            Self { origin: self.origin + other.origin, ..self }
        }
    }

    impl Mul<Ray> for f32 {
        type Output = Ray;
        fn mul(self, of: Ray) -> Ray {
            Ray { direction: of.direction * self, ..of }
        }
    }

    impl AddAssign for Ray {
        fn add_assign(&mut self, other: Ray) {
            *self = *self + other;
        }
    }

    trait Shape {
        const CORNERS: u32;
        const SIDES: u32 = 7;
        fn area(&self) -> f32;
        fn twice(&self) -> f32 {
            2.0 * self.area() + Self::CORNERS as f32
        }
        fn unit() -> Self;
    }

    struct Circle {
        radius: f32,
    }

    impl Shape for Circle {
        const CORNERS: u32 = 0;
        fn area(&self) -> f32 {
            3.0 * self.radius * self.radius
        }
        fn unit() -> Self {
            Circle { radius: 1.0 }
        }
    }

    impl Shape for f32 {
        const CORNERS: u32 = 1;
        fn area(&self) -> f32 {
            *self
        }
        fn unit() -> f32 {
            1.0
        }
    }

    fn both<A: Shape, B>(a: &A, b: &B) -> f32
    where
        B: Shape,
    {
        a.twice() + b.twice() + (A::CORNERS + B::CORNERS + A::SIDES) as f32
    }

    fn largest<T: PartialOrd + Copy, const N: usize>(of: &[T; N]) -> T {
        let mut best = of[0];
        for i in 1..N as u32 {
            if of[i] > best {
                best = of[i];
            }
        }
        best
    }

    fn of_unit<T: Shape>() -> f32 {
        T::unit().area()
    }

    #[kernel(workgroup_size(64))]
    fn trace(
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [f32],
        rays: &mut [Ray],
        #[workgroup] tile: &mut [Ray; 64],
    ) {
        let i = id.x;
        let mut ray = Ray::new(Vec3::ZERO, Vec3::X);
        rays[i].advance(1.0);
        tile[i].advance(3.0);
        ray += 2.0 * rays[i];
        let circle = Circle { radius: Ray::at(&ray, 2.0).z + rays[i].at(0.5).x };
        out[i] = both(&circle, &1.5) + Shape::area(&circle) + Ray::STEPS as f32;
        out[i] += largest(&[1.0, 2.0]) + largest::<u32, 3>(&[1, 2, 3]) as f32;
        out[i] += of_unit::<Circle>() + of_unit::<f32>() + <Circle as Shape>::unit().radius;
    }
}
