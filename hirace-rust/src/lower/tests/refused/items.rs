#[hirace::monitor]
mod kernels {
    use super::*;
    use hirace::prelude::*;
    use std::collections::HashMap as Map;
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ these imports cannot be renamed in kernels: remove `as`

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
//      ^^^^^ the name `scale` is declared multiple times
    }

    impl Params {
        fn twice(&self) -> f32 {
            self.scale * 2.0
        }
    }

    struct Pair(f32, f32);

    struct Empty;

    struct Generic<T> {
//                ^^^ generic structs are not supported: write one struct for each type
        value: T,
    }

    struct Node {
        next: Node,
//            ^^^^ recursive type `Node`: WGSL has no pointers in memory
    }

    struct Early {
        data: [f32],
//            ^^^^^ a slice must be the last field of its struct: move it, or write `[T; N]`
        count: u32,
    }

    struct Holds {
        texture: Texture2d<f32>,
//               ^^^^^^^^^^^^^^ `Texture2d<f32>` cannot be a field of a struct
        pair: (f32, f32),
//            ^^^^^^^^^^ `(f32, f32)` cannot be a field of a struct
        reference: &'static f32,
//                 ^^^^^^^^^^^^ references can only be parameters: they cannot be stored, returned or nested
        #[align(3)]
//              ^ the value of `align` must be above 0, and for `align` a power of two
        aligned: f32,
        #[packed]
//      ^^^^^^^^^ unknown attribute `packed`
        packed: f32,
    }

    static COUNTER: u32 = 0;
//  ^^^^^^^^^^^^^^^^^^^^^^^^ statics are not supported in kernels: declare a parameter, `#[workgroup] x: &mut T` or `#[private] x: &mut T`, or a `const`

    const A: u32 = B;
    const B: u32 = A;
//                 ^ cycle in the value of `A`
    const C: f64 = 1.0;
//           ^^^ `f64` is not a type of WGSL: use `f32`
    const D: u32 = -1;
//                 ^^ -1 is out of range for `u32`
    const E: f32 = 1;
//                 ^ expected `f32`, found `{integer}`: write it with a decimal point, `1.0`
    const F: u32 = helper(1);
//                 ^^^^^^^^^ a constant can only call a `const fn`: declare `helper` as `const fn`
    const G: u32 = 5_000_000_000;
//                 ^^^^^^^^^^^^^ 5000000000 is out of range for `u32`: use a `u64`
    const H: &str = "text";
//           ^^^^ references can only be parameters: they cannot be stored, returned or nested
    #[overridable]
    const I: Vec3 = Vec3::ZERO;
//           ^^^^ an override must be a `bool`, `i32`, `u32` or `f32`
    #[overridable(name = 3)]
//  ^^^^^^^^^^^^^^^^^^^^^^^^ malformed attribute: write `#[overridable]` or `#[overridable(id = 3)]`
    const J: u32 = 1;
    const K: [f32; 2] = [1.0, 2.0, 3.0];
//                      ^^^^^^^^^^^^^^^ expected `[f32; 2]`, found `[{float}; 3]`
    const L: usize = 4;
    const M: u32 = L;
//                 ^ expected `u32`, found `usize`: convert it, `… as u32`

    macro_rules! twice {
//  ^^^^^^^^^^^^^^^^^^^^ kernels are read before macros are expanded: write the code without the macro
        ($x:expr) => {
            $x * 2
        };
    }

    mod inner {}
//  ^^^^^^^^^^^^ nested modules are not supported in a monitored module: monitor it separately, or move its items out

    fn helper(x: u32) -> u32 {
        x
    }

    fn helper(y: u32) -> u32 {
//     ^^^^^^ the name `helper` is defined multiple times
        y
    }

    fn sized<const N: usize, const ON: bool>(x: &[f32; N]) -> f32 {
        match 1u32 {
            N => x[0],
//          ^ const parameters cannot be used in patterns: write `x if x == N`
            _ => 0.0,
        }
    }

    fn made<const N: usize>() -> [f32; N] {
        [0.0; N]
    }

    fn calls(x: &[f32; 4], y: &[f32; 5]) {
        sized(x);
//      ^^^^^ cannot infer `ON`: write `sized::<…>(…)`
        sized::<4>(x);
//           ^^^^^ `sized` has 2 const parameters, not 1
        sized::<4, 1>(x);
//                 ^ expected `bool`, found `{integer}`
        sized::<4, true>(y);
//                       ^ expected `&[f32; 4]`, found `&[f32; 5]`
        sized::<_, 'a>(x);
//                 ^^ expected a const argument: helpers have only const parameters
        made();
//      ^^^^^^ cannot infer `N`: write `made::<…>(…)`
        let small: [f32; 2] = made::<3>();
//                            ^^^^^^^^^^^ expected `[f32; 2]`, found `[f32; 3]`
    }

    fn marked(#[workgroup] tile: &mut [f32; 4]) {}
//            ^^^^^^^^^^^^ only kernels can have such parameters: pass the value as an argument, or mark the function with `#[kernel(workgroup_size(64))]`

    fn by_value(x: [f32]) {}
//                 ^^^^^ a slice can only be a buffer (`&[T]`, `&mut [T]`) or the last field of a buffer's struct: write `[T; N]`

    fn gives_reference(x: &f32) -> &f32 {
//                                 ^^^^ references can only be parameters: they cannot be stored, returned or nested
        x
    }

    #[cfg(test)]
//  ^^^^^^^^^^^^ `cfg` is not supported inside a monitored item: put it on the whole item, or branch on an `#[overridable] const`
    fn conditional() {}

    #[test]
//  ^^^^^^^ a test cannot be inside a monitored item: move it next to the item
    fn test() {}

    #[kernal(workgroup_size(1))]
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown attribute `kernal` (did you mean `kernel`?)
    fn misspelt() {}

    fn method(self) {}
//            ^^^^ `self` is only available in functions of an `impl`
}

#[hirace::monitor]
mod recursion {
    fn even(n: u32) -> bool {
        if n == 0 { true } else { odd(n - 1) }
    }

    fn odd(n: u32) -> bool {
        if n == 0 { false } else { even(n - 1) }
//                                 ^^^^^^^^^^^ WGSL has no recursion (even → odd → even): write a loop, with a stack in an array if necessary
    }

    fn itself(n: u32) -> u32 {
        itself(n)
//      ^^^^^^^^^ WGSL has no recursion (itself → itself): write a loop, with a stack in an array if necessary
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
//           ^^^^^^^^^^^^^^^^ `extra` has a different binding in another kernel
        first(extra);
//      ^^^^^^^^^^^^ a kernel cannot be called: move the common code of `first` into a helper
        let x: [f32; 4] = [0.0; LENGTH];
//                              ^^^^^^ unknown name `LENGTH`; if `LENGTH` is declared elsewhere, mark it with `#[hirace::monitor]`
    }
}
