#[hirace::monitor]
mod const_fns {
    use hirace::prelude::*;

    const fn table() -> [u32; 16] {
        let mut table = [0; 16];
        let mut byte = 0;
        while byte < 16 {
            let mut crc = byte as u32;
            let mut bit = 0;
            while bit < 4 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
                bit += 1;
            }
            table[byte] = crc;
            byte += 1;
        }
        table
    }

    const POLYNOMIAL: u32 = 0xedb8_8320;
    const TABLE: [u32; 16] = table();

    #[derive(Clone, Copy)]
    struct Complex {
        re: f32,
        im: f32,
    }

    impl Complex {
        const ZERO: Self = Self::new(0.0, 0.0);
        const I: Complex = Complex::new(0.0, 1.0).times(2.0);

        const fn new(re: f32, im: f32) -> Self {
            Self { re, im }
        }

        const fn times(self, by: f32) -> Self {
            Self { re: self.re * by, im: self.im * by }
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Size {
        Small,
        Large(u32),
    }

    const fn size(of: u32) -> Size {
        match of {
            0..=9 => Size::Small,
            _ if of % 2 == 0 => Size::Large(of / 2),
            other => Size::Large(other),
        }
    }

    const fn log2(of: usize) -> usize {
        let mut bits = 0;
        loop {
            if 1 << bits >= of {
                return bits;
            }
            bits += 1;
        }
    }

    const fn hash(mut x: u32) -> u32 {
        x ^= x >> 16;
        x = x.wrapping_mul(0x7feb_352d).rotate_left(5);
        x
    }

    const LARGE: Size = size(40);
    const STAGES: usize = log2(64);
    const SEEDS: [u32; STAGES] = [hash(1), hash(2), hash(3), hash(4), hash(5), hash(6)];

    #[kernel(workgroup_size(64))]
    fn uses(words: &mut [u32], #[workgroup] tile: &mut [u32; STAGES]) {
        let n = words[0] as usize;
        let sum = Complex::ZERO.re + Complex::I.im;
        tile[0] = match LARGE {
            Size::Large(n) => n,
            Size::Small => SEEDS[1],
        };
        words[1] = TABLE[n % 16] + sum as u32 + tile[0];
    }
}
