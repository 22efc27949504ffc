#[hirace::monitor]
mod halves {
    use half::f16;
    use hirace::prelude::*;

    const LARGE: f16 = f16::from_f32_const(70000.0);
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ WGSL has no constants that are not finite
    const ENDLESS: f16 = f16::INFINITY;
//                       ^^^^^^^^^^^^^ WGSL has no constants that are not finite: write the value where it is used
    #[overridable]
    const SCALE: f16 = f16::ONE;
//               ^^^ an override must be a `bool`, `i32`, `u32` or `f32`
    const NEAR: half::bf16 = 0;
//              ^^^^^^^^^^ `bf16` is not a type of WGSL: use `f32`, or `half::f16`

    fn sized<const N: f16>(x: u32) {}
//                    ^^^ a const parameter must be an integer of at most 32 bits or a `bool`

    fn casts(x: f16, y: f32, n: u32) {
        let a = x as f32;
//              ^^^^^^^^ `f16` cannot be converted to `f32` with `as`: write `….to_f32()`
        let b = x as u32;
//              ^^^^^^^^ `f16` cannot be converted to `u32` with `as`: convert it to `f32` first, `….to_f32()`
        let c = y as f16;
//              ^^^^^^^^ `f32` cannot be converted to `f16` with `as`: write `f16::from_f32(…)`
        let d = n as f16;
//              ^^^^^^^^ `u32` cannot be converted to `f16` with `as`: convert it to `f32` first, `f16::from_f32(… as f32)`
        let e: f16 = 1.0;
//                   ^^^ expected `f16`, found `{float}`: `f16` has no literals, write `f16::from_f32(…)`
        let f: f16 = y;
//                   ^ expected `f16`, found `f32`: convert it, `f16::from_f32(…)`
        let g: f32 = x;
//                   ^ expected `f32`, found `f16`: convert it, `….to_f32()`
        let h = x * 2.0;
//              ^^^^^^^ `f16 * {float}` is not defined: `f16` has no literals: write `f16::from_f32(…)`
        let i = x * y;
//              ^^^^^ `f16 * f32` is not defined: convert one side, `….to_f32()` or `f16::from_f32(…)`
        let j = x < 1;
//              ^^^^^ `f16 < {integer}` is not defined: `f16` has no literals: write `f16::from_f32(…)`
        let k = 1.0f16;
//              ^^^^^^ `half::f16` has no literals: write `f16::from_f32(…)`
        let l = f16::from(y);
//              ^^^^^^^^^^^^ `f16` cannot be converted from `f32` with `from`: convert it, `f16::from_f32(…)`
        let m = f16::from(n);
//              ^^^^^^^^^^^^ `f16` cannot be converted from `u32` with `from`: convert it, `f16::from_f32(… as f32)`
        let o = u32::from(x);
//              ^^^^^^^^^^^^ `u32` cannot be converted from `f16` with `from`: convert it, `….to_f32() as u32`
    }

    fn methods(x: f16, of: [f16; 3]) {
        let a = x.sqrt();
//                ^^^^ `f16` has no method `sqrt`: convert it, `….to_f32().sqrt(…)`
        let b = x.abs();
//                ^^^ `f16` has no method `abs`: convert it, `….to_f32().abs(…)`
        let c = f16::from_f64(1.0);
//              ^^^^^^^^^^^^^ `f16` has no function `from_f64`
        let d = f16::TAU;
//              ^^^^^^^^ `f16` has no constant `TAU`
        let e: f16 = of.iter().sum();
//                   ^^^^^^^^^^^^^^^ `half` adds and multiplies items as `f32`: map them with `f16::to_f32` first, or use `.fold(…)`
        let f = of.iter().copied().product::<f16>();
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `half` adds and multiplies items as `f32`: map them with `f16::to_f32` first, or use `.fold(…)`
        let g = sqrt(x);
//              ^^^^^^^ `sqrt` takes `f32` or vectors of it, not `f16`
        let h = select(x, x, true);
//              ^^^^^^^^^^^^^^^^^^ `select` takes numbers, `bool` or vectors of them, not `f16`
        let i = x & x;
//              ^^^^^ `f16 & f16` is not defined
        let j = !x;
//              ^^ cannot apply `!` to `f16`: use a `bool` or an integer
        let k = of[x];
//                 ^ an index must be an integer: convert it, `… as usize`
        let l = HVec2::new(x, x);
//              ^^^^^^^^^^ `HVec2::new` is not monitored: mark its declaration with `#[hirace::monitor]`
    }

    #[kernel(workgroup_size(64))]
    fn memory(#[uniform] list: &[f16; 8], sum: &Atomic<f16>) {
//                             ^^^^^^^^^ `[f16; 8]` cannot be used here: the size of array elements in uniform memory must be a multiple of 16 bytes: use `Vec4` or `UVec4`, or a storage buffer, `&…` without `#[uniform]`
//                                              ^^^^^^^^^^^ an atomic must be of type `u32` or `i32`: write `Atomic<u32>`
        for x in f16::ZERO..f16::ONE {}
//               ^^^^^^^^^ the range of a `for` must be integers: compute the float inside the loop, `i as f32 * step`
    }
}

#[hirace::monitor]
mod renamed {
    use half::f16 as h;
//  ^^^^^^^^^^^^^^^^^^^ these imports cannot be renamed in kernels: remove `as`
}
