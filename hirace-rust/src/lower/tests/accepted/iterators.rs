#[hirace::monitor]
mod iterators {
    use hirace::prelude::*;

    fn total(of: &[f32; 8]) -> f32 {
        of.iter().sum()
    }

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [f32],
        words: &[u32],
        #[workgroup] tile: &mut [f32; 64],
    ) {
        let weights = [0.25, 0.5, 0.25];
        let mut sum = 0.0;
        for w in weights {
            sum += w;
        }
        for w in &weights {
            sum += *w;
        }
        for w in weights.iter() {
            sum += w * 2.0;
        }
        for (i, w) in weights.iter().enumerate() {
            sum += w * i as f32;
        }
        for (i, &w) in weights.iter().enumerate().rev() {
            sum += w * i as f32;
        }
        for (i, w) in weights.iter().rev().enumerate() {
            sum += w * i as f32;
        }
        for (a, b) in weights.iter().zip(tile.iter()) {
            sum += a * b;
        }
        for (a, i) in weights.iter().zip(2..9) {
            sum += a * i as f32;
        }
        for x in tile.iter_mut() {
            *x = 1.0;
        }
        for x in out.iter_mut().skip(1).step_by(2).take(4) {
            *x += 1.0;
        }
        for (dx, dy) in [(0, 1), (1, 0), (-1, 0), (0, -1)] {
            sum += (dx * 2 + dy) as f32;
        }
        for d in [-1, 0, 1] {
            if d == 0 {
                continue;
            }
            sum += d as f32;
        }
        let mut local = [0.0; 8];
        for (i, x) in local.iter_mut().enumerate() {
            *x = i as f32;
        }
        sum += total(&local) + local.iter().copied().fold(0.0, f32::max);
        sum += local.iter().map(|x| x * x).sum::<f32>();
        let squares: u32 = (0..10).filter(|i| i % 2 == 0).map(|i| i * i).sum();
        let product: u32 = (1..5_u32).product();
        let found = words.iter().any(|w| *w == 3) && words.iter().all(|&w| w < 9);
        let many = words.iter().filter(|w| **w > 2).count();
        let least = words.iter().min().unwrap_or(&0) + words.iter().copied().max().unwrap();
        let place = words.iter().position(|w| *w == 2).unwrap_or(7);
        let first = local.iter().find(|x| **x > 2.0).copied().unwrap_or(-1.0);
        let doubled = words.iter().find_map(|w| if *w > 2 { Some(w * 2) } else { None });
        let all = weights.iter().copied().reduce(|a, b| a * b).unwrap_or(1.0);
        let odd: u32 = (0..9).filter_map(|i| if i % 2 == 1 { Some(i * 3) } else { None }).sum();
        let near = (0..5_i32).min_by_key(|i| (i - 3) * (i - 3)).unwrap();
        sum += first + all + (least + place as u32 + odd) as f32 + near as f32;
        if let Some(d) = doubled {
            sum += d as f32;
        }
        (0..4_u32).for_each(|i| sum += i as f32);
        let best = (0..4_u32).map(|i| tile[i]).fold(0.0, |a, b| if a > b { a } else { b });
        out[id.x] = sum + squares as f32 + product as f32 + best + many as f32;
        if found {
            out[id.x] += 1.0;
        }
    }
}
