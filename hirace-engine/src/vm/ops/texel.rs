//! Quantization of values that are stored in a texture and read back.

use super::small::{from_snorm, from_unorm, to_snorm, to_unorm, to_unsigned_float};
use half::f16;
use naga::{ScalarKind, StorageFormat};

/// The representation of one component of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    /// Not stored.
    Absent,
    /// An integer with this many bits that represents a number in [0, 1].
    Unorm(u32),
    /// An integer with this many bits that represents a number in [-1, 1].
    Snorm(u32),
    /// An unsigned integer with this many bits.
    Uint(u32),
    /// A signed integer with this many bits.
    Sint(u32),
    /// `f32`.
    Float32,
    /// `f16`.
    Float16,
    /// An unsigned float with 5 exponent bits and this many fraction bits.
    UnsignedFloat(u32),
}

/// Returns the result of `textureLoad` after `textureStore` of these components, as bits of `f32`, `i32` or
/// `u32` by the format.
///
/// Normalized numbers and floats are rounded to the nearest value of the format; integers keep their low
/// bits. Components that the format lacks read as 0, 0, 1. The only component of `r64uint` is the first two
/// words.
pub fn quantize(format: StorageFormat, texel: [u32; 4]) -> [u32; 4] {
    if format == StorageFormat::R64Uint {
        return [texel[0], texel[1], 0, 0];
    }
    let one = match naga::Scalar::from(format).kind {
        ScalarKind::Float => 1f32.to_bits(),
        _ => 1,
    };
    let absent = [0, 0, 0, one];
    let channels = channels(format);
    std::array::from_fn(|i| match channels[i] {
        Channel::Absent => absent[i],
        channel => keep(channel, texel[i]),
    })
}

/// Returns the bytes of a texel of this format with these components, as stored on a device.
pub fn bytes(format: StorageFormat, texel: [u32; 4]) -> Vec<u8> {
    let [red, green, blue, alpha] = texel;
    let texel = match format {
        StorageFormat::Bgra8Unorm => [blue, green, red, alpha],
        _ => texel,
    };
    let mut bits = 0u128;
    let mut width = 0;
    for (channel, word) in channels(format).into_iter().zip(texel) {
        let (value, bits_of_channel) = encoded(channel, word);
        bits |= u128::from(value) << width;
        width += bits_of_channel;
    }
    if format == StorageFormat::R64Uint {
        (bits, width) = (u128::from(texel[1]) << 32 | u128::from(texel[0]), 64);
    }
    bits.to_le_bytes()[..width as usize / 8].to_vec()
}

/// Returns the components of a texel of this format that is stored as these bytes on a device.
pub fn of_bytes(format: StorageFormat, bytes: &[u8]) -> [u32; 4] {
    let bits = bytes.iter().take(16).rev().fold(0u128, |bits, &byte| bits << 8 | u128::from(byte));
    if format == StorageFormat::R64Uint {
        return [bits as u32, (bits >> 32) as u32, 0, 0];
    }
    let mut texel = quantize(format, [0; 4]);
    let mut first = 0;
    for (component, channel) in texel.iter_mut().zip(channels(format)) {
        let (_, width) = encoded(channel, 0);
        if width > 0 {
            *component = decoded(channel, (bits >> first) as u32 & (u32::MAX >> (32 - width)));
        }
        first += width;
    }
    match (format, texel) {
        (StorageFormat::Bgra8Unorm, [blue, green, red, alpha]) => [red, green, blue, alpha],
        _ => texel,
    }
}

/// Decodes a component that is stored as `value`, in the channel's number of bits.
fn decoded(channel: Channel, value: u32) -> u32 {
    let ones = |bits: u32| u32::MAX >> (u32::BITS - bits);
    let signed = |bits: u32| (value << (u32::BITS - bits)) as i32 >> (u32::BITS - bits);
    match channel {
        Channel::Absent => 0,
        Channel::Unorm(bits) => from_unorm(value, ones(bits)).to_bits(),
        Channel::Snorm(bits) => from_snorm(signed(bits), ones(bits - 1)).to_bits(),
        Channel::Uint(_) | Channel::Float32 => value,
        Channel::Sint(bits) => signed(bits) as u32,
        Channel::Float16 => f16::from_bits(value as u16).to_f32().to_bits(),
        Channel::UnsignedFloat(fraction) => {
            f16::from_bits((value << (10 - fraction)) as u16).to_f32().to_bits()
        }
    }
}

/// Encodes a component. Returns the stored value and its number of bits.
fn encoded(channel: Channel, word: u32) -> (u32, u32) {
    let value = f32::from_bits(word);
    let ones = |bits: u32| u32::MAX >> (u32::BITS - bits);
    match channel {
        Channel::Absent => (0, 0),
        Channel::Unorm(bits) => (to_unorm(value, ones(bits)), bits),
        Channel::Snorm(bits) => (to_snorm(value, ones(bits - 1)) as u32 & ones(bits), bits),
        Channel::Uint(bits) | Channel::Sint(bits) => (word & ones(bits), bits),
        Channel::Float32 => (word, 32),
        Channel::Float16 => (f16::from_f32(value).to_bits().into(), 16),
        // A float with the same exponent as f16, fewer digits, and no sign.
        Channel::UnsignedFloat(fraction) => {
            let half = f16::from_f32(to_unsigned_float(value, fraction)).to_bits();
            (u32::from(half & 0x7fff) >> (10 - fraction), fraction + 5)
        }
    }
}

fn keep(channel: Channel, word: u32) -> u32 {
    let value = f32::from_bits(word);
    let ones = |bits: u32| u32::MAX >> (u32::BITS - bits);
    match channel {
        Channel::Absent => 0,
        Channel::Unorm(bits) => from_unorm(to_unorm(value, ones(bits)), ones(bits)).to_bits(),
        Channel::Snorm(bits) => {
            from_snorm(to_snorm(value, ones(bits - 1)), ones(bits - 1)).to_bits()
        }
        Channel::Uint(bits) => word & ones(bits),
        Channel::Sint(bits) => {
            let unused = u32::BITS - bits;
            ((word << unused) as i32 >> unused) as u32
        }
        Channel::Float32 => word,
        Channel::Float16 => f16::from_f32(value).to_f32().to_bits(),
        Channel::UnsignedFloat(bits) => to_unsigned_float(value, bits).to_bits(),
    }
}

fn channels(format: StorageFormat) -> [Channel; 4] {
    use Channel::{Float16, Float32, Sint, Snorm, Uint, Unorm, UnsignedFloat};
    use StorageFormat as Format;
    let first = |count: usize, channel| {
        std::array::from_fn(|i| if i < count { channel } else { Channel::Absent })
    };
    match format {
        Format::R8Unorm => first(1, Unorm(8)),
        Format::R8Snorm => first(1, Snorm(8)),
        Format::R8Uint => first(1, Uint(8)),
        Format::R8Sint => first(1, Sint(8)),
        Format::R16Uint => first(1, Uint(16)),
        Format::R16Sint => first(1, Sint(16)),
        Format::R16Float => first(1, Float16),
        Format::Rg8Unorm => first(2, Unorm(8)),
        Format::Rg8Snorm => first(2, Snorm(8)),
        Format::Rg8Uint => first(2, Uint(8)),
        Format::Rg8Sint => first(2, Sint(8)),
        Format::R32Uint | Format::R64Uint => first(1, Uint(32)),
        Format::R32Sint => first(1, Sint(32)),
        Format::R32Float => first(1, Float32),
        Format::Rg16Uint => first(2, Uint(16)),
        Format::Rg16Sint => first(2, Sint(16)),
        Format::Rg16Float => first(2, Float16),
        Format::Rgba8Unorm | Format::Bgra8Unorm => first(4, Unorm(8)),
        Format::Rgba8Snorm => first(4, Snorm(8)),
        Format::Rgba8Uint => first(4, Uint(8)),
        Format::Rgba8Sint => first(4, Sint(8)),
        Format::Rgb10a2Uint => [Uint(10), Uint(10), Uint(10), Uint(2)],
        Format::Rgb10a2Unorm => [Unorm(10), Unorm(10), Unorm(10), Unorm(2)],
        Format::Rg11b10Ufloat => {
            [UnsignedFloat(6), UnsignedFloat(6), UnsignedFloat(5), Channel::Absent]
        }
        Format::Rg32Uint => first(2, Uint(32)),
        Format::Rg32Sint => first(2, Sint(32)),
        Format::Rg32Float => first(2, Float32),
        Format::Rgba16Uint => first(4, Uint(16)),
        Format::Rgba16Sint => first(4, Sint(16)),
        Format::Rgba16Float => first(4, Float16),
        Format::Rgba32Uint => first(4, Uint(32)),
        Format::Rgba32Sint => first(4, Sint(32)),
        Format::Rgba32Float => first(4, Float32),
        Format::R16Unorm => first(1, Unorm(16)),
        Format::R16Snorm => first(1, Snorm(16)),
        Format::Rg16Unorm => first(2, Unorm(16)),
        Format::Rg16Snorm => first(2, Snorm(16)),
        Format::Rgba16Unorm => first(4, Unorm(16)),
        Format::Rgba16Snorm => first(4, Snorm(16)),
    }
}
