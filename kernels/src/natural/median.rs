//! The median of the neighborhood of each pixel.

/// Neighborhoods of 3×3 pixels.
#[hirace::monitor]
pub mod median {
    use crate::natural::shared::image::Extent;
    use hirace::prelude::*;

    fn sort<const N: usize>(values: &mut [u32; N]) {
        for end in 1..N {
            let value = values[end];
            let mut i = end;
            while i > 0 && values[i - 1] > value {
                values[i] = values[i - 1];
                i -= 1;
            }
            values[i] = value;
        }
    }

    fn median_of<const N: usize>(mut values: [u32; N]) -> u32 {
        sort(&mut values);
        values[N / 2]
    }

    /// Computes the medians into another image; outside the image, the nearest pixel is used.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] extent: Extent,
        source: &[u32],
        smoothed: &mut [u32],
    ) {
        let (x, y) = (id.x as i32, id.y as i32);
        let Some(here) = extent.index(x, y) else { return };
        let mut window = [0; 9];
        for (slot, (dx, dy)) in window.iter_mut().zip((0..9).map(|i| (i % 3 - 1, i / 3 - 1))) {
            *slot = source[extent.clamped(x + dx, y + dy)];
        }
        smoothed[here] = median_of(window);
    }

    /// Works in place, on a ring.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, ring: &mut [u32]) {
        let n = ring.len();
        let i = id.x as usize;
        let window: [u32; 3] = std::array::from_fn(|k| ring[(i + k + n - 1) % n]);
//                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on ring[..]
        ring[i] = median_of(window);
//      ^^^^^^^ race: write/read on ring[..]
    }
}

#[cfg(test)]
#[allow(clippy::manual_clamp)] // The expected value is computed in another way.
mod tests {
    use super::median;
    use crate::natural::shared::image::Extent;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn medians_are_in_the_middle() {
        let source = below(100, 12 * 9, 90);
        let launch = Launch::new().workgroups([2, 2]);
        let launch = launch.buffer("extent", &Extent { width: 12, height: 9 });
        let launch = launch.buffer("source", &source).zeros("smoothed", 12 * 9);
        let run = clean(&median::clean::kernel(), launch);
        let mut expected = Vec::new();
        for y in 0i32..9 {
            for x in 0i32..12 {
                let mut window = Vec::new();
                for v in y - 1..=y + 1 {
                    for u in x - 1..=x + 1 {
                        window.push(source[(v.max(0).min(8) * 12 + u.max(0).min(11)) as usize]);
                    }
                }
                window.sort();
                expected.push(window[4]);
            }
        }
        assert_eq!(run.read::<u32>("smoothed"), expected);
    }

    #[test]
    fn a_median_in_place_races() {
        let launch = Launch::new().workgroups(2).buffer("ring", &below(100, 128, 91));
        racy(&median::racy::kernel(), launch, include_str!("median.rs"));
    }
}
