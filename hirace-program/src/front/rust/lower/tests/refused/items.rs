#[hirace::monitor]
mod kernels {
    use super::*;
    use hirace::prelude::*;
    use std::collections::HashMap as Map;
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ what is imported of these keeps its name in kernels: leave `as` out

    enum Shape {
        Round,
        Square,
    }

    trait Area {
        fn area(&self) -> f32;
    }

    struct Params {
        scale: f32,
        scale: f32,
//      ^^^^^ `scale` is declared twice
    }

    impl Params {
        fn twice(&self) -> f32 {
            self.scale * 2.0
        }
    }

    struct Pair(f32, f32);

    struct Empty;

    struct Generic<T> {
//                ^^^ structs have no parameters in WGSL: write one for each
        value: T,
    }

    struct Node {
        next: Node,
//            ^^^^ `Node` contains itself: WGSL has no pointers in memory
    }

    struct Early {
        data: [f32],
//            ^^^^^ an array without length is the last member of its struct, or has a length: `[T; N]`
        count: u32,
    }

    struct Holds {
        texture: Texture2d<f32>,
//               ^^^^^^^^^^^^^^ `Texture2d<f32>` cannot be a member of a struct
        pair: (f32, f32),
//            ^^^^^^^^^^ `(f32, f32)` cannot be a member of a struct
        reference: &'static f32,
//                 ^^^^^^^^^^^^ references are parameters only: they are not kept, returned or put into one another
        #[align(3)]
//              ^ `align` takes a power of two, or a size above 0
        aligned: f32,
        #[packed]
//      ^^^^^^^^^ unknown attribute `packed`
        packed: f32,
    }

    static COUNTER: u32 = 0;
//  ^^^^^^^^^^^^^^^^^^^^^^^^ memory is given to kernels as parameters: `#[workgroup] x: &mut T`, `#[private] x: &mut T`; what never changes is a `const`

    const A: u32 = B;
    const B: u32 = A;
//                 ^ the value of `A` depends on itself
    const C: f64 = 1.0;
//           ^^^ `f64` is not a type of WGSL: use `f32`
    const D: u32 = -1;
//                 ^^ -1 is out of the range of `u32`
    const E: f32 = 1;
//                 ^ expected `f32`, found `{integer}`: write it with a point, `1.0`
    const F: u32 = helper(1);
//                 ^^^^^^^^^ a constant is computed by `const fn`: write that in place of the `fn` before `helper`
    const G: u32 = 5_000_000_000;
//                 ^^^^^^^^^^^^^ 5000000000 is out of the range of `u32`: write it as a `u64`
    const H: &str = "text";
//           ^^^^ references are parameters only: they are not kept, returned or put into one another
    #[overridable]
    const I: Vec3 = Vec3::ZERO;
//           ^^^^ an override is a `bool`, `i32`, `u32` or `f32`
    #[overridable(name = 3)]
//  ^^^^^^^^^^^^^^^^^^^^^^^^ write `#[overridable]` or `#[overridable(id = 3)]`
    const J: u32 = 1;
    const K: [f32; 2] = [1.0, 2.0, 3.0];
//                      ^^^^^^^^^^^^^^^ expected `[f32; 2]`, found `[{float}; 3]`
    const L: usize = 4;
    const M: u32 = L;
//                 ^ expected `u32`, found `usize`: convert it, `… as u32`

    macro_rules! twice {
//  ^^^^^^^^^^^^^^^^^^^^ macros are expanded after kernels are read: write out what it stands for
        ($x:expr) => {
            $x * 2
        };
    }

    mod inner {}
//  ^^^^^^^^^^^^ a module inside a monitored module: monitor it by itself, or move its items out

    fn helper(x: u32) -> u32 {
        x
    }

    fn helper(y: u32) -> u32 {
//     ^^^^^^ `helper` is defined twice
        y
    }

    fn sized<const N: usize, const ON: bool>(x: &[f32; N]) -> f32 {
        match 1u32 {
            N => x[0],
//          ^ Rust has no const parameters in patterns: write `x if x == N`
            _ => 0.0,
        }
    }

    fn made<const N: usize>() -> [f32; N] {
        [0.0; N]
    }

    fn calls(x: &[f32; 4], y: &[f32; 5]) {
        sized(x);
//      ^^^^^ nothing here says what `ON` is: write it, `sized::<…>(…)`
        sized::<4>(x);
//           ^^^^^ `sized` has 2 const parameters, not 1
        sized::<4, 1>(x);
//                 ^ expected `bool`, found `{integer}`
        sized::<4, true>(y);
//                       ^ expected `&[f32; 4]`, found `&[f32; 5]`
        sized::<_, 'a>(x);
//                 ^^ this is no value: helpers have const parameters alone
        made();
//      ^^^^^^ nothing here says what `N` is: write it, `made::<…>(…)`
        let small: [f32; 2] = made::<3>();
//                            ^^^^^^^^^^^ expected `[f32; 2]`, found `[f32; 3]`
    }

    fn marked(#[workgroup] tile: &mut [f32; 4]) {}
//            ^^^^^^^^^^^^ only kernels have such parameters: pass the value on, or mark the function `#[kernel(workgroup_size(64))]`

    fn by_value(x: [f32]) {}
//                 ^^^^^ an array without length is a buffer (`&[T]`, `&mut [T]`) or the last member of a buffer's struct; else it has a length: `[T; N]`

    fn gives_reference(x: &f32) -> &f32 {
//                                 ^^^^ references are parameters only: they are not kept, returned or put into one another
        x
    }

    #[cfg(test)]
//  ^^^^^^^^^^^^ `cfg` inside a monitored item: what is compiled must not depend on it; put it on the whole item, or branch on an `#[overridable] const`
    fn conditional() {}

    #[test]
//  ^^^^^^^ a test inside a monitored item: write it beside the item
    fn test() {}

    #[kernal(workgroup_size(1))]
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown attribute `kernal` (did you mean `kernel`?)
    fn misspelt() {}

    fn method(self) {}
//            ^^^^ `self` is a parameter of functions in an `impl`
}

#[hirace::monitor]
mod recursion {
    fn even(n: u32) -> bool {
        if n == 0 { true } else { odd(n - 1) }
    }

    fn odd(n: u32) -> bool {
        if n == 0 { false } else { even(n - 1) }
//                                 ^^^^^^^^^^^ WGSL has no recursion (even → odd → even): write a loop, with a stack in an array if it needs one
    }

    fn itself(n: u32) -> u32 {
        itself(n)
//      ^^^^^^^^^ WGSL has no recursion (itself → itself): write a loop, with a stack in an array if it needs one
    }
}

#[hirace::monitor]
mod shared {
    #[kernel(workgroup_size(64))]
    fn first(data: &mut [f32], #[uniform] n: u32, extra: &[u32]) {}

    #[kernel(workgroup_size(64))]
    fn second(data: &mut [u32], n: &u32, #[binding(1, 0)] extra: &[u32]) {}

    #[kernel(workgroup_size(64))]
    fn third(#[binding(1, 1)] extra: &[u32]) {
//           ^^^^^^^^^^^^^^^^ `extra` has another binding in another kernel
        first(extra);
//      ^^^^^^^^^^^^ `first` is a kernel, which is only launched: move what both do into a helper
        let x: [f32; 4] = [0.0; LENGTH];
//                              ^^^^^^ unknown name `LENGTH`; if `LENGTH` stands elsewhere, mark it with `#[hirace::monitor]`
    }
}
