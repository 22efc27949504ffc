#[hirace::monitor]
mod std_methods {
    use hirace::prelude::*;
    use std::array;

    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    struct Entry {
        key: u32,
        weight: f32,
    }

    fn total(of: &[u32; 3]) -> u32 {
        of[0] + of[1] + of[2]
    }

    const ODD: [u32; 3] = [1, 3, 5];
    const EVEN: [u32; 3] = [2, 4, 6];

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [f32],
        words: &mut [u32],
        pairs: &mut [[u32; 2]],
        entries: &mut [Entry],
        directions: &mut [Vec3],
        #[workgroup] tile: &mut [u32; 8],
    ) {
        let i = id.x as usize;
        let least = entries.iter().map(|e| e.weight).fold(f32::INFINITY, f32::min);
        out[i] = if out[0].is_nan() { f32::NAN } else { least };
        if entries[i] > entries[i + 1] || (i, least) <= (3, 2.0) {
            entries.swap(i, i + 1);
        }
        let [a, b] = &pairs[i];
        words[i] = *a + *b;
        if let Some([a, b]) = pairs.get(i) {
            words[i] = a * b;
        }
        let [first, .., last] = [words[0], words[1], words[2], words[3]];
        words[5] = first + last;
        let sums = [&ODD, &EVEN].map(|of| total(of));
        words[6] = sums[0] * sums[1];
        let squares: [u32; 5] = std::array::from_fn(|k| (k * k) as u32);
        let cubes: [usize; 4] = array::from_fn(|k| k * k * k);
        tile[..5].copy_from_slice(&squares);
        tile[5..].copy_from_slice(&words[i..i + 3]);
        let x = u32::try_from(words[0] as i32 - 5).ok().filter(|&x| x < 9);
        let y = i8::try_from(words[1]).unwrap_or(i8::MAX);
        words[7] = x.zip(Some(cubes[i % 4] as u32)).map_or(0, |(a, b)| a + b) + y as u32;
        let bytes = words[8].to_le_bytes();
        let ones = bytes.iter().map(|byte| byte.leading_ones() + byte.trailing_ones());
        words[9] = ones.sum::<u32>() + bytes.iter().filter(|byte| byte.is_ascii()).count() as u32;
        directions[i] = directions[i].try_normalize().unwrap_or(Vec3::X);
        let [r, g, b, _] = bytes.map(f32::from);
        out[i] += r + g + b;
        out[1] = [1u32, 2].map(f32::from_bits)[0];
    }
}
