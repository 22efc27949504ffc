#[hirace::monitor(workgroup_size(64))]
fn flow(
    #[builtin(local_invocation_index)] lane: u32,
    output: &mut [f32],
    hits: &Atomic<u32>,
) {
    break;
//  ^^^^^ this is outside of a loop
    continue;
//  ^^^^^^^^ this is outside of a loop
    'outer: loop {
        break 'outre;
//             ^^^^^ unknown label `'outre` (did you mean `outer`?)
    }
    while true {
        break 1;
//            ^ only `loop` and labeled blocks can break with a value: assign it to a `let mut` declared before the loop
    }
    let a: u32 = loop {
//               ^^^^^^ expected `u32`, found `{float}`: write it without a decimal point, or convert it, `… as u32`
        break 1.0;
    };
    let b = 'block: {
        continue 'block;
//               ^^^^^^ `continue` cannot target a labeled block
        1
    };
    return 1;
//         ^ expected `()`, found `{integer}`
    match lane {
        0 => 1,
        1 => 2.0,
//           ^^^ expected `{integer}`, found `{float}`
        _ => 3,
    };
    match lane {
        1.0 => {}
//      ^^^ expected `u32`, found `{float}`: write it without a decimal point, or convert it, `… as u32`
        "a" => {}
//      ^^^ WGSL has no strings: use numbers
        -1 => {}
//      ^^ -1 is out of range for `u32`
        Some(x) => {}
//      ^^^^^^^ expected `u32`, found `Option<_>`
        &y => {}
//      ^^ expected a reference, found `u32`: remove `&`
        ref z => {}
//      ^^^ references can only be passed to functions: remove `ref`
        (a, b) => {}
//      ^^^^^^ expected `u32`, found a tuple with 2 elements
        0 if lane => {}
//           ^^^^ expected `bool`, found `u32`: compare it, `… != 0`
        [a, ..] => {}
//      ^^^^^^^ this type cannot be matched, only numbers, `bool`, enums and tuples of these: destructure it with `let` first
        _ => {}
    }
    match lane {}
//  ^^^^^^^^^^^^^ a `match` must have at least one arm
    match hits.compare_exchange(0, 1) {
        Ok(x) => {}
        Err(y, z) => {}
//      ^^^^^^^^^ `Err` has one field: the old value
    }
    let c = match lane { 0 => true, _ => 1 };
//                                       ^ expected `bool`, found `{integer}`
    if let Some(x) = lane { }
//         ^^^^^^^ expected `u32`, found `Option<_>`
    if lane == 0 && let 1 = lane { }
    let d;
//      ^ type annotations needed: write `let x: T = …`
    let e = d;
    let f: u32;
    f = 1.0;
//      ^^^ expected `u32`, found `{float}`: write it without a decimal point, or convert it, `… as u32`
    let (g, h): (u32, f32) = (1.0, 2);
//                            ^^^ expected `u32`, found `{float}`: write it without a decimal point, or convert it, `… as u32`
//                                 ^ expected `f32`, found `{integer}`: write it with a decimal point, `1.0`
    let 1 = lane;
//      ^ refutable pattern in `let`: use `match` or `if let`
    let ref i = lane;
//      ^^^ references can only be passed to functions: remove `ref`
    let x @ y = lane;
    loop { }.foo();
}

#[hirace::monitor]
mod calls {
    struct Params {
        scale: f32,
        offset: Vec3,
    }

    fn scaled(x: f32, params: &Params) -> f32 {
        x * params.scale
    }

    fn bump(x: &mut u32) {
        *x += 1;
    }

    fn read_only(x: &u32) {
        *x = 1;
//      ^^ `x` is behind a `&` reference: declare it as `&mut`
        bump(x);
//           ^ expected a mutable reference: write `&mut`
    }

    fn wrong_result(x: u32) -> f32 {
        x
//      ^ expected `f32`, found `u32`: convert it, `… as f32`
    }

    fn no_result(x: u32) -> f32 {
//                              ^ expected `f32`, found `()`: is there a `;` after the value?
        x as f32;
    }

    fn sum(values: &[f32]) -> f32 {
        values[0]
    }

    #[kernel(workgroup_size(64))]
    fn main(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] params: Params,
        words: &mut [u32],
        reads: &[u32],
    ) {
        let a = scaled(1.0);
//              ^^^^^^^^^^^ `scaled` takes 2 arguments, not 1
        let b = scaled(1, &params);
//                     ^ expected `f32`, found `{integer}`: write it with a decimal point, `1.0`
        let c = scaled(1.0, params);
//                          ^^^^^^ expected `&Params`, found `Params`: write `&` before it
        let d = scaled(1.0, &lane);
//                          ^^^^^ expected `&Params`, found `&u32`
        bump(words[0]);
//           ^^^^^^^^ expected `&mut u32`, found `u32`: write `&mut` before it
        bump(&words[0]);
//           ^^^^^^^^^ expected a mutable reference: write `&mut`
        bump(&mut reads[0]);
//                ^^^^^^^^ `reads` is read-only in this kernel: declare it as `&mut`
        bump(&mut lane + 1);
//           ^^^^^^^^^ expected a value, found a reference: write `*` before it
        let e = Params { scale: 1.0 };
//              ^^^^^^^^^^^^^^^^^^^^^ missing `offset` in initializer of `Params`
        let f = Params { scale: 1.0, offset: Vec3::ZERO, other: 1 };
//                                                       ^^^^^ `Params` has no field `other`
        let g = Params { scale: 1, offset: 2.0 };
//                              ^ expected `f32`, found `{integer}`: write it with a decimal point, `1.0`
//                                         ^^^ expected `Vec3`, found `{float}`
        let h = params.scael;
//                     ^^^^^ `Params` has no field `scael` (did you mean `scale`?)
        let i = params.scaled(1.0);
//                     ^^^^^^ `Params` has no method `scaled`
        let j = scalde(1.0, &params);
//              ^^^^^^ unknown function `scalde` (did you mean `scaled`?); if `scalde` is declared elsewhere, mark it with `#[hirace::monitor]`
        main(lane);
//      ^^^^^^^^^^ a kernel cannot be called: move the common code of `main` into a helper
        let k = main;
        let l = scaled;
        let m = sum(words);
//                  ^^^^^ expected `&[f32]`, found `&mut [u32]`
        params.scale = 1.0;
//      ^^^^^^^^^^^^ uniform memory is read-only
        let n = *params;
//              ^^^^^^^ cannot dereference a `Params`: remove `*`
        let o = Params::new(1.0);
//              ^^^^^^^^^^^ `Params` has no function `new`
        let p = Parms { scale: 1.0 };
//              ^^^^^ unknown struct `Parms` (did you mean `Params`?)
        let q = params == params;
        let r = Params(1.0, 2.0);
//              ^^^^^^ `Params` has named fields: write `Params { … }`
    }
}

#[hirace::monitor(workgroup_size(64))]
fn complete(#[builtin(local_invocation_index)] lane: u32, ints: &mut [i32], flags: &mut [u32], hits: &Atomic<u32>) {
    match lane {
//        ^^^^ non-exhaustive `match`: `10` is not covered; add an arm `_ => …`
        0..=9 => {}
        11.. => {}
    }
    match ints[lane] {
//        ^^^^^^^^^^ non-exhaustive `match`: `-2147483648` is not covered; add an arm `_ => …`
        0.. => {}
        -5 => {}
    }
    match lane == 1 {
//        ^^^^^^^^^ non-exhaustive `match`: `false` is not covered; add an arm `_ => …`
        true => {}
    }
    match (lane == 1, lane) {
//        ^^^^^^^^^^^^^^^^^ non-exhaustive `match`: `(false, 1)` is not covered; add an arm `_ => …`
        (true, _) => {}
        (false, 0) => {}
        (false, 2..) => {}
    }
    match hits.compare_exchange(0, 1) {
//        ^^^^^^^^^^^^^^^^^^^^^^^^^^^ non-exhaustive `match`: `Err(2)` is not covered; add an arm `_ => …`
        Ok(_) => {}
        Err(0 | 1) => {}
    }
    match lane {
//        ^^^^ non-exhaustive `match`: `4` is not covered; add an arm `_ => …`
        x if x > 3 => {}
        0..=3 => {}
    }
    match 1.5 {
//        ^^^ non-exhaustive `match`: `_` is not covered; add an arm `_ => …`
        1.5 => {}
    }
    let a = workgroup_barrier();
//      ^ this expression has no value: remove `let`
    hits.fetch_add(1, Ordering::SeqCst);
//                    ^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed and cannot be `SeqCst`: write `Ordering::Relaxed`, and order accesses with `workgroup_barrier()` or another dispatch; if the algorithm depends on it, use `#[hirace::model]` and `hirace verify`
    for i in 0..SIZE {}
//              ^^^^ unknown name `SIZE`; if `SIZE` is declared elsewhere, mark it with `#[hirace::monitor]`
}
