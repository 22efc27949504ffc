//! Closures and iterators with Rust's meaning: the same text runs in the kernel and in the test.

/// Results that closures and iterators compute from a number.
#[hirace::monitor]
pub mod closures {
    use hirace::prelude::*;

    fn apply<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 {
        f(f(x))
    }

    fn each<F>(data: &mut [f32], mut f: F)
    where
        F: FnMut(u32, &mut f32),
    {
        for i in 0..4 {
            f(i as u32, &mut data[i]);
        }
    }

    fn fold<T: Copy, const N: usize>(of: &[T; N], start: T, f: impl Fn(T, T) -> T) -> T {
        let mut all = start;
        for i in 0..N {
            all = f(all, of[i]);
        }
        all
    }

    fn first_above(data: &[f32], least: f32, is: impl Fn(&f32) -> bool) -> f32 {
        for i in 0..4 {
            if data[i] > least && is(&data[i]) {
                return data[i];
            }
        }
        -1.0
    }

    fn double(x: f32) -> f32 {
        x * 2.0
    }

    /// Computes all results for one number.
    pub fn all_of(x: u32) -> [f32; 8] {
        let scale = 3.0;
        let scaled = |x: f32| x * scale;
        let mut count = 0;
        let mut add = |by: u32| count += by;
        add(x);
        add(2);
        let early = |x: f32| {
            if x > 4.0 {
                return 1.0;
            }
            x + 0.5
        };
        let here = (|a: f32, (b, c): (f32, f32)| a + b * c)(1.0, (x as f32, 3.0));
        let closures = scaled(2.0) + early(x as f32) + here;
        let passed = apply(|y| y + scale, 1.0) + apply(scaled, 2.0) + apply(double, x as f32);
        let mut data = [x as f32, 5.0, 2.0, 4.0];
        each(&mut data, |i, y| *y += i as f32);
        let folded = fold(&data, 0.0, |a, b| a + b) + fold(&[1, x, 3], 1, |a, b| a * b) as f32;
        let above = first_above(&data, 2.5, |y| *y < 5.5);
        let weights = [0.25, 0.5, 0.25];
        let mut sum = 0.0;
        for w in weights {
            sum += w;
        }
        for w in &weights {
            sum += *w * 3.0;
        }
        for (i, w) in weights.iter().enumerate().rev() {
            sum = sum * 1.5 + w * i as f32;
        }
        for (i, w) in weights.iter().rev().enumerate() {
            sum = sum * 1.25 + w * i as f32;
        }
        for (a, b) in weights.iter().zip(data.iter()) {
            sum += a * b;
        }
        for ((i, a), j) in data.iter().enumerate().skip(1).zip((2..9).step_by(3)) {
            sum += a * (i * j) as f32;
        }
        for y in data.iter_mut().skip(1).step_by(2) {
            *y += 1.0;
        }
        'outer: for (dx, dy) in [(0, 1), (1, 0), (-1, 0), (0, -1)] {
            for d in [-1, 0, 1] {
                if d == dx {
                    continue 'outer;
                }
                sum += (dx * 2 + dy + d) as f32;
            }
        }
        let squares: u32 = (0..10).filter(|i| i % 2 == 0).map(|i| i * i).sum();
        let product: u32 = (1..5_u32).product();
        let any = data.iter().any(|&y| y > 5.0) as u32;
        let all = data.iter().all(|y| *y > 1.0) as u32 * 2;
        let many = data.iter().filter(|y| **y > 2.0).count() as u32 * 4;
        let most = data.iter().copied().fold(0.0, f32::max);
        (0..4_u32).rev().for_each(|i| sum = sum * 0.5 + i as f32);
        let some = data.iter().take_while(|y| **y != 4.0).map(|y| y * 2.0).sum::<f32>();
        let few = data.iter().take(3).sum::<f32>();
        let mut base = x;
        let from_base = move |by: u32| base + by;
        let mut own = move || {
            base += 3;
            base
        };
        base += 100;
        let moved = (own() + own() * 10 + from_base(1) * 100 + base) as f32;
        let mut seen = 0;
        let odd: u32 = (0..20_u32)
            .filter(|n| {
                seen += 1;
                n % 2 == 1
            })
            .take(3)
            .sum();
        let few = few + moved + (odd * 50 + seen) as f32;
        [
            closures,
            passed,
            folded + above,
            sum,
            (squares + product) as f32,
            (any + all + many + count) as f32,
            most + some,
            few,
        ]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[f32; 8]]) {
        let i = id.x as usize;
        if i < out.len() {
            out[i] = all_of(words[i]);
        }
    }

    /// Closures access variables that they capture.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn racy(#[builtin(local_invocation_index)] lane: u32, sums: &mut [u32]) {
        let mut add = |to: usize, n: u32| sums[to] += n;
//                                        ^^^^^^^^ race: read/write on sums[..]
//                                        ^^^^^^^^ race: write/read on sums[..]
        (0..3).for_each(|i| add(i, lane));
    }
}

#[cfg(test)]
mod tests {
    use super::closures;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn closures_and_iterators_compute_what_rust_does() {
        let words = below(9, 13, 4);
        let launch =
            Launch::new().workgroups(2).buffer("words", &words).buffer("out", &[[0f32; 8]; 13]);
        let run = clean(&closures::clean::kernel(), launch);
        let expected: Vec<[f32; 8]> = words.iter().map(|x| closures::all_of(*x)).collect();
        assert_eq!(run.read::<[f32; 8]>("out"), expected);
    }

    #[test]
    fn what_a_closure_adds_to_without_an_atomic_races() {
        let launch = Launch::new().workgroups(1).buffer("sums", &[0u32; 3]);
        racy(&closures::racy::kernel(), launch, include_str!("closures.rs"));
    }
}
