//! Tests textures: the location of texels, and sampling.

use super::super::image::{Image, TexelAddress};
use super::super::sample::{
    SampleSpec, gather, gather_compare, gradient_level, sample, sample_compare,
};
use crate::vm::memory::{AddressMode, Buffer, Compare, Sampler, Texture};
use naga::ImageDimension::{self, Cube, D1, D2, D3};
use proptest::prelude::*;

const NEAREST: Sampler =
    Sampler { linear: false, address: AddressMode::ClampToEdge, compare: Compare::Less };
const LINEAR: Sampler = Sampler { linear: true, ..NEAREST };

/// Creates a texture from the first components of its texels, in order; the other components are 0, 0, 1.
fn texture(
    size: [u32; 3],
    levels: u32,
    samples: u32,
    first: impl IntoIterator<Item = f32>,
) -> Texture {
    let texels = first.into_iter().flat_map(|red| [red, 0.0, 0.0, 1.0]);
    let bytes: Vec<u8> = texels.flat_map(f32::to_le_bytes).collect();
    Texture { size, levels, samples, texels: Buffer::new(&bytes) }
}

fn red(texture: &Texture, dim: ImageDimension, sampler: &Sampler, coordinate: [f32; 3]) -> f32 {
    sample(Image { texture, dim }, sampler, &SampleSpec { coordinate, ..SampleSpec::default() })[0]
}

fn texel_address(at: [u32; 3], level: u32) -> TexelAddress {
    TexelAddress { at, sample: 0, level }
}

#[test]
fn levels_halve_all_dimensions_except_layers() {
    let layered = texture([5, 3, 4], 3, 1, []);
    let sizes = |dim| [0, 1, 2, 9].map(|level| Image { texture: &layered, dim }.size(level));
    assert_eq!(sizes(D2), [[5, 3, 4], [2, 1, 4], [1, 1, 4], [1, 1, 4]]);
    assert_eq!(sizes(D3), [[5, 3, 4], [2, 1, 2], [1, 1, 1], [1, 1, 1]]);
    let cubes = texture([4, 4, 12], 1, 1, []);
    let image = Image { texture: &cubes, dim: Cube };
    assert_eq!((image.layers(), image.levels(), image.samples()), (2, 1, 1));
}

#[test]
fn each_texel_has_its_own_words() {
    for dim in [D2, D3] {
        let image = texture([5, 3, 4], 3, 2, (0..2 * (60 + 8 + 4)).map(|i| i as f32));
        let image = Image { texture: &image, dim };
        let mut next = 0;
        for level in 0..3 {
            let [width, height, depth] = image.size(level);
            for (z, y, x, sample) in (0..depth)
                .flat_map(|z| (0..height).map(move |y| (z, y)))
                .flat_map(|(z, y)| (0..width).map(move |x| (z, y, x)))
                .flat_map(|(z, y, x)| [0, 1].map(|sample| (z, y, x, sample)))
            {
                let at = TexelAddress { at: [x, y, z], sample, level };
                assert_eq!(image.word(at), Some(next * 4), "{at:?}");
                let one = 1f32.to_bits();
                assert_eq!(image.load(at), Some([(next as f32).to_bits(), 0, 0, one]));
                next += 1;
            }
        }
    }
}

#[test]
fn texels_out_of_bounds_do_not_exist() {
    let texture = texture([4, 2, 1], 2, 1, (0..10).map(|i| i as f32));
    let image = Image { texture: &texture, dim: D2 };
    for outside in [
        texel_address([4, 0, 0], 0),
        texel_address([0, 2, 0], 0),
        texel_address([0, 0, 1], 0),
        texel_address([-1i32 as u32, 0, 0], 0),
        texel_address([2, 0, 0], 1),
        texel_address([0, 0, 0], 2),
        TexelAddress { sample: 1, ..TexelAddress::default() },
    ] {
        assert_eq!(image.load(outside), None, "{outside:?}");
        image.store(outside, [1; 4]);
    }
    assert_eq!(
        image.load(texel_address([1, 0, 0], 1)).map(|texel| f32::from_bits(texel[0])),
        Some(9.0)
    );
    image.store(texel_address([3, 1, 0], 0), [1, 2, 3, 4]);
    assert_eq!(image.load(texel_address([3, 1, 0], 0)), Some([1, 2, 3, 4]));
    // A texture may have fewer texels than its size states. The missing ones do not exist.
    let short = self::texture([4, 4, 1], 1, 1, [1.0, 2.0]);
    assert_eq!(Image { texture: &short, dim: D2 }.load(texel_address([3, 3, 0], 0)), None);
}

#[test]
fn the_nearest_texel_is_the_one_that_holds_the_coordinate() {
    let row = texture([4, 1, 1], 1, 1, [0.0, 1.0, 2.0, 3.0]);
    let at = |x| red(&row, D1, &NEAREST, [x, 0.0, 0.0]);
    assert_eq!(
        [0.0, 0.24, 0.26, 0.5, 0.99, 1.5, -3.0].map(at),
        [0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 0.0]
    );
    assert!((0.0..=3.0).contains(&at(f32::NAN)) && at(f32::INFINITY) == 3.0);
}

#[test]
fn the_address_mode_determines_texels_outside_of_the_texture() {
    let row = texture([4, 1, 1], 1, 1, [0.0, 1.0, 2.0, 3.0]);
    let read = |address, linear| {
        let sampler = Sampler { address, linear, ..NEAREST };
        [-0.6, -0.1, 1.1, 1.4, 2.1].map(|x: f32| {
            let x = if linear { (x * 4.0).floor() / 4.0 } else { x };
            red(&row, D1, &sampler, [x, 0.0, 0.0])
        })
    };
    assert_eq!(read(AddressMode::ClampToEdge, false), [0.0, 0.0, 3.0, 3.0, 3.0]);
    assert_eq!(read(AddressMode::Repeat, false), [1.0, 3.0, 0.0, 1.0, 0.0]);
    assert_eq!(read(AddressMode::MirrorRepeat, false), [2.0, 0.0, 3.0, 2.0, 0.0]);
    // On the boundary of two texels each has weight one half: -0.75, -0.25, 1, 1.25, 2.
    assert_eq!(read(AddressMode::ClampToEdge, true), [0.0, 0.0, 3.0, 3.0, 3.0]);
    assert_eq!(read(AddressMode::Repeat, true), [0.5, 2.5, 1.5, 0.5, 1.5]);
    assert_eq!(read(AddressMode::MirrorRepeat, true), [2.5, 0.5, 3.0, 2.5, 0.0]);
}

proptest! {
    #[test]
    fn linear_filtering_is_exact_on_linear_textures(
        coordinate in prop::array::uniform3(0.0f32..1.0), slopes in prop::array::uniform3(-4i8..5),
    ) {
        let size = [4, 8, 2];
        let slopes = slopes.map(f32::from);
        let texels = (0..64).map(|i| {
            let at = [i % 4, i / 4 % 8, i / 32];
            (0..3).map(|axis| at[axis] as f32 * slopes[axis]).sum()
        });
        let volume = texture(size, 1, 1, texels);
        let found = red(&volume, D3, &LINEAR, coordinate);
        let expected: f32 = (0..3)
            .map(|axis| {
                let last = (size[axis] - 1) as f32;
                (coordinate[axis] * size[axis] as f32 - 0.5).clamp(0.0, last) * slopes[axis]
            })
            .sum();
        prop_assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }

    #[test]
    fn a_cube_is_continuous_across_its_edges(
        axis in 0usize..3, signs in prop::array::uniform2(prop::bool::ANY), along in -0.8f32..0.8,
    ) {
        // Each texel holds a component of its own direction.
        let pointing = |direction: [f32; 3]| {
            let length = direction.iter().map(|c| c * c).sum::<f32>().sqrt();
            (direction[0] + 2.0 * direction[1] + 3.0 * direction[2]) / length
        };
        let size = 8;
        let texels = (0..6 * size * size).map(|i| {
            let [s, t] = [i % size, i / size % size].map(|a| (a as f32 + 0.5) / 4.0 - 1.0);
            pointing(match i / (size * size) {
                0 => [1.0, -t, -s],
                1 => [-1.0, -t, s],
                2 => [s, 1.0, t],
                3 => [s, -1.0, -t],
                4 => [s, -t, 1.0],
                _ => [-s, -t, -1.0],
            })
        });
        let cube = texture([size, size, 6], 1, 1, texels);
        // At an edge, two components of the direction have the same magnitude. Each side makes one of them larger.
        let [one, other] = signs.map(|sign| if sign { 1.0 } else { -1.0 });
        let mut edge = [0.0; 3];
        edge[axis] = along;
        edge[(axis + 1) % 3] = one;
        edge[(axis + 2) % 3] = other;
        let sides = [1, 2].map(|longer| {
            let mut direction = edge;
            direction[(axis + longer) % 3] *= 1.0001;
            red(&cube, Cube, &LINEAR, direction)
        });
        prop_assert!((sides[0] - sides[1]).abs() < 0.01, "{sides:?}");
        prop_assert!((sides[0] - pointing(edge)).abs() < 0.1, "{sides:?} {}", pointing(edge));
    }

    #[test]
    fn no_coordinates_make_sampling_fail(
        bits in prop::array::uniform3(any::<u32>()), layer: i64, offset in prop::array::uniform3(any::<i32>()), level: u32, linear: bool, clamp_to_edge: bool,
    ) {
        let image = texture([4, 4, 12], 2, 1, (0..240).map(|_| 5.0));
        let spec = SampleSpec {
            coordinate: bits.map(f32::from_bits),
            layer,
            offset,
            level: f32::from_bits(level),
            clamp_to_edge,
        };
        for dim in [D1, D2, D3, Cube] {
            for address in [AddressMode::ClampToEdge, AddressMode::Repeat, AddressMode::MirrorRepeat] {
                let image = Image { texture: &image, dim };
                let sampler = Sampler { linear, address, ..NEAREST };
                // Every texel is 5, so every mixture is 5 (up to rounding).
                let [red, _, _, alpha] = sample(image, &sampler, &spec);
                prop_assert!((red - 5.0).abs() < 1e-5 && (alpha - 1.0).abs() < 1e-5, "{dim:?} {red}");
            }
        }
    }
}

#[test]
fn a_direction_meets_the_face_it_points_to() {
    let cubes = texture([1, 1, 12], 1, 1, (0..12).map(|i| i as f32));
    let directions = [
        [1.0, 0.2, 0.3],
        [-1.0, 0.2, 0.3],
        [0.2, 1.0, 0.3],
        [0.2, -1.0, 0.3],
        [0.2, 0.3, 1.0],
        [0.2, 0.3, -1.0],
    ];
    for (face, coordinate) in directions.into_iter().enumerate() {
        for layer in [-3, 0, 1, 7i64] {
            let spec = SampleSpec { coordinate, layer, ..SampleSpec::default() };
            let image = Image { texture: &cubes, dim: Cube };
            let expected = (layer.clamp(0, 1) * 6 + face as i64) as f32;
            assert_eq!(sample(image, &NEAREST, &spec)[0], expected);
        }
    }
    // Seen from inside, the sign of the direction determines which side is left.
    let face = texture([2, 2, 6], 1, 1, (0..24).map(|i| i as f32));
    assert_eq!(red(&face, Cube, &NEAREST, [1.0, 0.5, 0.5]), 0.0);
    assert_eq!(red(&face, Cube, &NEAREST, [1.0, -0.5, -0.5]), 3.0);
    assert_eq!(red(&face, Cube, &NEAREST, [-0.5, 0.5, 1.0]), 16.0);
    assert_eq!(red(&face, Cube, &NEAREST, [0.5, 1.0, -0.5]), 9.0);
}

#[test]
fn gather_returns_texels_counterclockwise_from_the_lower_left() {
    let image = texture([3, 3, 1], 1, 1, (0..9).map(|i| i as f32));
    let image = Image { texture: &image, dim: D2 };
    let spec = SampleSpec { coordinate: [0.5, 0.4, 0.0], ..SampleSpec::default() };
    let at = |spec: &SampleSpec| gather(image, &NEAREST, spec, 0).map(f32::from_bits);
    // Between columns 1 and 2 (0.5 * 3 - 0.5 = 1) and rows 0 and 1 (0.4 * 3 - 0.5 = 0.7).
    assert_eq!(at(&spec), [4.0, 5.0, 2.0, 1.0]);
    assert_eq!(at(&SampleSpec { offset: [-1, 1, 0], ..spec }), [6.0, 7.0, 4.0, 3.0]);
    assert_eq!(gather(image, &NEAREST, &spec, 3), [1f32.to_bits(); 4]);
    let above = gather_compare(image, &NEAREST, &spec, 3.0);
    assert_eq!(above, [1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn a_comparison_returns_the_fraction_that_passes() {
    let depth = texture([2, 1, 1], 1, 1, [0.25, 0.75]);
    let image = Image { texture: &depth, dim: D2 };
    let spec = SampleSpec { coordinate: [0.375, 0.5, 0.0], ..SampleSpec::default() };
    assert_eq!(sample_compare(image, &LINEAR, &spec, 0.5), 0.25);
    assert_eq!(sample_compare(image, &NEAREST, &spec, 0.5), 0.0);
    let compare_with = |compare, reference| {
        sample_compare(image, &Sampler { compare, ..NEAREST }, &spec, reference)
    };
    for (compare, below, equal, above) in [
        (Compare::Never, 0.0, 0.0, 0.0),
        (Compare::Less, 1.0, 0.0, 0.0),
        (Compare::Equal, 0.0, 1.0, 0.0),
        (Compare::LessEqual, 1.0, 1.0, 0.0),
        (Compare::Greater, 0.0, 0.0, 1.0),
        (Compare::NotEqual, 1.0, 0.0, 1.0),
        (Compare::GreaterEqual, 0.0, 1.0, 1.0),
        (Compare::Always, 1.0, 1.0, 1.0),
    ] {
        assert_eq!(
            [0.0, 0.25, 0.5].map(|r| compare_with(compare, r)),
            [below, equal, above],
            "{compare:?}"
        );
    }
}

#[test]
fn clamp_to_edge_disables_wrapping() {
    let row = texture([4, 4, 1], 1, 1, (0..16).map(|i| (i % 4) as f32));
    let image = Image { texture: &row, dim: D2 };
    let repeating = Sampler { address: AddressMode::Repeat, ..LINEAR };
    let spec = SampleSpec { coordinate: [0.0, 0.5, 0.0], ..SampleSpec::default() };
    assert_eq!(sample(image, &repeating, &spec)[0], 1.5);
    assert_eq!(sample(image, &repeating, &SampleSpec { clamp_to_edge: true, ..spec })[0], 0.0);
}

#[test]
fn the_nearest_level_is_read_and_gradients_choose_it() {
    let image = texture(
        [4, 4, 1],
        3,
        1,
        (0..21).map(|i| {
            if i < 16 {
                0.0
            } else if i < 20 {
                1.0
            } else {
                2.0
            }
        }),
    );
    let image = Image { texture: &image, dim: D2 };
    let at = |level| sample(image, &LINEAR, &SampleSpec { level, ..SampleSpec::default() })[0];
    assert_eq!(
        [-1.0, 0.4, 0.6, 1.4, 2.0, 9.0, f32::NAN].map(at),
        [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0]
    );
    assert_eq!(gradient_level(image, [0.25, 0.0, 9.0], [0.0, 0.5, 9.0]), 1.0);
    assert_eq!(gradient_level(image, [1.0, 0.0, 0.0], [0.0; 3]), 2.0);
    assert_eq!(at(gradient_level(image, [0.0; 3], [0.0; 3])), 0.0);
}
