//! Conversions between scalars, with Rust's meaning, and bit casts.

/// One invocation per number.
#[hirace::monitor]
pub mod casts {
    use hirace::prelude::*;

    /// Converts floats to integers; as in WGSL, values out of range become the nearest value in range that is also a float.
    #[kernel(workgroup_size(8))]
    pub fn from_floats(
        #[builtin(global_invocation_id)] id: UVec3,
        floats: &[f32],
        integers: &mut [IVec4],
    ) {
        let x = floats[id.x];
        integers[id.x] = ivec4(x as i32, x as u32 as i32, x.to_bits() as i32, (x > 0.0) as i32);
    }

    /// Converts vectors, component by component.
    #[kernel(workgroup_size(8))]
    pub fn vectors(
        #[builtin(global_invocation_id)] id: UVec3,
        results: &mut [Vec4],
        integers: &mut [IVec4],
    ) {
        let v = results[id.x].truncate();
        integers[id.x] = v.as_ivec3().extend(v.abs().as_uvec3().x as i32);
        results[id.x] = integers[id.x].as_uvec4().as_vec4();
    }

    /// Converts integers to floats, rounded to the nearest.
    #[kernel(workgroup_size(8))]
    pub fn from_integers(
        #[builtin(global_invocation_id)] id: UVec3,
        integers: &mut [IVec4],
        results: &mut [Vec4],
    ) {
        let v = integers[id.x];
        let u = v.x as u32;
        results[id.x] = vec4(
            v.x as f32,
            u as f32,
            f32::from_bits(0x3f80_0000 | u >> 9),
            (v.y as u32 == u) as u32 as f32,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::casts;
    use crate::support::{clean, numbers};
    use hirace::Launch;
    use hirace::prelude::{IVec4, Vec4};

    #[test]
    fn floats_become_integers_as_in_rust_but_for_the_ends_of_the_range() {
        let floats = [
            0.0,
            -0.0,
            1.5,
            -1.5,
            2.75e9,
            -3e9,
            4e9,
            5e9,
            1e-30,
            1e30,
            0.999,
            16_777_217.0,
            -0.5,
            123_456.7,
            -7.0,
            1e10,
        ];
        let launch = Launch::new()
            .workgroups(2)
            .buffer("floats", &floats)
            .buffer("integers", &[IVec4::ZERO; 16]);
        let run = clean(&casts::from_floats::kernel(), launch);
        let expected = floats.map(|x: f32| {
            let signed = x.min(2_147_483_520.0) as i32;
            let unsigned = x.min(4_294_967_040.0) as u32;
            IVec4::new(signed, unsigned as i32, x.to_bits() as i32, i32::from(x > 0.0))
        });
        assert_eq!(run.read::<IVec4>("integers"), expected);
    }

    #[test]
    fn integers_become_floats_as_in_rust() {
        let numbers = numbers(16, 46);
        let integers: Vec<IVec4> =
            numbers.iter().map(|n| IVec4::new((n << 2) as i32, (n % 3) as i32, 0, 0)).collect();
        let launch = Launch::new()
            .workgroups(2)
            .buffer("integers", &integers)
            .buffer("results", &[Vec4::ZERO; 16]);
        let run = clean(&casts::from_integers::kernel(), launch);
        let expected = |v: &IVec4| {
            let u = v.x as u32;
            let unit = f32::from_bits(0x3f80_0000 | u >> 9);
            Vec4::new(v.x as f32, u as f32, unit, if v.y as u32 == u { 1.0 } else { 0.0 })
        };
        assert_eq!(run.read::<Vec4>("results"), integers.iter().map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn vectors_are_converted_by_components() {
        let v = Vec4::new(-1.75, 2.5, 100.0, 7.0);
        let launch = Launch::new()
            .workgroups(1)
            .buffer("results", &[v; 8])
            .buffer("integers", &[IVec4::ZERO; 8]);
        let run = clean(&casts::vectors::kernel(), launch);
        assert_eq!(run.read::<IVec4>("integers"), [IVec4::new(-1, 2, 100, 1); 8]);
        let large = u32::MAX as f32;
        assert_eq!(run.read::<Vec4>("results"), [Vec4::new(large, 2.0, 100.0, 1.0); 8]);
    }
}
