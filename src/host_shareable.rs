//! Rust types whose values can be written to buffers and read back.

use crate::prelude::{Atomic, Mat2x3, Mat2x4, Mat3x2, Mat3x4, Mat4x2, Mat4x3};
use glam::{IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};

pub use hirace_runtime::{LayoutError, Scalar, Shape};

/// A type whose values can be stored in buffers; WGSL calls such types host-shareable.
///
/// These are numbers, glam's vectors and matrices, arrays, `Vec`s, slices, tuples (as structs), and the structs of a monitored
/// module. A value consists of its scalars, in order. `check` derives their offsets from the WGSL type of the buffer, including
/// padding and strides, so that `[f32; 3]` and [`Vec3`] are equivalent. For your own buffers, [`HostShareable::to_bytes`] lays
/// out a value like the corresponding WGSL type: a [`Vec3`] as `vec3<f32>`, a `[f32; 3]` as `array<f32, 3>`.
///
/// Types that are laid out in other ways are passed as memory: with bytemuck by `Launch::bytes`, and with the feature `encase` by
/// `Launch::encased`.
///
/// ```
/// use hirace::{HostShareable, Kernel, Launch, Scalars, Shape, check};
///
/// #[derive(Debug, PartialEq)]
/// struct Body {
///     mass: f32,
///     position: [f32; 3],
/// }
///
/// impl HostShareable for Body {
///     fn shape() -> Shape {
///         Shape::Struct(vec![f32::shape(), <[f32; 3]>::shape()])
///     }
///
///     fn write(&self, to: &mut Vec<u8>) {
///         self.mass.write(to);
///         self.position.write(to);
///     }
///
///     fn read(from: &mut Scalars<'_>) -> Self {
///         Body { mass: f32::read(from), position: <[f32; 3]>::read(from) }
///     }
/// }
///
/// let kernel = Kernel::from_wgsl("lift.wgsl", "
///     struct Body { mass: f32, position: vec3<f32> }
///     @group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
///     @compute @workgroup_size(2)
///     fn lift(@builtin(global_invocation_id) id: vec3<u32>) { bodies[id.x].position.y += 1.0; }
/// ")?;
/// let bodies = [Body { mass: 2.0, position: [0.0; 3] }, Body { mass: 3.0, position: [5.0; 3] }];
/// let checked = check(&kernel, Launch::new().workgroups(1).buffer("bodies", &bodies))?;
/// checked.assert_clean();
/// let lifted: Vec<Body> = checked.buffer("bodies")?;
/// assert_eq!(lifted[1], Body { mass: 3.0, position: [5.0, 6.0, 5.0] });
/// # Ok::<(), hirace::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be put into a buffer",
    label = "not an f32, i32, u32, i64, u64, vector, matrix, array, tuple or struct of a monitored module",
    note = "WGSL has no `f64` and no `usize`: write `1u32`, `1.0f32`",
    note = "with the feature `half`, `half::f16` is supported",
    note = "use `bytes` for memory that is already laid out, and `encased` for types that implement `encase::ShaderType`"
)]
pub trait HostShareable {
    /// Returns the shape of a value.
    fn shape() -> Shape;

    /// Appends the bytes of the value's scalars to `to`, in order, each little-endian.
    fn write(&self, to: &mut Vec<u8>);

    /// Reads a value from the next scalars.
    fn read(from: &mut Scalars<'_>) -> Self
    where
        Self: Sized;

    /// Returns the bytes of the value as laid out by WGSL's rules for its type. Padding is 0.
    ///
    /// ```
    /// use hirace::HostShareable;
    /// use hirace::prelude::*;
    ///
    /// #[hirace::monitor]
    /// mod orbits {
    ///     use hirace::prelude::*;
    ///
    ///     #[derive(Debug, PartialEq)]
    ///     pub struct Body {
    ///         pub mass: f32,
    ///         pub position: Vec3,
    ///     }
    ///
    ///     #[kernel(workgroup_size(64))]
    ///     pub fn fall(#[builtin(global_invocation_id)] id: UVec3, bodies: &mut [Body]) {
    ///         bodies[id.x].position.y -= bodies[id.x].mass;
    ///     }
    /// }
    ///
    /// let bodies = vec![orbits::Body { mass: 2.0, position: Vec3::X }];
    /// let bytes = bodies.to_bytes()?;
    /// assert_eq!(bytes.len(), 32); // `position` is aligned to 16 bytes
    /// assert_eq!(bytes[16..20], 1.0f32.to_le_bytes());
    /// assert_eq!(Vec::<orbits::Body>::from_bytes(&bytes)?, bodies);
    /// # Ok::<(), hirace::LayoutError>(())
    /// ```
    fn to_bytes(&self) -> Result<Vec<u8>, LayoutError> {
        let mut scalars = Vec::new();
        self.write(&mut scalars);
        Self::shape().bytes(&scalars)
    }

    /// Reads a value from bytes that are laid out by WGSL's rules for its type.
    fn from_bytes(bytes: &[u8]) -> Result<Self, LayoutError>
    where
        Self: Sized,
    {
        Ok(Self::read(&mut Scalars::new(&Self::shape().read(bytes)?)))
    }
}

/// A reader of the scalars of a buffer.
#[derive(Clone, Debug)]
pub struct Scalars<'a>(&'a [u8]);

impl<'a> Scalars<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the next scalar, which has `N` bytes. Returns zeros if there are no more scalars.
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((own, rest)) => {
                self.0 = rest;
                *own
            }
            None => {
                self.0 = &[];
                [0; N]
            }
        }
    }

    /// Returns whether there are no more scalars.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Implements the trait for numbers. Not every device supports those of 64 and 16 bits.
macro_rules! numbers {
    ($($name:ty = $scalar:ident;)*) => {$(
        impl HostShareable for $name {
            fn shape() -> Shape {
                Shape::Scalar(Scalar::$scalar)
            }

            fn write(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }

            fn read(from: &mut Scalars<'_>) -> Self {
                Self::from_le_bytes(from.take())
            }
        }
    )*};
}

numbers! {
    f32 = F32;
    u32 = U32;
    i32 = I32;
    u64 = U64;
    i64 = I64;
}

#[cfg(feature = "half")]
numbers! {
    half::f16 = F16;
}

impl<T: HostShareable, const N: usize> HostShareable for [T; N] {
    fn shape() -> Shape {
        Shape::array(T::shape(), Some(u32::try_from(N).unwrap_or(u32::MAX)))
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.as_slice().write(to);
    }

    fn read(from: &mut Scalars<'_>) -> Self {
        std::array::from_fn(|_| T::read(from))
    }
}

impl<T: HostShareable> HostShareable for [T] {
    fn shape() -> Shape {
        Shape::array(T::shape(), None)
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|value| value.write(to));
    }
}

impl<T: HostShareable> HostShareable for Vec<T> {
    fn shape() -> Shape {
        <[T]>::shape()
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.as_slice().write(to);
    }

    fn read(from: &mut Scalars<'_>) -> Self {
        let mut values = Self::new();
        while !from.is_empty() {
            let before = from.0.len();
            values.push(T::read(from));
            // A value without scalars would repeat forever.
            if from.0.len() == before {
                break;
            }
        }
        values
    }
}

/// Implements the trait for vectors.
macro_rules! vectors {
    ($($name:ty = $array:ty, $scalar:ident $lanes:literal;)*) => {$(
        impl HostShareable for $name {
            fn shape() -> Shape {
                Shape::Vector(Scalar::$scalar, $lanes)
            }

            fn write(&self, to: &mut Vec<u8>) {
                self.to_array().write(to);
            }

            fn read(from: &mut Scalars<'_>) -> Self {
                <$name>::from_array(<$array>::read(from))
            }
        }
    )*};
}

vectors! {
    Vec2 = [f32; 2], F32 2;
    Vec3 = [f32; 3], F32 3;
    Vec4 = [f32; 4], F32 4;
    IVec2 = [i32; 2], I32 2;
    IVec3 = [i32; 3], I32 3;
    IVec4 = [i32; 4], I32 4;
    UVec2 = [u32; 2], U32 2;
    UVec3 = [u32; 3], U32 3;
    UVec4 = [u32; 4], U32 4;
}

/// Implements the trait for matrices, which are stored by columns.
macro_rules! matrices {
    ($($name:ty = $array:ty, $size:literal;)*) => {$(
        impl HostShareable for $name {
            fn shape() -> Shape {
                Shape::Matrix(Scalar::F32, $size, $size)
            }

            fn write(&self, to: &mut Vec<u8>) {
                self.to_cols_array_2d().write(to);
            }

            fn read(from: &mut Scalars<'_>) -> Self {
                <$name>::from_cols_array_2d(&<$array>::read(from))
            }
        }
    )*};
}

matrices! {
    Mat2 = [[f32; 2]; 2], 2;
    Mat3 = [[f32; 3]; 3], 3;
    Mat4 = [[f32; 4]; 4], 4;
}

macro_rules! non_square_matrices {
    ($($name:ident = $column:ty, $rows:literal, $($index:literal)*;)*) => {$(
        impl HostShareable for $name {
            fn shape() -> Shape {
                Shape::Matrix(Scalar::F32, [$($index),*].len() as u32, $rows)
            }

            fn write(&self, to: &mut Vec<u8>) {
                $(self.col($index).write(to);)*
            }

            fn read(from: &mut Scalars<'_>) -> Self {
                // One column per index, in order.
                $name::from_cols($({
                    let _ = $index;
                    <$column>::read(from)
                }),*)
            }
        }
    )*};
}

non_square_matrices! {
    Mat2x3 = Vec3, 3, 0 1;
    Mat2x4 = Vec4, 4, 0 1;
    Mat3x2 = Vec2, 2, 0 1 2;
    Mat3x4 = Vec4, 4, 0 1 2;
    Mat4x2 = Vec2, 2, 0 1 2 3;
    Mat4x3 = Vec3, 3, 0 1 2 3;
}

impl<T: HostShareable + Clone> HostShareable for Atomic<T> {
    fn shape() -> Shape {
        T::shape()
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.clone().into_inner().write(to);
    }

    fn read(from: &mut Scalars<'_>) -> Self {
        Self::new(T::read(from))
    }
}

/// Implements the trait for `std`'s atomics, which have the same values as WGSL's.
macro_rules! atomics {
    ($($atomic:ident: $ty:ty;)*) => {$(
        impl HostShareable for std::sync::atomic::$atomic {
            fn shape() -> Shape {
                <$ty>::shape()
            }

            fn write(&self, to: &mut Vec<u8>) {
                self.load(std::sync::atomic::Ordering::Relaxed).write(to);
            }

            fn read(from: &mut Scalars<'_>) -> Self {
                Self::new(<$ty>::read(from))
            }
        }
    )*};
}

atomics! {
    AtomicU32: u32;
    AtomicI32: i32;
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*);)*) => {$(
        impl<$($name: HostShareable),*> HostShareable for ($($name,)*) {
            fn shape() -> Shape {
                Shape::Struct(vec![$($name::shape()),*])
            }

            fn write(&self, to: &mut Vec<u8>) {
                $(self.$index.write(to);)*
            }

            fn read(from: &mut Scalars<'_>) -> Self {
                ($($name::read(from),)*)
            }
        }
    )*};
}

tuples! {
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_written() {
        fn assert_round_trip<T: HostShareable + PartialEq + std::fmt::Debug>(value: T) {
            let mut bytes = Vec::new();
            value.write(&mut bytes);
            // A type that ends in an array without a length is padded to its alignment, so that the padding is read as elements.
            if let Some(count) = T::shape().packed_size() {
                assert_eq!(count, bytes.len() as u64);
                assert_eq!(T::from_bytes(&value.to_bytes().unwrap()).unwrap(), value);
            }
            assert_eq!(T::read(&mut Scalars::new(&bytes)), value);
        }
        assert_round_trip((u64::MAX - 1, -1i32, vec![i64::MIN, 1 << 40]));
        #[cfg(feature = "half")]
        assert_round_trip((
            half::f16::PI,
            7u64,
            vec![half::f16::MIN, half::f16::NEG_ZERO, half::f16::ONE],
        ));
        assert_round_trip((-1i32, [Vec3::new(1.0, 2.0, 3.0); 2]));
        assert_round_trip(vec![(7u32, IVec2::new(-1, 1)), (8, IVec2::ZERO)]);
        assert_round_trip(Mat3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]));
        assert_round_trip((UVec4::ONE, Mat2::IDENTITY, vec![f32::MAX, -0.0]));
        assert_round_trip([[Mat4::IDENTITY; 1]; 2]);
        assert_round_trip((Atomic::new(3u32), Mat2x3::from_cols(Vec3::X, Vec3::Y)));
        assert_round_trip(Mat4x3::from_cols(Vec3::X, Vec3::ONE, Vec3::Y, Vec3::Z));
    }
}
