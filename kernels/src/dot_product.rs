//! The dot product of two long vectors: a tree per workgroup, and one atomic for the total.

/// The total is a fixed-point number with 8 fractional bits, because floats have no atomics.
#[hirace::monitor]
pub mod dot_product {
    use hirace::prelude::*;

    const LANES: usize = 32;
    const ONE: f32 = 256.0;

    /// Sums a tile into its first element. All invocations of the workgroup must call it.
    fn reduce(tile: &mut [f32; LANES], lane: u32) {
        let mut half = LANES as u32 / 2;
        loop {
            workgroup_barrier();
            if lane < half {
                tile[lane] += tile[lane + half];
            }
            half >>= 1;
            if half == 0 {
                break;
            }
        }
    }

    /// Multiplies four pairs per invocation.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        a: &[Vec4],
        b: &[Vec4],
        total: &Atomic<i32>,
        #[workgroup] tile: &mut [f32; LANES],
    ) {
        tile[lane] = if id.x < a.len() { a[id.x].dot(b[id.x]) } else { 0.0 };
        reduce(tile, lane);
        if lane == 0 {
            total.fetch_add(round(tile[0] * ONE) as i32);
        }
    }

    /// Adds each workgroup's sum to the total with a plain access instead of an atomic.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        a: &[Vec4],
        b: &[Vec4],
        total: &Atomic<i32>,
        #[workgroup] tile: &mut [f32; LANES],
    ) {
        tile[lane] = if id.x < a.len() { a[id.x].dot(b[id.x]) } else { 0.0 };
        reduce(tile, lane);
        if lane == 0 {
            *total.plain() += round(tile[0] * ONE) as i32;
//          ^^^^^^^^^^^^^^ race: read/write on total
//          ^^^^^^^^^^^^^^ race: write/read on total
        }
    }
}

#[cfg(test)]
mod tests {
    use super::dot_product;
    use crate::support::{clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec4;

    fn launch(a: &[Vec4], b: &[Vec4]) -> Launch {
        Launch::new().workgroups(4).buffer("a", a).buffer("b", b).buffer("total", &0i32)
    }

    fn vectors(seed: u32) -> Vec<Vec4> {
        floats(400, seed).chunks(4).map(|v| Vec4::new(v[0], v[1], v[2], v[3])).collect()
    }

    #[test]
    fn the_workgroups_add_up_to_the_dot_product() {
        let (a, b) = (vectors(3), vectors(4));
        let run = clean(&dot_product::clean::kernel(), launch(&a, &b));
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| Vec4::dot(*a, *b)).sum();
        let total = run.one::<i32>("total");
        // Each of the four workgroups rounds once.
        assert!(
            (total as f32 / 256.0 - exact).abs() < 4.0 / 512.0 + 1e-3,
            "{total} / 256, not {exact}"
        );
    }

    #[test]
    fn the_total_needs_an_atomic() {
        let launch = launch(&vectors(3), &vectors(4));
        racy(&dot_product::racy::kernel(), launch, include_str!("dot_product.rs"));
    }
}
