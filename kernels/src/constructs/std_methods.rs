//! Methods of `std`: named iterators, slices of arrays, fallible conversions, comparisons.
//!
//! Each kernel calls helper functions, which run on the host as ordinary Rust.

/// Rows of numbers, one per invocation.
#[hirace::monitor]
pub mod std_methods {
    use hirace::prelude::*;

    /// Length of a row.
    pub const WIDE: usize = 12;

    /// The results for a row.
    pub type Found = [u32; 10];

    const ODD: [u32; 3] = [1, 3, 5];
    const EVEN: [u32; 3] = [2, 4, 6];

    /// A number and its original position.
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub struct Entry {
        key: u32,
        weight: f32,
    }

    fn total(of: &[u32; 3]) -> u32 {
        of[0] + of[1] + of[2]
    }

    /// Uses iterators in variables, and nested iterators.
    pub fn chains(row: &[u32; WIDE], lane: usize) -> Found {
        let mine = (lane % 4..WIDE).step_by(3);
        let largest = mine.clone().map(|i| row[i]).max().unwrap_or(7);
        let mut passed = 0;
        for i in mine {
            passed += i as u32;
        }
        let pairs = row.iter().zip(&ODD).skip(1);
        let few = pairs.clone().filter(|&(a, b)| a > b).count();
        let sum: u32 = pairs.map(|(a, b)| a * b).sum();
        let scale = 2;
        let scaled = row.iter().map(|word| word * scale);
        let scale = 3;
        let doubled =
            scaled.clone().sum::<u32>() * scale + scaled.rev().take(3).last().unwrap_or(0);
        let around = (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y)));
        let mut turns = 0;
        for (x, y) in around.clone().filter(|&step| step != (0, 0)) {
            if x == y {
                continue;
            }
            turns = turns * 3 + x + 2 * y;
            if turns > 400 {
                break;
            }
        }
        let at = around
            .take_while(|&(x, y)| x + y < 2)
            .position(|(x, y)| row[(2 + x + y) as usize] > 80);
        let bytes = [row[0] << 12, row[1]].into_iter().flat_map(|word| word.to_be_bytes()).take(6);
        let bytes = bytes.map(u32::from).fold(0, |all, byte| all * 3 + byte);
        let flat: u32 = [[row[2], 2], [row[3], 4]].iter().flatten().sum();
        let counted = (5..).zip(row).map(|(i, word)| i * word).sum::<u32>();
        let at = at.map_or(99, |at| at as u32);
        [largest, passed, few as u32, sum, doubled, turns as u32, at, bytes, flat, counted]
    }

    /// Uses slices of arrays, and makes, copies and destructures them.
    pub fn pieces(row: &[u32; WIDE], lane: usize) -> Found {
        let mut own = [0; WIDE];
        own[2..7].copy_from_slice(&row[lane % 4..lane % 4 + 5]);
        for (piece, value) in own.chunks_exact_mut(4).zip(10..) {
            piece[0] += value;
        }
        let lengths = row.chunks(5).map(|piece| piece.len() as u32 * piece[0]).sum();
        let steps = row.windows(2).filter(|pair| pair[0] < pair[1]).count() as u32;
        let piece = if let Some(piece) = row.chunks_exact(5).nth(lane % 4) {
            piece.iter().sum()
        } else {
            1000
        };
        let squares: [u32; 5] = std::array::from_fn(|k| row[k] * k as u32);
        let [first, .., last] = squares;
        let [a, b] = [&ODD, &EVEN].map(|of| total(of));
        let [_, second, _] = &ODD;
        let sum = own.iter().fold(0, |all, word| all * 2 + word);
        [sum, lengths, steps, piece, first, last, a, b, *second, squares[lane % 5]]
    }

    /// Uses fallible conversions, and floats that are NaN.
    pub fn conversions(row: &[u32; WIDE], lane: usize) -> Found {
        let shifted = row[lane % 8] as i32 - 50;
        let small = u32::try_from(shifted).ok().filter(|&x| x < 30);
        let byte = u8::try_from(row[1] * 4).unwrap_or(u8::MAX);
        let narrow = i8::try_from(shifted * 3).is_ok() as u32;
        let both = small.zip(row.get(lane).copied());
        let [a, b, c, d] = (row[0] << 22 | row[1] << 11 | row[2]).to_le_bytes();
        let ones = a.leading_ones() + 9 * b.trailing_ones() + 90 * c.reverse_bits() as u32;
        let kinds = [a, b, c, d].iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
        let upper = [a, d].map(|byte| byte.to_ascii_uppercase() as u32);
        let least = row.iter().map(|&word| word as f32).fold(f32::INFINITY, f32::min);
        let largest = row.iter().map(|&word| word as f32).fold(f32::NEG_INFINITY, f32::max);
        let [low, high] = [least, largest].map(|x| x.to_bits() >> 16);
        [
            small.unwrap_or(77),
            byte as u32,
            narrow,
            both.map_or(5, |(x, y)| x * 100 + y),
            ones,
            kinds as u32,
            upper[0] + upper[1],
            low,
            high,
            f32::INFINITY.to_bits() >> 20,
        ]
    }

    /// Compares values member by member.
    pub fn orders(row: &[u32; WIDE], lane: usize) -> Found {
        let entry = |i: usize| Entry { key: row[i] / 30, weight: (row[i] % 7) as f32 };
        let (a, b) = (entry(lane % 6), entry(lane % 6 + 1));
        let less = [a < b, a <= b, a > b, a >= b, (row[0] / 30, lane) < (row[1] / 30, 4)];
        let way = Vec3::new(a.weight - 3.0, b.weight, 0.0);
        let unit = (way * (lane % 3) as f32).try_normalize();
        let far = unit.map_or(2.0, |unit| unit.length());
        let [r, g, b] = [row[0] as u8, row[1] as u8, row[2] as u8].map(f32::from);
        let [first, second, third, fourth, fifth] = less.map(u32::from);
        [
            first,
            second,
            third,
            fourth,
            fifth,
            (far * 4.0).round() as u32,
            r as u32,
            g as u32,
            b as u32,
            0,
        ]
    }

    /// Each invocation computes `chains` of its row.
    #[kernel(workgroup_size(8))]
    pub fn chains_of_rows(
        #[builtin(global_invocation_id)] id: UVec3,
        rows: &[[u32; WIDE]],
        found: &mut [Found],
    ) {
        let i = id.x as usize;
        let row = rows[i];
        found[i] = chains(&row, i);
    }

    /// Each invocation computes `pieces` of its row.
    #[kernel(workgroup_size(8))]
    pub fn pieces_of_rows(
        #[builtin(global_invocation_id)] id: UVec3,
        rows: &[[u32; WIDE]],
        found: &mut [Found],
    ) {
        let i = id.x as usize;
        let row = rows[i];
        found[i] = pieces(&row, i);
    }

    /// Each invocation computes `conversions` of its row.
    #[kernel(workgroup_size(8))]
    pub fn conversions_of_rows(
        #[builtin(global_invocation_id)] id: UVec3,
        rows: &[[u32; WIDE]],
        found: &mut [Found],
    ) {
        let i = id.x as usize;
        let row = rows[i];
        found[i] = conversions(&row, i);
    }

    /// Each invocation computes `orders` of its row.
    #[kernel(workgroup_size(8))]
    pub fn orders_of_rows(
        #[builtin(global_invocation_id)] id: UVec3,
        rows: &[[u32; WIDE]],
        found: &mut [Found],
    ) {
        let i = id.x as usize;
        let row = rows[i];
        found[i] = orders(&row, i);
    }

    /// Writes slices that overlap those of other invocations.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, words: &mut [u32]) {
        let i = id.x as usize;
        for word in words[2 * i..].iter_mut().take(3) {
            *word += 1;
//          ^^^^^ race: read/write on words[..]
//          ^^^^^ race: write/read on words[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::std_methods::{self, Found, WIDE};
    use crate::support::{below, clean, racy};
    use hirace::{Kernel, Launch};

    /// Checks that the kernel computes the same as the host for each row.
    fn as_on_the_host(kernel: &Kernel, expected: fn(&[u32; WIDE], usize) -> Found) {
        let random = below(100, WIDE * 16, 410);
        let rows: Vec<[u32; WIDE]> =
            random.chunks(WIDE).map(|row| row.try_into().unwrap()).collect();
        let launch = Launch::new().workgroups(2).buffer("rows", &rows);
        let run = clean(kernel, launch.buffer("found", &[[0u32; 10]; 16]));
        for (i, (found, row)) in run.read::<Found>("found").iter().zip(&rows).enumerate() {
            assert_eq!(*found, expected(row, i), "row {i}");
        }
    }

    #[test]
    fn chains_are_those_of_rust() {
        as_on_the_host(&std_methods::chains_of_rows::kernel(), std_methods::chains);
    }

    #[test]
    fn pieces_are_those_of_rust() {
        as_on_the_host(&std_methods::pieces_of_rows::kernel(), std_methods::pieces);
    }

    #[test]
    fn conversions_are_those_of_rust() {
        as_on_the_host(&std_methods::conversions_of_rows::kernel(), std_methods::conversions);
    }

    #[test]
    fn orders_are_those_of_rust() {
        as_on_the_host(&std_methods::orders_of_rows::kernel(), std_methods::orders);
    }

    #[test]
    fn pieces_that_overlap_race() {
        let launch = Launch::new().workgroups(1).zeros("words", 17);
        racy(&std_methods::racy::kernel(), launch, include_str!("std_methods.rs"));
    }
}
