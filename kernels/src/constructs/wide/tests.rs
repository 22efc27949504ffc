//! The kernels compute what the host computes.

use super::wide::{self, Found, Pair};
use crate::support::{clean, numbers, racy};
use hirace::{HostShareable, Kernel, Launch};

/// Returns pairs of adjacent limits of integer and float types, and of pseudo-random numbers.
fn pairs() -> Vec<[u64; 2]> {
    let bits = |x: f32, y: f32| u64::from(x.to_bits()) | u64::from(y.to_bits()) << 32;
    let mut all = vec![
        0,
        1,
        u64::MAX,
        i64::MAX as u64,
        i64::MIN as u64,
        1 << 32,
        (1 << 32) - 1,
        (1 << 32) + 1,
        -(1i64 << 32) as u64,
        (1 << 24) + 1,
        (1 << 53) + 1,
        3 << 62,
        0x8000_0040_0000_0000,
        0x8000_00c0_0000_0001,
        bits(f32::NAN, -f32::NAN),
        bits(f32::INFINITY, f32::NEG_INFINITY),
        bits(f32::MAX, f32::MIN),
        bits(18446744073709551616.0, 9223372036854775808.0),
        bits(18446742974197923840.0, -9223372036854775808.0),
        bits(9223371487098961920.0, 1e10),
        bits(-0.75, 4294967296.0),
    ];
    let words = numbers(80, 640);
    all.extend(
        words
            .chunks_exact(2)
            .map(|two| (u64::from(two[0]) << 35 ^ u64::from(two[1]) << 3) >> (two[0] % 7 * 8)),
    );
    let mut pairs: Vec<[u64; 2]> = all.iter().map(|&x| [x, x]).collect();
    for by in [1, 2, 5] {
        pairs.extend((0..all.len()).map(|i| [all[i], all[(i + by) % all.len()]]));
    }
    pairs.resize(pairs.len() / 8 * 8, [0; 2]);
    pairs
}

/// Checks that the kernel computes the same as the host for each pair.
fn as_on_the_host(kernel: &Kernel, expected: impl Fn(u64, u64) -> Found) {
    let pairs = pairs();
    assert!(pairs.len() >= 240);
    let groups = pairs.len() as u32 / 8;
    let launch = Launch::new().workgroups(groups).buffer("pairs", &pairs);
    let run = clean(kernel, launch.buffer("found", &vec![[0u64; 12]; pairs.len()]));
    let found = run.read::<Found>("found");
    assert_eq!(found.len(), pairs.len());
    for (found, [a, b]) in found.iter().zip(pairs) {
        assert_eq!(*found, expected(a, b), "{a:#x}, {b:#x}");
    }
}

#[test]
fn operators_are_those_of_rust() {
    as_on_the_host(&wide::unsigned_of::kernel(), wide::unsigned);
}

#[test]
fn operators_with_a_sign_are_those_of_rust() {
    let pairs: Vec<[i64; 2]> = pairs().iter().map(|&[a, b]| [a as i64, b as i64]).collect();
    let groups = pairs.len() as u32 / 8;
    let launch = Launch::new().workgroups(groups).buffer("whole", &pairs);
    let launch = launch.buffer("left", &vec![[0i64; 12]; pairs.len()]);
    let found = clean(&wide::signed_of::kernel(), launch).read::<[i64; 12]>("left");
    assert_eq!(found.len(), pairs.len());
    for (found, [a, b]) in found.iter().zip(pairs) {
        assert_eq!(*found, wide::signed(a, b), "{a:#x}, {b:#x}");
    }
}

#[test]
fn casts_are_those_of_rust() {
    as_on_the_host(&wide::casts_of::kernel(), |a, b| wide::casts(a, b as i64));
}

#[test]
fn casts_of_floats_are_those_of_rust() {
    as_on_the_host(&wide::floats_of::kernel(), |a, b| wide::floats(a, b as i64));
}

#[test]
fn bits_are_those_of_rust() {
    as_on_the_host(&wide::bits_of::kernel(), wide::bits);
}

#[test]
fn ranges_are_those_of_rust() {
    as_on_the_host(&wide::ranges_of::kernel(), wide::ranges);
}

#[test]
fn methods_are_those_of_rust() {
    as_on_the_host(&wide::methods_of::kernel(), wide::methods);
}

#[test]
fn conversions_are_those_of_rust() {
    as_on_the_host(&wide::conversions_of::kernel(), |a, b| wide::conversions(a, b as i64));
}

#[test]
fn loops_are_those_of_rust() {
    as_on_the_host(&wide::loops_of::kernel(), |a, b| wide::loops(a, b as i64));
}

#[test]
fn values_are_those_of_rust() {
    as_on_the_host(&wide::values_of::kernel(), |a, b| wide::values(a, b as i64));
}

#[test]
fn memory_holds_numbers_of_64_bits() {
    let terms: Vec<Pair> = pairs()[20..28].iter().map(pair).collect();
    let weight = pair(&[u64::MAX / 7, 1 << 63]);
    let launch = Launch::new().workgroups(1).buffer("weight", &weight);
    let run = clean(&wide::sums::kernel(), launch.buffer("terms", &terms).buffer("total", &0u64));
    let words = |pair: &Pair| {
        let bytes = pair.to_bytes().unwrap();
        let at = |i: usize| u64::from_le_bytes(bytes[i..i + 8].try_into().unwrap());
        (at(0), at(8) as u32, at(16))
    };
    let (weight, turn, first) = words(&weight);
    let partial = terms.iter().map(|term| {
        let (factor, _, second) = words(term);
        factor.wrapping_mul(weight) ^ (second as i64 >> turn) as u64
    });
    assert_eq!(run.one::<u64>("total"), partial.fold(first, u64::wrapping_add));
}

/// Returns a pair in its layout in memory.
fn pair([first, second]: &[u64; 2]) -> Pair {
    let words = [*first, first >> 5 & 31, *second];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Pair::from_bytes(&bytes).unwrap()
}

#[test]
fn sums_without_a_barrier_race() {
    let launch = Launch::new().workgroups(1).buffer("sum", &0u64);
    racy(&wide::racy::kernel(), launch, include_str!("../wide.rs"));
}
