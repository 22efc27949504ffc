#[hirace::monitor]
mod halves {
    use half::f16;
    use hirace::prelude::*;

    const SCALE: f16 = f16::from_f32_const(1.0 / 3.0);
    const BACK: f32 = SCALE.to_f32_const() * 3.0;
    const ENDS: [f16; 2] = [f16::MIN, half::f16::MAX];
    const SMALL: f16 = f16::MIN_POSITIVE_SUBNORMAL;

    #[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
    struct Pixel {
        red: f16,
        green: f16,
        depth: f32,
        rest: [f16; 3],
    }

    struct Sizes {
        scale: f16,
        bias: f16,
        count: u32,
    }

    fn scaled(x: f16, by: impl Fn(f16) -> f16) -> f16 {
        by(x) * SCALE
    }

    fn mean<const N: usize>(of: &[f16; N]) -> f32 {
        of.iter().map(|x| x.to_f32()).sum::<f32>() / N as f32
    }

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] sizes: &Sizes,
        pixels: &mut [Pixel],
        out: &mut [f16],
        pairs: &[[f16; 2]],
        #[workgroup] tile: &mut [f16; 64],
        #[private] last: &mut f16,
    ) {
        let i = id.x as usize;
        let [a, b] = pairs[i];
        let mut c: half::f16 = a * b + SCALE - ENDS[1] / b % SMALL;
        c += a;
        c -= -b;
        c *= f16::from_f32(0.5);
        c /= f16::from(7u8);
        c %= 3i8.into();
        *last = c;
        tile[i % 64] = if a <= b && c != f16::NAN { *last } else { half::f16::ZERO };
        workgroup_barrier();
        let wide: f32 = tile[0].into();
        pixels[i].depth = wide + f32::from(c) + BACK + mean(&pixels[i].rest) + f16::PI.to_f32();
        pixels[i].red = scaled(a, |x| x + sizes.bias).clamp(f16::ZERO, f16::ONE);
        pixels[i].rest = [a.min(b), a.max(b), a.copysign(b).signum()];
        let fresh = Pixel { green: f16::INFINITY, ..Pixel::default() };
        if pixels[i] == fresh || (a, b) < (b, c) {
            pixels[i] = fresh;
        }
        out[i] = match pixels.get(i + 1) {
            Some(next) if !next.red.is_nan() => f16::from_bits(next.green.to_bits() & 0x7fff),
            Some(_) => f16::from_f32(1e9),
            None => sizes.scale,
        };
        let all = [a, b, c].map(f16::to_f32);
        out[i + 1] = f16::from_f32(all[0] * all[1]);
        let least = tile.iter().fold(f16::MAX, |least, x| least.min(*x));
        if least.is_infinite() || least.is_finite() && least.is_sign_negative() {
            std::mem::swap(&mut c, last);
        }
    }
}

#[hirace::monitor(workgroup_size(64))]
fn alone(#[builtin(local_invocation_index)] lane: u32, out: &mut [half::f16]) {
    out[lane] = half::f16::from_f32(lane as f32) + half::f16::EPSILON;
}
