//! The traits of types that WGSL's functions accept. Kernels do not name them.

use super::BVec4A;
use glam::{
    BVec2, BVec3, BVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, UVec2, UVec3, UVec4, Vec2, Vec3,
    Vec4,
};

mod sealed {
    #[doc(hidden)]
    pub trait Sealed {}

    /// Seals [`UniformLoadable`](super::UniformLoadable), which all `Copy` types implement.
    #[doc(hidden)]
    pub trait SealedLoadable {}
}
pub(crate) use sealed::Sealed;
pub(crate) use sealed::SealedLoadable;

/// An index type.
#[diagnostic::on_unimplemented(
    message = "indices are `usize`, `u32` or `i32`, not `{Self}`",
    label = "expected a `usize`, a `u32` or an `i32`"
)]
pub trait IndexInteger: Copy + Sealed {
    /// Converts the index to `usize`. Negative indices become `usize::MAX`, which is out of bounds everywhere.
    #[doc(hidden)]
    fn position(self) -> usize;
}

impl IndexInteger for usize {
    fn position(self) -> usize {
        self
    }
}
impl IndexInteger for u32 {
    fn position(self) -> usize {
        self as usize
    }
}
impl IndexInteger for i32 {
    fn position(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}

/// The result type of glam's comparisons: a `bool` for each component.
pub trait Mask: Sealed {
    /// The corresponding vector of `bool` in a kernel.
    type Vector: Value;
}

/// A vector of `bool` that can replace glam's mask type `M`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a vector of `bool` of the right size")]
pub trait MaskFor<M>: Sealed {}

impl Mask for BVec2 {
    type Vector = BVec2;
}
impl Mask for BVec3 {
    type Vector = BVec3;
}
impl Mask for BVec4 {
    type Vector = BVec4;
}
impl Mask for BVec4A {
    type Vector = BVec4;
}

/// A scalar or vector.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a WGSL scalar or vector")]
pub trait Value: Copy + Sealed {
    /// The type of the components.
    type Element: Value;
    /// The type of the same shape with `f32` components.
    type Floats: Value;
    /// The type of the same shape with `i32` components.
    type Ints: Value;
    /// The type of the same shape with `u32` components.
    type Uints: Value;
}

/// `f32` and its vectors.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `f32` or a vector of `f32`")]
pub trait Float: Numeric + Signed {}

/// Vectors of `f32`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a vector of `f32`")]
pub trait FloatVector: Float + NumericVector {}

/// `f32`, `i32`, `u32` and their vectors.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a WGSL number or vector of numbers")]
pub trait Numeric: Value {}

/// `f32`, `i32` and their vectors.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `f32`, `i32` or a vector of those")]
pub trait Signed: Numeric {}

/// `i32`, `u32` and their vectors.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `i32`, `u32` or a vector of those")]
pub trait Integer: Numeric {}

/// `bool` and its vectors.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `bool` or a vector of `bool`")]
pub trait Boolean: Value {}

/// Vectors of numbers.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a vector of numbers")]
pub trait NumericVector: Numeric {}

/// A type that can be combined with `T`: `T` itself, or one scalar for all of its components.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `{T}` or `f32`")]
pub trait FactorOf<T>: Sealed {}

/// A type that selects between values of type `T`: a `bool`, or one for each component.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot select between values of type `{T}`: use `bool` or a vector of `bool` of the same size"
)]
pub trait ConditionOf<T>: Sealed {}

/// A type with the same number of bits as `T`, in the same number of components.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{T}` are not numbers with the same number of bits"
)]
pub trait BitsOf<T>: Sealed {}

/// A type that atomics can hold.
#[diagnostic::on_unimplemented(message = "atomics hold `u32` or `i32`, not `{Self}`")]
pub trait AtomicValue: Integer {}

/// A place that an atomic function can modify.
#[diagnostic::on_unimplemented(
    message = "atomic functions cannot access a place of type `{Self}`",
    label = "write `&mut place` for a plain `u32` or `i32`, or `&place` for an `Atomic`"
)]
pub trait AtomicPlace: AtomicSource {}

/// A place that an atomic load can read.
#[diagnostic::on_unimplemented(
    message = "atomic functions cannot access a place of type `{Self}`",
    label = "write `&place` of a `u32`, an `i32` or an `Atomic`"
)]
pub trait AtomicSource: Sealed {
    /// The type of the value in the place.
    type Value: AtomicValue;
}

/// The dimensions of a texture.
pub trait Dimensions: Sealed {
    /// The type of the number of texels in each dimension.
    type Size;
    /// The type of a point at which the texture is sampled.
    type Point;
}

/// One dimension.
#[derive(Clone, Copy, Debug)]
pub struct D1;
/// Two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct D2;
/// Three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct D3;
/// The six faces of a cube, each of two dimensions. A point is a direction.
#[derive(Clone, Copy, Debug)]
pub struct Faces;

impl Sealed for D1 {}
impl Sealed for D2 {}
impl Sealed for D3 {}
impl Sealed for Faces {}
impl Dimensions for D1 {
    type Size = u32;
    type Point = f32;
}
impl Dimensions for D2 {
    type Size = UVec2;
    type Point = Vec2;
}
impl Dimensions for D3 {
    type Size = UVec3;
    type Point = Vec3;
}
impl Dimensions for Faces {
    type Size = UVec2;
    type Point = Vec3;
}

/// The coordinates of a texel: one integer for each dimension.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the coordinates of a texel in this texture",
    label = "use a vector of `u32` or `i32` with a component for each dimension"
)]
pub trait Place<D>: Copy + Sealed {}

/// The scalar type of a texture's texels.
#[diagnostic::on_unimplemented(message = "texels are `f32`, `i32` or `u32`, not `{Self}`")]
pub trait Texel: Value {
    /// The type of a texel.
    type Vector: Value;
}

impl Texel for f32 {
    type Vector = Vec4;
}
impl Texel for i32 {
    type Vector = IVec4;
}
impl Texel for u32 {
    type Vector = UVec4;
}

/// A texture of any kind.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a texture")]
pub trait Texture: Sealed {
    /// The dimensions.
    type Dimensions: Dimensions;
    /// The type of a texel.
    type Texel;
}

/// A texture whose texels are identified by their coordinates and a level or a sample only.
#[diagnostic::on_unimplemented(
    message = "`texture_load` does not accept `{Self}`",
    note = "use the method for textures with layers and storage textures: `texture.load(…)`"
)]
pub trait Loadable: Texture {}

/// A storage texture without layers that can be written.
#[diagnostic::on_unimplemented(
    message = "`texture_store` does not accept `{Self}`",
    note = "use the method for textures with layers: `texture.store(…)`"
)]
pub trait Storable: Texture {}

/// A texture without layers that can be sampled at a level.
#[diagnostic::on_unimplemented(
    message = "`texture_sample_level` does not accept `{Self}`",
    note = "use the method for textures with layers and depth textures: `texture.sample_level(…)`"
)]
pub trait Sampleable: Texture {}

/// A texture with levels.
#[diagnostic::on_unimplemented(message = "`{Self}` has no levels")]
pub trait Levels: Texture {}

/// A texture with layers.
#[diagnostic::on_unimplemented(message = "`{Self}` has no layers")]
pub trait Layers: Texture {}

/// A texture with several samples in a texel.
#[diagnostic::on_unimplemented(message = "`{Self}` has no samples")]
pub trait Samples: Texture {}

/// The format of a storage texture.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a format of storage textures such as `Rgba8Unorm`"
)]
pub trait Format: Sealed {
    /// The scalar type of the texels.
    type Scalar: Texel;
}

/// The access mode of a storage texture.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `Read`, `Write` or `ReadWrite`")]
pub trait Access: Sealed {}

/// An access mode that allows reading.
#[diagnostic::on_unimplemented(message = "a storage texture of access `{Self}` cannot be read")]
pub trait Readable: Access {}

/// An access mode that allows writing.
#[diagnostic::on_unimplemented(message = "a storage texture of access `{Self}` cannot be written")]
pub trait Writable: Access {}

/// A square matrix.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a square matrix")]
pub trait SquareMatrix: Matrix {}

/// A matrix.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a matrix")]
pub trait Matrix: Copy + Sealed {
    /// The type of the transposed matrix.
    type Transposed: Matrix;
}

/// A type that a uniform load can read.
pub trait UniformLoadable: SealedLoadable {
    /// The type of the loaded value.
    type Value;
}

/// An array or slice, or a reference to one.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an array or slice")]
pub trait Elements: Sealed {}

macro_rules! value {
    ($($ty:ty: $element:ty, $floats:ty, $ints:ty, $uints:ty;)*) => {
        $(impl Sealed for $ty {}
        impl Value for $ty {
            type Element = $element;
            type Floats = $floats;
            type Ints = $ints;
            type Uints = $uints;
        })*
    };
}

value! {
    f32: f32, f32, i32, u32;
    i32: i32, f32, i32, u32;
    u32: u32, f32, i32, u32;
    usize: usize, f32, isize, usize;
    isize: isize, f32, isize, usize;
    bool: bool, f32, i32, u32;
    Vec2: f32, Vec2, IVec2, UVec2;
    Vec3: f32, Vec3, IVec3, UVec3;
    Vec4: f32, Vec4, IVec4, UVec4;
    IVec2: i32, Vec2, IVec2, UVec2;
    IVec3: i32, Vec3, IVec3, UVec3;
    IVec4: i32, Vec4, IVec4, UVec4;
    UVec2: u32, Vec2, IVec2, UVec2;
    UVec3: u32, Vec3, IVec3, UVec3;
    UVec4: u32, Vec4, IVec4, UVec4;
    BVec2: bool, Vec2, IVec2, UVec2;
    BVec3: bool, Vec3, IVec3, UVec3;
    BVec4: bool, Vec4, IVec4, UVec4;
    BVec4A: bool, Vec4, IVec4, UVec4;
}

macro_rules! classes {
    ($($class:ident: $($ty:ty)*;)*) => { $($(impl $class for $ty {})*)* };
}

classes! {
    Float: f32 Vec2 Vec3 Vec4;
    FloatVector: Vec2 Vec3 Vec4;
    Numeric: f32 Vec2 Vec3 Vec4 i32 IVec2 IVec3 IVec4 u32 UVec2 UVec3 UVec4 usize isize;
    Signed: f32 Vec2 Vec3 Vec4 i32 IVec2 IVec3 IVec4 isize;
    Integer: i32 IVec2 IVec3 IVec4 u32 UVec2 UVec3 UVec4 usize isize;
    Boolean: bool BVec2 BVec3 BVec4 BVec4A;
    NumericVector: Vec2 Vec3 Vec4 IVec2 IVec3 IVec4 UVec2 UVec3 UVec4;
    AtomicValue: i32 u32;
    AtomicPlace: &mut i32 &mut u32;
    SquareMatrix: Mat2 Mat3 Mat4;
}

macro_rules! pairs {
    ($class:ident { $($ty:ty => $($of:ty)*;)* }) => { $($(impl $class<$of> for $ty {})*)* };
}

pairs!(FactorOf {
    f32 => f32 Vec2 Vec3 Vec4;
    Vec2 => Vec2;
    Vec3 => Vec3;
    Vec4 => Vec4;
});

pairs!(ConditionOf {
    BVec2 => Vec2 IVec2 UVec2 BVec2;
    BVec3 => Vec3 IVec3 UVec3 BVec3;
    BVec4 => Vec4 IVec4 UVec4 BVec4 BVec4A;
    BVec4A => Vec4 IVec4 UVec4 BVec4 BVec4A;
});

pairs!(MaskFor {
    BVec2 => BVec2;
    BVec3 => BVec3;
    BVec4 => BVec4 BVec4A;
});

pairs!(BitsOf {
    f32 => f32 i32 u32;
    i32 => f32 i32 u32;
    u32 => f32 i32 u32;
    Vec2 => Vec2 IVec2 UVec2;
    IVec2 => Vec2 IVec2 UVec2;
    UVec2 => Vec2 IVec2 UVec2;
    Vec3 => Vec3 IVec3 UVec3;
    IVec3 => Vec3 IVec3 UVec3;
    UVec3 => Vec3 IVec3 UVec3;
    Vec4 => Vec4 IVec4 UVec4;
    IVec4 => Vec4 IVec4 UVec4;
    UVec4 => Vec4 IVec4 UVec4;
});

pairs!(Place {
    u32 => D1;
    i32 => D1;
    UVec2 => D2;
    IVec2 => D2;
    UVec3 => D3;
    IVec3 => D3;
});

impl<T: Value> ConditionOf<T> for bool {}

macro_rules! sources {
    ($($ty:ty)*) => {
        $(impl Sealed for &$ty {}
        impl Sealed for &mut $ty {}
        impl AtomicSource for &$ty { type Value = $ty; }
        impl AtomicSource for &mut $ty { type Value = $ty; })*
    };
}

sources!(u32 i32);

macro_rules! std_atomics {
    ($($atomic:ident: $ty:ty;)*) => {
        $(impl Sealed for &std::sync::atomic::$atomic {}
        impl Sealed for &mut std::sync::atomic::$atomic {}
        impl AtomicSource for &std::sync::atomic::$atomic { type Value = $ty; }
        impl AtomicSource for &mut std::sync::atomic::$atomic { type Value = $ty; }
        impl AtomicPlace for &std::sync::atomic::$atomic {}
        impl AtomicPlace for &mut std::sync::atomic::$atomic {})*
    };
}

std_atomics! {
    AtomicU32: u32;
    AtomicI32: i32;
}

impl<T: Copy> SealedLoadable for T {}
impl<T: Copy> UniformLoadable for T {
    type Value = T;
}

impl<T> Sealed for [T] {}
impl<T, const N: usize> Sealed for [T; N] {}
impl<T> Elements for [T] {}
impl<T, const N: usize> Elements for [T; N] {}
impl<T> Sealed for &[T] {}
impl<T> Sealed for &mut [T] {}
impl<T, const N: usize> Sealed for &[T; N] {}
impl<T, const N: usize> Sealed for &mut [T; N] {}
impl<T> Elements for &[T] {}
impl<T> Elements for &mut [T] {}
impl<T, const N: usize> Elements for &[T; N] {}
impl<T, const N: usize> Elements for &mut [T; N] {}

macro_rules! matrices {
    ($($ty:ident => $transposed:ident;)*) => {
        $(impl Sealed for $ty {}
        impl Matrix for $ty { type Transposed = $transposed; })*
    };
}

use super::{Mat2x3, Mat2x4, Mat3x2, Mat3x4, Mat4x2, Mat4x3};
matrices! {
    Mat2 => Mat2;
    Mat3 => Mat3;
    Mat4 => Mat4;
    Mat2x3 => Mat3x2;
    Mat2x4 => Mat4x2;
    Mat3x2 => Mat2x3;
    Mat3x4 => Mat4x3;
    Mat4x2 => Mat2x4;
    Mat4x3 => Mat3x4;
}
