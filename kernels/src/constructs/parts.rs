//! Slices of arrays: their bounds are evaluated once, and an empty one has no last element. The same text runs in
//! the kernel and in the test.

/// Sums, elements and lengths of slices of a number's row.
#[hirace::monitor]
pub mod parts {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    struct Bag {
        n: u32,
    }

    impl Bag {
        fn get(&self, less: u32) -> Option<u32> {
            self.n.checked_sub(less)
        }
    }

    fn bag(calls: &mut u32) -> Bag {
        *calls += 1;
        Bag { n: *calls }
    }

    /// Records that it was called, and with which index.
    fn at(calls: &mut u32, index: usize) -> usize {
        *calls = calls.wrapping_mul(10).wrapping_add(index as u32);
        index
    }

    fn sum(part: &[u32]) -> u32 {
        part.iter().sum()
    }

    fn lengths(part: &[u32]) -> usize {
        part[1..].len() * 100 + part[..part.len() - 1].iter().count()
    }

    /// Computes sums, elements and lengths of slices of a number's row.
    pub fn all_of(x: u32) -> [u32; 11] {
        let row = [x, 2, 3, x + 1, 5, 8, 9, 10];
        let mut calls = 0;
        let of_part = row[at(&mut calls, 2)..at(&mut calls, 6)][at(&mut calls, 1)..]
            .get(at(&mut calls, 2))
            .copied()
            .unwrap_or(99);
        let length = row[at(&mut calls, 1)..at(&mut calls, 7)].len() as u32;
        let lent = sum(&row[at(&mut calls, 3)..]);
        let mut square = [[1, 2], [3, x], [5, 6]];
        if let Some(cell) = square[at(&mut calls, 1)].get_mut(at(&mut calls, 1)) {
            *cell += 5;
        }
        let kept = if let Some(left) = bag(&mut calls).get(4) { left } else { 1 };
        let Some(left) = bag(&mut calls).get(2) else { return [0; 11] };
        let n = (x % 4) as usize;
        let ends = row[..n].last().copied().unwrap_or(50) + row[n..].first().copied().unwrap_or(1);
        let mut changed = row;
        if let Some(last) = changed[..n].last_mut() {
            *last = 90;
        }
        changed[2..][1] = 77;
        changed[1..7][n..][0] += 3;
        let three = sum(&changed[n..][1..][..2]);
        let part = &changed[1..6];
        let rest = &part[n..];
        let of_rest = lengths(rest) as u32 + rest[0] + part[n];
        let mut from = 0usize;
        let named = &row[from..from + 3];
        from += 4;
        let of_named = sum(named) + (from + named.len()) as u32;
        [of_part, length, lent, square[1][1], kept, left, ends, three, of_rest, of_named, calls]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 11]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = all_of(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parts;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn parts_are_those_of_rust() {
        let words: Vec<u32> = (0..23).collect();
        let launch =
            Launch::new().workgroups(3).buffer("words", &words).buffer("out", &[[0u32; 11]; 23]);
        let run = clean(&parts::clean::kernel(), launch);
        let expected: Vec<[u32; 11]> = words.iter().map(|x| parts::all_of(*x)).collect();
        assert_eq!(run.read::<[u32; 11]>("out"), expected);
    }
}
