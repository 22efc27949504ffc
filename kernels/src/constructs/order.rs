//! The order and number of evaluations. The same text runs in the kernel and in the test.

/// Results computed from a number, with the order of their evaluation.
#[hirace::monitor]
pub mod order {
    use hirace::prelude::*;

    use std::cmp::Ordering;

    #[derive(Clone, Copy)]
    struct Pair {
        a: u32,
        b: u32,
    }

    #[derive(Clone, Copy)]
    enum Box {
        Sides { width: u32, height: u32 },
        Nothing,
    }

    /// Records that it was called, and with which digit.
    fn log(calls: &mut u32, digit: u32) -> u32 {
        *calls = calls.wrapping_mul(10).wrapping_add(digit);
        digit + 1
    }

    /// Uses alternatives that are evaluated even if they are not used.
    fn alternatives(some: Option<u32>, calls: &mut u32) -> u32 {
        let a = some.unwrap_or(log(calls, 1));
        let b = some.map_or(log(calls, 2), |v| v * 2);
        let c = some.or(Some(log(calls, 3)));
        let d: Result<u32, u32> = some.ok_or(log(calls, 4));
        let e = some.is_some().then_some(log(calls, 5));
        let f = d.unwrap_or(log(calls, 6));
        let mut state = some;
        let g = state.unwrap_or({
            state = None;
            7
        });
        a + b * 3 + c.unwrap_or(0) * 7 + e.unwrap_or(9) * 11 + f * 13 + g + state.is_none() as u32
    }

    /// Uses operands that appear once in the source and twice in the generated code.
    fn used_twice(x: u32, calls: &mut u32) -> u32 {
        let order = match log(calls, 1).cmp(&x).reverse() {
            Ordering::Less => 1,
            Ordering::Equal => 2,
            Ordering::Greater => 3,
        };
        let mut sum = 0;
        for i in (0..20usize).step_by(log(calls, 2) as usize).skip(2) {
            sum = sum * 3 + i as u32;
        }
        for i in
            (0..20usize).step_by(log(calls, 1) as usize).step_by(2).skip(log(calls, 0) as usize)
        {
            sum = sum * 3 + i as u32;
        }
        order + sum * 10
    }

    /// Uses ends of ranges, and adapters and consumers of iterators.
    fn chains(x: u32, calls: &mut u32) -> [u32; 4] {
        let row = [x, 3, 1, 4, 1, 5, 9, 2, 6];
        let taken = (log(calls, 1)..log(calls, 6))
            .take(log(calls, 2) as usize)
            .fold(log(calls, 3), |a, b| a * 3 + b);
        let skipped: u32 =
            (log(calls, 1)..log(calls, 7)).skip(log(calls, 1) as usize).map(|v| v + x).sum();
        let zipped: u32 = (log(calls, 1)..log(calls, 7))
            .zip(log(calls, 2)..log(calls, 8))
            .map(|(v, w)| v * w + x)
            .sum();
        let of_row: u32 =
            row.iter().skip(log(calls, 1) as usize).take(log(calls, 3) as usize).sum();
        let within = (log(calls, 5)..log(calls, 4)).contains(&log(calls, 2)) as u32;
        let mapped = [log(calls, 1), log(calls, 2)].map(|v| v * 10 + log(calls, v));
        let folded = row.iter().copied().fold(log(calls, 2), |a, v| a.wrapping_mul(3) + v);
        let mut count = 2usize;
        let mut counted = 0;
        for v in row
            .iter()
            .skip({
                count += 1;
                count
            })
            .take(count)
        {
            count += 1;
            counted += *v * count as u32;
        }
        [
            taken + skipped,
            zipped + of_row * 100,
            within + mapped[0] * 100 + mapped[1],
            folded + counted,
        ]
    }

    /// Records how often keys are computed and which elements are compared.
    fn compared(x: u32, calls: &mut u32) -> u32 {
        let row = [x, 3, x + 2, 7, 1, 9];
        let by_key = row.iter().max_by_key(|v| log(calls, **v) % 5).copied().unwrap_or(0);
        let least = row.iter().min_by(|p, q| {
            *calls = calls.wrapping_mul(3) + **p * 2 + **q;
            p.cmp(q)
        });
        let greatest = row.iter().copied().max_by(|p, q| {
            *calls = calls.wrapping_mul(3) + *p * 2 + *q;
            p.cmp(q)
        });
        by_key + least.copied().unwrap_or(0) * 10 + greatest.unwrap_or(0) * 100
    }

    /// Initializes members in another order than that of their declaration.
    fn members(calls: &mut u32) -> u32 {
        let pair = Pair { b: log(calls, 1), a: log(calls, 2) };
        let other = Pair { b: log(calls, 3), ..Pair { b: log(calls, 4), a: log(calls, 5) } };
        let sides = match (Box::Sides { height: log(calls, 6), width: log(calls, 7) }) {
            Box::Sides { width, height } => width * 10 + height,
            Box::Nothing => 0,
        };
        (pair.a * 10 + pair.b) * 10_000 + (other.a * 10 + other.b) * 100 + sides
    }

    /// Computes all results for a number, and the order of their evaluation.
    pub fn all_of(x: u32) -> [u32; 12] {
        let mut calls = [0; 5];
        let some = if x > 5 { Some(x) } else { None };
        let a = alternatives(some, &mut calls[0]);
        let b = used_twice(x, &mut calls[1]);
        let [c, d, e, f] = chains(x, &mut calls[2]);
        let g = members(&mut calls[3]);
        let h = compared(x, &mut calls[4]);
        [a, b, c, d, e, f, g, h, calls[4], calls[0], calls[1], calls[2] ^ calls[3]]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 12]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = all_of(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::order;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn what_is_evaluated_is_so_in_the_order_of_rust() {
        let words: Vec<u32> = (0..23).collect();
        let launch =
            Launch::new().workgroups(3).buffer("words", &words).buffer("out", &[[0u32; 12]; 23]);
        let run = clean(&order::clean::kernel(), launch);
        let expected: Vec<[u32; 12]> = words.iter().map(|x| order::all_of(*x)).collect();
        assert_eq!(run.read::<[u32; 12]>("out"), expected);
    }
}
