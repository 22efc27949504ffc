#[hirace::monitor]
mod tuple_structs {
    use hirace::prelude::*;
    use std::ops::Add;

    #[derive(Clone, Copy, Default, PartialEq)]
    struct Degrees(f32);

    #[derive(Clone, Copy)]
    struct Cell(IVec2, u32);

    struct Plain;
    struct Doubled;

    trait Scale {
        fn of(x: f32) -> f32;
    }

    impl Scale for Plain {
        fn of(x: f32) -> f32 {
            x
        }
    }

    impl Scale for Doubled {
        fn of(x: f32) -> f32 {
            2.0 * x
        }
    }

    impl Add for Degrees {
        type Output = Self;
        fn add(self, Degrees(other): Degrees) -> Self {
            Self(self.0 + other)
        }
    }

    enum Fault {
        Empty,
    }

    fn check(n: u32) -> Result<(), Fault> {
        if n == 0 {
            return Err(Fault::Empty);
        }
        Ok(())
    }

    fn half(n: u32) -> Result<u32, Fault> {
        check(n)?;
        Ok(n / 2)
    }

    fn scaled<S: Scale>(x: f32, _: S) -> f32 {
        S::of(x)
    }

    fn parts(whole @ Degrees(x): Degrees) -> f32 {
        whole.0 + x
    }

    const NEAR: [(i32, i32); 3] = [(0, 1), (1, 0), (-1, 0)];

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [Degrees],
        cells: &[Cell],
        words: &[u32],
    ) {
        let UVec3 { x, y, .. } = id;
        let i = x as usize;
        let Cell(at, n) = cells[i];
        let sum = out[i] + Degrees(at.x as f32) + Degrees::default();
        let mut all = parts(sum) + y as f32;
        for (dx, dy) in NEAR {
            all += (dx + dy) as f32;
        }
        if (3..7).contains(&n) && (..=9).contains(&i) {
            all += 1.0;
        }
        let turns = i..i + n as usize;
        for j in turns.clone() {
            all += words[j] as f32;
        }
        for word in &words[turns.clone()] {
            all += *word as f32;
        }
        all += turns.map(|j| j as f32).sum::<f32>() + b'a' as f32;
        all += scaled(1.0, Plain) + scaled::<Doubled>(2.0, Doubled);
        if let Ok(n) = half(n) {
            all += n as f32;
        }
        out[i] = Degrees(all);
    }
}
