#[hirace::monitor(workgroup_size(64))]
fn values(
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(global_invocation_id)] gid: UVec3,
    input: &[f32],
    output: &mut [f32],
    words: &mut [u32],
    #[uniform] scale: f32,
    hits: &Atomic<u32>,
) {
    let a = lane + 3usize;
//          ^^^^^^^^^^^^^ `u32 + usize` is not defined: convert one side, `… as u32` or `… as usize`
    let b = output[lane as isize];
//                 ^^^^^^^^^^^^^ an index must be a `usize`, `u32` or `i32`, not `isize`
    let c = output[1.5];
//                 ^^^ an index must be an integer: convert it, `… as usize`
    let d = output[scale];
//                 ^^^^^ an index must be an integer: convert it, `… as usize`
    let e = 5_000_000_000usize;
//          ^^^^^^^^^^^^^^^^^^ 5000000000 is out of range for `usize`: use a `u64`
    let f = 1u128 + 2i8 as u128;
//          ^^^^^ `u128` is not a type of WGSL: write `u64`
//                         ^^^^ `u128` is not a type of WGSL: its integers have at most 64 bits, use one or two `u64`
    let g = 1.0f64;
//          ^^^^^^ `f64` is not a type of WGSL: write `f32`
    let h = |x: f32| x * 2.0;
    let i = &output[0];
    let j = &mut output[lane];
    let k = output;
    let l = &output[1..3];
    let m = output.iter().sum();
    let n = vec![0.0; 3];
//          ^^^^^^^^^^^^ `vec!` is not supported in a kernel: WGSL has no allocation: write an array, `[0.0; 64]`
    let o = "text";
//          ^^^^^^ WGSL has no strings: use numbers
    let p = 'c';
//          ^^^ WGSL has no characters: write the number, `65u32`
    let q = lane + scale;
//          ^^^^^^^^^^^^ `u32 + f32` is not defined: convert one side, `… as u32` or `… as f32`
    let r = lane * 2.0;
//          ^^^^^^^^^^ `u32 * {float}` is not defined: convert the integer, `… as f32`, or write the number without a decimal point
    let s = scale * 2;
//          ^^^^^^^^^ `f32 * {integer}` is not defined: write the number with a decimal point, `2.0`
    let t: f32 = 1;
//               ^ expected `f32`, found `{integer}`: write it with a decimal point, `1.0`
    let u: u32 = 1.0;
//               ^^^ expected `u32`, found `{float}`: write it without a decimal point, or convert it, `… as u32`
    let v: i32 = lane;
//               ^^^^ expected `i32`, found `u32`: convert it, `… as i32`
    let w: bool = lane;
//                ^^^^ expected `bool`, found `u32`: compare it, `… != 0`
    let x = -lane;
//          ^^^^^ `u32` has no negative values: convert it first, `-(… as i32)`
    let y = !scale;
//          ^^^^^^ cannot apply `!` to `f32`: use a `bool` or an integer
    let z = lane as bool;
//          ^^^^^^^^^^^^ `u32` cannot be converted to `bool` with `as`: compare it, `… != 0`
}

#[hirace::monitor(workgroup_size(64))]
fn more(
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(global_invocation_id)] gid: UVec3,
    input: &[f32],
    output: &mut [f32],
    words: &mut [u32],
    #[uniform] scale: f32,
    hits: &Atomic<u32>,
) {
    input[lane] = 1.0;
//  ^^^^^^^^^^^ `input` is read-only in this kernel: declare it as `&mut`
    scale = 2.0;
//  ^^^^^ uniform memory is read-only
    output[lane] = lane;
//                 ^^^^ expected `f32`, found `u32`: convert it, `… as f32`
    output[lane] += lane;
//  ^^^^^^^^^^^^^^^^^^^^ `f32 + u32` is not defined: convert one side, `… as f32` or `… as u32`
    hits += 1;
//  ^^^^ an atomic cannot be assigned to: use a method such as `.fetch_add(…)`
    let a = hits + 1;
//          ^^^^^^^^ `Atomic<u32> + {integer}` is not defined: read the atomic with `.load()`
    *lane = 1;
//  ^^^^^ cannot dereference a `u32`: remove `*`
    output = input;
//  ^^^^^^ a slice cannot be assigned as a whole: loop over its elements
//           ^^^^^ references can only be passed to functions: use the place itself
    words[0] = 3_000_000_000_000_000_000_000;
//             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this number is too large for WGSL: integers have at most 64 bits
    words[0] = 5_000_000_000;
//             ^^^^^^^^^^^^^ 5000000000 is out of range for `u32`: use a `u64`
    words[0] = -1;
//             ^^ -1 is out of range for `u32`
    let b = 3_000_000_000;
//          ^^^^^^^^^^^^^ 3000000000 is out of range for `i32`: use a `u32`
    output[lane] = inptu[lane];
//                 ^^^^^ unknown name `inptu` (did you mean `input`?); if `inptu` is declared elsewhere, mark it with `#[hirace::monitor]`
    output[lane] = sqrrt(1.0);
//                 ^^^^^ unknown function `sqrrt` (did you mean `sqrt`?); if `sqrrt` is declared elsewhere, mark it with `#[hirace::monitor]`
    output[lane] = gid.w;
//                     ^ `UVec3` has no field `w`: it has `x`, `y` and `z`
    output[lane] = gid.x;
//                 ^^^^^ expected `f32`, found `u32`: convert it, `… as f32`
    output[lane] = gid.xy;
//                     ^^ a swizzle is a method: write `.xy()`
    output[lane] = lane.x;
//                      ^ `u32` has no field `x`
    output[lane] = input.length();
//                       ^^^^^^ `[f32]` has no method `length`: write `x.len()`
    output[lane] = Some(1.0);
//                 ^^^^^^^^^ expected `f32`, found `Option<{float}>`
    let c = if lane == 0 { 1 } else { 2.0 };
//                                    ^^^ expected `{integer}`, found `{float}`
    if lane { }
//     ^^^^ expected `bool`, found `u32`: compare it, `… != 0`
    if lane = 1 { }
//          ^ expected a condition, found an assignment: write `==` to compare
    let d = if lane == 0 { 1.0 };
//                         ^^^ expected `()`, found `{float}`
    while 1 { }
//        ^ expected `bool`, found `{integer}`
    for i in input { }
    for i in 0..1.0 { }
//              ^^^ the range of a `for` must be integers: compute the float inside the loop, `i as f32 * step`
    for i in 0.. { }
//           ^^^ the range of a `for` needs a start and an end: write `0..n`, or use `loop`
    for i in input.iter() { }
    for i in 0..scale { }
//              ^^^^^ the range of a `for` must be integers: compute the float inside the loop, `i as f32 * step`
    for (i, j) in 0..4 { }
//      ^^^^^^ a loop variable must be a single name
    for i in (0..4).step_by(0) { }
//                          ^ the step must be at least 1
    for i in (0..=lane).step_by(2).rev() { }
//                                 ^^^ this order of `rev` and `step_by` is not supported: write `(a..b).rev().step_by(n)`
    let e = [1, 2.0];
//              ^^^ expected `{integer}`, found `{float}`
    let f = [];
//          ^^ an array in WGSL must have at least one element
    let g = [0; lane];
//              ^^^^ `lane` is known only while the kernel runs: use a constant here
    let h = [1, 2, 3][3];
//                    ^ index 3 is out of bounds: the last element is 2
    let i: [f32; 3] = [0.0; 4];
//                    ^^^^^^^^ expected `[f32; 3]`, found `[{float}; 4]`
    let (j, k) = (1, 2, 3);
//               ^^^^^^^^^ expected `(_, _)`, found `({integer}, {integer}, {integer})`
    let l = (1, 2).3;
//                 ^ this tuple has 2 fields
    let m = lane.min(scale);
//                   ^^^^^ expected `u32`, found `f32`: convert it, `… as u32`
    let n = lane.sqrt();
//               ^^^^ `u32` has no method `sqrt`
    let o = 2.0.sqrt();
//          ^^^ the type of this number must be known: write `1.0_f32`, or `let x: f32 = …`
    let p = max(1, 2.0);
//                 ^^^ expected `{integer}`, found `{float}`
    let q = clamp(1.0, 2.0);
//          ^^^^^^^^^^^^^^^ `clamp` takes 3 arguments, not 2
    let r = gid == lane;
//          ^^^^^^^^^^^ `UVec3 == u32` is not defined
    let s = gid < gid;
//          ^^^^^^^^^ `UVec3 < UVec3` is not defined: compare the components with `a.cmplt(b)`
    let t = lane == scale;
//          ^^^^^^^^^^^^^ `u32 == f32` is not defined: convert one side, `… as u32` or `… as f32`
    let u = gid * 2.0;
//          ^^^^^^^^^ `UVec3 * {float}` is not defined
    let v = true + false;
//          ^^^^^^^^^^^^ `bool + bool` is not defined
    let w = lane && true;
//          ^^^^ expected `bool`, found `u32`: compare it, `… != 0`
    let x = 1 << 2.0;
//          ^^^^^^^^ `{integer} << {float}` is not defined: write the number with a decimal point, `2.0`
    let y = Vec3::new(1.0, 2.0);
//          ^^^^^^^^^^^^^^^^^^^ `new` takes 3 arguments, not 2
    let z = Vec3::FOO;
//          ^^^^^^^^^ `Vec3` has no constant `FOO`
}

#[hirace::monitor(workgroup_size(64))]
fn syntax(
    #[builtin(local_invocation_index)] lane: u32,
    output: &mut [f32],
) {
    assert!(lane);
//          ^^^^ expected `bool`, found `u32`: compare it, `… != 0`
    println!("{lane}");
//  ^^^^^^^^^^^^^^^^^^ `println!` is not supported in a kernel: a kernel has no output except its buffers: write the values to one
    let a = dbg!(lane);
//          ^^^^^^^^^^ `dbg!` is not supported in a kernel: a kernel has no output except its buffers: write the values to one
    unsafe { output[0] = 1.0; }
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernels have no unsafe code: remove `unsafe`
    let b = async { 1 };
//          ^^^^^^^^^^^ kernels cannot be asynchronous: every invocation runs to its end
    let c = lane?;
//          ^^^^^ `?` can only be applied to an `Option` or a `Result`, not to a `u32`
    fn inner() {}
    const N: u32 = 1;
    use std::f32;
    let d = std::f32::sqrt(1.0);
//          ^^^^^^^^^^^^^^ write `x.sqrt(…)`
    let e = super::helper(lane);
//          ^^^^^^^^^^^^^ `super::helper` is not monitored: mark its declaration with `#[hirace::monitor]`
    let f = crate::LIMIT;
//          ^^^^^^^^^^^^ `crate::LIMIT` is not monitored: mark its declaration with `#[hirace::monitor]`
    let Ok(g) = lane else { return };
//      ^^^^^ expected `u32`, found `Result<_, _>`
    let 3 = lane + g else { lane };
//                        ^^^^^^^^ this `else` must diverge: end it with `return`, `break` or `continue`
}

#[hirace::monitor]
mod numbers {
    const SIZE: usize = 4;
    const LAST: u32 = 7;

    #[kernel(workgroup_size(64))]
    fn main(#[builtin(local_invocation_index)] lane: u32, out: &mut [f32; SIZE], words: &mut [u32]) {
        out[-1] = 0.0;
//          ^^ index -1 is out of bounds: the first element is 0
        out[LAST] = 0.0;
//          ^^^^ index 7 is out of bounds: the last element is 3
        out[LAST - 4] = 0.0;
        words[0] = LAST - 8;
//                 ^^^^^^^^ this operation overflows `u32`
        words[0] = 1 << 32;
//                 ^^^^^^^ this operation shifts by 32, but `u32` has only 32 bits
        words[0] = lane >> 33;
//                 ^^^^^^^^^^ this operation shifts by 33, but `u32` has only 32 bits
        words[0] = lane / 0;
//                 ^^^^^^^^ this operation divides by zero
        words[0] %= 0;
//      ^^^^^^^^^^^^^ this operation divides by zero
        words[0] = u32::MAX + 1;
//                 ^^^^^^^^^^^^ this operation overflows `u32`
        words[0] = 70_000 * 70_000;
//                 ^^^^^^^^^^^^^^^ this operation overflows `u32`
        let a = [0; SIZE - 4];
//                  ^^^^^^^^ an array in WGSL must have at least one element
        let b = 7 - 8;
        let c: [u32; 2] = [1, 2.0];
//                            ^^^ expected `{integer}`, found `{float}`
    }
}
