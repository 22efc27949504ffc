#[hirace::monitor]
mod closures {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    struct Field {
        width: u32,
        height: u32,
    }

    impl Field {
        fn sum_where(&self, cells: &[u32], keep: impl Fn(u32, u32) -> bool) -> u32 {
            let mut sum = 0;
            for y in 0..self.height {
                for x in 0..self.width {
                    if !keep(x, y) {
                        continue;
                    }
                    sum += cells[y * self.width + x];
                }
            }
            sum
        }
    }

    fn each<F>(data: &mut [f32], mut f: F)
    where
        F: FnMut(u32, &mut f32),
    {
        for i in 0..4 {
            f(i, &mut data[i]);
        }
    }

    fn twice(x: f32, f: impl Fn(f32) -> f32) -> f32 {
        f(f(x))
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
        let mut count = 0;
        let mut add = |by: u32| count += by;
        add(1);
        let early = |x: f32| {
            if x > 1.0 {
                return 1.0;
            }
            x + 0.5
        };
        let here = (|a: f32, (b, c): (f32, f32)| a + b * c)(1.0, (2.0, 3.0));
        out[id.x] = early(here) + twice(1.0, early) + twice(4.0, double) + count as f32;
        out[id.x] += field.sum_where(cells, |x, y| (x + y) % 2 == 0) as f32;
        each(out, |i, x| *x += i as f32);
    }
}
