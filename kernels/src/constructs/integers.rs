//! Integers and booleans: every operator, plain and as a compound assignment.

/// One invocation per pair of numbers, with sixteen results each.
#[hirace::monitor]
pub mod integers {
    use hirace::prelude::*;

    /// Uses signed operators: division and remainder round towards zero, `>>` keeps the sign.
    #[kernel(workgroup_size(8))]
    pub fn signed(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[IVec2],
        results: &mut [[i32; 16]],
    ) {
        let a = pairs[id.x].x;
        let b = pairs[id.x].y;
        let mut r = [0; 16];
        r[0] = a + b;
        r[1] = a - b;
        r[2] = a * b;
        r[3] = a / b;
        r[4] = a % b;
        r[5] = a & b;
        r[6] = a | b;
        r[7] = a ^ b;
        r[8] = a << 3;
        r[9] = a >> 3;
        r[10] = -a;
        r[11] = !a;
        r[12] = (a < b) as i32 + 2 * (a <= b) as i32 + 4 * (a > b) as i32;
        r[13] = (a >= b) as i32 + 2 * (a == b) as i32 + 4 * (a != b) as i32;
        r[14] = if a > 0 && b > 0 || !(a > b) { 1 } else { 0 };
        r[15] = ((a > 0) & (b > 0) | (a > b) ^ (a > -b)) as i32;
        results[id.x] = r;
    }

    /// Uses unsigned operators, all in assignments.
    #[kernel(workgroup_size(8))]
    pub fn unsigned(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[IVec2],
        folded: &mut [u32],
    ) {
        let pair = pairs[id.x].as_uvec2();
        let mut x = 1_000u32;
        x += pair.x;
        x *= 3;
        x -= pair.y & 0xff;
        x ^= pair.x << 7;
        x |= 0b1010;
        x &= 0o7777_7777;
        x <<= 2;
        x >>= 1;
        x /= 1 + pair.y % 5;
        x %= 1_000_003;
        let mut odd = x % 2 == 1;
        odd ^= pair.x > 7;
        odd |= pair.y == 3;
        odd &= true;
        folded[id.x] = if odd { x } else { !x };
    }

    /// Uses arithmetic that wraps around, or saturates, under the names of `std`.
    #[kernel(workgroup_size(8))]
    pub fn wrapping(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[IVec2],
        results: &mut [[i32; 16]],
    ) {
        let a = pairs[id.x].x;
        let b = pairs[id.x].y;
        let u = a as u32;
        let mut r = [0; 16];
        r[0] = a.wrapping_add(i32::MAX);
        r[1] = a.wrapping_sub(i32::MIN);
        r[2] = a.wrapping_mul(0x0101_0101);
        r[3] = a.wrapping_neg();
        r[4] = a.rem_euclid(7);
        r[5] = a.abs();
        r[6] = a.signum();
        r[7] = a.min(b);
        r[8] = a.max(b);
        r[9] = a.clamp(-10, 10);
        r[10] = u.count_ones() as i32;
        r[11] = u.leading_zeros() as i32;
        r[12] = u.trailing_zeros() as i32;
        r[13] = u.reverse_bits() as i32;
        r[14] = u.rotate_left(9) as i32;
        r[15] = a.abs_diff(b) as i32;
        results[id.x] = r;
    }
}

#[cfg(test)]
mod tests {
    use super::integers;
    use crate::support::{clean, integers};
    use hirace::Launch;
    use hirace::prelude::IVec2;

    fn pairs() -> Vec<IVec2> {
        let mut pairs: Vec<IVec2> =
            integers(1000, 24, 43).chunks(2).map(|p| IVec2::new(p[0], p[1] | 1)).collect();
        pairs.extend([(0, 1), (-7, 2), (7, -2), (i32::MAX, 3)].map(IVec2::from));
        pairs
    }

    fn launch() -> Launch {
        Launch::new().workgroups(2).buffer("pairs", &pairs())
    }

    #[test]
    fn signed_operators_are_as_in_rust() {
        let run = clean(&integers::signed::kernel(), launch().buffer("results", &[[0i32; 16]; 16]));
        let expected = |pair: &IVec2| {
            let (a, b) = (pair.x, pair.y);
            let one = i32::from;
            [
                a.wrapping_add(b),
                a.wrapping_sub(b),
                a.wrapping_mul(b),
                a / b,
                a % b,
                a & b,
                a | b,
                a ^ b,
                a << 3,
                a >> 3,
                -a,
                !a,
                one(a < b) + 2 * one(a <= b) + 4 * one(a > b),
                one(a >= b) + 2 * one(a == b) + 4 * one(a != b),
                one(a > 0 && b > 0 || a <= b),
                one((a > 0) & (b > 0) | (a > b) ^ (a > -b)),
            ]
        };
        assert_eq!(
            run.read::<[i32; 16]>("results"),
            pairs().iter().map(expected).collect::<Vec<_>>()
        );
    }

    #[test]
    fn assignments_with_operators_are_as_in_rust() {
        let run = clean(&integers::unsigned::kernel(), launch().buffer("folded", &[0u32; 16]));
        let expected = |pair: &IVec2| {
            let (a, b) = (pair.x as u32, pair.y as u32);
            let x = 1000u32.wrapping_add(a).wrapping_mul(3).wrapping_sub(b & 0xff) ^ a << 7;
            let x = ((x | 10) & 0o7777_7777) << 2 >> 1;
            let x = x / (1 + b % 5) % 1_000_003;
            if (x % 2 == 1) ^ (a > 7) | (b == 3) { x } else { !x }
        };
        assert_eq!(run.read::<u32>("folded"), pairs().iter().map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn methods_of_integers_are_as_in_rust() {
        let run =
            clean(&integers::wrapping::kernel(), launch().buffer("results", &[[0i32; 16]; 16]));
        let expected = |pair: &IVec2| {
            let (a, b) = (pair.x, pair.y);
            let u = a as u32;
            [
                a.wrapping_add(i32::MAX),
                a.wrapping_sub(i32::MIN),
                a.wrapping_mul(0x0101_0101),
                a.wrapping_neg(),
                a.rem_euclid(7),
                a.abs(),
                a.signum(),
                a.min(b),
                a.max(b),
                a.clamp(-10, 10),
                u.count_ones() as i32,
                u.leading_zeros() as i32,
                u.trailing_zeros() as i32,
                u.reverse_bits() as i32,
                u.rotate_left(9) as i32,
                a.abs_diff(b) as i32,
            ]
        };
        assert_eq!(
            run.read::<[i32; 16]>("results"),
            pairs().iter().map(expected).collect::<Vec<_>>()
        );
    }
}
