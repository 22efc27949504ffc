//! Tests of items of `std`: the executor computes what Rust computes.

use super::native::functions;
use hirace_testing::harness::Trial;

pub fn trials() -> Vec<Trial> {
    super::native::trials("std_items", FUNCTIONS, HELPERS)
}

functions! {
    fn positions(lane: u32) -> u32 {
        let values = [3u32, 1, 4, 1, 5, 9, 2, 6];
        let i = lane as usize % values.len();
        let mut sum = 0usize;
        for j in (i..values.len()).rev() {
            sum += values[j] as usize * (j + 1);
        }
        for j in (0..=i).step_by(2) {
            sum = sum.saturating_sub(j) ^ (j << 3);
        }
        let apart = i as isize - 4;
        sum as u32 + apart.unsigned_abs() as u32 * 1000 + (apart.signum() + 1) as u32 * 100_000
    }

    fn sizes_have_the_methods_of_integers(lane: u32) -> u32 {
        let n = lane as usize + 3;
        let a = n.pow(2) + n.isqrt() + n.div_ceil(4) + n.next_power_of_two() + n.abs_diff(20);
        let b = n.min(7).max(2) + n.clamp(5, 40) + n.rem_euclid(5) + n.is_power_of_two() as usize;
        let c = n.count_ones() + n.trailing_zeros() + n.ilog2() + n.ilog10();
        (a * 31 + b) as u32 ^ c
    }

    fn powers(lane: u32) -> u32 {
        let a = lane.pow(3) ^ 2u32.pow(lane % 31);
        let b = (lane as i32 - 30).pow(3) + (-2i32).pow(lane % 31);
        let c = (lane * 77).wrapping_pow(9) ^ (lane + 3).saturating_pow(8);
        a ^ b as u32 ^ c ^ lane.pow(0)
    }

    fn roots_and_logarithms(lane: u32) -> u32 {
        let n = lane * lane * 1_000_003 + lane;
        n.isqrt() + (n as i32).unsigned_abs().isqrt() * 3 + (n + 1).ilog10() * 7
            + (n + 1).ilog(3) * 11 + u32::MAX.isqrt() + 0u32.isqrt() + i32::MAX.isqrt() as u32
    }

    fn products_that_stop_at_the_ends(lane: u32) -> u32 {
        let a = (lane * 10_000_000).saturating_mul(lane * lane);
        let x = (lane as i32 - 32) * 50_000_000;
        let b = x.saturating_mul(lane as i32 - 20) ^ x.saturating_mul(-1) ^ i32::MIN.saturating_mul(-1);
        let (c, over) = (lane * 70_000).overflowing_mul(lane * 3000);
        a ^ b as u32 ^ c ^ over as u32
    }

    fn elements_change_places(lane: u32) -> u32 {
        let mut a = [1u32, 2, 3, 4, 5, 6, 7];
        a.swap(lane as usize % 7, 3);
        let first = a[0] as usize;
        a.swap({ let k = lane + 1; k as usize } % 7, first % 7);
        a.reverse();
        let mut b = [0u32; 5];
        b.fill(lane + 1);
        let mut sum = b[2] + b[4];
        for i in 0..7 {
            sum = sum * 8 + a[i];
        }
        sum + b.is_empty() as u32
    }

    fn values_change_places(lane: u32) -> u32 {
        let (mut a, mut b) = (lane * 3, lane + 100);
        std::mem::swap(&mut a, &mut b);
        let old = std::mem::replace(&mut a, b * 2);
        let mut t = [1u32, 2, 3, 4];
        let taken = core::mem::take(&mut t[(lane as usize + 1) % 4]);
        let mut p = (lane, [lane, 5]);
        std::mem::swap(&mut p.0, &mut p.1[lane as usize % 2]);
        a * 31 + b * 7 + old + taken * 1000 + t[lane as usize % 4] + p.0 * 3 + p.1[0] * 5 + p.1[1]
    }

    fn the_lesser_and_the_greater(lane: u32) -> u32 {
        std::cmp::max(lane, 20) * 100 + std::cmp::min(lane as i32 - 30, 7).unsigned_abs()
    }

    fn patterns_that_match(lane: u32) -> u32 {
        let a = matches!(lane % 7, 1 | 3..=4);
        let b = matches!((lane % 3, lane % 2 == 0), (0, true) | (2, false));
        let c = matches!(lane, n if n % 5 == 0 && n > 10);
        a as u32 + b as u32 * 2 + c as u32 * 4
    }

    fn constants_and_functions_of_a_function(lane: u32) -> u32 {
        const STEP: u32 = WIDE as u32 / 2;
        const WIDE: usize = 6;
        fn scaled(x: u32) -> u32 {
            x * 3 + 1
        }
        let mut a = [STEP; WIDE];
        a[lane as usize % WIDE] = scaled(lane);
        if lane > 10 {
            const STEP: u32 = 2;
            return a[0] + a[WIDE - 1] + STEP * 0 + scaled(lane);
        }
        a[1] + a[2]
    }

    fn what_is_made_of_parts_is_equal_in_all(lane: u32) -> u32 {
        let t = (lane % 3, lane % 2 == 0);
        let a = [lane % 4, 1, 2, 3, 4, 5];
        let n = [[lane % 2, 1], [2, 3]];
        (t == (1, true)) as u32
            + (t != (0, false)) as u32 * 2
            + (a == [2, 1, 2, 3, 4, 5]) as u32 * 4
            + (a != [0, 1, 2, 3, 4, 6]) as u32 * 8
            + (n == [[1, 1], [2, 3]]) as u32 * 16
            + ((t, a) == ((2, false), a)) as u32 * 32
    }

    fn constants_of_std(lane: u32) -> u32 {
        let turn = std::f32::consts::TAU / 8.0 * (lane % 8) as f32;
        let half = (turn - std::f32::consts::PI).abs() < 0.001;
        half as u32 + u32::BITS + i16::BITS * 2 + (i32::MAX as u32 >> (lane % 32)) % 1000
            + (std::u32::MAX - lane) % 10_000
    }

    fn bytes(lane: u32) -> u32 {
        let a = (lane * 37) as u8;
        let b = (lane * 91 + 5) as i8;
        let mut c = a.wrapping_add(200).wrapping_mul(3);
        c ^= !a;
        c = c.wrapping_sub(b as u8) >> 1;
        let mut d = b.wrapping_sub(100);
        d = d.wrapping_mul(7).wrapping_add(a as i8);
        let e = (a as f32 * 3.7) as u8 as u32 + ((b as f32 * 2.5) as i8 as i32 + 200) as u32;
        let f = a.saturating_add(90) as u32 * 3 + a.saturating_sub(40) as u32 + a.abs_diff(c) as u32;
        let g = (b.saturating_add(60) as i32 + b.saturating_sub(d) as i32 + 1000) as u32;
        let h = a.count_ones() + a.leading_zeros() * 9 + a.trailing_zeros() * 81 + b.count_zeros() * 729;
        let k = a.rotate_left(lane % 8) as u32 + b.rotate_right(3) as u8 as u32 * 5;
        let l = a.min(c) as u32 + b.max(d) as u8 as u32 + a.clamp(10, 200) as u32;
        let m = (b as i32 / 7 + b.rem_euclid(5) as i32 + 100) as u32 + (a % 13) as u32;
        let n = u32::from(a) + (f32::from(c) * 2.0) as u32 + (a == c) as u32 + (b < d) as u32;
        c as u32 + d as u8 as u32 + e + f + g + h + k + l + m + n + u8::MAX as u32 + i8::BITS
    }

    fn words_of_16_bits(lane: u32) -> u32 {
        let a = (lane * 2731) as u16;
        let b = (lane * 3001 + 77) as i16;
        let c = a.wrapping_mul(a) ^ (b as u16) << 3;
        let d = b.wrapping_neg().wrapping_add(i16::MAX);
        let e = c.swap_bytes() as u32 + d.unsigned_abs() as u32 + (d as f32 * 9.5) as i16 as u16 as u32;
        let mut sum = 0u16;
        for i in 0..(lane % 9) as u16 {
            sum = sum.wrapping_add(a).wrapping_add(i * 7);
        }
        let low = 0xabcd_u32.wrapping_mul(lane) as u8 as i16;
        match low {
            i16::MIN..=-1 => sum as u32 + e,
            0..=100 => e ^ (a > c) as u32,
            _ => (low as u32) << 4 | sum.is_power_of_two() as u32,
        }
    }

    fn bytes_in_arrays_and_structs(lane: u32) -> u32 {
        let mut t = [1u8, 2, 250, 4];
        t[lane as usize % 4] = t[lane as usize % 4].wrapping_add(lane as u8);
        t[2] = halved(t[2], lane as u8);
        let pair = (t[0] as i8, t[3] as u16);
            t[1] <<= 1;
        t[1] |= 0x80;
        t[0] as u32 + (t[1] as u32) * 256 + t[2] as u32 * 65536 + pair.0 as u8 as u32 + pair.1 as u32
    }

    with {
        fn halved(x: u8, by: u8) -> u8 {
            x / 2 + by % 7
        }
    }
}
