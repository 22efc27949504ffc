//! Several small numbers in one word.

/// Every function that packs or unpacks.
#[hirace::monitor]
pub mod packing {
    use hirace::prelude::*;

    /// Packs four floats in every format.
    #[kernel(workgroup_size(8))]
    pub fn pack(
        #[builtin(global_invocation_id)] id: UVec3,
        floats: &[Vec4],
        words: &mut [[u32; 9]],
    ) {
        let v = floats[id.x];
        let scaled = (v * 200.0).as_ivec4();
        let bytes = scaled.as_uvec4();
        words[id.x] = [
            pack4x8snorm(v),
            pack4x8unorm(v),
            pack2x16snorm(v.xy()),
            pack2x16unorm(v.zw()),
            pack2x16float(v.yz()),
            pack4x_i8(scaled),
            pack4x_u8(bytes),
            pack4x_i8_clamp(scaled),
            pack4x_u8_clamp(bytes),
        ];
    }

    /// Unpacks them again.
    #[kernel(workgroup_size(8))]
    pub fn unpack(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &mut [[u32; 9]],
        unpacked: &mut [[Vec4; 8]],
    ) {
        let dots = vec2(
            dot4_i8_packed(words[id.x][5], words[id.x][7]) as f32,
            dot4_u8_packed(words[id.x][6], words[id.x][8]) as f32,
        );
        unpacked[id.x] = [
            unpack4x8snorm(words[id.x][0]),
            unpack4x8unorm(words[id.x][1]),
            unpack2x16snorm(words[id.x][2]).extend(0.0).extend(0.0),
            unpack2x16unorm(words[id.x][3]).extend(0.0).extend(0.0),
            unpack2x16float(words[id.x][4]).extend(0.0).extend(0.0),
            unpack4x_i8(words[id.x][5]).as_vec4(),
            unpack4x_u8(words[id.x][6]).as_vec4(),
            dots.extend(0.0).extend(0.0),
        ];
    }
}

#[cfg(test)]
mod tests {
    use super::packing;
    use crate::support::{assert_close, clean, floats, scalars};
    use hirace::Launch;
    use hirace::prelude::Vec4;

    fn input() -> Vec<Vec4> {
        let mut input: Vec<Vec4> =
            floats(40, 51).chunks(4).map(|v| Vec4::from_slice(v) * 1.25).collect();
        input.resize(16, Vec4::new(0.0, 1.0, -1.0, 0.5));
        input
    }

    /// Returns a float, clamped to `low..=1`, in units of `1 / steps`, rounded to the nearest.
    fn steps(v: f32, low: f32, steps: f32) -> i32 {
        (0.5 + steps * v.clamp(low, 1.0)).floor() as i32
    }

    fn bytes(v: [i32; 4]) -> u32 {
        u32::from_le_bytes(v.map(|n| n as u8))
    }

    fn halves(v: [i32; 2]) -> u32 {
        v[0] as u32 & 0xffff | (v[1] as u32) << 16
    }

    #[test]
    fn numbers_are_packed_as_wgsl_says() {
        let input = input();
        let launch =
            Launch::new().workgroups(2).buffer("floats", &input).buffer("words", &[[0u32; 9]; 16]);
        let run = clean(&packing::pack::kernel(), launch);
        for (v, words) in input.iter().zip(run.read::<[u32; 9]>("words")) {
            let scaled = (*v * 200.0).to_array().map(|x| x as i32);
            let unsigned = (*v * 200.0).to_array().map(|x| x as i32 as u32);
            let expected = [
                bytes(v.to_array().map(|x| steps(x, -1.0, 127.0))),
                bytes(v.to_array().map(|x| steps(x, 0.0, 255.0))),
                halves([v.x, v.y].map(|x| steps(x, -1.0, 32767.0))),
                halves([v.z, v.w].map(|x| steps(x, 0.0, 65535.0))),
                words[4],
                bytes(scaled),
                bytes(scaled),
                bytes(scaled.map(|n| n.clamp(-128, 127))),
                bytes(unsigned.map(|n| n.min(255) as i32)),
            ];
            assert_eq!(words, expected, "{v}");
        }
    }

    #[test]
    fn what_was_packed_comes_back() {
        let (v, w) = (Vec4::new(0.5, -0.25, 1.0, 0.75), Vec4::new(-100.0, 3.0, 77.0, 127.0));
        let (signed, unsigned) = (bytes([-100, 3, 77, 127]), bytes([200, 3, 0, 255]));
        let words = [
            bytes([64, -32, 127, 95]),
            bytes([128, 0, 255, 191]),
            halves([16384, -8192]),
            halves([65535, 49151]),
            0x3c00_3800,
            signed,
            unsigned,
            signed,
            unsigned,
        ];
        let launch = Launch::new()
            .workgroups(1)
            .buffer("words", &[words; 8])
            .buffer("unpacked", &[[Vec4::ZERO; 8]; 8]);
        let run = clean(&packing::unpack::kernel(), launch);
        let dots = Vec4::new(10000.0 + 9.0 + 5929.0 + 16129.0, 40000.0 + 9.0 + 65025.0, 0.0, 0.0);
        let expected = [
            v,
            v.max(Vec4::ZERO),
            Vec4::new(0.5, -0.25, 0.0, 0.0),
            Vec4::new(1.0, 0.75, 0.0, 0.0),
            Vec4::new(0.5, 1.0, 0.0, 0.0),
            w,
            Vec4::new(200.0, 3.0, 0.0, 255.0),
            dots,
        ];
        let unpacked = run.read::<[Vec4; 8]>("unpacked");
        assert_close(&scalars(&unpacked[7..]), &scalars(&[expected]), 0.005);
    }
}
