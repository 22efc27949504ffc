//! Mathematical functions under WGSL's names, and as methods of glam and `std`.

/// Every function once; one invocation per argument.
#[hirace::monitor]
pub mod math {
    use hirace::prelude::*;

    /// Uses functions of one float and of two.
    #[kernel(workgroup_size(8))]
    pub fn scalars(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[Vec2],
        results: &mut [[f32; 44]],
    ) {
        let x = pairs[id.x].x;
        let y = pairs[id.x].y;
        let unit = saturate(abs(x));
        let (fraction, exponent) = frexp(x);
        let (part, whole) = modf(x);
        results[id.x] = [
            abs(x),
            acos(unit),
            acosh(1.0 + unit),
            asin(unit),
            asinh(x),
            atan(x),
            atan2(x, y),
            atanh(0.5 * unit),
            ceil(x),
            clamp(x, -1.0, 1.0),
            cos(x),
            cosh(unit),
            degrees(x),
            distance(x, y),
            exp(unit),
            exp2(unit),
            floor(x),
            fma(x, y, 1.0),
            fract(x),
            inverse_sqrt(1.0 + unit),
            ldexp(x, 3),
            length(x),
            log(1.0 + unit),
            log2(1.0 + unit),
            max(x, y),
            min(x, y),
            mix(x, y, 0.25),
            pow(1.0 + unit, y),
            quantize_to_f16(x),
            radians(x),
            round(x),
            sign(x),
            sin(x),
            sinh(unit),
            smoothstep(-2.0, 2.0, x),
            sqrt(unit),
            step(0.5, x),
            tan(unit),
            tanh(x),
            trunc(x),
            fraction,
            exponent as f32,
            part,
            whole,
        ];
    }

    /// Uses the same functions as methods of `std`.
    #[kernel(workgroup_size(8))]
    pub fn methods(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[Vec2],
        under_methods: &mut [[f32; 24]],
    ) {
        let x = pairs[id.x].x;
        let y = pairs[id.x].y;
        let unit = x.abs().clamp(0.0, 1.0);
        under_methods[id.x] = [
            unit.acos(),
            unit.asin(),
            x.atan(),
            x.atan2(y),
            x.ceil(),
            x.cos(),
            unit.exp(),
            unit.exp2(),
            x.floor(),
            x.round(),
            x.trunc(),
            x.fract(),
            (1.0 + unit).ln(),
            (1.0 + unit).log2(),
            x.max(y),
            x.min(y),
            (1.0 + unit).powf(y),
            x.powi(3),
            x.signum(),
            x.sin(),
            unit.sqrt(),
            unit.tan(),
            x.mul_add(y, 0.5),
            x.to_radians(),
        ];
    }

    /// Uses functions of vectors.
    #[kernel(workgroup_size(8))]
    pub fn vectors(
        #[builtin(global_invocation_id)] id: UVec3,
        pairs: &[Vec2],
        of_vectors: &mut [[Vec3; 10]],
    ) {
        let a = pairs[id.x].extend(1.5);
        let b = vec3(0.5, a.x - 2.0, a.y);
        of_vectors[id.x] = [
            cross(a, b),
            Vec3::splat(dot(a, b)),
            face_forward(a, b, Vec3::Z),
            normalize(a),
            reflect(a, Vec3::Y),
            refract(normalize(a), -Vec3::Z, 0.5),
            mix(a, b, 0.5),
            vec3(a.length(), a.distance(b), a.dot(b)),
            a.cross(b).normalize_or_zero(),
            a.lerp(b, 0.25) + a.abs().floor() + a.min(b) + a.clamp(b.min(a), b.max(a)),
        ];
    }

    /// Uses functions of bits.
    #[kernel(workgroup_size(8))]
    pub fn bits(
        #[builtin(global_invocation_id)] id: UVec3,
        numbers: &[u32],
        counts: &mut [[u32; 8]],
    ) {
        let n = numbers[id.x];
        counts[id.x] = [
            count_leading_zeros(n),
            count_one_bits(n),
            count_trailing_zeros(n),
            first_leading_bit(n),
            first_trailing_bit(n),
            reverse_bits(n),
            extract_bits(n, 5, 11),
            insert_bits(n, 0x5a, 3, 9),
        ];
    }
}

#[cfg(test)]
mod tests {
    use super::math;
    use crate::support::{assert_close, clean, floats, numbers, scalars};
    use hirace::Launch;
    use hirace::prelude::{Vec2, Vec3};

    /// Tolerance: WGSL's accuracies differ by function; this is the accuracy of the least accurate one used here.
    const ACCURACY: f32 = 2e-3;

    fn pairs() -> Vec<Vec2> {
        let mut pairs: Vec<Vec2> =
            floats(26, 52).chunks(2).map(|p| Vec2::new(p[0], p[1]) * 3.0).collect();
        pairs.extend([Vec2::new(1.5, -2.5), Vec2::new(-0.5, 1.0), Vec2::new(0.75, 0.0)]);
        pairs
    }

    fn launch() -> Launch {
        Launch::new().workgroups(2).buffer("pairs", &pairs())
    }

    /// Returns the exponent for a fraction from 0.5 to 1.
    fn exponent(x: f32) -> i32 {
        x.abs().log2().floor() as i32 + 1
    }

    fn scalar_functions(p: &Vec2) -> [f32; 44] {
        let (x, y) = (p.x, p.y);
        let unit = x.abs().min(1.0);
        let s = ((x + 2.0) / 4.0).clamp(0.0, 1.0);
        [
            x.abs(),
            unit.acos(),
            (1.0 + unit).acosh(),
            unit.asin(),
            x.asinh(),
            x.atan(),
            x.atan2(y),
            (0.5 * unit).atanh(),
            x.ceil(),
            x.clamp(-1.0, 1.0),
            x.cos(),
            unit.cosh(),
            x.to_degrees(),
            (x - y).abs(),
            unit.exp(),
            unit.exp2(),
            x.floor(),
            x.mul_add(y, 1.0),
            x - x.floor(),
            (1.0 + unit).sqrt().recip(),
            8.0 * x,
            x.abs(),
            (1.0 + unit).ln(),
            (1.0 + unit).log2(),
            x.max(y),
            x.min(y),
            0.75 * x + 0.25 * y,
            (1.0 + unit).powf(y),
            x,
            x.to_radians(),
            x.round_ties_even(),
            x.signum(),
            x.sin(),
            unit.sinh(),
            s * s * (3.0 - 2.0 * s),
            unit.sqrt(),
            if 0.5 <= x { 1.0 } else { 0.0 },
            unit.tan(),
            x.tanh(),
            x.trunc(),
            x / 2f32.powi(exponent(x)),
            exponent(x) as f32,
            x.fract(),
            x.trunc(),
        ]
    }

    #[test]
    fn functions_of_wgsl_are_those_of_mathematics() {
        let run = clean(&math::scalars::kernel(), launch().buffer("results", &[[0f32; 44]; 16]));
        for (pair, results) in pairs().iter().zip(run.read::<[f32; 44]>("results")) {
            assert_close(&results, &scalar_functions(pair), ACCURACY);
        }
    }

    fn method_results(p: &Vec2) -> [f32; 24] {
        let (x, y) = (p.x, p.y);
        let unit = x.abs().clamp(0.0, 1.0);
        [
            unit.acos(),
            unit.asin(),
            x.atan(),
            x.atan2(y),
            x.ceil(),
            x.cos(),
            unit.exp(),
            unit.exp2(),
            x.floor(),
            x.round(),
            x.trunc(),
            x.fract(),
            (1.0 + unit).ln(),
            (1.0 + unit).log2(),
            x.max(y),
            x.min(y),
            (1.0 + unit).powf(y),
            x.powi(3),
            x.signum(),
            x.sin(),
            unit.sqrt(),
            unit.tan(),
            x.mul_add(y, 0.5),
            x.to_radians(),
        ]
    }

    #[test]
    fn methods_of_floats_are_those_of_std() {
        let launch = launch().buffer("under_methods", &[[0f32; 24]; 16]);
        let run = clean(&math::methods::kernel(), launch);
        for (pair, results) in pairs().iter().zip(run.read::<[f32; 24]>("under_methods")) {
            assert_close(&results, &method_results(pair), ACCURACY);
        }
    }

    fn vector_results(p: &Vec2) -> [Vec3; 10] {
        let a = Vec3::new(p.x, p.y, 1.5);
        let b = Vec3::new(0.5, p.x - 2.0, p.y);
        let unit = a.normalize();
        let k = 1.0 - 0.25 * (1.0 - unit.z * unit.z);
        [
            a.cross(b),
            Vec3::splat(a.dot(b)),
            if b.z < 0.0 { a } else { -a },
            unit,
            Vec3::new(a.x, -a.y, a.z),
            0.5 * unit - (-0.5 * unit.z + k.sqrt()) * -Vec3::Z,
            0.5 * (a + b),
            Vec3::new(a.length(), (a - b).length(), a.dot(b)),
            a.cross(b).normalize_or_zero(),
            0.75 * a + 0.25 * b + a.abs().floor() + a.min(b) + a.clamp(b.min(a), b.max(a)),
        ]
    }

    #[test]
    fn functions_of_vectors_are_those_of_geometry() {
        let launch = launch().buffer("of_vectors", &[[Vec3::ZERO; 10]; 16]);
        let run = clean(&math::vectors::kernel(), launch);
        for (pair, results) in pairs().iter().zip(run.read::<[Vec3; 10]>("of_vectors")) {
            assert_close(&scalars(&results), &scalars(&vector_results(pair)), ACCURACY);
        }
    }

    #[test]
    fn bits_are_counted_found_moved_and_replaced() {
        let mut numbers = numbers(14, 53);
        numbers.extend([0, u32::MAX]);
        let launch = Launch::new()
            .workgroups(2)
            .buffer("numbers", &numbers)
            .buffer("counts", &[[0u32; 8]; 16]);
        let run = clean(&math::bits::kernel(), launch);
        let expected = |n: &u32| {
            [
                n.leading_zeros(),
                n.count_ones(),
                n.trailing_zeros(),
                n.checked_ilog2().unwrap_or(u32::MAX),
                if *n == 0 { u32::MAX } else { n.trailing_zeros() },
                n.reverse_bits(),
                n >> 5 & 0x7ff,
                n & !0xff8 | 0x5a << 3,
            ]
        };
        assert_eq!(
            run.read::<[u32; 8]>("counts"),
            numbers.iter().map(expected).collect::<Vec<_>>()
        );
    }
}
