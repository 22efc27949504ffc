//! Tests quantization by storage formats.

use super::super::texel::{bytes, of_bytes, quantize};
use super::same;
use half::f16;
use naga::{ScalarKind, StorageFormat as Format};
use proptest::prelude::*;

const FORMATS: [Format; 41] = [
    Format::R8Unorm,
    Format::R8Snorm,
    Format::R8Uint,
    Format::R8Sint,
    Format::R16Uint,
    Format::R16Sint,
    Format::R16Float,
    Format::Rg8Unorm,
    Format::Rg8Snorm,
    Format::Rg8Uint,
    Format::Rg8Sint,
    Format::R32Uint,
    Format::R32Sint,
    Format::R32Float,
    Format::Rg16Uint,
    Format::Rg16Sint,
    Format::Rg16Float,
    Format::Rgba8Unorm,
    Format::Rgba8Snorm,
    Format::Rgba8Uint,
    Format::Rgba8Sint,
    Format::Bgra8Unorm,
    Format::Rgb10a2Uint,
    Format::Rgb10a2Unorm,
    Format::Rg11b10Ufloat,
    Format::R64Uint,
    Format::Rg32Uint,
    Format::Rg32Sint,
    Format::Rg32Float,
    Format::Rgba16Uint,
    Format::Rgba16Sint,
    Format::Rgba16Float,
    Format::Rgba32Uint,
    Format::Rgba32Sint,
    Format::Rgba32Float,
    Format::R16Unorm,
    Format::R16Snorm,
    Format::Rg16Unorm,
    Format::Rg16Snorm,
    Format::Rgba16Unorm,
    Format::Rgba16Snorm,
];

fn floats(format: Format, texel: [f32; 4]) -> [f32; 4] {
    quantize(format, texel.map(f32::to_bits)).map(f32::from_bits)
}

/// Returns the largest number that a component of the format represents exactly, if it is normalized.
fn steps(format: Format, component: usize) -> Option<(f32, f32)> {
    match format {
        Format::R8Unorm | Format::Rg8Unorm | Format::Rgba8Unorm | Format::Bgra8Unorm => {
            Some((0.0, 255.0))
        }
        Format::R16Unorm | Format::Rg16Unorm | Format::Rgba16Unorm => Some((0.0, 65535.0)),
        Format::R8Snorm | Format::Rg8Snorm | Format::Rgba8Snorm => Some((-1.0, 127.0)),
        Format::R16Snorm | Format::Rg16Snorm | Format::Rgba16Snorm => Some((-1.0, 32767.0)),
        Format::Rgb10a2Unorm => Some((0.0, if component == 3 { 3.0 } else { 1023.0 })),
        _ => None,
    }
}

/// Returns the number of components that the name of the format lists.
fn components(format: Format) -> usize {
    let name = format!("{format:?}");
    let letters = name.split(|c: char| c.is_ascii_uppercase() && c != 'R' && c != 'B').next();
    let letters = letters.unwrap_or_default().to_ascii_lowercase();
    letters.chars().filter(|c| "rgba".contains(*c)).count()
}

#[test]
fn absent_components_read_as_zero_zero_one() {
    assert_eq!(floats(Format::R32Float, [7.0; 4]), [7.0, 0.0, 0.0, 1.0]);
    assert_eq!(floats(Format::Rg16Float, [7.0; 4]), [7.0, 7.0, 0.0, 1.0]);
    assert_eq!(floats(Format::Rg11b10Ufloat, [7.0; 4]), [7.0, 7.0, 7.0, 1.0]);
    assert_eq!(quantize(Format::R32Uint, [7; 4]), [7, 0, 0, 1]);
    assert_eq!(quantize(Format::Rg8Sint, [7; 4]), [7, 7, 0, 1]);
    assert_eq!(quantize(Format::R64Uint, [7, 8, 9, 9]), [7, 8, 0, 0]);
}

#[test]
fn integers_keep_their_low_bits() {
    assert_eq!(quantize(Format::Rgba8Uint, [0x1ff, 255, 256, u32::MAX]), [255, 255, 0, 255]);
    assert_eq!(
        quantize(Format::Rgba8Sint, [0x80, 0x7f, 0x100, u32::MAX]),
        [-128i32 as u32, 127, 0, u32::MAX]
    );
    assert_eq!(quantize(Format::Rgba16Sint, [0x8000, 1, 0, 0]), [-32768i32 as u32, 1, 0, 0]);
    assert_eq!(quantize(Format::Rgb10a2Uint, [1024, 1023, 1025, 7]), [0, 1023, 1, 3]);
}

#[test]
fn normalized_numbers_are_rounded_to_their_steps() {
    assert_eq!(
        floats(Format::Rgba8Unorm, [0.5, -1.0, 2.0, f32::NAN]),
        [128.0 / 255.0, 0.0, 1.0, 0.0]
    );
    assert_eq!(
        floats(Format::Rgba8Snorm, [0.5, -2.0, 2.0, -0.25]),
        [64.0 / 127.0, -1.0, 1.0, -32.0 / 127.0]
    );
    assert_eq!(
        floats(Format::Rgb10a2Unorm, [0.5, 1.0, 0.0, 0.5]),
        [512.0 / 1023.0, 1.0, 0.0, 2.0 / 3.0]
    );
}

#[test]
fn short_floats_keep_every_number_they_have_and_round_to_the_nearest() {
    for (component, fraction_bits) in [(0, 6u32), (2, 5)] {
        let value = |bits: u32| {
            let fraction =
                f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
            match (bits >> fraction_bits) as i32 {
                0 => fraction * 2f64.powi(-14),
                exponent => (1.0 + fraction) * 2f64.powi(exponent - 15),
            }
        };
        let keep =
            |value: f64| f64::from(floats(Format::Rg11b10Ufloat, [value as f32; 4])[component]);
        let finite = 31 << fraction_bits;
        for bits in 0..finite - 1 {
            let (this, next) = (value(bits), value(bits + 1));
            assert_eq!(keep(this), this);
            assert_eq!(keep(this * 0.75 + next * 0.25), this);
            assert_eq!(keep(this * 0.25 + next * 0.75), next);
            assert_eq!(keep((this + next) / 2.0), if bits % 2 == 0 { this } else { next });
        }
        assert_eq!(keep(1e30), value(finite - 1));
        assert_eq!(keep(f64::INFINITY), f64::INFINITY);
        assert_eq!(keep(-1.0), 0.0);
        assert!(keep(f64::NAN).is_nan());
    }
}

proptest! {
    #[test]
    fn what_was_kept_once_is_kept_again(texel in prop::array::uniform4(any::<u32>()), ratios in prop::array::uniform4(-1.5f32..1.5)) {
        for format in FORMATS {
            let float = naga::Scalar::from(format).kind == ScalarKind::Float;
            for texel in [texel, ratios.map(f32::to_bits)] {
                let kept = quantize(format, texel);
                let twice = quantize(format, kept);
                for i in 0..4 {
                    let nan = float && f32::from_bits(kept[i]).is_nan();
                    prop_assert!(kept[i] == twice[i] || nan, "{format:?} {texel:x?}");
                }
                for (i, kept) in kept.into_iter().enumerate().skip(components(format)) {
                    let absent = match (i, float) {
                        (3, true) => 1f32.to_bits(),
                        (3, false) if format != Format::R64Uint => 1,
                        _ => 0,
                    };
                    let second_half = format == Format::R64Uint && i == 1;
                    prop_assert!(kept == absent || second_half, "{format:?}");
                }
            }
        }
    }

    #[test]
    fn a_device_gives_back_what_is_kept(texel in prop::array::uniform4(any::<u32>()), ratios in prop::array::uniform4(-1.5f32..1.5)) {
        for format in FORMATS {
            let float = naga::Scalar::from(format).kind == ScalarKind::Float;
            for texel in [texel, ratios.map(f32::to_bits)] {
                let kept = quantize(format, texel);
                let back = of_bytes(format, &bytes(format, texel));
                for i in 0..4 {
                    let nan = float && f32::from_bits(kept[i]).is_nan();
                    prop_assert!(kept[i] == back[i] || nan, "{format:?} {texel:x?}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_off_by_more_than_half_a_step(texel in prop::array::uniform4(-1.5f32..1.5)) {
        for format in FORMATS {
            let kept = floats(format, texel);
            for i in 0..components(format) {
                if let Some((least, steps)) = steps(format, i) {
                    let error = (kept[i] - texel[i].clamp(least, 1.0)).abs();
                    prop_assert!(error <= 0.5001 / steps, "{format:?} {} {}", texel[i], kept[i]);
                }
            }
        }
    }

    #[test]
    fn half_floats_are_the_nearest(bits: u32) {
        let value = f32::from_bits(bits);
        let kept = floats(Format::Rgba16Float, [value; 4])[3];
        prop_assert!(same(kept.into(), f16::from_f32(value).into()));
        prop_assert!(super::nearest_f16(value.into(), kept));
    }
}
