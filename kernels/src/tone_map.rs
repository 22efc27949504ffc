//! An image filter from one storage texture to another.

/// Compresses bright colors, with one invocation per pixel.
#[hirace::monitor]
pub mod tone_map {
    use hirace::prelude::*;

    /// Maps brightness from 0 to infinity to a color from 0 to 1.
    fn tone(color: Vec4) -> Vec4 {
        let color = color.xyz().max(Vec3::ZERO);
        (color / (color + 1.0)).extend(1.0)
    }

    /// Reads one texture and writes another.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        hdr: &TextureStorage2d<Rgba16Float, Read>,
        ldr: &TextureStorage2d<Rgba8Unorm, Write>,
    ) {
        let size = texture_dimensions(hdr);
        if any(id.xy().cmpge(size)) {
            return;
        }
        ldr.store(id.xy(), tone(hdr.load(id.xy())));
    }

    /// Clamps invocations outside the image instead of skipping them: the last pixels are written several
    /// times.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        hdr: &TextureStorage2d<Rgba16Float, Read>,
        ldr: &TextureStorage2d<Rgba8Unorm, Write>,
    ) {
        let at = id.xy().min(texture_dimensions(hdr) - 1);
        ldr.store(at, tone(hdr.load(at)));
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on ldr[..]
    }
}

#[cfg(test)]
mod tests {
    use super::tone_map;
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::{Vec3, Vec4};

    const SIZE: [u32; 2] = [13, 10];

    fn launch(hdr: &[Vec4]) -> Launch {
        Launch::new().workgroups([2, 2]).texture("hdr", SIZE, hdr).zeros("ldr", SIZE)
    }

    /// Returns multiples of 1/8, which are exact in half-precision floats.
    fn colors() -> Vec<Vec4> {
        let random = floats(13 * 10 * 4, 33);
        random.chunks(4).map(|c| (Vec4::from_slice(c) * 32.0).round() / 8.0).collect()
    }

    #[test]
    fn bright_colors_are_compressed() {
        let hdr = colors();
        let run = clean(&tone_map::clean::kernel(), launch(&hdr));
        let tone = |c: &Vec4| {
            let c = c.truncate().max(Vec3::ZERO);
            (c / (c + 1.0)).extend(1.0)
        };
        let expected: Vec<Vec4> = hdr.iter().map(tone).collect();
        // Channels have eight bits, which devices may round either way.
        assert_close(&scalars(&run.texels::<Vec4>("ldr")), &scalars(&expected), 1.0 / 255.0 + 1e-4);
    }

    #[test]
    fn invocations_outside_must_not_write_inside() {
        racy(&tone_map::racy::kernel(), launch(&colors()), include_str!("tone_map.rs"));
    }
}
