//! Patterns with `..` at the beginning, in the middle and at the end. The same text runs in the kernel and in
//! the test.

/// Parts of a number's row, cell and shape.
#[hirace::monitor]
pub mod patterns {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    struct Cell(u32, f32, u32, u32);

    #[derive(Clone, Copy)]
    enum Shape {
        Triple(u32, u32, u32),
        Empty,
    }

    /// Computes parts of one number's row, cell and shape.
    pub fn all_of(x: u32) -> [u32; 9] {
        let cell = Cell(x, 1.5, x + 1, x + 2);
        let Cell(.., behind) = cell;
        let Cell(first, ..) = cell;
        let Cell(a, .., b) = cell;
        let of_cell = |Cell(.., last): Cell| last + 1;
        let row = [x, 2, 3, x + 7];
        let [front, .., back] = row;
        let [.., third, fourth] = row;
        let ends = |(p, ..): (u32, u32, u32), (.., q): (u32, u32)| p * 10 + q;
        let kind = match (x, x % 2, x % 3) {
            (.., 0) => 1,
            (0, ..) => 2,
            (n, .., m) => n + m,
        };
        let shape = if x > 4 { Shape::Triple(x, x + 1, x + 2) } else { Shape::Empty };
        let of_shape = match shape {
            Shape::Triple(.., z) if z % 2 == 0 => z,
            Shape::Triple(y, .., z) => y * z,
            Shape::Empty => 5,
        };
        let less = if let (y, .., Some(z)) = (x, 1, 2u32, x.checked_sub(3)) { y + z } else { 8 };
        let mut sum = 0;
        for (i, ..) in row.iter().enumerate() {
            sum += i;
        }
        for (.., v) in row.iter().enumerate() {
            sum += *v as usize;
        }
        [
            behind,
            first + a * 100 + b,
            of_cell(cell),
            front * 100 + back,
            third * 100 + fourth,
            ends((x, 1, 2), (3, x)),
            kind,
            of_shape,
            less + sum as u32,
        ]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 9]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = all_of(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::patterns;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn what_is_left_out_is_what_rust_leaves_out() {
        let words: Vec<u32> = (0..23).collect();
        let launch =
            Launch::new().workgroups(3).buffer("words", &words).buffer("out", &[[0u32; 9]; 23]);
        let run = clean(&patterns::clean::kernel(), launch);
        let expected: Vec<[u32; 9]> = words.iter().map(|x| patterns::all_of(*x)).collect();
        assert_eq!(run.read::<[u32; 9]>("out"), expected);
    }
}
