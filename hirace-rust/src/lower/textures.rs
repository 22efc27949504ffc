//! Texture types in source code and in messages.

use super::super::tree::{Scalar, Texture, TextureKind, Type};
use super::errors::{place, refuse};
use super::items::Items;
use super::names::{did_you_mean, last};
use crate::prelude_types::{ACCESSES, FORMATS, Family, TEXTURES, TextureName};
use syn::GenericArgument;

/// Returns what to write instead of a texture type that does not exist.
pub fn replacement_help(name: &str) -> Option<&'static str> {
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
    /// Returns the texture type that a path names, or `None` if its name is not that of a texture type.
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
        row: &TextureName,
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
    let is_same_type = |row: &&TextureName| {
        (row.shape, row.arrayed, row.family) == (texture.shape, texture.arrayed, family)
    };
    let name = TEXTURES.iter().find(is_same_type).map_or("_", |row| row.name);
    format!("{name}{parameters}")
}

/// Returns the value that a type argument for a format or an access mode stands for.
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
    let suggestion = did_you_mean(&name, known.iter().map(|(rust, _)| *rust));
    let mut names: Vec<&str> = known.iter().map(|(rust, _)| *rust).take(LISTED).collect();
    if known.len() > LISTED {
        names.push("…");
    }
    let one =
        if suggestion.is_empty() { format!(": one of {}", names.join(", ")) } else { suggestion };
    refuse(place(argument), format!("unknown `{name}`{one}"))
}
