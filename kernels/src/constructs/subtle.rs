//! Constructs that are easy to translate wrongly: evaluation order, early exits, shared memory, shadowed names. The same
//! text runs in the kernel and in the test.

/// Results of several constructs for a number.
#[hirace::monitor]
pub mod subtle {
    use hirace::prelude::*;

    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Op {
        Push(u32),
        Add,
        Scale { by: f32, shift: u32 },
        Pair(u32, u32),
        Nothing,
    }

    #[derive(Clone, Copy)]
    struct Cell {
        value: Option<u32>,
        last: Option<Op>,
    }

    impl Cell {
        fn step(&mut self, op: Op) -> Result<u32, u32> {
            let before = self.last.replace_with(op);
            self.value = match (self.value, op) {
                (None, Op::Push(n)) => Some(n),
                (Some(a), Op::Push(b)) if a == b => return Err(a),
                (Some(a), Op::Push(b)) => Some(a * 10 + b),
                (Some(a), Op::Add) => a.checked_add(1),
                (Some(a), Op::Scale { by, shift }) => Some(((a as f32) * by) as u32 + shift),
                (Some(a), Op::Pair(b, c)) if b > c => Some(a + b - c),
                (kept, Op::Pair(..) | Op::Nothing) => kept,
                (None, _) => return Err(before),
            };
            self.value.ok_or(99)
        }
    }

    trait Replace {
        fn replace_with(&mut self, op: Op) -> u32;
    }

    impl Replace for Option<Op> {
        fn replace_with(&mut self, op: Op) -> u32 {
            let code = match *self {
                Some(Op::Push(n)) => n,
                Some(Op::Scale { shift, .. }) => shift + 50,
                Some(_) => 7,
                None => 3,
            };
            *self = Some(op);
            code
        }
    }

    fn find(of: &[u32; 6], wanted: u32) -> Option<usize> {
        for (i, &x) in of.iter().enumerate() {
            if x == wanted {
                return Some(i);
            }
        }
        None
    }

    fn both(of: &[u32; 6], a: u32, b: u32) -> Option<u32> {
        let (i, j) = (find(of, a)?, find(of, b)?);
        Some((i * 10 + j) as u32)
    }

    fn twice<F: FnMut(u32) -> u32>(mut f: F) -> u32 {
        let first = f(1);
        first * 100 + f(2)
    }

    fn compose(f: impl Fn(u32) -> u32, g: impl Fn(u32) -> u32) -> u32 {
        let h = |x: u32| g(f(x) + 1);
        h(1) + twice(|x| h(x) + 1)
    }

    fn order(log: &mut u32, digit: u32) -> u32 {
        *log = *log * 10 + digit;
        digit
    }

    fn nested(n: u32) -> u32 {
        let r = 'outer: {
            for i in 0..n {
                for j in (0..n).rev() {
                    if i * j == 6 {
                        break 'outer i * 10 + j;
                    }
                    if j < i {
                        break;
                    }
                }
            }
            77
        };
        let mut turns = 0;
        let x = loop {
            turns += 1;
            if turns * turns > n {
                break turns;
            }
        };
        r * 10 + x
    }

    fn largest<'a, T: PartialOrd>(a: &'a T, b: &'a T, of: impl Fn(&T) -> u32) -> u32 {
        if a > b { of(a) } else { of(b) }
    }

    fn no_way_on(of: Option<u32>) -> u32 {
        if let Some(n) = of
            && n > 6
        {
            return n * 2;
        } else {
            return 100;
        }
    }

    /// Computes all results for one number.
    pub fn all_of(x: u32) -> [u32; 13] {
        let mut cell = Cell { value: None, last: None };
        let ops = [
            Op::Add,
            Op::Push(x),
            Op::Push(x),
            Op::Push(4),
            Op::Scale { by: 1.5, shift: 2 },
            Op::Pair(9, 2),
            Op::Pair(2, 9),
            Op::Nothing,
            Op::Add,
        ];
        let mut codes = 0u32;
        for op in ops {
            codes = codes.wrapping_mul(7).wrapping_add(match cell.step(op) {
                Ok(v) => v,
                Err(e) => e + 1000,
            });
        }
        let row = [x, 2, 3, x + 1, 5, 8];
        let found = both(&row, 3, 8).unwrap_or(500) + both(&row, 3, 9).map_or(1, |_| 2);
        let mut calls = 0;
        let counted = twice(|k| {
            calls += k;
            calls * x
        });
        let composed = compose(|a| a * 2, |a| a + x);
        let mut log = 0;
        let order_of = order(&mut log, 1) + order(&mut log, 2) * order(&mut log, 3);
        let lazily = x > 3 && order(&mut log, 4) == 4 || order(&mut log, 5) == 9;
        let mut grid = [[0u32; 3]; 2];
        for (y, line) in grid.iter_mut().enumerate() {
            for (z, cell) in line.iter_mut().enumerate() {
                *cell = (y * 3 + z) as u32 + x;
            }
        }
        let [first, second] = grid;
        let sums = first.iter().zip(second.iter()).map(|(a, b)| a * b).sum::<u32>();
        let middle = &mut grid[1];
        middle[2] += 100;
        let bottom = middle.iter().rev().skip(1).fold(0, |a, b| a * 2 + b);
        let mut k = 0;
        let shadow = {
            let k = k + 5;
            let k = k * 2;
            k
        };
        k += shadow;
        let mut best: Option<(usize, u32)> = None;
        for (i, &v) in row.iter().enumerate() {
            if best.is_none_or(|(_, b)| v > b) {
                best = Some((i, v));
            }
        }
        let (at, most) = best.unwrap();
        let early =
            row.iter().map(|&v| if v > 4 { None } else { Some(v) }).position(|v| v.is_none());
        let mut stack = [0u32; 4];
        let mut depth = 0;
        for v in row {
            if let Some(slot) = stack.get_mut(depth) {
                *slot = v;
                depth += 1;
            } else if v % 2 == 0 {
                stack[0] += v;
            }
        }
        let part = &stack[1..depth];
        let tail: u32 = part.iter().rev().enumerate().map(|(i, v)| v * (i as u32 + 1)).sum();
        let opts = [Some(x), None, Some(2)];
        let mut all = 0;
        for o in &opts {
            match o {
                Some(v) if *v > 2 => all += v * 2,
                Some(v) => all += v,
                None => all += 1000,
            }
        }
        let big = largest(&x, &4, |v| *v * 3) + largest(&1.5, &0.5, |v| (*v * 4.0) as u32);
        let packed = (x as u8).wrapping_mul(77) as u32 + ((x as i8) - 5) as i32 as u32 % 1000;
        let cmp = match (x % 3).cmp(&1) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => 20,
            std::cmp::Ordering::Greater => 300,
        };
        [
            codes % 65536,
            found,
            counted + calls,
            composed,
            log * 10 + order_of + lazily as u32,
            sums + bottom,
            k + nested(x),
            (at as u32) * 100 + most,
            early.unwrap_or(9) as u32,
            tail + stack[0],
            all + big,
            packed + cmp,
            no_way_on((x > 3).then_some(x)),
        ]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 13]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = all_of(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::subtle;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn what_is_subtle_is_what_rust_does() {
        let words: Vec<u32> = (0..23).collect();
        let launch =
            Launch::new().workgroups(3).buffer("words", &words).buffer("out", &[[0u32; 13]; 23]);
        let run = clean(&subtle::clean::kernel(), launch);
        let expected: Vec<[u32; 13]> = words.iter().map(|x| subtle::all_of(*x)).collect();
        assert_eq!(run.read::<[u32; 13]>("out"), expected);
    }
}
