//! `stencil` of Parboil: steps of the heat equation in three dimensions, with seven points.

/// A workgroup moves up through the planes of its column, with the current plane in workgroup memory. It alternates
/// between two planes, so that one barrier per plane is enough.
#[hirace::monitor]
pub mod stencil {
    use hirace::prelude::*;

    const SIDE: usize = 8;

    /// Factors of a point and of the sum of its six neighbors.
    #[derive(Clone, Copy)]
    pub struct Factors {
        /// Factor of the point.
        pub own: f32,
        /// Factor of the neighbors.
        pub around: f32,
    }

    /// Computes a step from one buffer into another. Points on the faces do not change.
    fn step(
        from: &[f32],
        to: &mut [f32],
        planes: &mut [[[f32; SIDE]; SIDE]; 2],
        size: UVec3,
        factors: Factors,
        id: UVec3,
        local: UVec3,
    ) {
        let (x, y) = (local.x, local.y);
        let (row, layer) = (size.x, size.x * size.y);
        let mut turn = 0;
        for z in 0..size.z {
            let place = z * layer + id.y * row + id.x;
            let mut own = 0.0;
            if id.x < size.x && id.y < size.y {
                own = from[place];
            }
            planes[turn][y][x] = own;
            workgroup_barrier();
            let at = uvec3(id.x, id.y, z);
            if all(at.cmpgt(UVec3::ZERO)) && all((at + 1).cmplt(size)) {
                let mut sum = from[place - layer] + from[place + layer];
                sum += if x > 0 { planes[turn][y][x - 1] } else { from[place - 1] };
                sum += if x + 1 < SIDE as u32 { planes[turn][y][x + 1] } else { from[place + 1] };
                sum += if y > 0 { planes[turn][y - 1][x] } else { from[place - row] };
                sum += if y + 1 < SIDE as u32 { planes[turn][y + 1][x] } else { from[place + row] };
                to[place] = factors.own * own + factors.around * sum;
            } else if id.x < size.x && id.y < size.y {
                to[place] = own;
            }
            turn = 1 - turn;
        }
    }

    /// Computes odd steps.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn forth(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] size: UVec3,
        #[uniform] factors: &Factors,
        a: &mut [f32],
        b: &mut [f32],
        #[workgroup] planes: &mut [[[f32; SIDE]; SIDE]; 2],
    ) {
        step(a, b, planes, size, *factors, id, local);
    }

    /// Computes even steps.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn back(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] size: UVec3,
        #[uniform] factors: &Factors,
        a: &mut [f32],
        b: &mut [f32],
        #[workgroup] planes: &mut [[[f32; SIDE]; SIDE]; 2],
    ) {
        step(b, a, planes, size, *factors, id, local);
    }

    /// Does not alternate between planes: the next one overwrites what neighbors still read.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] size: UVec3,
        #[uniform] factors: &Factors,
        a: &mut [f32],
        b: &mut [f32],
        #[workgroup] planes: &mut [[[f32; SIDE]; SIDE]; 2],
    ) {
        let (x, y) = (local.x, local.y);
        let turn = 0;
        for z in 0..size.z {
            let place = (z * size.y + id.y) * size.x + id.x;
            planes[turn][y][x] = a[place];
//          ^^^^^^^^^^^^^^^^^^ race: write/read on planes[..][..][..]
            workgroup_barrier();
            if x > 0 && y > 0 && z > 0 && id.x + 1 < size.x && id.y + 1 < size.y && z + 1 < size.z {
                let mut sum = a[place - size.x * size.y] + a[place + size.x * size.y];
                sum += planes[turn][y][x - 1] + planes[turn][y][x + 1];
//                     ^^^^^^^^^^^^^^^^^^^^^^ race: read/write on planes[..][..][..]
                sum += planes[turn][y - 1][x] + planes[turn][y + 1][x];
//                     ^^^^^^^^^^^^^^^^^^^^^^ race: read/write on planes[..][..][..]
                b[place] = factors.own * a[place] + factors.around * sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::stencil::{self, Factors};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::UVec3;

    fn launch(start: &[f32], size: UVec3) -> Launch {
        Launch::new()
            .buffer("size", &size)
            .buffer("factors", &Factors { own: 0.25, around: 0.125 })
            .buffer("a", start)
            .zeros("b", start.len())
    }

    fn stepped(now: &[f32], size: UVec3) -> Vec<f32> {
        let (row, layer) = (size.x as usize, (size.x * size.y) as usize);
        let point = |i: usize| {
            let (x, y, z) = (i % row, i % layer / row, i / layer);
            let inner = |at: usize, size: u32| at > 0 && at + 1 < size as usize;
            if !inner(x, size.x) || !inner(y, size.y) || !inner(z, size.z) {
                return now[i];
            }
            let around = [i - 1, i + 1, i - row, i + row, i - layer, i + layer];
            0.25 * now[i] + 0.125 * around.iter().map(|i| now[*i]).sum::<f32>()
        };
        (0..now.len()).map(point).collect()
    }

    fn holds(size: UVec3, rounds: u32) {
        let start = floats(size.element_product() as usize, 60);
        let grid = [size.x.div_ceil(8), size.y.div_ceil(8)];
        let round = |launch: Launch, _| launch.dispatch("forth", grid).dispatch("back", grid);
        let run = clean(&stencil::forth::kernel(), (0..rounds).fold(launch(&start, size), round));
        let expected = (0..2 * rounds).fold(start, |now, _| stepped(&now, size));
        assert_close(&run.read::<f32>("a"), &expected, 1e-5);
    }

    #[test]
    fn heat_flows_through_workgroups() {
        holds(UVec3::new(16, 16, 6), 2);
    }

    #[test]
    fn columns_at_the_sides_need_not_be_full() {
        holds(UVec3::new(11, 5, 4), 1);
    }

    #[test]
    fn what_has_no_inside_stays() {
        holds(UVec3::new(9, 3, 1), 1);
        holds(UVec3::ONE, 1);
    }

    #[test]
    fn without_layers_there_is_nothing_to_do() {
        // A buffer has at least one element.
        let launch = launch(&[0.5], UVec3::new(8, 8, 0)).dispatch("forth", 1);
        let run = clean(&stencil::forth::kernel(), launch.dispatch("back", 1));
        assert_eq!((run.read::<f32>("a"), run.read::<f32>("b")), (vec![0.5], vec![0.0]));
    }

    #[test]
    fn planes_must_be_turned() {
        let size = UVec3::new(8, 8, 4);
        let launch = launch(&floats(256, 61), size).workgroups(1);
        racy(&stencil::racy::kernel(), launch, include_str!("stencil.rs"));
    }
}
