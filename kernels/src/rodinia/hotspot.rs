//! `hotspot` of Rodinia: temperatures of a chip, with several steps per dispatch.

/// A workgroup loads more cells than it can finish: each step reduces the finished region by one cell on every side.
#[hirace::monitor]
pub mod hotspot {
    use hirace::prelude::*;

    const SIDE: usize = 8;
    const STEPS: u32 = 2;
    /// Number of cells that a workgroup finishes, along a side.
    const INNER: u32 = SIDE as u32 - 2 * STEPS;

    /// Parameters of the chip.
    #[derive(Clone, Copy)]
    pub struct Chip {
        /// Number of cells along x and y.
        pub size: UVec2,
        /// Length of a step divided by the heat capacity of a cell.
        pub pace: f32,
        /// Conductance along x, along y, and to the surroundings.
        pub flow: Vec3,
        /// Temperature of the surroundings.
        pub ambient: f32,
    }

    /// Returns a cell of a tile after a step. No heat flows through the sides of the chip.
    fn stepped(
        tile: &mut [[f32; SIDE]; SIDE],
        chip: Chip,
        power: f32,
        local: UVec2,
        cell: IVec2,
    ) -> f32 {
        let own = tile[local.y][local.x];
        let mut heat = power + (chip.ambient - own) * chip.flow.z;
        if cell.x > 0 {
            heat += (tile[local.y][local.x - 1] - own) * chip.flow.x;
        }
        if cell.x + 1 < chip.size.x as i32 {
            heat += (tile[local.y][local.x + 1] - own) * chip.flow.x;
        }
        if cell.y > 0 {
            heat += (tile[local.y - 1][local.x] - own) * chip.flow.y;
        }
        if cell.y + 1 < chip.size.y as i32 {
            heat += (tile[local.y + 1][local.x] - own) * chip.flow.y;
        }
        own + chip.pace * heat
    }

    /// Returns whether both coordinates are at least `distance` away from the sides of the tile.
    fn keeps(local: UVec2, distance: u32) -> bool {
        all(local.cmpge(UVec2::splat(distance)))
            && all(local.cmplt(UVec2::splat(SIDE as u32 - distance)))
    }

    /// Computes steps: each reads the tile, waits, writes it, and waits.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn clean(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] chip: &Chip,
        power: &[f32],
        now: &[f32],
        next: &mut [f32],
        #[workgroup] tile: &mut [[f32; SIDE]; SIDE],
    ) {
        let cell = (group.xy() * INNER + local.xy()).as_ivec2() - STEPS as i32;
        let inside = all(cell.cmpge(IVec2::ZERO)) && all(cell.cmplt(chip.size.as_ivec2()));
        let place = cell.y as u32 * chip.size.x + cell.x as u32;
        let mut heat = 0.0;
        if inside {
            tile[local.y][local.x] = now[place];
            heat = power[place];
        }
        workgroup_barrier();
        for step in 1..=STEPS {
            let mut new = 0.0;
            let reached = inside && keeps(local.xy(), step);
            if reached {
                new = stepped(tile, *chip, heat, local.xy(), cell);
            }
            workgroup_barrier();
            if reached {
                tile[local.y][local.x] = new;
            }
            workgroup_barrier();
        }
        if inside && keeps(local.xy(), STEPS) {
            next[place] = tile[local.y][local.x];
        }
    }

    /// Lacks a barrier: a step writes what other invocations have not yet read.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn racy(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] chip: &Chip,
        power: &[f32],
        now: &[f32],
        next: &mut [f32],
        #[workgroup] tile: &mut [[f32; SIDE]; SIDE],
    ) {
        let (x, y) = (local.x, local.y);
        let cell = group.xy() * INNER + local.xy();
        let place = cell.y * chip.size.x + cell.x;
        tile[y][x] = now[place];
        workgroup_barrier();
        for step in 1..=STEPS {
            if keeps(local.xy(), step) {
                let across = tile[y][x - 1] + tile[y][x + 1] - 2.0 * tile[y][x];
//                           ^^^^^^^^^^^^^^ race: read/write on tile[..][..]
                let along = tile[y - 1][x] + tile[y + 1][x] - 2.0 * tile[y][x];
//                          ^^^^^^^^^^^^^^ race: read/write on tile[..][..]
                let out = chip.ambient - tile[y][x];
                let flow = dot(chip.flow, vec3(across, along, out));
                tile[y][x] += chip.pace * (power[place] + flow);
//              ^^^^^^^^^^ race: write/read on tile[..][..]
            }
            workgroup_barrier();
        }
        if keeps(local.xy(), STEPS) {
            next[place] = tile[y][x];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hotspot::{self, Chip};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::{UVec2, Vec3};

    fn chip(width: u32, height: u32) -> Chip {
        let flow = Vec3::new(0.5, 0.25, 0.125);
        Chip { size: UVec2::new(width, height), pace: 0.25, flow, ambient: 0.75 }
    }

    fn launch(chip: &Chip) -> (Launch, Vec<f32>, Vec<f32>) {
        let cells = chip.size.element_product() as usize;
        let (now, power) = (floats(cells, 72), floats(cells, 73));
        let launch = Launch::new()
            .buffer("chip", chip)
            .buffer("power", &power)
            .buffer("now", &now)
            .zeros("next", cells);
        (launch, now, power)
    }

    fn stepped(chip: &Chip, now: &[f32], power: &[f32]) -> Vec<f32> {
        let (width, height) = (chip.size.x as usize, chip.size.y as usize);
        let cell = |i: usize| {
            let (x, y) = (i % width, i / width);
            let from = |there: bool, at: usize| if there { now[at] - now[i] } else { 0.0 };
            let across = from(x > 0, i.wrapping_sub(1)) + from(x + 1 < width, i + 1);
            let along = from(y > 0, i.wrapping_sub(width)) + from(y + 1 < height, i + width);
            now[i] + 0.25 * (power[i] + 0.5 * across + 0.25 * along + 0.125 * (0.75 - now[i]))
        };
        (0..now.len()).map(cell).collect()
    }

    fn holds(width: u32, height: u32) {
        let chip = chip(width, height);
        let (launch, now, power) = launch(&chip);
        let grid = [width.div_ceil(4), height.div_ceil(4)];
        let run = clean(&hotspot::clean::kernel(), launch.workgroups(grid));
        let expected = stepped(&chip, &stepped(&chip, &now, &power), &power);
        assert_close(&run.read::<f32>("next"), &expected, 1e-5);
    }

    #[test]
    fn two_steps_need_no_neighbors_of_the_workgroup() {
        holds(16, 12);
    }

    #[test]
    fn the_chip_need_not_fill_its_workgroups() {
        holds(7, 9);
        holds(1, 5);
        holds(1, 1);
    }

    #[test]
    fn the_tile_must_be_read_before_it_is_written() {
        let launch = launch(&chip(12, 12)).0.workgroups([2, 2]);
        racy(&hotspot::racy::kernel(), launch, include_str!("hotspot.rs"));
    }
}
