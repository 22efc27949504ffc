//! 64-bit integers.
//!
//! Each kernel calls a helper function, which runs on the host as ordinary Rust.

/// Pairs of numbers, one per invocation.
#[hirace::monitor]
pub mod wide {
    use hirace::prelude::*;

    /// The results for a pair.
    pub type Found = [u64; 12];

    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    const PRIMES: [u64; 4] = [3, 4_294_967_291, 4_294_967_311, 18_446_744_073_709_551_557];
    const LEAST: i64 = i64::MIN;
    const HALF: i64 = (LEAST / 2).wrapping_add(PRIMES[0] as i64);
    const MIXED: u64 = mixed(1 << 40);
    const NEAREST: u64 = 1.5e19f32 as u64;

    const fn mixed(x: u64) -> u64 {
        (x ^ x >> 31).wrapping_mul(GOLDEN).rotate_left(7)
    }

    /// Two numbers, with a small one between them.
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub struct Pair {
        first: u64,
        turn: u32,
        second: i64,
    }

    /// Uses operators and wrapping methods on unsigned numbers.
    pub fn unsigned(a: u64, b: u64) -> Found {
        let (by, d) = (b & 63, b.max(1));
        let mut c = a;
        c ^= b << 7;
        c |= 1 << by;
        let less = u64::from(a < b) + 2 * (a <= b) as u64 + 4 * u64::from(a == b);
        [
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a / d,
            a % d,
            a & b,
            a ^ !b,
            a << by,
            a >> (b % 64) as u32,
            c,
            less,
            b.wrapping_neg(),
        ]
    }

    /// Uses operators and wrapping methods on signed numbers.
    pub fn signed(a: i64, b: i64) -> [i64; 12] {
        let by = (b & 63) as u32;
        let d = if b == 0 || b == -1 { 7 } else { b };
        let order = (a > b) as i64 - i64::from(a < b);
        [
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a / d,
            a % d,
            a.div_euclid(d),
            a.rem_euclid(d),
            a >> by,
            a.wrapping_shl(by),
            !a,
            order.wrapping_add(a.wrapping_neg()) ^ a.signum(),
            a.wrapping_abs(),
        ]
    }

    /// Uses `as` from and to integers.
    pub fn casts(a: u64, b: i64) -> Found {
        let (byte, short, word) = (b as i8, a as u16, a as u32);
        let (size, signed) = (a as u32 as usize, b as i32);
        [
            byte as u64,
            byte as i64 as u64,
            b as u8 as u64,
            short as u64,
            b as i16 as u64,
            word as u64,
            signed as u64,
            signed as i64 as u64,
            size as u64,
            a as i64 as u64,
            b as u64 as u32 as i64 as u64,
            (a > 5) as u64 + (b < 0) as u64,
        ]
    }

    /// Uses `as` from and to floats.
    pub fn floats(a: u64, b: i64) -> Found {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits((a >> 32) as u32));
        [
            x as u64,
            x as i64 as u64,
            y as u64,
            y as i64 as u64,
            (a as f32).to_bits() as u64,
            (b as f32).to_bits() as u64,
            (a >> 40) as f32 as u64,
            (b as f32 * 0.5) as i64 as u64,
            f32::INFINITY as u64,
            f32::NEG_INFINITY as i64 as u64,
            f32::NAN as i64 as u64,
            -1.5f32 as u64,
        ]
    }

    /// Uses methods that count and move bits.
    pub fn bits(a: u64, b: u64) -> Found {
        let n = b as u32 % 100;
        let s = b as i64;
        let counts = [
            a.count_ones(),
            s.count_zeros(),
            a.leading_zeros(),
            s.leading_ones(),
            a.trailing_zeros(),
            s.trailing_ones(),
        ];
        let counted = counts.iter().fold(0, |all, &count| all * 65 + u64::from(count));
        [
            counted,
            u64::from((a >> n % 64).leading_zeros()),
            (a << n % 64).trailing_zeros() as u64,
            a.rotate_left(n),
            s.rotate_right(n) as u64,
            a.swap_bytes(),
            s.reverse_bits() as u64,
            a.is_power_of_two() as u64,
            (a >> 1).next_power_of_two(),
            (a | 1).ilog2() as u64,
            u64::from((s >> n % 64).leading_ones()),
            a.isqrt(),
        ]
    }

    /// Uses saturating, checked and overflowing methods.
    pub fn ranges(a: u64, b: u64) -> Found {
        let (s, t) = (a as i64, b as i64);
        let (sum, carry) = a.overflowing_add(b);
        let (difference, borrow) = a.overflowing_sub(b);
        [
            a.saturating_add(b),
            a.saturating_sub(b),
            a.saturating_mul(b),
            s.saturating_add(t) as u64,
            s.saturating_sub(t) as u64,
            s.saturating_mul(t) as u64,
            s.checked_add(t).unwrap_or(1) as u64,
            a.checked_sub(b).unwrap_or(2),
            s.checked_mul(t).map_or(3, |product| product as u64),
            s.checked_div(t).unwrap_or(4) as u64,
            sum ^ u64::from(carry),
            difference ^ borrow as u64,
        ]
    }

    /// Uses other methods.
    pub fn methods(a: u64, b: u64) -> Found {
        let (s, t) = (a as i64, b as i64);
        let d = b.max(1);
        [
            a.min(b),
            a.max(b),
            a.clamp(100, 1 << 50),
            s.min(t).unsigned_abs(),
            a.abs_diff(b),
            s.abs_diff(t),
            (a >> 48).pow(3),
            a.wrapping_pow(b as u32 & 15),
            a.div_ceil(d),
            a.midpoint(b),
            s.clamp(-70, 70) as u64,
            std::cmp::max(a, 5) ^ s.is_negative() as u64,
        ]
    }

    /// Uses conversions from and to bytes, and lossless conversions from and to other widths.
    pub fn conversions(a: u64, b: i64) -> Found {
        let [first, .., last] = a.to_be_bytes();
        let bytes = b.to_le_bytes();
        let turned = bytes.map(|byte| byte ^ 0x55);
        let small: u64 = u32::from(first).into();
        [
            first.into(),
            u64::from(last),
            u64::from_be_bytes(bytes),
            i64::from_le_bytes(turned) as u64,
            small + u64::from(bytes[7]),
            u32::try_from(a).map_or(7, u64::from),
            i32::try_from(b).map_or(8, |x| i64::from(x) as u64),
            u8::try_from(b).is_ok() as u64,
            i64::try_from(a).unwrap_or(i64::MAX) as u64,
            u64::try_from(b).unwrap_or(9),
            i64::from(b as i32) as u64,
            u64::from(b < 0),
        ]
    }

    /// Uses loops up to the limits of the types.
    pub fn loops(a: u64, b: i64) -> Found {
        let near = a % 5;
        let mut seen = 0;
        for i in u64::MAX - near..=u64::MAX {
            seen += i - (u64::MAX - 9);
        }
        let mut back = 0;
        for i in (i64::MIN..i64::MIN + 4).rev() {
            back = back * 3 + (i - i64::MIN);
        }
        let stepped = (near..40).step_by(7).map(|i| i * i).sum::<u64>();
        let (jump, mut jumped) = (a as u8 as usize % 3 + 1, b);
        for i in (-7i64..9).step_by(jump) {
            jumped ^= i << (i + 7);
        }
        let down: u64 = (0..=near).rev().fold(1, |all, i| all * 5 + i);
        let far: u64 = (a >> 2..(a >> 2) + 6).step_by(2).map(|i| i >> 1).sum();
        let primes = PRIMES.iter().filter(|&&prime| prime < a).count();
        let least = PRIMES.iter().map(|prime| prime ^ a).min().unwrap_or(0);
        let largest = PRIMES.iter().copied().map(|prime| prime as i64 ^ b).max().unwrap_or(0);
        let product: u64 = PRIMES.iter().take(2).map(|prime| prime % 100).product();
        let mut turns = 0;
        let mut rest = a;
        while rest > 1 {
            rest /= 10;
            turns += 1;
        }
        let above = (b.max(0) as u64..u64::MAX).contains(&a);
        [
            seen,
            back as u64,
            stepped,
            down,
            far,
            primes as u64,
            least,
            largest as u64,
            product,
            turns,
            above as u64 + 2 * u64::from(PRIMES.contains(&a)),
            jumped as u64,
        ]
    }

    /// Uses constants, structs and patterns.
    pub fn values(a: u64, b: i64) -> Found {
        let pair = Pair { first: a, turn: 3, second: b };
        let other = Pair { first: a & !1, ..pair };
        let kind = match a {
            0 => 0,
            1..=0xffff_ffff => 1,
            0x1_0000_0000 | 0x1_0000_0001 => 2,
            u64::MAX => 3,
            _ => 4,
        };
        let sign = match b {
            i64::MIN => 10u64,
            ..0 => 20,
            0 => 30,
            _ => 40,
        };
        let (few, [one, _]) = (7u64, [1u64 << 33, 2]);
        let some = Some(a).filter(|&a| a > 1 << 33);
        [
            GOLDEN ^ a,
            PRIMES[a as usize & 3],
            LEAST as u64,
            HALF as u64,
            MIXED,
            mixed(a),
            (pair == other) as u64 + 2 * (other < pair) as u64,
            kind + sign,
            some.unwrap_or(5) ^ few * 3 ^ (one + 1) << 3,
            (PRIMES[3] as u8 as u64 + GOLDEN as u32 as u64) ^ (GOLDEN as f32).to_bits() as u64,
            NEAREST,
            a.cmp(&(b as u64)).is_lt() as u64,
        ]
    }

    /// See [`unsigned`].
    #[kernel(workgroup_size(8))]
    pub fn unsigned_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = unsigned(a, b);
    }

    /// See [`signed`].
    #[kernel(workgroup_size(8))]
    pub fn signed_of(
        #[builtin(global_invocation_id)] id: UVec3,
        whole: &[[i64; 2]],
        left: &mut [[i64; 12]],
    ) {
        let [a, b] = whole[id.x];
        left[id.x] = signed(a, b);
    }

    /// See [`casts`].
    #[kernel(workgroup_size(8))]
    pub fn casts_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = casts(a, b as i64);
    }

    /// See [`floats`].
    #[kernel(workgroup_size(8))]
    pub fn floats_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = floats(a, b as i64);
    }

    /// See [`bits`].
    #[kernel(workgroup_size(8))]
    pub fn bits_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = bits(a, b);
    }

    /// See [`ranges`].
    #[kernel(workgroup_size(8))]
    pub fn ranges_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = ranges(a, b);
    }

    /// See [`methods`].
    #[kernel(workgroup_size(8))]
    pub fn methods_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = methods(a, b);
    }

    /// See [`conversions`].
    #[kernel(workgroup_size(8))]
    pub fn conversions_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = conversions(a, b as i64);
    }

    /// See [`loops`].
    #[kernel(workgroup_size(8))]
    pub fn loops_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = loops(a, b as i64);
    }

    /// See [`values`].
    #[kernel(workgroup_size(8))]
    pub fn values_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[u64; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = values(a, b as i64);
    }

    /// Sums values of a host-filled struct in workgroup memory.
    #[kernel(workgroup_size(8))]
    pub fn sums(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] weight: &Pair,
        terms: &[Pair],
        total: &mut u64,
        #[workgroup] partial: &mut [u64; 8],
    ) {
        let term = terms[lane];
        partial[lane] = term.first.wrapping_mul(weight.first) ^ (term.second >> weight.turn) as u64;
        workgroup_barrier();
        if lane == 0 {
            let mut sum = weight.second as u64;
            for i in 0..partial.len() {
                sum = sum.wrapping_add(partial[i]);
            }
            *total = sum;
        }
    }

    /// Lacks the barrier.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        sum: &mut u64,
        #[workgroup] partial: &mut [u64; 8],
    ) {
        partial[lane] = (u64::from(lane) << 40) + 1;
//      ^^^^^^^^^^^^^ race: write/read on partial[..]
        if lane == 0 {
            *sum = partial[7] * 2;
//                 ^^^^^^^^^^ race: read/write on partial[..]
        }
    }
}

#[cfg(test)]
mod tests;
