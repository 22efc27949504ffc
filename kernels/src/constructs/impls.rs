//! Methods, associated constants, operators on own types, traits and type parameters.

/// A ray through spheres and planes, and sums of complex numbers.
#[hirace::monitor]
pub mod impls {
    use hirace::prelude::*;
    use std::ops::{Add, AddAssign, Mul, Neg, Sub};

    /// A ray from a point in a direction.
    #[derive(Clone, Copy)]
    pub struct Ray {
        /// Start of the ray.
        pub origin: Vec3,
        /// Direction of the ray.
        pub direction: Vec3,
    }

    impl Ray {
        const NEAR: f32 = 0.25;
        const STEPS: u32 = Self::HALF * 2;
        const HALF: u32 = 3;

        fn new(origin: Vec3, direction: Vec3) -> Self {
            Self { origin, direction }
        }

        fn at(&self, t: f32) -> Vec3 {
            self.origin + self.direction * t
        }

        fn advance(&mut self, t: f32) {
            self.origin = self.at(t + Self::NEAR);
        }

        fn flipped(mut self) -> Self {
            self.direction = -self.direction;
            self
        }
    }

    /// A complex number.
    #[derive(Clone, Copy)]
    struct Complex {
        re: f32,
        im: f32,
    }

    impl Add for Complex {
        type Output = Complex;
        fn add(self, other: Complex) -> Complex {
            Complex { re: self.re + other.re, im: self.im + other.im }
        }
    }

    impl Sub for Complex {
        type Output = Self;
        fn sub(self, other: Self) -> Self::Output {
            Self { re: self.re - other.re, im: self.im - other.im }
        }
    }

    impl Mul for Complex {
        type Output = Complex;
        fn mul(self, other: Complex) -> Complex {
            Complex {
                re: self.re * other.re - self.im * other.im,
                im: self.re * other.im + self.im * other.re,
            }
        }
    }

    impl Mul<f32> for Complex {
        type Output = Complex;
        fn mul(self, by: f32) -> Complex {
            Complex { re: self.re * by, im: self.im * by }
        }
    }

    impl Mul<Complex> for f32 {
        type Output = Complex;
        fn mul(self, of: Complex) -> Complex {
            of * self
        }
    }

    impl Neg for Complex {
        type Output = Complex;
        fn neg(self) -> Complex {
            Complex { re: -self.re, im: -self.im }
        }
    }

    impl AddAssign for Complex {
        fn add_assign(&mut self, other: Complex) {
            *self = *self + other;
        }
    }

    /// A shape with an area.
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

    struct Square {
        side: f32,
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

    impl Shape for Square {
        const CORNERS: u32 = 4;
        const SIDES: u32 = 4;
        fn area(&self) -> f32 {
            self.side * self.side
        }
        fn twice(&self) -> f32 {
            self.area()
        }
        fn unit() -> Square {
            Square { side: 0.5 }
        }
    }

    impl Shape for f32 {
        const CORNERS: u32 = 1;
        fn area(&self) -> f32 {
            *self
        }
        fn unit() -> f32 {
            2.0
        }
    }

    trait Squares {
        fn squares(self) -> f32;
    }

    impl<const N: usize> Squares for [f32; N] {
        fn squares(self) -> f32 {
            let mut sum = 0.0;
            for i in 0..N {
                sum += self[i] * self[i];
            }
            sum
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
        for i in 1..N {
            if of[i] > best {
                best = of[i];
            }
        }
        best
    }

    fn area_of(shape: &impl Shape) -> f32 {
        shape.area()
    }

    fn of_unit<T: Shape>() -> f32 {
        let unit = T::unit();
        unit.area() + T::unit().twice()
    }

    fn sum<T>(a: T, b: T) -> <T as Add>::Output
    where
        T: Add,
    {
        a + b
    }

    fn swap<T: Copy>(a: &mut T, b: &mut T) {
        let kept = *a;
        *a = *b;
        *b = kept;
    }

    fn first<T: Copy>(of: &[T]) -> T {
        of[0]
    }

    /// Each invocation uses every construct once.
    #[kernel(workgroup_size(8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        words: &[u32],
        rays: &mut [Ray],
        out: &mut [[f32; 8]],
        #[workgroup] tile: &mut [Ray; 8],
    ) {
        let i = id.x as usize;
        let lane = lane as usize;
        let x = words[i] as f32;
        tile[lane] = Ray::new(Vec3::splat(x), Vec3::X);
        tile[lane].advance(3.0);
        workgroup_barrier();
        let mut ray = tile[7 - lane];
        for _ in 0..Ray::STEPS {
            ray.advance(1.0);
        }
        rays[i].advance(2.0);
        let far = rays[i].at(0.5).x + ray.flipped().at(1.0).x + Ray::at(&ray, 2.0).y;
        let z = Complex { re: x, im: 1.0 };
        let mut w = z * z + 2.0 * z - z * 0.5;
        w += -z;
        let (circle, square) = (Circle { radius: w.re }, Square { side: w.im });
        let (mut a, mut b) = (words[i], 2);
        swap(&mut a, &mut b);
        out[i] = [
            far,
            w.re + w.im,
            both(&circle, &square) + both(&square, &1.5),
            area_of(&circle) + Shape::area(&square) + <Circle as Shape>::unit().radius,
            largest(&[x, 2.5]) + largest::<u32, 3>(&[1, a, b]) as f32,
            of_unit::<Circle>() + of_unit::<f32>() + [x, 2.0].squares(),
            sum(z, w).re + sum(1, 2) as f32,
            (a * 100 + b + first(words)) as f32,
        ];
    }

    /// Lacks a barrier: other invocations may still modify what is read.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        out: &mut [[f32; 8]],
        #[workgroup] tile: &mut [Ray; 8],
    ) {
        let lane = lane as usize;
        tile[lane] = Ray::new(Vec3::ZERO, Vec3::X);
//      ^^^^^^^^^^ race: write/read on tile[..].origin.x
        let ray = tile[7 - lane];
//                ^^^^^^^^^^^^^^ race: read/write on tile[..].origin.x
        out[lane][0] = ray.at(1.0).x;
    }
}

#[cfg(test)]
mod tests {
    use super::impls::{self, Ray};
    use crate::support::{below, clean, racy};
    use hirace::Launch;
    use hirace::prelude::Vec3;

    fn expected(words: &[u32], i: usize, start: f32) -> [f32; 8] {
        let x = words[i] as f32;
        let other = words[i / 8 * 8 + 7 - i % 8] as f32;
        let origin = other + 3.25 + 6.0 * 1.25;
        let far = (start + 2.25 + 0.5) + (origin - 1.0) + other;
        let (re, im) = (x, 1.0);
        let square = (re * re - im * im, 2.0 * re * im);
        let w = (square.0 + 2.0 * re - re * 0.5 - re, square.1 + 2.0 * im - im * 0.5 - im);
        let circle = 3.0 * w.0 * w.0;
        let side = w.1 * w.1;
        let both = 2.0 * circle + side + 4.0 + 7.0 + side + (2.0 * 1.5 + 1.0) + 5.0 + 4.0;
        let (a, b) = (2, words[i]);
        [
            far,
            w.0 + w.1,
            both,
            circle + side + 1.0,
            x.max(2.5) + a.max(b) as f32,
            (3.0 + 6.0) + (2.0 + 5.0) + x * x + 4.0,
            x + w.0 + 3.0,
            (a * 100 + b + words[0]) as f32,
        ]
    }

    #[test]
    fn what_own_types_do_is_what_rust_does() {
        let words = below(20, 16, 9);
        let ray = |i| Ray { origin: Vec3::new(i as f32, 0.0, 0.0), direction: Vec3::X };
        let rays: Vec<Ray> = (0..16).map(ray).collect();
        let launch = Launch::new()
            .workgroups(2)
            .buffer("words", &words)
            .buffer("rays", &rays)
            .buffer("out", &[[0f32; 8]; 16]);
        let run = clean(&impls::clean::kernel(), launch);
        let out = run.read::<[f32; 8]>("out");
        let wanted: Vec<[f32; 8]> = (0..16).map(|i| expected(&words, i, i as f32)).collect();
        assert_eq!(out, wanted);
    }

    #[test]
    fn what_a_method_reads_too_early_races() {
        let launch = Launch::new().workgroups(1).buffer("out", &[[0f32; 8]; 8]);
        racy(&impls::racy::kernel(), launch, include_str!("impls.rs"));
    }
}
