//! Vectors: construction, access, modification, comparison.

/// Four results per invocation.
#[hirace::monitor]
pub mod vectors {
    use hirace::prelude::*;

    /// Uses vectors of floats.
    #[kernel(workgroup_size(8))]
    pub fn floats(
        #[builtin(global_invocation_id)] id: UVec3,
        input: &[Vec4],
        output: &mut [[Vec4; 4]],
    ) {
        let v = input[id.x];
        let (x, y, z, w) = (v.x, v.y, v.z, v.w);
        let made = Vec4::new(w, z, y, x) + Vec4::splat(0.5) - v.xyz().extend(0.25);
        let mut changed = v;
        changed.x = v.y;
        changed[2] += 1.0;
        changed *= 2.0;
        changed /= Vec4::new(1.0, 2.0, 4.0, 8.0);
        changed -= v.wwxx();
        let short = (v.xy() * v.zw() + 1.0) * 3.0 / Vec2::new(2.0, 4.0);
        let mask: BVec4 = v.cmplt(made) | BVec4::new(x > 0.5, false, false, false);
        let chosen = Vec4::select(mask, -v, made.min(changed).max(Vec4::ZERO));
        output[id.x][0] = made;
        output[id.x][1] = changed;
        output[id.x][2] = short.extend(v.truncate().z).extend(v[id.x % 4]);
        output[id.x][3] = if v == changed { Vec4::ONE } else { chosen };
    }

    /// Uses vectors of integers.
    #[kernel(workgroup_size(8))]
    pub fn integers(
        #[builtin(global_invocation_id)] id: UVec3,
        numbers: &[UVec4],
        sums: &mut [IVec3],
    ) {
        let v = numbers[id.x];
        let shifted = (v << UVec4::new(0, 1, 2, 3)) | (v >> UVec4::splat(4));
        let masked = (shifted & 0xff) ^ !v;
        let signed = masked.as_ivec4() - ((masked << 2) % 3).as_ivec4() - ivec4(1, -2, 3, -4);
        let mut sum = (signed.xyz() / 3).abs() + signed.wzy() % 5;
        sum += IVec3::splat(v.element_sum() as i32);
        sums[id.x] = IVec3::new(sum.z, sum.dot(IVec3::ONE), sum.max_element()) * -IVec3::Y + sum;
    }

    /// Uses vectors of booleans.
    #[kernel(workgroup_size(8))]
    pub fn truth(
        #[builtin(global_invocation_id)] id: UVec3,
        numbers: &[UVec4],
        answers: &mut [u32],
    ) {
        let v = numbers[id.x];
        let even = (v % 2).cmpeq(UVec4::ZERO);
        let large = v.cmpgt(UVec4::splat(20)) | v.cmple(UVec4::ONE);
        let both = even & !large;
        answers[id.x] = both.any() as u32
            + 2 * even.all() as u32
            + 4 * any(bvec2(large.x, even.y)) as u32
            + 8 * (v.cmpne(v.wzyx()) == BVec4::TRUE) as u32
            + 16 * select(0, 1, both.x);
    }
}

#[cfg(test)]
mod tests {
    use super::vectors;
    use crate::support::{assert_close, below, clean, floats, scalars};
    use hirace::Launch;
    use hirace::prelude::{IVec3, UVec4, Vec2, Vec4};

    fn launch(vectors: &[Vec4]) -> Launch {
        Launch::new()
            .workgroups(2)
            .buffer("input", vectors)
            .buffer("output", &[[Vec4::ZERO; 4]; 16])
    }

    #[test]
    fn vectors_of_floats_are_as_in_glam() {
        let mut input: Vec<Vec4> = floats(60, 40).chunks(4).map(Vec4::from_slice).collect();
        // This vector is not modified.
        input.push(Vec4::Z);
        let run = clean(&vectors::floats::kernel(), launch(&input));
        let expected = |(i, v): (usize, &Vec4)| {
            let made =
                Vec4::new(v.w, v.z, v.y, v.x) + Vec4::splat(0.5) - Vec4::new(v.x, v.y, v.z, 0.25);
            let mut changed = Vec4::new(v.y, v.y, v.z + 1.0, v.w) * 2.0;
            changed /= Vec4::new(1.0, 2.0, 4.0, 8.0);
            changed -= Vec4::new(v.w, v.w, v.x, v.x);
            let short = (Vec2::new(v.x * v.z, v.y * v.w) + 1.0) * 3.0 / Vec2::new(2.0, 4.0);
            let mut lesser = v.cmplt(made);
            lesser.set(0, lesser.test(0) || v.x > 0.5);
            let chosen = Vec4::select(lesser, -*v, made.min(changed).max(Vec4::ZERO));
            let last = if *v == changed { Vec4::ONE } else { chosen };
            [made, changed, short.extend(v.z).extend(v[i % 4]), last]
        };
        let expected: Vec<[Vec4; 4]> = input.iter().enumerate().map(expected).collect();
        assert_close(&scalars(&run.read::<[Vec4; 4]>("output")), &scalars(&expected), 1e-5);
    }

    #[test]
    fn vectors_of_integers_are_as_in_glam() {
        let input: Vec<UVec4> = below(1000, 64, 41).chunks(4).map(UVec4::from_slice).collect();
        let launch = Launch::new()
            .workgroups(2)
            .buffer("numbers", &input)
            .buffer("sums", &[IVec3::ZERO; 16]);
        let run = clean(&vectors::integers::kernel(), launch);
        let expected = |v: &UVec4| {
            let shifted = v.to_array().map(|n| n >> 4);
            let [x, y, z, w] = [
                v.x | shifted[0],
                v.y << 1 | shifted[1],
                v.z << 2 | shifted[2],
                v.w << 3 | shifted[3],
            ];
            let masked =
                [(x & 0xff) ^ !v.x, (y & 0xff) ^ !v.y, (z & 0xff) ^ !v.z, (w & 0xff) ^ !v.w];
            let [x, y, z, w] = masked.map(|n| n as i32 - ((n << 2) % 3) as i32);
            let signed = [x - 1, y + 2, z - 3, w + 4];
            let total = (v.x + v.y + v.z + v.w) as i32;
            let sum = IVec3::new(
                (signed[0] / 3).abs() + signed[3] % 5 + total,
                (signed[1] / 3).abs() + signed[2] % 5 + total,
                (signed[2] / 3).abs() + signed[1] % 5 + total,
            );
            let most = sum.x.max(sum.y).max(sum.z);
            let made = [sum.z, sum.x.wrapping_add(sum.y).wrapping_add(sum.z), most];
            IVec3::new(sum.x, sum.y.wrapping_sub(made[1]), sum.z)
        };
        assert_eq!(run.read::<IVec3>("sums"), input.iter().map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn vectors_of_truth_values_are_as_in_glam() {
        let input: Vec<UVec4> = below(30, 64, 42).chunks(4).map(UVec4::from_slice).collect();
        let launch =
            Launch::new().workgroups(2).buffer("numbers", &input).buffer("answers", &[0u32; 16]);
        let run = clean(&vectors::truth::kernel(), launch);
        let expected = |v: &UVec4| {
            let all = v.to_array();
            let (even, large) = (all.map(|n| n % 2 == 0), all.map(|n| n > 20 || n <= 1));
            let both: Vec<bool> =
                even.iter().zip(large).map(|(even, large)| *even && !large).collect();
            u32::from(both.contains(&true))
                + 2 * u32::from(!even.contains(&false))
                + 4 * u32::from(large[0] || even[1])
                + 8 * u32::from(v.x != v.w && v.y != v.z)
                + 16 * u32::from(both[0])
        };
        assert_eq!(run.read::<u32>("answers"), input.iter().map(expected).collect::<Vec<_>>());
    }
}
