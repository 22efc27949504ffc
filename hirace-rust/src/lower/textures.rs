//! Texture types in source code and in messages.

use super::super::tree::TextureShape::{Cube, D1, D2, D3};
use super::super::tree::{Scalar, Texture, TextureKind, TextureShape, Type};
use super::errors::{place, refuse};
use super::items::Items;
use super::names::{did_you_mean, last};
use syn::GenericArgument;

/// A family of texture types, which differ in their type parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
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
struct Row {
    name: &'static str,
    shape: TextureShape,
    arrayed: bool,
    family: Family,
}

const fn row(name: &'static str, shape: TextureShape, arrayed: bool, family: Family) -> Row {
    Row { name, shape, arrayed, family }
}

static TEXTURES: [Row; 16] = {
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
#[rustfmt::skip]
static FORMATS: [(&str, &str, Scalar); 40] = {
    use Scalar::{F32, I32, U32};
    [
        ("Rgba8Unorm", "rgba8unorm", F32), ("Rgba8Snorm", "rgba8snorm", F32), ("Rgba8Uint", "rgba8uint", U32),
        ("Rgba8Sint", "rgba8sint", I32), ("Rgba16Unorm", "rgba16unorm", F32), ("Rgba16Snorm", "rgba16snorm", F32),
        ("Rgba16Uint", "rgba16uint", U32), ("Rgba16Sint", "rgba16sint", I32), ("Rgba16Float", "rgba16float", F32),
        ("R32Uint", "r32uint", U32), ("R32Sint", "r32sint", I32), ("R32Float", "r32float", F32),
        ("Rg32Uint", "rg32uint", U32), ("Rg32Sint", "rg32sint", I32), ("Rg32Float", "rg32float", F32),
        ("Rgba32Uint", "rgba32uint", U32), ("Rgba32Sint", "rgba32sint", I32), ("Rgba32Float", "rgba32float", F32),
        ("Bgra8Unorm", "bgra8unorm", F32), ("R8Unorm", "r8unorm", F32), ("R8Snorm", "r8snorm", F32),
        ("R8Uint", "r8uint", U32), ("R8Sint", "r8sint", I32), ("R16Unorm", "r16unorm", F32), ("R16Snorm", "r16snorm", F32),
        ("R16Uint", "r16uint", U32), ("R16Sint", "r16sint", I32), ("R16Float", "r16float", F32),
        ("Rg8Unorm", "rg8unorm", F32), ("Rg8Snorm", "rg8snorm", F32), ("Rg8Uint", "rg8uint", U32),
        ("Rg8Sint", "rg8sint", I32), ("Rg16Unorm", "rg16unorm", F32), ("Rg16Snorm", "rg16snorm", F32),
        ("Rg16Uint", "rg16uint", U32), ("Rg16Sint", "rg16sint", I32), ("Rg16Float", "rg16float", F32),
        ("Rgb10a2Uint", "rgb10a2uint", U32), ("Rgb10a2Unorm", "rgb10a2unorm", F32), ("Rg11b10Ufloat", "rg11b10ufloat", F32),
    ]
};

static ACCESSES: [(&str, &str); 3] =
    [("Read", "read"), ("Write", "write"), ("ReadWrite", "read_write")];

/// Returns WGSL's formats of storage textures, and the scalar type of a texel's components.
#[cfg(test)]
pub fn formats() -> impl Iterator<Item = (&'static str, Scalar)> {
    FORMATS.iter().map(|(_, wgsl, texel)| (*wgsl, *texel))
}

/// Returns whether a name is a texture type, a texel format, or an access mode.
pub fn is_named(name: &str) -> bool {
    names().any(|known| known == name)
        || FORMATS.iter().any(|(rust, ..)| *rust == name)
        || ACCESSES.iter().any(|(rust, _)| *rust == name)
}

/// Returns the names of texture types.
pub fn names<'a>() -> impl Iterator<Item = &'a str> {
    TEXTURES.iter().map(|row| row.name)
}

/// Returns what to write instead of a texture type that does not exist.
pub fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "TextureExternal" => "video frames are only available in browsers: use a `Texture2d<f32>`",
        "TextureStorageCube" | "TextureStorageCubeArray" => {
            "a storage texture cannot be a cube: use a `TextureStorage2dArray` with six layers per cube"
        }
        "Texture1dArray" | "TextureStorage1dArray" => {
            "one-dimensional textures have no layers: use a two-dimensional texture"
        }
        "Texture3dArray" | "TextureStorage3dArray" => "three-dimensional textures have no layers",
        "TextureMultisampled2dArray" | "TextureDepthMultisampled2dArray" => {
            "multisampled textures have no layers"
        }
        "TextureDepth1d" | "TextureDepth3d" => "a depth texture must be two-dimensional or a cube",
        _ => return None,
    })
}

impl Items<'_> {
    /// Returns the texture that a type is, if it has the name of one.
    pub fn texture_type(
        &mut self,
        path: &syn::Path,
        name: &str,
        arguments: &[&GenericArgument],
    ) -> Option<syn::Result<Type>> {
        let row = TEXTURES.iter().find(|row| row.name == name)?;
        let kind = self.texture_kind(path, row, arguments);
        let (shape, arrayed) = (row.shape, row.arrayed);
        Some(kind.map(|kind| Type::Texture(Texture { shape, arrayed, kind })))
    }

    fn texture_kind(
        &mut self,
        path: &syn::Path,
        row: &Row,
        arguments: &[&GenericArgument],
    ) -> syn::Result<TextureKind> {
        let name = row.name;
        match (row.family, arguments) {
            (Family::Sampled | Family::Multisampled, _) => {
                let scalar = self.scalar_argument(arguments)?;
                match scalar.filter(|scalar| *scalar != Scalar::Bool) {
                    Some(scalar) if row.family == Family::Sampled => {
                        Ok(TextureKind::Sampled(scalar))
                    }
                    Some(scalar) => Ok(TextureKind::Multisampled(scalar)),
                    None => refuse(place(path), format!("missing texel type: write `{name}<f32>`")),
                }
            }
            (Family::Depth, []) => Ok(TextureKind::Depth),
            (Family::DepthMultisampled, []) => Ok(TextureKind::DepthMultisampled),
            (Family::Depth | Family::DepthMultisampled, _) => refuse(
                place(path),
                format!("depth textures have no type parameter: write `{name}`"),
            ),
            (Family::Storage, [format, access]) => {
                let formats = FORMATS.map(|(rust, wgsl, texel)| (rust, (wgsl, texel)));
                let (format, texel) = marker(format, &formats)?;
                let access = marker(access, &ACCESSES)?;
                Ok(TextureKind::Storage { format, texel, access })
            }
            (Family::Storage, _) => refuse(
                place(path),
                format!("missing format and access mode: write `{name}<Rgba8Unorm, Write>`"),
            ),
        }
    }
}

/// Returns a texture type as written in Rust.
pub fn describe(texture: &Texture) -> String {
    let (family, parameters) = match &texture.kind {
        TextureKind::Sampled(scalar) => (Family::Sampled, format!("<{}>", scalar.name())),
        TextureKind::Multisampled(scalar) => (Family::Multisampled, format!("<{}>", scalar.name())),
        TextureKind::Depth => (Family::Depth, String::new()),
        TextureKind::DepthMultisampled => (Family::DepthMultisampled, String::new()),
        TextureKind::Storage { format, access, .. } => {
            let format = FORMATS.iter().find(|row| row.1 == *format).map_or(*format, |row| row.0);
            let access = ACCESSES.iter().find(|row| row.1 == *access).map_or(*access, |row| row.0);
            (Family::Storage, format!("<{format}, {access}>"))
        }
    };
    let of_kind = |row: &&Row| {
        (row.shape, row.arrayed, row.family) == (texture.shape, texture.arrayed, family)
    };
    let name = TEXTURES.iter().find(of_kind).map_or("_", |row| row.name);
    format!("{name}{parameters}")
}

/// Returns the meaning of a type that stands for a format or an access mode.
fn marker<T: Clone>(argument: &GenericArgument, known: &[(&'static str, T)]) -> syn::Result<T> {
    /// The number of names that are listed in a message.
    const LISTED: usize = 20;
    let name = match argument {
        GenericArgument::Type(syn::Type::Path(path)) => last(&path.path),
        _ => String::new(),
    };
    if let Some((_, value)) = known.iter().find(|(rust, _)| *rust == name) {
        return Ok(value.clone());
    }
    let meant = did_you_mean(&name, known.iter().map(|(rust, _)| *rust));
    let mut all: Vec<&str> = known.iter().map(|(rust, _)| *rust).take(LISTED).collect();
    if known.len() > LISTED {
        all.push("…");
    }
    let one = if meant.is_empty() { format!(": one of {}", all.join(", ")) } else { meant };
    refuse(place(argument), format!("unknown `{name}`{one}"))
}
