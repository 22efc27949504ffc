//! The types of a kernel in Rust.

use super::{ConstId, Name};

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
    /// `usize`, of 32 bits: a `u32` in WGSL.
    Usize,
    /// `isize`, of 32 bits: an `i32` in WGSL.
    Isize,
    /// `u8`: a `u32` in WGSL that stays below 2^8.
    U8,
    /// `i8`, likewise an `i32`.
    I8,
    /// `u16`: a `u32` in WGSL that stays below 2^16.
    U16,
    /// `i16`, likewise an `i32`.
    I16,
    /// `u64`, which a device has or lacks.
    U64,
    /// `i64`, likewise.
    I64,
    /// `half::f16`, likewise.
    F16,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Bool,
        Self::I32,
        Self::U32,
        Self::F32,
        Self::Usize,
        Self::Isize,
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U64,
        Self::I64,
        Self::F16,
    ];

    /// As Rust names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::Usize => "usize",
            Self::Isize => "isize",
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F16 => "f16",
        }
    }

    /// What holds it in WGSL.
    pub const fn stored(self) -> Self {
        match self {
            Self::Usize | Self::U8 | Self::U16 => Self::U32,
            Self::Isize | Self::I8 | Self::I16 => Self::I32,
            other => other,
        }
    }

    /// Whether WGSL has no such type of its own, so that no memory that a host sees can hold it.
    pub fn is_local(self) -> bool {
        self != self.stored()
    }

    /// Its bits, if it is an integer of less than 32: WGSL's arithmetic has to be brought back to these.
    pub const fn narrow(self) -> Option<u32> {
        match self {
            Self::U8 | Self::I8 => Some(8),
            Self::U16 | Self::I16 => Some(16),
            _ => None,
        }
    }

    /// Whether it is an integer of 64 bits.
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::U64 | Self::I64)
    }

    /// Whether it is one of the floats.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16)
    }

    /// The nearest of a float's values.
    pub fn rounded(self, value: f32) -> f32 {
        match self {
            Self::F16 => half::f16::from_f32(value).to_f32(),
            _ => value,
        }
    }

    /// Whether nothing is computed of its constants before a kernel runs: of integers of 64 bits naga computes none, and of
    /// `f16` it refuses what is not finite, which Rust goes on with.
    pub const fn is_computed_late(self) -> bool {
        self.is_wide() || matches!(self, Self::F16)
    }

    /// How many bits an integer has.
    pub const fn bits(self) -> u32 {
        match (self.narrow(), self.is_wide()) {
            (Some(bits), _) => bits,
            (None, true) => 64,
            (None, false) => 32,
        }
    }

    /// Whether it is one of the integers.
    pub fn is_integer(self) -> bool {
        self.range().is_some()
    }

    /// The least and the greatest of an integer's values.
    pub const fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::U32 | Self::Usize => Some((0, u32::MAX as i128)),
            Self::I32 | Self::Isize => Some((i32::MIN as i128, i32::MAX as i128)),
            Self::U8 => Some((0, u8::MAX as i128)),
            Self::I8 => Some((i8::MIN as i128, i8::MAX as i128)),
            Self::U16 => Some((0, u16::MAX as i128)),
            Self::I16 => Some((i16::MIN as i128, i16::MAX as i128)),
            Self::U64 => Some((0, u64::MAX as i128)),
            Self::I64 => Some((i64::MIN as i128, i64::MAX as i128)),
            Self::Bool | Self::F32 | Self::F16 => None,
        }
    }

    /// Whether it is an integer with negative values.
    pub fn is_signed(self) -> bool {
        self.range().is_some_and(|(least, _)| least < 0)
    }

    /// The integer of this signedness and as many bits, as `usize` is of `isize`.
    pub const fn with_sign(self, signed: bool) -> Self {
        match (self, signed) {
            (Self::U32 | Self::I32, true) => Self::I32,
            (Self::U32 | Self::I32, false) => Self::U32,
            (Self::Usize | Self::Isize, true) => Self::Isize,
            (Self::Usize | Self::Isize, false) => Self::Usize,
            (Self::U8 | Self::I8, true) => Self::I8,
            (Self::U8 | Self::I8, false) => Self::U8,
            (Self::U16 | Self::I16, true) => Self::I16,
            (Self::U16 | Self::I16, false) => Self::U16,
            (Self::U64 | Self::I64, true) => Self::I64,
            (Self::U64 | Self::I64, false) => Self::U64,
            (other, _) => other,
        }
    }

    /// Whether every value of this integer is one of the other.
    pub fn fits(self, other: Self) -> bool {
        match (self.range(), other.range()) {
            (Some((least, greatest)), Some((from, to))) => from <= least && greatest <= to,
            _ => self == other,
        }
    }
}

/// A type of a value or a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `()`, and `!`, the type of what does not come back.
    Unit,
    /// A scalar.
    Scalar(Scalar),
    /// glam's vectors: 2 to 4 components.
    Vector(u8, Scalar),
    /// Matrices of `f32`.
    Matrix {
        /// 2 to 4.
        columns: u8,
        /// 2 to 4.
        rows: u8,
    },
    /// `Atomic<u32>` or `Atomic<i32>`.
    Atomic(Scalar),
    /// `[T; N]`.
    Array(Box<Type>, Count),
    /// `[T]`: the runtime-sized array of a buffer, or at the end of a buffer's struct.
    Slice(Box<Type>),
    /// A struct of the module.
    Struct(StructId),
    /// Several values; never in memory that is shared.
    Tuple(Vec<Type>),
    /// One of several variants, with what stands for the type's parameters.
    Enum(Which, Vec<Type>),
    /// What a compare-exchange gives: `Result<T, T>` in Rust, a struct of WGSL's own.
    Exchange(Scalar),
    /// A texture.
    Texture(Texture),
    /// `Sampler` or `SamplerComparison`.
    Sampler {
        /// Whether it compares.
        comparison: bool,
    },
}

impl Type {
    /// Whether it is an integer of 64 bits.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.is_wide())
    }

    /// Whether nothing is computed of its constants before a kernel runs.
    pub fn is_computed_late(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.is_computed_late())
    }

    /// Whether a value of this type is in WGSL what `as` makes of it for the other.
    pub fn is_same_in_wgsl(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) => {
                one.stored() == other.stored() && (other.narrow().is_none() || one.fits(*other))
            }
            _ => self == other,
        }
    }
}

/// The length of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// A number, or a constant expression's value.
    Literal(u32),
    /// A constant, a const parameter of a generic kernel, or an override (workgroup memory only).
    Const(ConstId),
}

/// The kind of a texture, and what its texels are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    /// How its texels lie.
    pub shape: TextureShape,
    /// Whether it has layers.
    pub arrayed: bool,
    /// What it is.
    pub kind: TextureKind,
}

/// How the texels of a texture lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureShape {
    /// In a line.
    D1,
    /// In a plane.
    D2,
    /// In space.
    D3,
    /// In six planes around a point.
    Cube,
}

impl TextureShape {
    /// As WGSL's types of textures have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D2 => "2d",
            Self::D3 => "3d",
            Self::Cube => "cube",
        }
    }

    /// How many sizes it has.
    pub const fn dimensions(self) -> u8 {
        match self {
            Self::D1 => 1,
            Self::D2 | Self::Cube => 2,
            Self::D3 => 3,
        }
    }

    /// How many coordinates a point has that it is sampled at: of a cube, a direction.
    pub const fn coordinates(self) -> u8 {
        match self {
            Self::Cube => 3,
            _ => self.dimensions(),
        }
    }
}

/// See [`Texture`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// `texture_2d<f32>` and the like.
    Sampled(Scalar),
    /// `texture_multisampled_2d`.
    Multisampled(Scalar),
    /// `texture_depth_2d` and the like.
    Depth,
    /// `texture_depth_multisampled_2d`.
    DepthMultisampled,
    /// `texture_storage_2d<format, access>`.
    Storage {
        /// WGSL's name of the format.
        format: &'static str,
        /// What a texel's components are.
        texel: Scalar,
        /// WGSL's name of the access: `read`, `write` or `read_write`.
        access: &'static str,
    },
}

/// Index into [`Module::structs`](super::Module::structs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub usize);
/// Index into [`Module::enums`](super::Module::enums).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub usize);

/// Which enum a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// `Option<T>`: `None`, then `Some`.
    Option,
    /// `Result<T, E>`: `Ok`, then `Err`.
    Result,
    /// `std::cmp::Ordering`: `Less`, `Equal`, `Greater`.
    Ordering,
    /// One of the module.
    Own(EnumId),
}

impl Which {
    /// That of `std` with this name and so many parameters.
    pub fn standard(name: &str, parameters: usize) -> Option<Self> {
        match (name, parameters) {
            ("Option", 1) => Some(Self::Option),
            ("Result", 2) => Some(Self::Result),
            _ => None,
        }
    }
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// Its variants, in order.
    pub variants: Vec<Variant>,
    /// The one marked `#[default]`.
    pub default: Option<usize>,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The number that it is as an integer.
    pub discriminant: i128,
    /// What it holds.
    pub parts: Vec<Type>,
    /// The names of its parts, if they have some.
    pub names: Vec<String>,
}
