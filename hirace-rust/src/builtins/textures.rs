//! Texture functions. Their parameters depend on the kind of the texture; [`texture`] returns them.
//!
//! In Rust they are methods of textures, with WGSL's names without `texture`, because the parameters of a Rust
//! function cannot depend on the kind of a texture. The most common ones are free functions too.

use super::Emit::{Call, Template};
use super::Parameter::Texture as Any;
use super::class::shaped;
use super::{Builtin, Class, TextureCall, TextureParameter};
use crate::types::Scalar::{F32, I32, U32};
use crate::types::{Texture, TextureKind, TextureShape, Type};
use TextureParameter::{Constant, Integers};

pub(super) const FUNCTIONS: &[Builtin] = table! {
    "texture_dimensions": Class::None, [Any; 1] => Any, Call("textureDimensions");
    "texture_dimensions_of_level": Class::None, [Any; 2] => Any, Call("textureDimensions");
    "texture_num_levels": Class::None, [Any; 1] => Any, Call("textureNumLevels");
    "texture_num_layers": Class::None, [Any; 1] => Any, Call("textureNumLayers");
    "texture_num_samples": Class::None, [Any; 1] => Any, Call("textureNumSamples");
    "texture_load": Class::None, [Any; 2] => Any, Call("textureLoad");
    "texture_load": Class::None, [Any; 3] => Any, Call("textureLoad");
    "texture_load": Class::None, [Any; 4] => Any, Call("textureLoad");
    "texture_store": Class::None, [Any; 3] => Any, Call("textureStore");
    "texture_store": Class::None, [Any; 4] => Any, Call("textureStore");
    "texture_sample_level": Class::None, [Any; 4] => Any, Call("textureSampleLevel");
    "texture_sample_level": Class::None, [Any; 5] => Any, Call("textureSampleLevel");
    "texture_sample_level_offset": Class::None, [Any; 5] => Any, Call("textureSampleLevel");
    "texture_sample_level_offset": Class::None, [Any; 6] => Any, Call("textureSampleLevel");
    "texture_sample_grad": Class::None, [Any; 5] => Any, Call("textureSampleGrad");
    "texture_sample_grad": Class::None, [Any; 6] => Any, Call("textureSampleGrad");
    "texture_sample_grad_offset": Class::None, [Any; 6] => Any, Call("textureSampleGrad");
    "texture_sample_grad_offset": Class::None, [Any; 7] => Any, Call("textureSampleGrad");
    "texture_sample_base_clamp_to_edge": Class::None, [Any; 3] => Any, Call("textureSampleBaseClampToEdge");
    "texture_sample_compare_level": Class::None, [Any; 4] => Any, Call("textureSampleCompareLevel");
    "texture_sample_compare_level": Class::None, [Any; 5] => Any, Call("textureSampleCompareLevel");
    "texture_sample_compare_level_offset": Class::None, [Any; 5] => Any, Call("textureSampleCompareLevel");
    "texture_sample_compare_level_offset": Class::None, [Any; 6] => Any, Call("textureSampleCompareLevel");
    "texture_gather_compare": Class::None, [Any; 4] => Any, Call("textureGatherCompare");
    "texture_gather_compare": Class::None, [Any; 5] => Any, Call("textureGatherCompare");
    "texture_gather_compare_offset": Class::None, [Any; 5] => Any, Call("textureGatherCompare");
    "texture_gather_compare_offset": Class::None, [Any; 6] => Any, Call("textureGatherCompare");
};

/// Gathering from a texture that is not a depth texture. In WGSL, the component is before the texture.
static GATHER: &[Builtin] = table! {
    "texture_gather": Class::None, [Any; 4] => Any, Template("textureGather({1}, {0}, {2}, {3})");
    "texture_gather": Class::None, [Any; 5] => Any, Template("textureGather({1}, {0}, {2}, {3}, {4})");
    "texture_gather": Class::None, [Any; 6] => Any, Template("textureGather({1}, {0}, {2}, {3}, {4}, {5})");
};

/// Gathering from a depth texture, which has one component.
static GATHER_DEPTH: &[Builtin] = table! {
    "texture_gather": Class::None, [Any; 3] => Any, Call("textureGather");
    "texture_gather": Class::None, [Any; 4] => Any, Call("textureGather");
    "texture_gather": Class::None, [Any; 5] => Any, Call("textureGather");
};

/// Returns the function `name`, with or without the prefix `texture_`, for a texture and a number of further
/// arguments. Returns `None` if it does not exist.
pub fn texture(name: &str, texture: &Texture, arguments: usize) -> Option<TextureCall> {
    let name = name.strip_prefix("texture_").unwrap_or(name);
    let (parameters, result) = signature(name, texture)?;
    if parameters.len() != arguments {
        return None;
    }
    let rows: &'static [Builtin] = match texture.kind {
        _ if !matches!(name, "gather" | "gather_offset") => FUNCTIONS,
        TextureKind::Depth => GATHER_DEPTH,
        _ => GATHER,
    };
    let name = if name == "gather_offset" { "gather" } else { name };
    let builtin = rows.iter().find(|row| {
        row.name.strip_prefix("texture_") == Some(name) && row.parameters.len() == arguments + 1
    })?;
    Some(TextureCall { builtin, parameters, result })
}

/// Returns what to write instead of a function that textures of this kind do not have.
pub fn alternative(name: &str, texture: &Texture) -> Option<&'static str> {
    let name = name.strip_prefix("texture_").unwrap_or(name);
    match (texture.shape, &texture.kind) {
        (TextureShape::Cube, _) if name == "load" => Some(
            "a cube is sampled by direction: to load texels by coordinates, bind its faces as layers",
        ),
        (TextureShape::Cube, _) if name.ends_with("_offset") => {
            Some("a cube cannot be sampled with an offset: change the direction")
        }
        (TextureShape::D1, TextureKind::Sampled(_))
            if name.starts_with("sample") || name.starts_with("gather") =>
        {
            Some("a one-dimensional texture can only be sampled with `sample_level`")
        }
        (_, TextureKind::Multisampled(_) | TextureKind::DepthMultisampled)
            if name.starts_with("sample") || name.starts_with("gather") =>
        {
            Some(
                "multisampled textures cannot be filtered: load the samples, `load(coordinates, sample)`",
            )
        }
        _ => None,
    }
}

/// Returns the parameters after the texture, and the result.
fn signature(name: &str, texture: &Texture) -> Option<(Vec<TextureParameter>, Type)> {
    use TextureKind::{Depth, DepthMultisampled, Multisampled, Sampled, Storage};
    use TextureShape::{Cube, D1, D2};
    let shape = texture.shape;
    let texel_coordinates = Integers(shape.dimensions());
    let coordinates = || TextureParameter::Type(shaped(shape.coordinates(), F32));
    let layer = texture.arrayed.then_some(Integers(1));
    let sampler = |comparison| TextureParameter::Type(Type::Sampler { comparison });
    let float = || TextureParameter::Type(Type::Scalar(F32));
    let size = shaped(shape.dimensions(), U32);
    let texel = match texture.kind {
        Sampled(scalar) | Multisampled(scalar) => Type::Vector(4, scalar),
        Storage { texel, .. } => Type::Vector(4, texel),
        Depth | DepthMultisampled => Type::Scalar(F32),
    };
    let has_levels = matches!(texture.kind, Sampled(_) | Depth);
    // Sampling requires a filterable texture.
    let is_filterable = matches!(texture.kind, Sampled(F32));
    let (base, offset) = match name.strip_suffix("_offset") {
        Some(base) => (base, Some(Constant(shaped(shape.dimensions(), I32)))),
        None => (name, None),
    };
    let count = Type::Scalar(U32);
    let vec4_f32 = Type::Vector(4, F32);
    let present = |parts: Vec<Option<TextureParameter>>| parts.into_iter().flatten().collect();
    let (parameters, result): (Vec<TextureParameter>, Type) = match (base, &texture.kind) {
        ("dimensions", _) => (Vec::new(), size),
        ("dimensions_of_level", _) if has_levels => (vec![Integers(1)], size),
        ("num_levels", _) if has_levels => (Vec::new(), count),
        ("num_layers", _) if texture.arrayed => (Vec::new(), count),
        ("num_samples", Multisampled(_) | DepthMultisampled) => (Vec::new(), count),
        ("load", Storage { access, .. }) if access.starts_with("read") => {
            (present(vec![Some(texel_coordinates), layer]), texel)
        }
        ("load", Sampled(_) | Depth | Multisampled(_) | DepthMultisampled) if shape != Cube => {
            (present(vec![Some(texel_coordinates), layer, Some(Integers(1))]), texel)
        }
        ("store", Storage { access, .. }) if access.ends_with("write") => {
            let texel = TextureParameter::Type(texel);
            (present(vec![Some(texel_coordinates), layer, Some(texel)]), Type::Unit)
        }
        ("sample_level", _) if is_filterable => (
            present(vec![Some(sampler(false)), Some(coordinates()), layer, Some(float())]),
            vec4_f32,
        ),
        ("sample_level", Depth) => (
            present(vec![Some(sampler(false)), Some(coordinates()), layer, Some(Integers(1))]),
            texel,
        ),
        ("sample_grad", _) if is_filterable && shape != D1 => {
            let gradients = [Some(coordinates()), Some(coordinates())];
            let mut parts = vec![Some(sampler(false)), Some(coordinates()), layer];
            parts.extend(gradients);
            (present(parts), vec4_f32)
        }
        ("sample_base_clamp_to_edge", _) if is_filterable && shape == D2 && !texture.arrayed => {
            (vec![sampler(false), coordinates()], vec4_f32)
        }
        ("gather", Sampled(scalar)) if matches!(shape, D2 | Cube) => {
            let component = Constant(Type::Scalar(U32));
            let parts = vec![Some(component), Some(sampler(false)), Some(coordinates()), layer];
            (present(parts), Type::Vector(4, *scalar))
        }
        ("gather", Depth) => {
            (present(vec![Some(sampler(false)), Some(coordinates()), layer]), vec4_f32)
        }
        ("sample_compare_level" | "gather_compare", Depth) => {
            let parts = vec![Some(sampler(true)), Some(coordinates()), layer, Some(float())];
            (present(parts), if base == "gather_compare" { vec4_f32 } else { texel })
        }
        _ => return None,
    };
    let is_sampling = base.starts_with("sample_") || base.starts_with("gather");
    let has_offset =
        is_sampling && base != "sample_base_clamp_to_edge" && !matches!(shape, D1 | Cube);
    match offset {
        Some(_) if !has_offset => None,
        offset => Some((parameters.into_iter().chain(offset).collect(), result)),
    }
}
