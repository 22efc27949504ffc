#[hirace::monitor]
mod conversions {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    struct Rgb {
        r: f32,
        g: f32,
        b: f32,
    }

    #[derive(Clone, Copy)]
    struct Gray(f32);

    impl From<Rgb> for Gray {
        fn from(Rgb { r, g, b }: Rgb) -> Self {
            Gray(0.3 * r + 0.6 * g + 0.1 * b)
        }
    }

    impl From<[f32; 3]> for Rgb {
        fn from([r, g, b]: [f32; 3]) -> Self {
            Rgb { r, g, b }
        }
    }

    fn light(of: Gray) -> f32 {
        of.0
    }

    #[kernel(workgroup_size(64))]
    fn main(#[builtin(global_invocation_id)] id: UVec3, out: &mut [f32], words: &[u32]) {
        let i = id.x as usize;
        let bytes = words[i].to_le_bytes();
        let swapped = u32::from_be_bytes(bytes);
        let parts = [1.0, 2.0, 3.0].map(|x| x * 0.5);
        let color: Rgb = parts.into();
        let gray: Gray = color.into();
        let small: u32 = bytes[1].into();
        let flag: u32 = (swapped > 3).into();
        let all = bytes.map(|b| b as f32);
        out[i] = light(color.into()) + gray.0 + (small + flag + swapped) as f32 + all[2];
        out[i] += light(Gray::from(color)) + [3, 4].contains(&small) as u32 as f32;
    }
}
