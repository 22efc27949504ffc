//! The types of a kernel in Rust.

use super::name::Name;

/// Index into [`Module::consts`](super::tree::Module::consts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(pub usize);

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
    /// `u8`: a `u32` in WGSL with values below 2^8.
    U8,
    /// `i8`: an `i32` in WGSL with the values of an `i8`.
    I8,
    /// `u16`: a `u32` in WGSL with values below 2^16.
    U16,
    /// `i16`: an `i32` in WGSL with the values of an `i16`.
    I16,
    /// `u64`, which is an optional feature of devices.
    U64,
    /// `i64`, which is an optional feature of devices.
    I64,
    /// `half::f16`, which is an optional feature of devices.
    F16,
}

impl Scalar {
    /// All scalar types.
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

    /// Returns the name of the type in Rust.
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

    /// Returns the type that represents it in WGSL.
    pub const fn wgsl_scalar(self) -> Self {
        match self {
            Self::Usize | Self::U8 | Self::U16 => Self::U32,
            Self::Isize | Self::I8 | Self::I16 => Self::I32,
            other => other,
        }
    }

    /// Returns whether WGSL has no type of its own for it. Memory that the host can access cannot contain such a type.
    pub fn is_local(self) -> bool {
        self != self.wgsl_scalar()
    }

    /// Returns the width of an integer that is narrower than 32 bits. Results of WGSL's arithmetic must be reduced to
    /// this width.
    pub const fn narrow_bits(self) -> Option<u32> {
        match self {
            Self::U8 | Self::I8 => Some(8),
            Self::U16 | Self::I16 => Some(16),
            _ => None,
        }
    }

    /// Returns whether it is a 64-bit integer.
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::U64 | Self::I64)
    }

    /// Returns whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16)
    }

    /// Rounds to the nearest value of this float type.
    pub fn rounded(self, value: f32) -> f32 {
        match self {
            Self::F16 => half::f16::from_f32(value).to_f32(),
            _ => value,
        }
    }

    /// Returns whether operations on its constants are evaluated only at run time. naga evaluates no 64-bit integer
    /// operations, and it rejects non-finite `f16` results, which Rust accepts.
    pub const fn is_computed_late(self) -> bool {
        self.is_wide() || matches!(self, Self::F16)
    }

    /// Returns the width of an integer in bits.
    pub const fn bits(self) -> u32 {
        match (self.narrow_bits(), self.is_wide()) {
            (Some(bits), _) => bits,
            (None, true) => 64,
            (None, false) => 32,
        }
    }

    /// Returns whether it is an integer.
    pub fn is_integer(self) -> bool {
        self.range().is_some()
    }

    /// Returns the least and the greatest value of an integer.
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

    /// Returns whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        self.range().is_some_and(|(least, _)| least < 0)
    }

    /// Returns the integer type of this signedness and the same width, such as `usize` for `isize`.
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

    /// Returns whether `other` can represent every value of this integer.
    pub fn fits_in(self, other: Self) -> bool {
        match (self.range(), other.range()) {
            (Some((least, greatest)), Some((from, to))) => from <= least && greatest <= to,
            _ => self == other,
        }
    }
}

/// The type of a value or a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `()`, and `!`, the type of expressions that diverge.
    Unit,
    /// A scalar.
    Scalar(Scalar),
    /// glam's vectors with 2 to 4 components.
    Vector(u8, Scalar),
    /// A matrix of `f32`.
    Matrix {
        /// The number of columns, 2 to 4.
        columns: u8,
        /// The number of rows, 2 to 4.
        rows: u8,
    },
    /// `Atomic<u32>` or `Atomic<i32>`.
    Atomic(Scalar),
    /// `[T; N]`.
    Array(Box<Type>, Count),
    /// `[T]`: a runtime-sized array, which is a buffer or the last member of a buffer's struct.
    Slice(Box<Type>),
    /// A struct of the module.
    Struct(StructId),
    /// A tuple. It cannot be in shared memory.
    Tuple(Vec<Type>),
    /// An enum with the arguments for its type parameters.
    Enum(EnumKind, Vec<Type>),
    /// The result of a compare-exchange: `Result<T, T>` in Rust, a predeclared struct in WGSL.
    Exchange(Scalar),
    /// A texture.
    Texture(Texture),
    /// `Sampler` or `SamplerComparison`.
    Sampler {
        /// Whether it is a comparison sampler.
        comparison: bool,
    },
}

impl Type {
    /// Returns whether it is `bool` or a vector of `bool`.
    pub fn is_bool(&self) -> bool {
        matches!(self, Self::Scalar(Scalar::Bool) | Self::Vector(_, Scalar::Bool))
    }

    /// Returns whether it is a 64-bit integer.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.is_wide())
    }

    /// Returns whether operations on its constants are evaluated only at run time.
    pub fn is_computed_late(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.is_computed_late())
    }

    /// Returns whether casting a value of this type to `other` does not change its representation in WGSL.
    pub fn is_same_in_wgsl(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) => {
                one.wgsl_scalar() == other.wgsl_scalar()
                    && (other.narrow_bits().is_none() || one.fits_in(*other))
            }
            _ => self == other,
        }
    }
}

/// The length of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// A number: a literal, or the value of a constant expression.
    Literal(u32),
    /// A constant, a const parameter of a generic kernel, or an override (workgroup memory only).
    Const(ConstId),
}

/// A texture type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    /// Its dimension.
    pub shape: TextureShape,
    /// Whether it is an array texture.
    pub arrayed: bool,
    /// Its kind.
    pub kind: TextureKind,
}

/// The dimension of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureShape {
    /// One-dimensional.
    D1,
    /// Two-dimensional.
    D2,
    /// Three-dimensional.
    D3,
    /// A cube of six faces.
    Cube,
}

impl TextureShape {
    /// Returns the name in WGSL's texture types.
    pub const fn name(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D2 => "2d",
            Self::D3 => "3d",
            Self::Cube => "cube",
        }
    }

    /// Returns the number of components of its size.
    pub const fn dimensions(self) -> u8 {
        match self {
            Self::D1 => 1,
            Self::D2 | Self::Cube => 2,
            Self::D3 => 3,
        }
    }

    /// Returns the number of components of a sampling coordinate. For a cube this is a direction.
    pub const fn coordinates(self) -> u8 {
        match self {
            Self::Cube => 3,
            _ => self.dimensions(),
        }
    }
}

/// The kind of a [`Texture`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// `texture_2d<f32>` and similar types.
    Sampled(Scalar),
    /// `texture_multisampled_2d`.
    Multisampled(Scalar),
    /// `texture_depth_2d` and similar types.
    Depth,
    /// `texture_depth_multisampled_2d`.
    DepthMultisampled,
    /// `texture_storage_2d<format, access>`.
    Storage {
        /// WGSL's name of the texel format.
        format: &'static str,
        /// The type of a texel's components.
        texel: Scalar,
        /// WGSL's name of the access mode: `read`, `write` or `read_write`.
        access: &'static str,
    },
}

/// Index of a struct in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub usize);
/// Index of an enum in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub usize);

/// A reference to an enum type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnumKind {
    /// `Option<T>`: `None`, then `Some`.
    Option,
    /// `Result<T, E>`: `Ok`, then `Err`.
    Result,
    /// `std::cmp::Ordering`: `Less`, `Equal`, `Greater`.
    Ordering,
    /// An enum of the module.
    Own(EnumId),
}

impl EnumKind {
    /// Returns the enum of `std` with this name and this number of type parameters.
    pub fn from_std_name(name: &str, parameters: usize) -> Option<Self> {
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
    /// The variant marked `#[default]`.
    pub default: Option<usize>,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its discriminant.
    pub discriminant: i128,
    /// The types of its fields.
    pub parts: Vec<Type>,
    /// The names of its fields, if they are named.
    pub names: Vec<String>,
}
