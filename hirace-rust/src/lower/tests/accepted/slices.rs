#[hirace::monitor]
mod slices {
    use hirace::prelude::*;

    fn sum(of: &[f32]) -> f32 {
        let mut all = 0.0;
        for x in of {
            all += x;
        }
        all + of.len() as f32
    }

    fn clear(of: &mut [f32]) {
        for x in of.iter_mut() {
            *x = 0.0;
        }
    }

    fn mixed([a, b]: [f32; 2], (c, d): (f32, u32)) -> f32 {
        a * b + c * d as f32
    }

    fn near(words: &[u32], at: usize, least: u32) -> Option<u32> {
        let left = words.get(at)?;
        if let Some(right) = words.get(at + 1) && right > left && *right > least {
            return Some(right - left);
        }
        None
    }

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [f32],
        words: &[u32],
        #[workgroup] tile: &mut [f32; 64],
    ) {
        let i = id.x as usize;
        let Some(&word) = words.get(i) else { return };
        let Some(cell) = out.get_mut(i) else {
            return;
        };
        *cell = word as f32;
        if let Some(next) = out.get_mut(i + 1) {
            *next += 1.0;
        } else {
            tile[0] = 2.0;
        }
        let part = &tile[4..8];
        let inner = &part[1..];
        let mut all = sum(part) + sum(&tile[..i]) + sum(inner) + part[2] + inner[0];
        clear(&mut tile[8..=10]);
        for (j, x) in tile[2..6].iter().enumerate() {
            all += x * j as f32;
        }
        all += words[i..i + 4].iter().map(|w| *w as f32).sum::<f32>();
        all += mixed([1.0, 2.0], (3.0, word)) + near(words, i, 3).unwrap_or(7) as f32;
        all += words.get(i + 9).copied().unwrap_or(4) as f32 + words.first().map_or(1.0, |w| *w as f32);
        let mut n = word;
        while let Some(half) = near(words, n as usize, 2) && half < n {
            n = half;
        }
        out[i] = all + n as f32;
    }
}
