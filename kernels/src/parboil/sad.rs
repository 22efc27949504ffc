//! `sad` of Parboil: sums of absolute differences between blocks of a frame and of the previous frame.

/// One workgroup per macroblock of 16×16 pixels and displacement; one invocation per block of 4×4 pixels.
#[hirace::monitor]
pub mod sad {
    use hirace::prelude::*;

    /// Displacements are from `-REACH` to `REACH` in both directions.
    const REACH: i32 = 1;
    const ACROSS: i32 = 2 * REACH + 1;

    /// Returns a pixel; outside the frame, the nearest pixel is used.
    fn pixel(picture: &[u32], size: UVec2, at: IVec2) -> i32 {
        let inside = at.clamp(IVec2::ZERO, size.as_ivec2() - 1).as_uvec2();
        picture[inside.y * size.x + inside.x] as i32
    }

    /// Returns the sum for the 4×4 pixels that start at `corner`.
    fn block(current: &[u32], before: &[u32], size: UVec2, corner: IVec2, moved: IVec2) -> u32 {
        let mut sum = 0;
        for i in 0..16 {
            let at = corner + ivec2(i % 4, i / 4);
            let difference = pixel(current, size, at) - pixel(before, size, at + moved);
            sum += abs(difference) as u32;
        }
        sum
    }

    /// Returns the displacement with this number.
    fn displacement(number: u32) -> IVec2 {
        ivec2(number as i32 % ACROSS, number as i32 / ACROSS) - REACH
    }

    /// Computes sums for blocks of 4×4, 8×8 and 16×16 pixels, with a barrier after each size.
    #[kernel(workgroup_size(4, 4))]
    pub fn clean(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        current: &[u32],
        before: &[u32],
        by_4: &mut [u32],
        by_8: &mut [u32],
        by_16: &mut [u32],
        #[workgroup] sums: &mut [u32; 16],
        #[workgroup] quarters: &mut [u32; 4],
    ) {
        let number = (group.z * groups.y + group.y) * groups.x + group.x;
        let corner = (group.xy() * 16 + local.xy() * 4).as_ivec2();
        let sum = block(current, before, groups.xy() * 16, corner, displacement(group.z));
        sums[lane] = sum;
        by_4[16 * number + lane] = sum;
        workgroup_barrier();
        if lane < 4 {
            let first = 8 * (lane / 2) + 2 * (lane % 2);
            let sum = sums[first] + sums[first + 1] + sums[first + 4] + sums[first + 5];
            quarters[lane] = sum;
            by_8[4 * number + lane] = sum;
        }
        workgroup_barrier();
        if lane == 0 {
            by_16[number] = quarters[0] + quarters[1] + quarters[2] + quarters[3];
        }
    }

    /// Lacks the barrier before the last four blocks are summed.
    #[rustfmt::skip]
    #[kernel(workgroup_size(4, 4))]
    pub fn racy(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        current: &[u32],
        before: &[u32],
        by_4: &mut [u32],
        by_8: &mut [u32],
        by_16: &mut [u32],
        #[workgroup] sums: &mut [u32; 16],
        #[workgroup] quarters: &mut [u32; 4],
    ) {
        let number = (group.z * groups.y + group.y) * groups.x + group.x;
        let corner = (group.xy() * 16 + local.xy() * 4).as_ivec2();
        let sum = block(current, before, groups.xy() * 16, corner, displacement(group.z));
        sums[lane] = sum;
        by_4[16 * number + lane] = sum;
        workgroup_barrier();
        if lane < 4 {
            let first = 8 * (lane / 2) + 2 * (lane % 2);
            let sum = sums[first] + sums[first + 1] + sums[first + 4] + sums[first + 5];
            quarters[lane] = sum;
//          ^^^^^^^^^^^^^^ race: write/read on quarters[..]
            by_8[4 * number + lane] = sum;
        }
        if lane == 0 {
            by_16[number] = quarters[0] + quarters[1] + quarters[2] + quarters[3];
//                                        ^^^^^^^^^^^ race: read/write on quarters[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sad;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    fn launch(current: &[u32], before: &[u32], columns: u32, rows: u32) -> Launch {
        let units = (9 * columns * rows) as usize;
        Launch::new()
            .workgroups([columns, rows, 9])
            .buffer("current", current)
            .buffer("before", before)
            .zeros("by_4", 16 * units)
            .zeros("by_8", 4 * units)
            .zeros("by_16", units)
    }

    /// Returns the sums for all blocks of `side`×`side` pixels, in the order of the kernel.
    fn sums(current: &[u32], before: &[u32], columns: u32, rows: u32, side: i32) -> Vec<u32> {
        let (width, height) = (16 * columns as i32, 16 * rows as i32);
        let pixel = |picture: &[u32], x: i32, y: i32| {
            picture[(y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize]
        };
        let mut sums = Vec::new();
        for (moved_y, moved_x) in (0..9).map(|i| (i / 3 - 1, i % 3 - 1)) {
            for (row, column) in (0..rows * columns).map(|i| (i / columns, i % columns)) {
                let across = 16 / side;
                for i in 0..across * across {
                    let left = 16 * column as i32 + side * (i % across);
                    let top = 16 * row as i32 + side * (i / across);
                    let pixels = (0..side * side).map(|i| (left + i % side, top + i / side));
                    let difference = |(x, y)| {
                        pixel(current, x, y).abs_diff(pixel(before, x + moved_x, y + moved_y))
                    };
                    sums.push(pixels.map(difference).sum());
                }
            }
        }
        sums
    }

    fn holds(columns: u32, rows: u32) {
        let pixels = (256 * columns * rows) as usize;
        let (current, before) = (below(256, pixels, 51), below(256, pixels, 52));
        let run = clean(&sad::clean::kernel(), launch(&current, &before, columns, rows));
        for (name, side) in [("by_4", 4), ("by_8", 8), ("by_16", 16)] {
            assert_eq!(run.read::<u32>(name), sums(&current, &before, columns, rows, side));
        }
    }

    #[test]
    fn blocks_of_three_sizes_are_compared() {
        holds(2, 3);
    }

    #[test]
    fn a_single_macroblock_has_edges_all_around() {
        holds(1, 1);
    }

    #[test]
    fn a_still_picture_differs_by_what_moves() {
        let still = below(256, 256, 53);
        let run = clean(&sad::clean::kernel(), launch(&still, &still, 1, 1));
        let by_16 = run.read::<u32>("by_16");
        assert_eq!(by_16[4], 0);
        assert!(by_16.iter().enumerate().all(|(i, sum)| i == 4 || *sum > 0));
    }

    #[test]
    fn quarters_need_a_barrier() {
        let picture = below(256, 256, 54);
        racy(&sad::racy::kernel(), launch(&picture, &picture, 1, 1), include_str!("sad.rs"));
    }
}
