//! Branches and loops, as statements and as values.

/// Small functions; each invocation writes the result of each function.
#[hirace::monitor]
pub mod control_flow {
    use hirace::prelude::*;

    const SMALL: i32 = 10;

    /// Uses `if` as an expression.
    fn collatz(start: u32) -> u32 {
        let mut n = start;
        let mut steps = 0;
        while n != 1 && steps < 200 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    }

    /// Uses `match` with ranges, alternatives, constants, bindings and guards.
    fn kind(n: i32) -> i32 {
        match n {
            i32::MIN..=-1 => -1,
            0 => 0,
            1 | 2 | 3 => 1,
            SMALL => 2,
            m @ 4..=20 if m % 2 == 0 => m * 100,
            4.. => {
                let tens = n / 10;
                tens * 10
            }
        }
    }

    /// Uses a `match` on booleans in a `match`.
    fn quadrant(x: i32, y: i32) -> u32 {
        match x >= 0 {
            true => match y >= 0 {
                true => 0,
                false => 3,
            },
            false => {
                if y >= 0 {
                    1
                } else {
                    2
                }
            }
        }
    }

    /// Uses every form of range.
    fn ranges(n: u32) -> u32 {
        let mut sum = 0;
        for i in 0..n {
            sum += i;
        }
        for i in 1..=n {
            sum = sum * 3 + i;
        }
        for i in (0..n).rev() {
            sum ^= i << 4;
        }
        for i in (0..n).step_by(3) {
            sum += 1000 * i;
        }
        for i in (0..=n).rev().step_by(2) {
            sum = sum.wrapping_mul(31) + i;
        }
        for i in -2..3 {
            sum += (i * i) as u32;
        }
        sum
    }

    /// Uses labels to continue an outer loop and to break from it with a value.
    fn first_pair(limit: u32, product: u32) -> u32 {
        let mut a = 1;
        let found = 'outer: loop {
            a += 1;
            if a > limit {
                break 0;
            }
            let mut b = a;
            loop {
                if b > limit {
                    continue 'outer;
                }
                if a * b == product {
                    break 'outer 100 * a + b;
                }
                b += 1;
            }
        };
        found
    }

    /// Uses a labeled block, `continue`, and an early return.
    fn leave(n: u32) -> u32 {
        let mut sum = 0;
        'counting: for i in 0..100 {
            if i % 3 == 0 {
                continue;
            }
            for j in 0..i {
                if j == n {
                    continue 'counting;
                }
                if i * j > 50 {
                    break 'counting;
                }
                sum += j;
            }
        }
        let capped = 'block: {
            if sum > 100 {
                break 'block 100;
            }
            sum
        };
        if n == 7 {
            return 7000;
        }
        capped
    }

    /// Uses shadowing: a name may be redefined on a later line or in a block.
    fn shadowing(x: i32) -> u32 {
        let x = x * 2;
        let x = x as u32;
        let y = {
            let x = x + 1;
            x * x
        };
        if y > 100 {
            let x = 5.5;
            let y = x as u32;
            return y;
        }
        x + y
    }

    /// Returns two values.
    fn divide(a: u32, b: u32) -> (u32, u32) {
        (a / b, a % b)
    }

    /// Uses deferred initialization, one value and several at once.
    fn later(n: u32) -> u32 {
        let result;
        if n > 5 {
            let (quotient, rest) = divide(n, 5);
            result = quotient * 10 + rest;
        } else {
            result = n;
        }
        let (mut low, mut high) = (result, n);
        if low > high {
            (low, high) = (high, low);
        }
        low * 1000 + high
    }

    /// Modifies a variable of its caller.
    fn double(value: &mut u32) {
        *value *= 2;
    }

    /// Calls all of these functions.
    #[kernel(workgroup_size(8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        input: &[i32],
        results: &mut [[u32; 9]],
    ) {
        let n = input[id.x];
        let size = n.unsigned_abs();
        let mut last = size + 1;
        double(&mut last);
        results[id.x] = [
            collatz(size + 1),
            kind(n) as u32,
            quadrant(n, 5 - n),
            ranges(size % 16),
            first_pair(12, size),
            leave(size),
            shadowing(n),
            later(size),
            last,
        ];
        double(&mut results[id.x][8]);
    }
}

#[cfg(test)]
mod tests {
    use super::control_flow;
    use crate::support::{clean, integers};
    use hirace::Launch;

    /// Returns the expected results, computed in another way than the kernel does.
    fn expected(n: i32) -> [u32; 9] {
        let size = n.unsigned_abs();
        let collatz = std::iter::successors(Some(size + 1), |n| match n {
            1 => None,
            n if n % 2 == 0 => Some(n / 2),
            n => Some(3u32.wrapping_mul(*n).wrapping_add(1)),
        });
        let kind = match n {
            ..0 => -1,
            0 => 0,
            1..=3 => 1,
            10 => 2,
            4..=20 if n % 2 == 0 => n * 100,
            _ => n / 10 * 10,
        };
        let above = 5i32.wrapping_sub(n) >= 0;
        let quadrant = [[2, 3], [1, 0]][usize::from(above)][usize::from(n >= 0)];
        let doubled = n.wrapping_mul(2) as u32;
        let y = doubled.wrapping_add(1).wrapping_pow(2);
        let shadowing = if y > 100 { 5 } else { doubled.wrapping_add(y) };
        let result = if size > 5 { size / 5 * 10 + size % 5 } else { size };
        [
            collatz.take(201).count() as u32 - 1,
            kind as u32,
            quadrant,
            ranges(size % 16),
            first_pair(size),
            leave(size),
            shadowing,
            result.min(size).wrapping_mul(1000).wrapping_add(result.max(size)),
            4u32.wrapping_mul(size + 1),
        ]
    }

    fn ranges(n: u32) -> u32 {
        let sum = n * n.saturating_sub(1) / 2;
        let sum = (1..=n).fold(sum, |sum, i| sum.wrapping_mul(3).wrapping_add(i));
        let sum = (0..n).fold(sum, |sum, i| sum ^ i << 4);
        let sum = (0..n).filter(|i| i % 3 == 0).fold(sum, |sum, i| sum.wrapping_add(1000 * i));
        let evens = (0..=n).filter(|i| i % 2 == n % 2).rev();
        evens.fold(sum, |sum, i| sum.wrapping_mul(31).wrapping_add(i)).wrapping_add(10)
    }

    fn first_pair(product: u32) -> u32 {
        let pairs = (2..=12).flat_map(|a| (a..=12).map(move |b| (a, b)));
        pairs.into_iter().find(|(a, b)| a * b == product).map_or(0, |(a, b)| 100 * a + b)
    }

    fn leave(n: u32) -> u32 {
        if n == 7 {
            return 7000;
        }
        let mut sum: u32 = 0;
        for i in (0..100).filter(|i| i % 3 != 0) {
            let last = (0..i).find(|j| *j == n || i * j > 50);
            sum += (0..last.unwrap_or(i)).sum::<u32>();
            if last.is_some_and(|j| j != n) {
                break;
            }
        }
        sum.min(100)
    }

    #[test]
    fn every_way_through_is_the_right_one() {
        let mut input: Vec<i32> = (-8..24).collect();
        input.extend(integers(150, 31, 47));
        // Only numbers near `i32::MIN`, for which `5 - n` wraps, are in the third quadrant.
        input.push(i32::MIN);
        let launch =
            Launch::new().workgroups(8).buffer("input", &input).buffer("results", &[[0u32; 9]; 64]);
        let run = clean(&control_flow::clean::kernel(), launch);
        for (n, results) in input.iter().zip(run.read::<[u32; 9]>("results")) {
            assert_eq!(results, expected(*n), "for {n}");
        }
    }
}
