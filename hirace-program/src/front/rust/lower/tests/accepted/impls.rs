#[hirace::monitor]
mod rays {
    use hirace::prelude::*;
    use std::ops::{Add, AddAssign, Mul, Neg, Sub};

    #[derive(Clone, Copy)]
    struct Ray {
        origin: Vec3,
        direction: Vec3,
    }

    impl Ray {
        const EPSILON: f32 = 1e-3;
        const STEPS: u32 = Self::HALF * 2;
        const HALF: u32 = 4;

        fn new(origin: Vec3, direction: Vec3) -> Self {
            Self { origin, direction }
        }

        fn at(&self, t: f32) -> Vec3 {
            self.origin + self.direction * (t + Self::EPSILON)
        }

        fn advance(&mut self, t: f32) {
            self.origin = self.at(t);
        }

        fn flipped(mut self) -> Self {
            self.direction = -self.direction;
            self
        }
    }

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
        fn area(&self) -> f32 {
            self.side * self.side
        }
        fn twice(&self) -> f32 {
            self.area()
        }
        fn unit() -> Square {
            Square { side: 1.0 }
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

    trait Magnitude {
        fn magnitude(self) -> f32;
    }

    impl<const N: usize> Magnitude for [f32; N] {
        fn magnitude(self) -> f32 {
            let mut sum = 0.0;
            for i in 0..N as u32 {
                sum += self[i] * self[i];
            }
            sum.sqrt()
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

    #[kernel(workgroup_size(64))]
    fn trace(
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [f32],
        rays: &mut [Ray],
        words: &[u32],
        #[workgroup] tile: &mut [Ray; 64],
    ) {
        let i = id.x;
        let mut ray = Ray::new(Vec3::ZERO, Vec3::X);
        ray.advance(2.0);
        rays[i].advance(1.0);
        tile[i].advance(3.0);
        let far = rays[i].at(0.5).x + ray.flipped().at(1.0).y + Ray::at(&ray, 2.0).z;
        let z = Complex { re: far, im: 1.0 };
        let mut w = z * z + 2.0 * z - z * 0.5;
        w += -z;
        let (c, s) = (Circle { radius: w.re }, Square { side: w.im });
        out[i] = both(&c, &s) + both(&s, &1.5) + area_of(&c) + Shape::area(&s);
        out[i] += largest(&[1.0, 2.0]) + largest::<u32, 3>(&[1, 2, 3]) as f32;
        out[i] += of_unit::<Circle>() + of_unit::<f32>() + [1.0, 2.0].magnitude();
        out[i] += sum(z, w).re + Ray::STEPS as f32 + <Circle as Shape>::unit().radius;
        let (mut a, mut b) = (1_u32, 2);
        swap(&mut a, &mut b);
        out[i] += (a + first(words)) as f32;
    }
}
