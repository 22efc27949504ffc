//! The types of the prelude and of Rust that kernels can name, and the names that are arguments of these types.

use super::types::TextureShape::{self, Cube, D1, D2, D3};
use super::types::{Scalar, Type};

/// Returns whether the prelude has a type of this name, or a name that is used as an argument of such a type.
pub fn is_prelude_type(name: &str) -> bool {
    plain(name).is_some() || name == "Atomic" || is_texture_name(name)
}

/// The types of the prelude that have no parameters, and types of `std` and of the crate `half` that have a representation in WGSL.
#[rustfmt::skip]
static PLAIN: [(&str, Type); 41] = {
    use Scalar::{Bool, F16, F32, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize};
    use Type::{Atomic, Sampler, Scalar as Of, Vector};
    const fn matrix(columns: u8, rows: u8) -> Type {
        Type::Matrix { columns, rows }
    }
    [
        ("bool", Of(Bool)), ("i32", Of(I32)), ("u32", Of(U32)), ("f32", Of(F32)), ("usize", Of(Usize)), ("isize", Of(Isize)),
        ("u8", Of(U8)), ("i8", Of(I8)), ("u16", Of(U16)), ("i16", Of(I16)), ("u64", Of(U64)), ("i64", Of(I64)), ("f16", Of(F16)),
        ("Vec2", Vector(2, F32)), ("Vec3", Vector(3, F32)), ("Vec4", Vector(4, F32)),
        ("IVec2", Vector(2, I32)), ("IVec3", Vector(3, I32)), ("IVec4", Vector(4, I32)),
        ("UVec2", Vector(2, U32)), ("UVec3", Vector(3, U32)), ("UVec4", Vector(4, U32)),
        ("BVec2", Vector(2, Bool)), ("BVec3", Vector(3, Bool)), ("BVec4", Vector(4, Bool)),
        ("Mat2", matrix(2, 2)), ("Mat3", matrix(3, 3)), ("Mat4", matrix(4, 4)),
        ("Mat2x2", matrix(2, 2)), ("Mat2x3", matrix(2, 3)), ("Mat2x4", matrix(2, 4)),
        ("Mat3x2", matrix(3, 2)), ("Mat3x3", matrix(3, 3)), ("Mat3x4", matrix(3, 4)),
        ("Mat4x2", matrix(4, 2)), ("Mat4x3", matrix(4, 3)), ("Mat4x4", matrix(4, 4)),
        ("Sampler", Sampler { comparison: false }), ("SamplerComparison", Sampler { comparison: true }),
        ("AtomicU32", Atomic(U32)), ("AtomicI32", Atomic(I32)),
    ]
};

/// Returns the type of the prelude with this name, if it has no parameters.
pub fn plain(name: &str) -> Option<Type> {
    PLAIN.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty.clone())
}

/// Returns the names of the types without parameters.
pub fn plain_names<'a>() -> impl Iterator<Item = &'a str> {
    PLAIN.iter().map(|(name, _)| *name)
}

/// Returns the name of a type of the prelude without parameters.
pub fn plain_name(ty: &Type) -> Option<&'static str> {
    PLAIN.iter().find(|(_, known)| known == ty).map(|(name, _)| *name)
}

/// A family of texture types, which differ in their type parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// One parameter: the texel type.
    Sampled,
    /// One parameter: the texel type.
    Multisampled,
    /// No parameters.
    Depth,
    /// No parameters.
    DepthMultisampled,
    /// Two parameters: a format and an access mode.
    Storage,
}

/// A texture type.
pub struct TextureName {
    /// The name in Rust.
    pub name: &'static str,
    pub shape: TextureShape,
    pub arrayed: bool,
    pub family: Family,
}

const fn row(
    name: &'static str,
    shape: TextureShape,
    arrayed: bool,
    family: Family,
) -> TextureName {
    TextureName { name, shape, arrayed, family }
}

/// The texture types.
pub static TEXTURES: [TextureName; 16] = {
    use Family::{Depth, DepthMultisampled, Multisampled, Sampled, Storage};
    [
        row("Texture1d", D1, false, Sampled),
        row("Texture2d", D2, false, Sampled),
        row("Texture2dArray", D2, true, Sampled),
        row("Texture3d", D3, false, Sampled),
        row("TextureCube", Cube, false, Sampled),
        row("TextureCubeArray", Cube, true, Sampled),
        row("TextureMultisampled2d", D2, false, Multisampled),
        row("TextureDepth2d", D2, false, Depth),
        row("TextureDepth2dArray", D2, true, Depth),
        row("TextureDepthCube", Cube, false, Depth),
        row("TextureDepthCubeArray", Cube, true, Depth),
        row("TextureDepthMultisampled2d", D2, false, DepthMultisampled),
        row("TextureStorage1d", D1, false, Storage),
        row("TextureStorage2d", D2, false, Storage),
        row("TextureStorage2dArray", D2, true, Storage),
        row("TextureStorage3d", D3, false, Storage),
    ]
};

/// The formats of storage textures: the names in Rust and in WGSL, and the scalar type of a texel's components.
pub static FORMATS: [(&str, &str, Scalar); 40] = {
    use Scalar::{F32, I32, U32};
    [
        ("Rgba8Unorm", "rgba8unorm", F32),
        ("Rgba8Snorm", "rgba8snorm", F32),
        ("Rgba8Uint", "rgba8uint", U32),
        ("Rgba8Sint", "rgba8sint", I32),
        ("Rgba16Unorm", "rgba16unorm", F32),
        ("Rgba16Snorm", "rgba16snorm", F32),
        ("Rgba16Uint", "rgba16uint", U32),
        ("Rgba16Sint", "rgba16sint", I32),
        ("Rgba16Float", "rgba16float", F32),
        ("R32Uint", "r32uint", U32),
        ("R32Sint", "r32sint", I32),
        ("R32Float", "r32float", F32),
        ("Rg32Uint", "rg32uint", U32),
        ("Rg32Sint", "rg32sint", I32),
        ("Rg32Float", "rg32float", F32),
        ("Rgba32Uint", "rgba32uint", U32),
        ("Rgba32Sint", "rgba32sint", I32),
        ("Rgba32Float", "rgba32float", F32),
        ("Bgra8Unorm", "bgra8unorm", F32),
        ("R8Unorm", "r8unorm", F32),
        ("R8Snorm", "r8snorm", F32),
        ("R8Uint", "r8uint", U32),
        ("R8Sint", "r8sint", I32),
        ("R16Unorm", "r16unorm", F32),
        ("R16Snorm", "r16snorm", F32),
        ("R16Uint", "r16uint", U32),
        ("R16Sint", "r16sint", I32),
        ("R16Float", "r16float", F32),
        ("Rg8Unorm", "rg8unorm", F32),
        ("Rg8Snorm", "rg8snorm", F32),
        ("Rg8Uint", "rg8uint", U32),
        ("Rg8Sint", "rg8sint", I32),
        ("Rg16Unorm", "rg16unorm", F32),
        ("Rg16Snorm", "rg16snorm", F32),
        ("Rg16Uint", "rg16uint", U32),
        ("Rg16Sint", "rg16sint", I32),
        ("Rg16Float", "rg16float", F32),
        ("Rgb10a2Uint", "rgb10a2uint", U32),
        ("Rgb10a2Unorm", "rgb10a2unorm", F32),
        ("Rg11b10Ufloat", "rg11b10ufloat", F32),
    ]
};

/// The access modes of storage textures: the names in Rust and in WGSL.
pub static ACCESSES: [(&str, &str); 3] =
    [("Read", "read"), ("Write", "write"), ("ReadWrite", "read_write")];

/// Returns WGSL's formats of storage textures, and the scalar type of a texel's components.
#[cfg(test)]
pub fn formats() -> impl Iterator<Item = (&'static str, Scalar)> {
    FORMATS.iter().map(|(_, wgsl, texel)| (*wgsl, *texel))
}

/// Returns whether a name is a texture type, a texel format, or an access mode.
fn is_texture_name(name: &str) -> bool {
    texture_names().any(|known| known == name)
        || FORMATS.iter().any(|(rust, ..)| *rust == name)
        || ACCESSES.iter().any(|(rust, _)| *rust == name)
}

/// Returns the names of texture types.
pub fn texture_names<'a>() -> impl Iterator<Item = &'a str> {
    TEXTURES.iter().map(|row| row.name)
}
