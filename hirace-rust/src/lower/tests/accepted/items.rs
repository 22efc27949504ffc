#[hirace::monitor]
pub mod kernels {
    use hirace::prelude::*;

    const SIZE: usize = 64;
    const HALF: usize = SIZE / 2;
    const COUNT: u32 = SIZE as u32 * 2;
    const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
    const UP: Vec3 = Vec3::new(0.0, 1.0, 0.0);
    const ORIGIN: Particle = Particle { position: UP, mass: 1.0 };
    const NONE: i32 = -1;
    #[overridable]
    const SCALE: f32 = 2.0;
    #[overridable(id = 3)]
    const LANES: u32 = 64;
    const TWICE: u32 = LANES * 2;

    type Row = [f32; SIZE];

    #[derive(Clone, Copy)]
    #[repr(C)]
    pub struct Particle {
        pub position: Vec3,
        pub mass: f32,
    }

    struct Params {
        gravity: Particle,
        #[align(16)]
        steps: u32,
        #[size(16)]
        flags: u32,
    }

    struct Found {
        count: Atomic<u32>,
        first: u32,
        rest: [Particle],
    }

    struct Cell {
        locks: [Atomic<u32>; 4],
        value: f32,
    }

    fn weight(particle: Particle, params: &Params) -> f32 {
        particle.mass * params.gravity.mass
    }

    fn bump(x: &mut u32) {
        *x += 1;
    }

    fn both(x: &mut u32, by: u32) -> u32 {
        bump(x);
        bump(&mut *x);
        let old = *x;
        *x = old + by;
        old
    }

    fn sum(row: &[f32; SIZE], from: u32) -> f32 {
        let mut total = 0.0;
        for i in from..SIZE as u32 {
            total += row[i];
        }
        total
    }

    fn mass_of(particle: &Particle) -> f32 {
        particle.mass
    }

    fn push(particle: &mut Particle, by: Vec3) {
        particle.position += by * mass_of(particle);
        particle.mass *= 2.0;
    }

    fn count(hits: &Atomic<u32>) -> u32 {
        hits.fetch_add(1)
    }

    fn largest(values: &[f32]) -> f32 {
        let mut best = values[0];
        for i in 1..values.len() {
            if values[i] > best {
                best = values[i];
            }
        }
        best
    }

    fn swap(values: &mut [f32], i: u32, j: u32) {
        let t = values[i];
        values[i] = values[j];
        values[j] = t;
    }

    #[kernel(workgroup_size(SIZE))]
    pub fn update(
        #[builtin(global_invocation_id)] gid: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        particles: &mut [Particle],
        #[uniform] params: Params,
        words: &mut [u32],
        #[workgroup] row: &mut [f32; SIZE],
        #[workgroup] ready: &Atomic<u32>,
        #[private] seed: &mut u32,
    ) {
        *seed = gid.x;
        let mut p = particles[gid.x];
        p.position += params.gravity.position * SCALE;
        push(&mut p, UP);
        push(&mut particles[gid.x], Vec3::new(0.0, 0.0, 1.0));
        particles[gid.x].mass = weight(p, &Params { steps: 3, gravity: p, flags: 0 });
        let heavy = Particle { mass: 10.0, ..p };
        let Particle { position, mass: m } = heavy;
        particles[gid.x] = Particle { position, mass: m + ORIGIN.mass };
        both(&mut words[lane], params.steps);
        both(seed, COUNT);
        let mut own = *seed + HALF as u32;
        bump(&mut own);
        words[lane] = own;
        row[lane] = WEIGHTS[lane % 3] + p.mass;
        workgroup_barrier();
        row[lane] = sum(row, 1) + mass_of(&p);
        if count(ready) == 3 && NONE == -1 {
            words[0] = ready.load();
        }
        let copy: Row = *row;
        words[1] = copy[0] as u32;
    }

    #[kernel(workgroup_size(LANES, 2, 1))]
    pub fn collect(
        #[builtin(local_invocation_id)] local: UVec3,
        particles: &[Particle],
        found: &mut Found,
        cells: &[Cell],
        values: &mut [f32],
        #[workgroup] row: &mut [u32; TWICE as usize],
    ) {
        if particles[local.x].mass > 1.0 {
            let at = found.count.fetch_add(1);
            found.rest[at] = particles[local.x];
            found.first = at;
        }
        row[local.x] = cells[local.x].locks[1].load();
        cells[0].locks[local.x & 3].store(1);
        values[0] = largest(values) + cells[0].value;
        swap(values, 1, 2);
    }

    #[kernel(workgroup_size(N))]
    pub fn reduce<const N: usize, const WIDE: bool>(
        #[builtin(local_invocation_index)] lane: u32,
        values: &mut [f32],
        #[workgroup] row: &mut [f32; N],
    ) {
        let own = [0.0; N];
        row[lane] = values[lane] + own[0];
        workgroup_barrier();
        let mut stride = N as u32 / 2;
        while stride > 0 {
            if lane < stride {
                row[lane] += row[lane + stride];
            }
            workgroup_barrier();
            stride >>= 1;
        }
        if WIDE {
            values[lane] = row[0];
        }
    }
}

#[hirace::monitor(workgroup_size(64))]
fn alone<const N: u32>(#[builtin(global_invocation_id)] gid: UVec3, #[binding(1, 3)] out: &mut [u32], #[binding(0, 0)] other: &[u32]) {
    out[gid.x] = N + other[0];
}
