#[hirace::monitor]
mod uniforms {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    struct Inner {
        a: u32,
        list: [Vec4; 2],
    }

    #[derive(Clone, Copy)]
    struct Outer {
        inner_a: f32,
        inner: Inner,
        after: Vec2,
    }

    fn of(inner: &Inner, at: usize) -> f32 {
        inner.list[at].y
    }

    #[kernel(workgroup_size(64))]
    fn main(#[uniform] outer: &Outer, #[uniform] by_value: Outer, out: &mut [f32]) {
        let copy = *outer;
        out[0] = of(&outer.inner, 1) + copy.inner.list[0].x + by_value.inner.list[1].z;
        out[1] = outer.after.y + by_value.inner_a + outer.inner.a as f32;
    }
}
