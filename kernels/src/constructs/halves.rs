//! 16-bit floats, which are those of the crate `half`.
//!
//! Each kernel calls a helper function, which runs on the host as ordinary Rust.

/// Pairs of numbers, one per invocation.
#[hirace::monitor]
pub mod halves {
    use half::f16;
    use hirace::prelude::*;

    /// The results for a pair.
    pub type Found = [f16; 12];

    const THIRD: f16 = f16::from_f32_const(1.0 / 3.0);
    const FACTORS: [f16; 3] = [f16::NEG_ONE, THIRD, f16::from_f32_const(1e-7)];
    const WHOLE: f32 = THIRD.to_f32_const() * 3.0;

    /// A struct with 16-bit members and a 32-bit one.
    #[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
    pub struct Term {
        factor: f16,
        bias: f16,
        turn: u32,
        weights: [f16; 3],
    }

    /// Uses operators and compound assignments.
    pub fn operators(a: f16, b: f16) -> Found {
        let mut c = a;
        c += b;
        c *= THIRD;
        c -= a / b;
        let mut d = b;
        d /= a;
        d %= f16::from_f32(2.0);
        // WGSL's remainder is `a - b * trunc(a / b)`: its 0 has no sign, and it is exact where the quotient is.
        let rest = (a % f16::from_f32(4.0)).copysign(a);
        let same = a == b;
        let order = u8::from(a < b) + 2 * u8::from(a <= b) + 4 * u8::from(same);
        // Not `!=`: on a device, it may be false for two NaNs.
        let others = u8::from(a > b) + 2 * u8::from(a >= b) + 4 * u8::from(!same);
        [
            a + b,
            a - b,
            a * b,
            a / b,
            rest,
            -a,
            c,
            d.copysign(b),
            f16::from(order),
            others.into(),
            a * FACTORS[0] + b * FACTORS[1],
            f16::EPSILON * a - FACTORS[2],
        ]
    }

    /// Uses conversions, which round to nearest and overflow to infinity.
    pub fn conversions(a: f16, b: f16) -> Found {
        let (x, y) = (a.to_f32(), f32::from(b));
        let wide: f32 = a.into();
        let small = if x.abs() < 1e4 { x } else { 0.5 };
        let signed = small.clamp(-100.0, 100.0) as i8;
        [
            f16::from_f32(x * y),
            f16::from_f32(x + y * 1e-3),
            f16::from_f32(x * 7.0),
            f16::from_f32((wide * 0.1).sqrt()),
            f16::from(signed),
            f16::from(signed as u8),
            half::f16::from_f32(WHOLE),
            f16::from_f32(1e6),
            f16::from_f32(-WHOLE * 70000.0),
            f16::from_f32(0.1),
            f16::from_f32((small as i32 % 4096) as f32),
            f16::from_f32(2049.0),
        ]
    }

    /// Uses the methods of `half`.
    pub fn methods(a: f16, b: f16) -> Found {
        let asked = u8::from(a.is_nan())
            + 2 * u8::from(a.is_infinite())
            + 4 * u8::from(a.is_finite())
            + 8 * u8::from(a.is_sign_negative())
            + 16 * u8::from(b.is_sign_positive());
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let kept = if low <= high { f16::ONE.clamp(low, high) } else { f16::ZERO };
        [
            a.min(b),
            a.max(b),
            kept,
            a.signum(),
            a.copysign(b),
            f16::from(asked),
            f16::from_bits(a.to_bits() ^ 1),
            f16::from_bits(0x3555),
            if b.is_nan() { b } else { f16::from_f32((b.to_bits() >> 5) as f32) },
            f16::MAX.min(a),
            f16::NEG_ZERO.max(b),
            if f16::ONE.is_nan() { a } else { f16::ONE.copysign(b) },
        ]
    }

    /// Uses constants and values computed from them.
    pub fn constants(a: f16, b: f16) -> Found {
        let (large, none) = (f16::MAX, f16::NAN);
        let parts = (f16::INFINITY, f16::NEG_INFINITY);
        [
            f16::MAX + f16::MAX,
            large * f16::from_f32(2.0) - a,
            -large - large,
            f16::ONE / f16::ZERO,
            none + a,
            parts.0 - b,
            parts.1,
            f16::PI * f16::SQRT_2,
            f16::MIN_POSITIVE / f16::from_f32(3.0),
            f16::MIN_POSITIVE_SUBNORMAL + f16::MAX_SUBNORMAL,
            half::f16::E + f16::LN_2,
            if f16::ONE < f16::PI { f16::default() } else { f16::MIN },
        ]
    }

    /// Stores values in variables, arrays, tuples, structs and closures.
    pub fn values(a: f16, b: f16) -> Found {
        let term = Term { factor: a, bias: b, turn: 3, weights: [a, b, THIRD] };
        let other = Term { bias: b, ..Term::default() };
        let scaled = |x: f16| x * term.factor + term.bias;
        let mut all = [f16::ZERO; 4];
        for i in 0..4 {
            all[i] = f16::from(i as u8) * term.weights[i % 3];
        }
        let sum = all.iter().fold(f16::ZERO, |sum, x| sum + *x);
        let wide: f32 = all.iter().map(|x| x.to_f32()).sum();
        let found = if a < b { Some(a) } else { None };
        let pair = (a, b);
        let low = all.into_iter().map(f16::to_f32).fold(f32::MAX, f32::min);
        [
            scaled(b),
            scaled(f16::from_f32(0.5)),
            sum,
            f16::from_f32(wide),
            found.unwrap_or(b),
            pair.1 - pair.0,
            other.factor - other.bias,
            if term == other { a } else { b },
            if (a, b) < (b, THIRD) { a } else { b },
            match found {
                Some(x) if x > f16::ZERO => x,
                Some(_) => f16::ONE,
                None => f16::NEG_ONE,
            },
            f16::from_f32(low),
            term.weights[(term.turn % 3) as usize],
        ]
    }

    /// See [`operators`].
    #[kernel(workgroup_size(8))]
    pub fn operators_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[f16; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = operators(a, b);
    }

    /// See [`conversions`].
    #[kernel(workgroup_size(8))]
    pub fn conversions_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[f16; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = conversions(a, b);
    }

    /// See [`methods`].
    #[kernel(workgroup_size(8))]
    pub fn methods_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[f16; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = methods(a, b);
    }

    /// See [`constants`].
    #[kernel(workgroup_size(8))]
    pub fn constants_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[f16; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = constants(a, b);
    }

    /// See [`values`].
    #[kernel(workgroup_size(8))]
    pub fn values_of(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[[f16; 2]],
        found: &mut [Found],
    ) {
        let [a, b] = pairs[id.x];
        found[id.x] = values(a, b);
    }

    /// Sums products of a host-filled struct in workgroup memory. Neighbors share a word and do not race.
    #[kernel(workgroup_size(8))]
    pub fn sums(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] scale: &f16,
        terms: &[Term],
        products: &mut [f16],
        total: &mut f32,
        #[workgroup] partial: &mut [f16; 8],
    ) {
        let term = terms[lane];
        partial[lane] = (term.factor + term.bias) * *scale + term.weights[term.turn];
        products[lane] = partial[lane];
        workgroup_barrier();
        if lane == 0 {
            *total = partial.iter().map(|x| x.to_f32()).sum();
        }
    }

    /// Lacks the barrier.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        sum: &mut f16,
        #[workgroup] partial: &mut [f16; 8],
    ) {
        partial[lane] = f16::from(lane as u8) + f16::ONE;
//      ^^^^^^^^^^^^^ race: write/read on partial[..]
        if lane == 0 {
            *sum = partial[7] * THIRD;
//                 ^^^^^^^^^^ race: read/write on partial[..]
        }
    }
}

#[cfg(test)]
mod tests;
