//! Reads textures through samplers, one lane at a time.
//!
//! Filtering is exact: weights are not rounded to a few bits as on devices. Linear filtering applies within a
//! level; between levels the nearest one is used. If the linear footprint leaves a face of a cube, it
//! continues on the adjacent face; of the three texels at a corner one counts twice. Anisotropic filtering
//! and border colors are not supported.

mod cube;

use super::image::{Image, TexelAddress};
use crate::vm::memory::{AddressMode, Sampler};
use naga::ImageDimension;

/// The location and options of a sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleSpec {
    /// Texture coordinates, or the direction for a cube; unused components are 0.
    pub coordinate: [f32; 3],
    /// The layer of an arrayed texture (for cubes, the index of the cube), clamped to the existing ones.
    pub layer: i64,
    /// The offset that is added to the texel's coordinates.
    pub offset: [i32; 3],
    /// The mip level. Compute shaders have no implicit derivatives: `Auto` and `Bias` mean level 0, and a
    /// bias is ignored; for `Gradient` see [`gradient_level`].
    pub level: f32,
    /// Whether the location is kept half a texel away from the edges, as in `textureSampleBaseClampToEdge`.
    pub clamp_to_edge: bool,
}

/// Returns the result of `textureSample…`: the filtered texel of an image of floats.
pub fn sample(image: Image, sampler: &Sampler, spot: &SampleSpec) -> [f32; 4] {
    let mut sum = [0.0; 4];
    for (weight, texel) in footprint(image, sampler, spot) {
        if weight != 0.0 {
            for (sum, word) in sum.iter_mut().zip(texel) {
                *sum += weight * f32::from_bits(word);
            }
        }
    }
    sum
}

/// Returns the result of `textureSampleCompare…`: the share of the footprint that passes the sampler's
/// comparison with `reference`.
pub fn sample_compare(image: Image, sampler: &Sampler, spot: &SampleSpec, reference: f32) -> f32 {
    footprint(image, sampler, spot)
        .filter(|(_, [depth, ..])| sampler.compare.holds(reference, f32::from_bits(*depth)))
        .map(|(weight, _)| weight)
        .sum()
}

/// Returns the result of `textureGather`: one component, as bits, of the four texels of the linear footprint,
/// in WGSL's order.
pub fn gather(image: Image, sampler: &Sampler, spot: &SampleSpec, component: usize) -> [u32; 4] {
    gathered(image, sampler, spot).map(|texel| texel.get(component).copied().unwrap_or(0))
}

/// Returns the result of `textureGatherCompare`: for each of these texels, 1 if it passes the comparison,
/// otherwise 0.
pub fn gather_compare(
    image: Image,
    sampler: &Sampler,
    spot: &SampleSpec,
    reference: f32,
) -> [f32; 4] {
    gathered(image, sampler, spot).map(|[depth, ..]| {
        f32::from(u8::from(sampler.compare.holds(reference, f32::from_bits(depth))))
    })
}

fn gathered(image: Image, sampler: &Sampler, spot: &SampleSpec) -> [[u32; 4]; 4] {
    let linear = Sampler { linear: true, ..*sampler };
    let mut corners = [[0; 4]; 4];
    for (corner, (_, texel)) in corners.iter_mut().zip(footprint(image, &linear, spot)) {
        *corner = texel;
    }
    let [top_left, top_right, bottom_left, bottom_right] = corners;
    [bottom_left, bottom_right, top_right, top_left]
}

/// Returns the level of detail of `textureSampleGrad`: the level at which the longer gradient is one texel
/// long.
pub fn gradient_level(image: Image, x: [f32; 3], y: [f32; 3]) -> f32 {
    let size = image.size(0);
    let texels = |gradient: [f32; 3]| {
        let scaled = std::array::from_fn::<f32, 3, _>(|i| match image.dim {
            // A face of a cube has length two in direction vectors.
            ImageDimension::Cube => gradient[i] * size[0] as f32 / 2.0,
            _ if i < dimensions(image.dim) => gradient[i] * size[i] as f32,
            _ => 0.0,
        });
        scaled.iter().map(|s| s * s).sum::<f32>().sqrt()
    };
    texels(x).max(texels(y)).log2()
}

const fn dimensions(dim: ImageDimension) -> usize {
    match dim {
        ImageDimension::D1 => 1,
        ImageDimension::D2 | ImageDimension::Cube => 2,
        ImageDimension::D3 => 3,
    }
}

/// Returns the texels of a sample's footprint with their weights: one texel, or two for each dimension, with
/// the first coordinate varying fastest.
fn footprint<'a>(
    image: Image<'a>,
    sampler: &Sampler,
    spot: &SampleSpec,
) -> impl Iterator<Item = (f32, [u32; 4])> + use<'a> {
    let dimensions = dimensions(image.dim);
    let level = nearest_level(image, spot.level);
    let size = image.size(level);
    let (coordinate, face) = match image.dim {
        ImageDimension::Cube => {
            let (face, [u, v]) = cube::face(spot.coordinate);
            ([u, v, 0.0], Some(face))
        }
        _ => (spot.coordinate, None),
    };
    let layer = spot.layer.clamp(0, i64::from(image.layers().max(1)) - 1) as u32;
    let address = sampler.address;
    let taps = std::array::from_fn::<_, 3, _>(|axis| {
        if axis >= dimensions {
            return Taps { first: 0, second_weight: 0.0 };
        }
        let length = size[axis] as f32;
        let half = if spot.clamp_to_edge { 0.5 / length } else { f32::NEG_INFINITY };
        let position = coordinate[axis].max(half).min(1.0 - half) * length;
        Taps::at(position, sampler.linear, spot.offset[axis])
    });
    let corners = if sampler.linear { 1 << dimensions } else { 1 };
    (0..corners).map(move |corner: usize| {
        let mut weight = 1.0;
        let mut at = [0; 3];
        for (axis, taps) in taps.iter().enumerate() {
            let second = corner >> axis & 1 == 1;
            weight *= if second { taps.second_weight } else { 1.0 - taps.second_weight };
            at[axis] = taps.first + i64::from(second);
        }
        let at = match face {
            Some(face) => cube::texel(face, [at[0], at[1]], size[0], layer),
            None => {
                let wrapped =
                    std::array::from_fn(|axis| wrap(address, at[axis], size[axis].max(1)));
                match image.dim {
                    ImageDimension::D3 => wrapped,
                    _ => [wrapped[0], wrapped[1], layer],
                }
            }
        };
        (weight, image.load(TexelAddress { at, sample: 0, level }).unwrap_or_default())
    })
}

fn nearest_level(image: Image, level: f32) -> u32 {
    // `as` converts NaN to 0 and saturates.
    ((level + 0.5).floor() as u32).min(image.levels() - 1)
}

/// The texels along one axis that take part in a sample.
#[derive(Clone, Copy)]
struct Taps {
    first: i64,
    /// The weight of the texel after the first.
    second_weight: f32,
}

impl Taps {
    /// Computes the taps of a position, in texels.
    fn at(position: f32, linear: bool, offset: i32) -> Self {
        let position = if linear { position - 0.5 } else { position };
        // Far outside, no precision remains to be lost, and the clamp prevents overflow of sums.
        const FAR: f32 = (1u64 << 40) as f32;
        let floor = position.floor().clamp(-FAR, FAR);
        let fraction =
            if position.is_finite() && linear { position - position.floor() } else { 0.0 };
        Self { first: floor as i64 + i64::from(offset), second_weight: fraction }
    }
}

/// Applies the address mode to the coordinate `at` along an axis of `length` texels.
fn wrap(address: AddressMode, at: i64, length: u32) -> u32 {
    let length = i64::from(length);
    let inside = match address {
        AddressMode::ClampToEdge => at.clamp(0, length - 1),
        AddressMode::Repeat => at.rem_euclid(length),
        AddressMode::MirrorRepeat => {
            let at = at.rem_euclid(2 * length);
            if at < length { at } else { 2 * length - 1 - at }
        }
    };
    inside as u32
}
