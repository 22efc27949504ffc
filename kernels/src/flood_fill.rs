//! Fills the connected region of an image in place, until nothing changes.

/// One workgroup with one invocation per pixel, in a texture that is read and written.
#[hirace::monitor]
pub mod flood_fill {
    use hirace::prelude::*;

    /// Returns the state of a pixel: 0 free, 1 filled, 2 a wall.
    #[rustfmt::skip]
    fn state(image: &TextureStorage2d<R32Uint, ReadWrite>, at: IVec2) -> u32 {
        let size = texture_dimensions(image).as_ivec2();
        if at.cmplt(IVec2::ZERO).any() || at.cmpge(size).any() {
            return 2;
        }
        image.load(at).x
//      ^^^^^^^^^^^^^^ race: read/write on image[..]
    }

    /// Returns whether a pixel is free and has a filled neighbor.
    fn fills(image: &TextureStorage2d<R32Uint, ReadWrite>, at: IVec2) -> bool {
        let filled = state(image, at + IVec2::X) == 1
            || state(image, at - IVec2::X) == 1
            || state(image, at + IVec2::Y) == 1
            || state(image, at - IVec2::Y) == 1;
        filled && state(image, at) == 0
    }

    /// Uses `texture_barrier()` after all have read and after all have filled. Whether to continue is uniform:
    /// `workgroup_uniform_load()` reads the flag between two barriers.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        image: &TextureStorage2d<R32Uint, ReadWrite>,
        turns: &mut u32,
        #[workgroup] changed: &Atomic<u32>,
        #[workgroup] again: &mut u32,
    ) {
        let at = local.xy().as_ivec2();
        let mut turn = 0;
        loop {
            let fill = fills(image, at);
            texture_barrier();
            if fill {
                texture_store(image, at, uvec4(1, 0, 0, 0));
                changed.store(1);
            }
            texture_barrier();
            turn += 1;
            if lane == 0 {
                *again = changed.swap(0);
            }
            if workgroup_uniform_load(again) == 0 {
                break;
            }
        }
        if lane == 0 {
            *turns = turn;
        }
    }

    /// Reads and fills without a barrier in between.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(local_invocation_id)] local: UVec3,
        image: &TextureStorage2d<R32Uint, ReadWrite>,
    ) {
        let at = local.xy().as_ivec2();
        for _ in 0..8 {
            if fills(image, at) {
                texture_store(image, at, uvec4(1, 0, 0, 0));
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on image[..]
            }
            texture_barrier();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::flood_fill;
    use crate::support::{clean, racy};
    use hirace::Launch;
    use hirace::prelude::UVec4;

    const MAZE: [&str; 8] = [
        "*.#.....", //
        "#.#.###.", "..#.#.#.", ".##.#.#.", "...#..#.", ".#.#.##.", ".#...#..", ".####..#",
    ];

    fn texels(maze: &[&str]) -> Vec<u32> {
        let texel = |c| match c {
            '.' => 0,
            '*' => 1,
            _ => 2,
        };
        maze.iter().flat_map(|row| row.chars().map(texel)).collect()
    }

    fn launch() -> Launch {
        Launch::new().workgroups(1).texture("image", [8, 8], &texels(&MAZE))
    }

    #[test]
    fn what_is_connected_is_filled() {
        let run = clean(&flood_fill::clean::kernel(), launch().buffer("turns", &0u32));
        let mut expected = texels(&MAZE);
        let mut turns = 0;
        loop {
            turns += 1;
            let before = expected.clone();
            let filled = |x: usize, y: usize| x < 8 && y < 8 && before[8 * y + x] == 1;
            for i in (0..64).filter(|i| before[*i] == 0) {
                let (x, y) = (i % 8, i / 8);
                let neighbors =
                    [(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))];
                expected[i] = u32::from(neighbors.iter().any(|(x, y)| filled(*x, *y)));
            }
            if before == expected {
                break;
            }
        }
        let image: Vec<u32> = run.texels::<UVec4>("image").iter().map(|texel| texel.x).collect();
        assert_eq!(image, expected);
        assert_eq!(run.one::<u32>("turns"), turns);
    }

    #[test]
    fn looking_must_end_before_filling_begins() {
        racy(&flood_fill::racy::kernel(), launch(), include_str!("flood_fill.rs"));
    }
}
