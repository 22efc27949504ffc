//! Chains of iterators: chunks and windows of arrays, and nested iterators. The same text runs in the kernel and in
//! the test.

/// Sums over chunks, windows and nested iterators of a number's row.
#[hirace::monitor]
pub mod chains {
    use hirace::prelude::*;

    /// Records that it was called, and with which value.
    fn at(calls: &mut u32, value: u32) -> u32 {
        *calls = calls.wrapping_mul(10).wrapping_add(value);
        value
    }

    fn sum(part: &[u32]) -> u32 {
        part.iter().sum()
    }

    fn digits(of: u32) -> [u32; 3] {
        [of % 10, of / 10 % 10, of / 100]
    }

    /// Computes results from chunks and windows that are read.
    pub fn of_parts(x: u32) -> [u32; 6] {
        let row = [x, 2, 3, x + 1, 5, 8, 9];
        let n = (x % 9 + 1) as usize;
        let mut lengths = 0;
        for part in row.chunks(n) {
            lengths = lengths * 10 + part.len() as u32;
        }
        let mut last = 0;
        for (i, part) in row[1..].chunks_exact(2).enumerate().rev() {
            last = last * 3 + part[0] * part[1] + i as u32;
        }
        let rising = row.windows(2).filter(|two| two[0] < two[1]).count() as u32;
        let windows = row.windows(n).map(|part| sum(part)).max().unwrap_or(1000);
        let last_but_one = row.chunks(2).rev().skip(1).map(|part| part[1]).sum();
        let matrix = [[1, x], [3, 4], [x, 6]];
        let nested = matrix.chunks(2).map(|rows| rows[0][1] * rows.len() as u32).sum();
        [lengths, last, rising, windows, last_but_one, nested]
    }

    /// Computes results from chunks that are written.
    pub fn of_changed(x: u32) -> [u32; 5] {
        let row = [x, 2, 3, x + 1, 5, 8, 9];
        let mut calls = 0;
        let mut changed = row;
        for part in changed.chunks_mut(3) {
            part[0] += part.len() as u32;
            part.reverse();
        }
        for (part, by) in changed[1..].chunks_exact_mut(3).zip(1..9) {
            part.fill(by);
            part[2] = sum(part);
        }
        let folded = changed.iter().fold(0, |sum: u32, x| sum * 3 + x);
        let size = at(&mut calls, 2) as usize;
        let sums: u32 = row.chunks(size).skip(1).map(|part| at(&mut calls, part[0] % 7)).sum();
        let mut bytes = [0u8; 9];
        for (word, four) in row[3..].iter().zip(bytes.chunks_exact_mut(4)) {
            four.copy_from_slice(&word.to_le_bytes());
        }
        bytes[1..][..3].copy_from_slice(&[1, 2, x as u8]);
        let bytes = bytes.iter().fold(0, |sum: u32, &byte| sum * 5 + u32::from(byte));
        [folded, sums, calls, bytes, size as u32]
    }

    /// Computes results from nested iterators.
    pub fn of_items(x: u32) -> [u32; 6] {
        let row = [x, 2, 3, x + 1, 5, 8, 9];
        let pairs = (0..x % 5).flat_map(|y| (y..4).map(move |z| y * 10 + z));
        let mut of_pairs = pairs.clone().count() as u32;
        for pair in pairs {
            of_pairs = of_pairs * 3 + pair;
        }
        let steps = (-1..=1)
            .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
            .filter(|&step| step != (0, 0))
            .map(|(dx, dy)| dx * 3 + dy * x as i32)
            .fold(0, |sum: i32, step| sum * 2 + step) as u32;
        let of_digits = row.iter().flat_map(|&n| digits(n * 37)).fold(0, |sum: u32, n| sum * 2 + n);
        let matrix = [[1, x], [3, 4], [x, 6]];
        let flat = matrix.iter().flatten().enumerate().map(|(i, n)| i as u32 * n).sum();
        let some = row.iter().flat_map(|n| n.checked_sub(3)).sum();
        let there: u32 = [Some(x), None, Some(2)].into_iter().flatten().sum();
        [of_pairs, steps, of_digits, flat, some, there]
    }

    /// Computes results from nested iterators that end early or skip elements.
    pub fn of_taken(x: u32) -> [u32; 6] {
        let row = [x, 2, 3, x + 1, 5, 8, 9];
        let mut calls = 0;
        let mut from = x as usize % 3;
        let every = row.iter().zip(from..9).skip(from).step_by(2);
        from += 1;
        let products = every.clone().map(|(n, i)| n * i as u32).sum::<u32>();
        let stepped = products + every.count() as u32 + from as u32;
        let taken = row
            .iter()
            .take(at(&mut calls, 4) as usize)
            .flat_map(|&n| (0..n % 4).filter(|k| k % 2 == 0))
            .take(at(&mut calls, 3) as usize)
            .map(|k| at(&mut calls, k))
            .sum();
        let mut skipped = 0;
        for (i, k) in (0..4).flat_map(|i| (0..i).take_while(|k| k % 3 < 2)).enumerate().skip(1) {
            if k == x % 2 {
                continue;
            }
            if i == 5 {
                break;
            }
            skipped = skipped * 7 + k + i as u32;
        }
        let found = row.chunks(2).flatten().position(|&n| n == 8).map_or(50, |i| i as u32);
        let first = row.windows(3).flat_map(|w| w.iter().rev()).find(|&&n| n > 4).copied();
        [stepped, taken, skipped, found, first.unwrap_or(99), calls]
    }

    /// Computes results of skipping, in which the skipped elements are evaluated too.
    pub fn of_skipped(x: u32) -> [u32; 4] {
        let row = [x, 2, 3, x + 1, 5, 8, 9];
        let mut calls = 0;
        let after_map = row.iter().map(|&n| at(&mut calls, n % 7)).skip(2).sum();
        let steps = (0..6).map(|n| at(&mut calls, n % 3)).step_by(2);
        let by_steps = steps.fold(0, |sum: u32, n| sum * 3 + n);
        let large = row.iter().filter(|n| **n > 2);
        let rest = large.map(|&n| at(&mut calls, n % 5)).skip(1).fold(0, |sum: u32, n| sum * 3 + n);
        [after_map, by_steps, rest, calls]
    }

    /// Each invocation computes `of_parts` of its number.
    #[kernel(workgroup_size(8))]
    pub fn parts(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 6]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = of_parts(words[i]);
        }
    }

    /// Each invocation computes `of_changed` of its number.
    #[kernel(workgroup_size(8))]
    pub fn changed(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &[u32],
        out: &mut [[u32; 5]],
    ) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = of_changed(words[i]);
        }
    }

    /// Each invocation computes `of_items` of its number.
    #[kernel(workgroup_size(8))]
    pub fn items(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 6]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = of_items(words[i]);
        }
    }

    /// Each invocation computes `of_taken` of its number.
    #[kernel(workgroup_size(8))]
    pub fn taken(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 6]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = of_taken(words[i]);
        }
    }

    /// Each invocation computes `of_skipped` of its number.
    #[kernel(workgroup_size(8))]
    pub fn skipped(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &[u32],
        out: &mut [[u32; 4]],
    ) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = of_skipped(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::chains;
    use crate::support::clean;
    use hirace::{Kernel, Launch};

    /// Checks that the kernel computes the same as the host for each word.
    fn as_on_the_host<const N: usize>(kernel: &Kernel, expected: fn(u32) -> [u32; N]) {
        let words: Vec<u32> = (0..23).collect();
        let out = [[0u32; N]; 23];
        let launch = Launch::new().workgroups(3).buffer("words", &words).buffer("out", &out);
        let run = clean(kernel, launch);
        let expected: Vec<[u32; N]> = words.into_iter().map(expected).collect();
        assert_eq!(run.read::<[u32; N]>("out"), expected);
    }

    #[test]
    fn chains_of_parts_are_those_of_rust() {
        as_on_the_host(&chains::parts::kernel(), chains::of_parts);
    }

    #[test]
    fn chains_that_write_parts_are_those_of_rust() {
        as_on_the_host(&chains::changed::kernel(), chains::of_changed);
    }

    #[test]
    fn chains_of_items_are_those_of_rust() {
        as_on_the_host(&chains::items::kernel(), chains::of_items);
    }

    #[test]
    fn chains_that_end_early_are_those_of_rust() {
        as_on_the_host(&chains::taken::kernel(), chains::of_taken);
    }

    #[test]
    fn chains_that_skip_are_those_of_rust() {
        as_on_the_host(&chains::skipped::kernel(), chains::of_skipped);
    }
}
