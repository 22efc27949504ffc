//! The kernels compute what `half` computes, bit by bit; all NaNs are considered equal.

use super::halves::{self, Found, Term};
use crate::support::{clean, numbers, racy};
use half::f16;
use hirace::{HostShareable, Kernel, Launch};

/// Returns pairs of adjacent limits of the type and of pseudo-random numbers.
fn pairs() -> Vec<[f16; 2]> {
    let mut all = vec![
        0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00,
        0xfc00, 0x7e00, 0xfe00, 0x3555, 0x3c01, 0x3bff, 0x6800, 0x6bff, 0x1400,
    ];
    all.extend(numbers(108, 16).into_iter().map(|n| n as u16));
    let all: Vec<f16> = all.into_iter().map(f16::from_bits).collect();
    let mut pairs: Vec<[f16; 2]> = all.iter().map(|&x| [x, x]).collect();
    for by in [1, 2, 5] {
        pairs.extend((0..all.len()).map(|i| [all[i], all[(i + by) % all.len()]]));
    }
    pairs
}

/// Returns the bits to compare. All NaNs are the same, and on a device so are both zeros.
fn bits(x: f16) -> u16 {
    let unsigned = x == f16::ZERO && std::env::var_os("HIRACE_DEVICE").is_some();
    match x.is_nan() {
        true => f16::NAN.to_bits(),
        false if unsigned => 0,
        false => x.to_bits(),
    }
}

/// Checks that the kernel computes the same as the host for each pair.
fn as_on_the_host(kernel: &Kernel, expected: impl Fn(f16, f16) -> Found) {
    let pairs = pairs();
    assert_eq!(pairs.len(), 512);
    let launch = Launch::new().workgroups(pairs.len() as u32 / 8).buffer("pairs", &pairs);
    let run = clean(kernel, launch.buffer("found", &vec![[f16::ZERO; 12]; pairs.len()]));
    let found = run.read::<Found>("found");
    assert_eq!(found.len(), pairs.len());
    // Devices may assume that numbers are finite, and may flush subnormal numbers to zero.
    let on_device = std::env::var_os("HIRACE_DEVICE").is_some();
    let is_plain = |number: f16| number.is_normal() || number == f16::ZERO;
    for (found, [a, b]) in found.iter().zip(pairs) {
        if on_device && !(is_plain(a) && is_plain(b)) {
            continue;
        }
        let expected = expected(a, b);
        let asked = |of: Found| -> Vec<u16> {
            let kept = of.iter().zip(expected).filter(|(_, host)| !on_device || is_plain(*host));
            kept.map(|(number, _)| bits(*number)).collect()
        };
        assert_eq!(asked(*found), asked(expected), "{a:?}, {b:?}: {found:?}, {expected:?}");
    }
}

#[test]
fn operators_are_those_of_half() {
    as_on_the_host(&halves::operators_of::kernel(), halves::operators);
}

#[test]
fn conversions_are_those_of_half() {
    as_on_the_host(&halves::conversions_of::kernel(), halves::conversions);
}

#[test]
fn methods_are_those_of_half() {
    as_on_the_host(&halves::methods_of::kernel(), halves::methods);
}

#[test]
fn constants_are_those_of_half() {
    as_on_the_host(&halves::constants_of::kernel(), halves::constants);
}

#[test]
fn values_are_those_of_half() {
    as_on_the_host(&halves::values_of::kernel(), halves::values);
}

#[test]
fn memory_holds_numbers_of_16_bits() {
    let half = |x: f32| f16::from_f32(x);
    let given: Vec<[f32; 3]> = (0..8).map(|i| [i as f32 + 0.5, 0.25, -3.0 * i as f32]).collect();
    // A term has two numbers, a `u32` and an array of three numbers.
    let lies = |[factor, bias, weight]: &[f32; 3]| {
        let mut bytes = [half(*factor), half(*bias)].map(f16::to_le_bytes).as_flattened().to_vec();
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(
            [f16::ZERO, half(*weight), f16::ZERO, f16::ZERO].map(f16::to_le_bytes).as_flattened(),
        );
        bytes
    };
    let bytes: Vec<u8> = given.iter().flat_map(lies).collect();
    let terms = Vec::<Term>::from_bytes(&bytes).unwrap();
    assert_eq!((terms.len(), terms.to_bytes().unwrap()), (8, bytes));
    let scale = half(1.5);
    let launch = Launch::new().workgroups(1).buffer("scale", &scale).buffer("terms", &terms);
    let launch = launch.buffer("products", &[f16::ZERO; 8]).buffer("total", &0f32);
    let run = clean(&halves::sums::kernel(), launch);
    let product =
        |[factor, bias, weight]: &[f32; 3]| (half(*factor) + half(*bias)) * scale + half(*weight);
    let products: Vec<f16> = given.iter().map(product).collect();
    assert_eq!(run.read::<f16>("products"), products);
    assert_eq!(run.one::<f32>("total"), products.iter().map(|x| x.to_f32()).sum::<f32>());
}

#[test]
fn sums_without_a_barrier_race() {
    let launch = Launch::new().workgroups(1).buffer("sum", &f16::ZERO);
    racy(&halves::racy::kernel(), launch, include_str!("../halves.rs"));
}
