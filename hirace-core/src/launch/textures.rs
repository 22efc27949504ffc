//! Textures of a launch, given or inferred.

use super::buffers::{DeadlinePoll, FillContext, MAX_BYTES, MAX_GENERATED_BYTES, number_below};
use super::number::Number;
use super::spec::{Contents, Length};
use super::values::{self, Shape, Values};
use crate::diagnostic::{Diagnostic, Result};
use crate::random::Random;
use crate::vm::memory::{Buffer, Texture};
use crate::vm::ops::texel::quantize;
use naga::{ImageClass, ImageDimension, Scalar, ScalarKind};

/// The maximum size of inferred textures in each dimension.
const MAX_INFERRED_SIZE: u32 = 1024;

/// The size of a texel in bytes: each has four words.
const TEXEL_BYTES: u64 = 16;

/// The type of a texture variable.
#[derive(Clone, Copy, Debug)]
pub struct TextureType {
    /// The dimension: 1D to 3D, or cube.
    pub dim: ImageDimension,
    /// Whether the texture has layers.
    pub arrayed: bool,
    /// The class: sampled, depth or storage.
    pub class: ImageClass,
}

impl TextureType {
    /// Returns the scalar type of the texels.
    fn scalar(self) -> Scalar {
        match self.class {
            ImageClass::Sampled { kind, .. } => Scalar { kind, width: 4 },
            ImageClass::Storage { format, .. } => format.into(),
            ImageClass::Depth { .. } | ImageClass::External => Scalar::F32,
        }
    }

    fn samples(self) -> u32 {
        match self.class {
            ImageClass::Sampled { multi: true, .. } | ImageClass::Depth { multi: true } => 4,
            _ => 1,
        }
    }

    /// Returns the size of a texture that covers `extent` invocations.
    pub fn inferred_size(self, extent: [u32; 3]) -> [u32; 3] {
        let [x, y, z] = extent.map(|n| n.min(MAX_INFERRED_SIZE));
        match (self.dim, self.arrayed) {
            (ImageDimension::D1, _) => [x, 1, 1],
            (ImageDimension::D2, false) => [x, y, 1],
            (ImageDimension::D2, true) | (ImageDimension::D3, _) => [x, y, z],
            (ImageDimension::Cube, _) => [x, x, 6],
        }
    }

    /// Returns the texture of variable `name` with this size and these texels.
    fn texture(self, name: &str, size: [u32; 3], values: &Values) -> Result<Texture> {
        let Values { shape, bytes: given, rust } = values;
        let words = given.as_chunks().0;
        let wrong =
            |what: String| Box::new(Diagnostic::new(format!("contents of `{name}`: {what}")));
        if let Some(misfit) = self.misfit(size) {
            return Err(wrong(misfit));
        }
        let components = self.components(shape).ok_or_else(|| {
            let scalar = super::number::scalar_name(Scalar { width: 4, ..self.scalar() });
            wrong(format!(
                "`{rust}` cannot be used as texels: expected one to four {scalar} per texel"
            ))
        })?;
        let samples = self.samples();
        let texels = texel_count(size, samples);
        if texels.saturating_mul(components.into()) != words.len() as u64 {
            let given = words.len() / components as usize;
            let [x, y, z] = size;
            return Err(wrong(format!("{x}x{y}x{z} are {texels} texels, got {given}")));
        }
        check_texels(texels, MAX_BYTES).map_err(wrong)?;
        let is_float = self.scalar().kind == ScalarKind::Float;
        let one = if is_float { 1f32.to_le_bytes() } else { 1u32.to_le_bytes() };
        let mut bytes = Vec::with_capacity((texels * TEXEL_BYTES) as usize);
        for texel in words.chunks(components as usize) {
            let mut padded = [[0; 4], [0; 4], [0; 4], one];
            padded[..texel.len()].copy_from_slice(texel);
            bytes.extend(padded.as_flattened());
        }
        Ok(Texture { size, levels: 1, samples, texels: self.quantized(bytes) })
    }

    /// Returns a buffer of texels. The texels of a storage texture are rounded to its format.
    fn quantized(self, mut bytes: Vec<u8>) -> Buffer {
        if let ImageClass::Storage { format, .. } = self.class {
            for texel in bytes.chunks_exact_mut(16) {
                let component = |i: usize| std::array::from_fn(|byte| texel[i * 4 + byte]);
                let words = [0, 1, 2, 3].map(|i| u32::from_le_bytes(component(i)));
                let quantized = quantize(format, words).map(u32::to_le_bytes);
                texel.copy_from_slice(quantized.as_flattened());
            }
        }
        Buffer::new(&bytes)
    }

    /// Returns the number of components of a texel in a list of `shape`, or `None` if `shape` is not a list of texels.
    pub fn components(self, shape: &Shape) -> Option<u32> {
        let Shape::Array(element, _) = shape else { return None };
        let (scalar, components) = match &**element {
            Shape::Scalar(scalar) => (*scalar, 1),
            Shape::Array(scalar, Some(n @ 1..=4)) => match **scalar {
                Shape::Scalar(scalar) => (scalar, *n),
                _ => return None,
            },
            _ => return None,
        };
        let wide = Scalar { width: 4, ..self.scalar() };
        (values::scalar_of(wide) == Some(scalar)).then_some(components)
    }

    /// Returns why a texture of this type cannot have `size`, if it cannot.
    fn misfit(self, size: [u32; 3]) -> Option<String> {
        let [x, y, z] = size;
        let expected = match (self.dim, self.arrayed) {
            _ if x == 0 || y == 0 || z == 0 => "a size of at least 1 in each dimension",
            (ImageDimension::D1, _) if y != 1 || z != 1 => {
                "a width only, as Wx1, for one dimension"
            }
            (ImageDimension::D2, false) if z != 1 => "WxH for two dimensions",
            (ImageDimension::Cube, false) if x != y || z != 6 => "NxNx6 for a cube",
            (ImageDimension::Cube, true) if x != y || !z.is_multiple_of(6) => {
                "NxN and a multiple of 6 layers for an array of cubes"
            }
            _ => return None,
        };
        Some(format!("expected {expected}, got {x}x{y}x{z}"))
    }
}

/// Returns the texture of variable `name` that holds `contents`, and whether its size was given.
pub fn fill(
    name: &str,
    kind: TextureType,
    contents: &Contents,
    context: &FillContext<'_>,
    extent: [u32; 3],
) -> Result<(Texture, bool)> {
    let wrong = |what: &str| {
        Box::new(Diagnostic::new(format!("contents of `{name}`: {what}")).help(
            "a texture takes zeros:WxH, random:WxH[:SEED], iota:WxH, fill:WxH:VALUE or below:WxH:VALUE[:SEED] (WxHxD with depth or layers)",
        ))
    };
    let scalar = kind.scalar();
    let mut random = Random::stream(context.seed, context.stream);
    let mut count = 0;
    let (length, mut component): (_, Box<dyn FnMut() -> Number>) = match contents {
        Contents::Zeros(length) => (length, Box::new(|| Number::Int(0))),
        Contents::Iota(length) => (
            length,
            Box::new(|| {
                count += 1;
                Number::Int((count - 1) % (1 << 24))
            }),
        ),
        Contents::Random(length, seed) => {
            if let Some(seed) = seed {
                random = Random::stream(*seed, 0);
            }
            (length, Box::new(|| random_component(&mut random, scalar, context.below)))
        }
        Contents::Fill(length, value) => (length, Box::new(|| *value)),
        Contents::Below(length, most, seed) => {
            if let Some(seed) = seed {
                random = Random::stream(*seed, 0);
            }
            (length, Box::new(|| number_below(&mut random, scalar, *most)))
        }
        Contents::List(_) | Contents::File(_) | Contents::Permutation(..) => {
            return Err(wrong("it is a texture: lists, permutations and files are not supported"));
        }
        Contents::Values(_) | Contents::Bytes(_) => {
            return Err(wrong("it is a texture, not a buffer"));
        }
        Contents::Texels(size, values) => return Ok((kind.texture(name, *size, values)?, true)),
    };
    let size = match length {
        None => kind.inferred_size(extent),
        Some(Length::Texels(size)) => *size,
        Some(Length::Elements(width)) if kind.dim == ImageDimension::D1 => [*width, 1, 1],
        Some(Length::Elements(_)) => return Err(wrong("expected WxH or WxHxD, got one number")),
    };
    if let Some(misfit) = kind.misfit(size) {
        return Err(wrong(&misfit));
    }
    let samples = kind.samples();
    let texels = texel_count(size, samples);
    if let Contents::Zeros(_) = contents {
        check_texels(texels, MAX_BYTES).map_err(|what| wrong(&what))?;
        let texels = Buffer::zeros((texels * TEXEL_BYTES) as u32);
        return Ok((Texture { size, levels: 1, samples, texels }, length.is_some()));
    }
    check_texels(texels, MAX_GENERATED_BYTES).map_err(|what| wrong(&what))?;
    let wide = Scalar { width: scalar.width.max(4), ..scalar };
    let mut bytes = Vec::with_capacity((texels * TEXEL_BYTES) as usize);
    let mut poll = DeadlinePoll::new(context.deadline);
    for _ in 0..texels * 4 {
        if poll.now() {
            break;
        }
        let number = component();
        // 64-bit texels have one component of two words. All other components have one word.
        match number.encode(Scalar { width: 4, ..wide }) {
            Some(encoded) => bytes.extend_from_slice(&encoded),
            None => {
                let scalar = super::number::scalar_name(Scalar { width: 4, ..wide });
                return Err(wrong(&format!(
                    "{number} is not a value of the component type {scalar}"
                )));
            }
        }
    }
    let texture = Texture { size, levels: 1, samples, texels: kind.quantized(bytes) };
    Ok((texture, length.is_some()))
}

/// Returns the number of texels of a texture of this size.
fn texel_count(size: [u32; 3], samples: u32) -> u64 {
    size.iter().chain([&samples]).fold(1, |product: u64, &n| product.saturating_mul(n.into()))
}

/// Returns an error if a number of texels takes more than `most` bytes.
fn check_texels(texels: u64, most: u32) -> std::result::Result<(), String> {
    let generated = if most == MAX_BYTES { "" } else { " of generated contents" };
    match texels.saturating_mul(TEXEL_BYTES) > most.into() {
        false => Ok(()),
        true => Err(format!(
            "{texels} texels are more than the texture limit of {} MiB{generated}",
            most >> 20
        )),
    }
}

/// Returns a random color or depth in [0, 1), or a random integer below `below`.
fn random_component(random: &mut Random, scalar: Scalar, below: u32) -> Number {
    match scalar.kind {
        ScalarKind::Sint | ScalarKind::Uint => Number::Int(random.below(below.min(1 << 31)).into()),
        _ => Number::Float(random.unit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deadline::Deadline;

    const CONTEXT: FillContext<'_> = FillContext {
        deadline: Deadline::NEVER,
        seed: 1,
        stream: 2,
        elements: 4,
        below: 8,
        sentinels: &[],
    };

    fn texture(declaration: &str, contents: &str) -> Result<(Texture, bool)> {
        let text = format!("@group(0) @binding(0) var t: {declaration};");
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        let (_, variable) = module.global_variables.iter().next().unwrap();
        let naga::TypeInner::Image { dim, arrayed, class } = module.types[variable.ty].inner else {
            panic!("{declaration} is not a texture");
        };
        let contents = Contents::parse(contents).unwrap();
        fill("t", TextureType { dim, arrayed, class }, &contents, &CONTEXT, [16, 8, 1])
    }

    #[test]
    fn an_omitted_size_covers_the_grid() {
        let (guessed, given) = texture("texture_2d<f32>", "random").unwrap();
        assert_eq!((guessed.size, given), ([16, 8, 1], false));
        assert_eq!(guessed.texels.len(), 16 * 8 * 16);
        let texels = guessed.texels.snapshot();
        assert!(texels.iter().all(|&bits| (0.0..1.0).contains(&f32::from_bits(bits))));
        assert!(texels.iter().any(|&bits| bits != texels[0]));
    }

    #[test]
    fn contents_are_converted_to_the_format_of_the_texture() {
        let (storage, _) = texture("texture_storage_2d<rgba8uint, write>", "fill:2x2:7").unwrap();
        assert_eq!(storage.texels.snapshot(), [7; 16]);
        let (floats, _) = texture("texture_storage_2d<rgba8unorm, write>", "fill:2x2:0.5").unwrap();
        assert_eq!(floats.texels.snapshot(), [(128.0f32 / 255.0).to_bits(); 16]);
        let wrong = texture("texture_storage_2d<r32uint, write>", "fill:2x2:0.5").unwrap_err();
        assert!(wrong.message.contains("0.5 is not a value of the component type u32"));
    }

    #[test]
    fn sizes_must_fit_the_dimension() {
        assert!(texture("texture_1d<f32>", "zeros:9").is_ok());
        assert!(texture("texture_2d<f32>", "zeros:9").unwrap_err().message.contains("WxH"));
        assert!(texture("texture_2d<f32>", "zeros:4x4x2").is_err());
        assert!(texture("texture_cube<f32>", "zeros:4x4x6").is_ok());
        assert!(texture("texture_cube<f32>", "zeros:4x4").is_err());
        assert!(texture("texture_2d<f32>", "zeros:0x4").is_err());
        assert!(
            texture("texture_2d<f32>", "zeros:99999x99999").unwrap_err().message.contains("MiB")
        );
        assert!(texture("texture_2d<f32>", "1,2,3").unwrap_err().message.contains("lists"));
    }

    #[test]
    fn multisampled_textures_have_four_samples() {
        let (texture, _) = texture("texture_multisampled_2d<f32>", "zeros:2x2").unwrap();
        assert_eq!((texture.samples, texture.texels.len()), (4, 4 * 4 * 16));
    }
}
