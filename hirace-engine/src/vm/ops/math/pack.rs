//! Packing and unpacking of several small numbers in one `u32`.

use super::super::Slot;
use super::super::small::{from_snorm, from_unorm, to_snorm, to_unorm};
use half::f16;
use naga::MathFunction as Fun;

/// Computes `out = pack…(args[0])`: the first component is in the lowest bits.
pub fn pack<const N: usize>(fun: Fun, args: &[&[Slot<N>]], out: &mut [Slot<N>]) {
    let ([a, ..], [out, ..]) = (args, out) else { return };
    let snorm = |word, max| to_snorm(f32::from_bits(word), max) as u32;
    let unorm = |word, max| to_unorm(f32::from_bits(word), max);
    match fun {
        Fun::Pack4x8snorm => join::<8, N>(a, out, |word| snorm(word, 127)),
        Fun::Pack4x8unorm => join::<8, N>(a, out, |word| unorm(word, 255)),
        Fun::Pack2x16snorm => join::<16, N>(a, out, |word| snorm(word, 32767)),
        Fun::Pack2x16unorm => join::<16, N>(a, out, |word| unorm(word, 65535)),
        Fun::Pack2x16float => {
            join::<16, N>(a, out, |word| f16::from_f32(f32::from_bits(word)).to_bits().into());
        }
        Fun::Pack4xI8 | Fun::Pack4xU8 => join::<8, N>(a, out, |word| word),
        Fun::Pack4xI8Clamp => join::<8, N>(a, out, |word| (word as i32).clamp(-128, 127) as u32),
        Fun::Pack4xU8Clamp => join::<8, N>(a, out, |word| word.min(255)),
        _ => {}
    }
}

/// Computes `out = unpack…(args[0])`.
pub fn unpack<const N: usize>(fun: Fun, args: &[&[Slot<N>]], out: &mut [Slot<N>]) {
    let [[a, ..], ..] = args else { return };
    match fun {
        Fun::Unpack4x8snorm => {
            split::<8, N>(a, out, |bits| from_snorm((bits as i8).into(), 127).to_bits());
        }
        Fun::Unpack4x8unorm => split::<8, N>(a, out, |bits| from_unorm(bits, 255).to_bits()),
        Fun::Unpack2x16snorm => {
            split::<16, N>(a, out, |bits| from_snorm((bits as i16).into(), 32767).to_bits());
        }
        Fun::Unpack2x16unorm => split::<16, N>(a, out, |bits| from_unorm(bits, 65535).to_bits()),
        Fun::Unpack2x16float => {
            split::<16, N>(a, out, |bits| f16::from_bits(bits as u16).to_f32().to_bits());
        }
        Fun::Unpack4xI8 => split::<8, N>(a, out, |bits| bits as i8 as u32),
        Fun::Unpack4xU8 => split::<8, N>(a, out, |bits| bits),
        _ => {}
    }
}

/// Computes `out = dot4I8Packed(args…)` or `out = dot4U8Packed(args…)`.
pub fn dot<const N: usize>(fun: Fun, args: &[&[Slot<N>]], out: &mut [Slot<N>]) {
    let ([[a, ..], [b, ..]], [out, ..]) = (args, out) else { return };
    for lane in 0..N {
        let pairs = a[lane].to_le_bytes().into_iter().zip(b[lane].to_le_bytes());
        out[lane] = match fun {
            Fun::Dot4I8Packed => {
                pairs.map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).sum::<i32>() as u32
            }
            _ => pairs.map(|(a, b)| u32::from(a) * u32::from(b)).sum(),
        };
    }
}

/// Packs the low `BITS` of `f` of each component into `out`, the first component lowest.
#[inline(always)]
fn join<const BITS: u32, const N: usize>(
    components: &[Slot<N>],
    out: &mut Slot<N>,
    f: impl Fn(u32) -> u32,
) {
    *out = [0; N];
    for (shift, component) in (0..u32::BITS).step_by(BITS as usize).zip(components) {
        for (out, word) in out.iter_mut().zip(component) {
            *out |= (f(*word) & (u32::MAX >> (u32::BITS - BITS))) << shift;
        }
    }
}

/// Sets each component of `out` to `f` of the next `BITS` of `packed`.
#[inline(always)]
fn split<const BITS: u32, const N: usize>(
    packed: &Slot<N>,
    out: &mut [Slot<N>],
    f: impl Fn(u32) -> u32,
) {
    for (shift, out) in (0..u32::BITS).step_by(BITS as usize).zip(out) {
        for (out, word) in out.iter_mut().zip(packed) {
            *out = f(word >> shift & (u32::MAX >> (u32::BITS - BITS)));
        }
    }
}
