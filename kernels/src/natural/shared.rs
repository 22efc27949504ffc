//! Items that several kernels use: interpolation, complex numbers, images, random numbers, digits.

use std::ops::{Add, Mul, Sub};

/// A full circle in radians.
#[hirace::monitor]
pub const TURN: f32 = 2.0 * std::f32::consts::PI;

/// Interpolates from `a` to `b` as `t` goes from 0 to 1.
#[hirace::monitor]
pub fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// Offsets of the four neighbors of a cell.
#[hirace::monitor]
pub const NEIGHBORS: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// A complex number.
#[hirace::monitor]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f32,
    /// Imaginary part.
    pub im: f32,
}

#[hirace::monitor]
impl Complex {
    /// The number 0.
    pub const ZERO: Self = Self::new(0.0, 0.0);

    /// Returns `re + i im`.
    pub const fn new(re: f32, im: f32) -> Self {
        Self { re, im }
    }

    /// Returns the number of length 1 in this direction.
    pub fn from_angle(angle: f32) -> Self {
        let (im, re) = angle.sin_cos();
        Self { re, im }
    }

    /// Returns the square of the absolute value.
    pub fn norm_squared(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

#[hirace::monitor]
impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

#[hirace::monitor]
impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

#[hirace::monitor]
impl Mul for Complex {
    type Output = Self;

    fn mul(self, Complex { re, im }: Self) -> Self {
        Self::new(self.re * re - self.im * im, self.re * im + self.im * re)
    }
}

/// Random numbers.
#[hirace::monitor]
pub mod random {
    const MULTIPLIER: u32 = 747_796_405;
    const INCREMENT: u32 = 2_891_336_453;

    /// A permuted congruential generator with 32 bits of state (PCG).
    #[derive(Clone, Copy, Debug)]
    pub struct Pcg(u32);

    impl Pcg {
        /// Returns a generator with this seed.
        pub fn seeded(seed: u32) -> Self {
            let mut rng = Self(seed);
            rng.next_u32();
            rng
        }

        /// Returns the next number.
        pub fn next_u32(&mut self) -> u32 {
            let state = self.0;
            self.0 = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
            let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
            (word >> 22) ^ word
        }

        /// Returns the next number, from 0 to 1, excluding 1.
        pub fn next_f32(&mut self) -> f32 {
            (self.next_u32() >> 8) as f32 / (1 << 24) as f32
        }
    }
}

/// Images as one slice of pixels, row by row.
#[hirace::monitor]
pub mod image {
    /// Size of an image.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Extent {
        /// Number of columns.
        pub width: u32,
        /// Number of rows.
        pub height: u32,
    }

    impl Extent {
        /// Returns the index of a pixel in the slice, or `None` if it is outside.
        pub fn index(self, x: i32, y: i32) -> Option<usize> {
            let inside =
                (0..self.width as i32).contains(&x) && (0..self.height as i32).contains(&y);
            inside.then(|| y as usize * self.width as usize + x as usize)
        }

        /// Returns the index of the pixel nearest to this position.
        pub fn clamped(self, x: i32, y: i32) -> usize {
            let x = x.clamp(0, self.width as i32 - 1) as usize;
            let y = y.clamp(0, self.height as i32 - 1) as usize;
            y * self.width as usize + x
        }
    }
}

/// Digits of radix sort.
#[hirace::monitor]
pub mod radix {
    /// Number of bits of a digit.
    pub const BITS: u32 = 4;
    /// Number of values of a digit.
    pub const RADIX: usize = 1 << BITS;

    /// Position of a digit in a key.
    #[derive(Clone, Copy, Debug)]
    pub struct Digit {
        shift: u32,
    }

    impl Digit {
        /// Returns the digit of a pass; pass 0 uses the lowest one.
        pub const fn of_pass(pass: u32) -> Self {
            Self { shift: pass * BITS }
        }

        /// Returns the value of this digit in a key.
        pub const fn of(self, key: u32) -> usize {
            (key >> self.shift) as usize & (RADIX - 1)
        }
    }
}
