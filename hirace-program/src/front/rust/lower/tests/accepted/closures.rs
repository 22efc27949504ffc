#[hirace::monitor]
mod closures {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    struct Field {
        width: u32,
        height: u32,
    }

    impl Field {
        fn at(&self, cells: &[u32], x: u32, y: u32) -> u32 {
            cells[y * self.width + x]
        }

        fn sum_where(&self, cells: &[u32], keep: impl Fn(u32, u32) -> bool) -> u32 {
            let mut sum = 0;
            for y in 0..self.height {
                for x in 0..self.width {
                    if !keep(x, y) {
                        continue;
                    }
                    sum += self.at(cells, x, y);
                }
            }
            sum
        }
    }

    fn apply<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 {
        f(f(x))
    }

    fn each<F>(data: &mut [f32], mut f: F)
    where
        F: FnMut(u32, &mut f32),
    {
        for i in 0..4 {
            f(i, &mut data[i]);
        }
    }

    fn fold<T: Copy, const N: usize>(of: &[T; N], start: T, f: impl Fn(T, T) -> T) -> T {
        let mut all = start;
        for i in 0..N as u32 {
            all = f(all, of[i]);
        }
        all
    }

    fn first_above(data: &[f32], least: f32, is: impl Fn(&f32) -> bool) -> f32 {
        for i in 0..4 {
            if data[i] > least && is(&data[i]) {
                return data[i];
            }
        }
        -1.0
    }

    fn double(x: f32) -> f32 {
        x * 2.0
    }

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [f32],
        cells: &[u32],
        #[uniform] field: Field,
    ) {
        let scale = 3.0;
        let scaled = |x: f32| x * scale;
        let mut count = 0;
        let mut add = |by: u32| count += by;
        add(1);
        add(2);
        let early = |x: f32| {
            if x > 1.0 {
                return 1.0;
            }
            x + 0.5
        };
        let here = (|a: f32, (b, c): (f32, f32)| a + b * c)(1.0, (2.0, 3.0));
        out[id.x] = scaled(2.0) + early(here) + apply(|x| x + scale, 1.0) + apply(scaled, 2.0);
        out[id.x] += apply(double, 4.0) + fold(&[1.0, 2.0], 0.0, |a, b| a + b);
        out[id.x] += fold(&[1_u32, 2, 3], 1, |a, b| a * b) as f32 + count as f32;
        out[id.x] += field.sum_where(cells, |x, y| (x + y) % 2 == 0) as f32;
        each(out, |i, x| *x += i as f32);
        out[id.x] += first_above(out, 0.5, |x| *x < scale);
    }
}
