//! `convolution-3d` of PolyBench: each cell becomes a weighted sum of some of the 3×3×3 cells around it.

/// Each invocation moves up through the layers at its position.
#[hirace::monitor]
pub mod convolution_3d {
    use hirace::prelude::*;

    /// Returns the weighted sum of three cells in a row, around `i`.
    fn row(input: &[f32], i: u32, weights: Vec3) -> f32 {
        dot(weights, vec3(input[i - 1], input[i], input[i + 1]))
    }

    /// Returns the weighted sum around the cell `i`.
    fn sum(input: &[f32], i: u32, size: UVec3) -> f32 {
        let (across, layer) = (size.x, size.x * size.y);
        row(input, i - layer - across, vec3(2.0, 4.0, 0.0))
            + row(input, i - layer, vec3(5.0, 7.0, 0.0))
            + row(input, i - layer + across, vec3(-8.0, 10.0, 0.0))
            + row(input, i, vec3(0.0, -6.0, 3.0))
            + row(input, i + layer - across, vec3(-3.0, 5.0, 0.0))
            + row(input, i + layer, vec3(-9.0, 0.0, 6.0))
            + row(input, i + layer + across, vec3(0.0, 0.0, 1.0))
    }

    /// Returns whether all neighbors of a position are inside.
    fn inside(at: UVec2, size: UVec3) -> bool {
        at.x > 0 && at.y > 0 && at.x + 1 < size.x && at.y + 1 < size.y
    }

    /// Computes the sums layer by layer.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec3,
        input: &[f32],
        output: &mut [f32],
    ) {
        if inside(id.xy(), size) {
            for z in 1..max(size.z, 2) - 1 {
                let i = (z * size.y + id.y) * size.x + id.x;
                output[i] = sum(input, i, size);
            }
        }
    }

    /// Uses the length of columns for rows, as if the volume were a cube: rows that are longer overlap the next
    /// row.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec3,
        input: &[f32],
        output: &mut [f32],
    ) {
        if inside(id.xy(), size) {
            for z in 1..max(size.z, 2) - 1 {
                let i = (z * size.y + id.y) * size.x + id.x;
                output[(z * size.y + id.y) * size.y + id.x] = sum(input, i, size);
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on output[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::convolution_3d;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::UVec3;

    /// Offset in x, y and z of a neighbor, and its weight.
    const WEIGHTS: [(isize, isize, isize, f32); 13] = [
        (-1, -1, -1, 2.0),
        (0, -1, -1, 4.0),
        (-1, 0, -1, 5.0),
        (0, 0, -1, 7.0),
        (-1, 1, -1, -8.0),
        (0, 1, -1, 10.0),
        (0, 0, 0, -6.0),
        (1, 0, 0, 3.0),
        (-1, -1, 1, -3.0),
        (0, -1, 1, 5.0),
        (-1, 0, 1, -9.0),
        (1, 0, 1, 6.0),
        (1, 1, 1, 1.0),
    ];

    fn launch(input: &[f32], size: UVec3) -> Launch {
        Launch::new()
            .workgroups([size.x.div_ceil(8), size.y.div_ceil(8)])
            .buffer("size", &size)
            .buffer("input", input)
            .zeros("output", input.len())
    }

    fn holds(x: usize, y: usize, z: usize) {
        let size = UVec3::new(x as u32, y as u32, z as u32);
        let input = floats(x * y * z, 137);
        let cell = |i: usize| {
            let inner = |at: usize, size: usize| at > 0 && at + 1 < size;
            if !inner(i % x, x) || !inner(i / x % y, y) || !inner(i / x / y, z) {
                return 0.0;
            }
            let weighted = |(dx, dy, dz, weight): &(isize, isize, isize, f32)| {
                weight * input[(i as isize + dx + (dy + dz * y as isize) * x as isize) as usize]
            };
            WEIGHTS.iter().map(weighted).sum()
        };
        let expected: Vec<f32> = (0..x * y * z).map(cell).collect();
        let run = clean(&convolution_3d::clean::kernel(), launch(&input, size));
        assert_close(&run.read::<f32>("output"), &expected, 1e-4);
    }

    #[test]
    fn cells_are_sums_of_those_around() {
        holds(16, 8, 6);
    }

    #[test]
    fn the_volume_need_not_fill_its_workgroups() {
        holds(9, 12, 4);
        holds(3, 3, 3);
    }

    #[test]
    fn without_an_inside_there_is_nothing_to_do() {
        holds(5, 5, 2);
        holds(1, 1, 1);
    }

    #[test]
    fn rows_have_lengths_of_their_own() {
        let size = UVec3::new(8, 4, 3);
        let launch = launch(&floats(96, 137), size);
        racy(&convolution_3d::racy::kernel(), launch, include_str!("convolution_3d.rs"));
    }
}
