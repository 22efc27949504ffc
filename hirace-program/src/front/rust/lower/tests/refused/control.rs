#[hirace::monitor(workgroup_size(64))]
fn flow(
    #[builtin(local_invocation_index)] lane: u32,
    output: &mut [f32],
    hits: &Atomic<u32>,
) {
    break;
//  ^^^^^ this is in no loop
    continue;
//  ^^^^^^^^ this is in no loop
    'outer: loop {
        break 'outre;
//             ^^^^^ unknown label `'outre` (did you mean `outer`?)
    }
    while true {
        break 1;
//            ^ only `loop` and blocks with labels give a value: assign it to a `let mut` before the loop
    }
    let a: u32 = loop {
//               ^^^^^^ expected `u32`, found `{float}`: write it without a point, or convert it, `… as u32`
        break 1.0;
    };
    let b = 'block: {
        continue 'block;
//               ^^^^^^ `continue` is for loops: this label is a block's
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
//      ^^^ expected `u32`, found `{float}`: write it without a point, or convert it, `… as u32`
        "a" => {}
//      ^^^ WGSL has no text: use numbers
        -1 => {}
//      ^^ -1 is out of the range of `u32`
        Some(x) => {}
//      ^^^^^^^ expected `u32`, found `Option<_>`
        &y => {}
//      ^^ this is a `u32`, not a reference: leave `&` out
        ref z => {}
//      ^^^ references are only passed to functions: leave `ref` out
        (a, b) => {}
//      ^^^^^^ expected `u32`, found a tuple of 2
        0 if lane => {}
//           ^^^^ expected `bool`, found `u32`: compare it, `… != 0`
        [a, ..] => {}
//      ^^^^^^^ `match` tells numbers, `bool` and tuples of those apart: take it apart with `let` first
        _ => {}
    }
    match lane {}
//  ^^^^^^^^^^^^^ a `match` has at least one arm
    match hits.compare_exchange(0, 1) {
        Ok(x) => {}
        Err(y, z) => {}
//      ^^^^^^^^^ `Err` has one value: the one that was there
    }
    let c = match lane { 0 => true, _ => 1 };
//                                       ^ expected `bool`, found `{integer}`
    if let Some(x) = lane { }
//         ^^^^^^^ expected `u32`, found `Option<_>`
    if lane == 0 && let 1 = lane { }
    let d;
//      ^ the type of this is not known: say it, `let x: T = …`
    let e = d;
    let f: u32;
    f = 1.0;
//      ^^^ expected `u32`, found `{float}`: write it without a point, or convert it, `… as u32`
    let (g, h): (u32, f32) = (1.0, 2);
//                            ^^^ expected `u32`, found `{float}`: write it without a point, or convert it, `… as u32`
//                                 ^ expected `f32`, found `{integer}`: write it with a point, `1.0`
    let 1 = lane;
//      ^ `let` takes every value: tell values apart with `match` or `if let`
    let ref i = lane;
//      ^^^ references are only passed to functions: leave `ref` out
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
//      ^^ `x` is only lent to be read: take it as `&mut`
        bump(x);
//           ^ this is only read: lend it with `&mut`
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
//                     ^ expected `f32`, found `{integer}`: write it with a point, `1.0`
        let c = scaled(1.0, params);
//                          ^^^^^^ expected `&Params`, found `Params`: write `&` before it
        let d = scaled(1.0, &lane);
//                          ^^^^^ expected `&Params`, found `&u32`
        bump(words[0]);
//           ^^^^^^^^ expected `&mut u32`, found `u32`: write `&mut` before it
        bump(&words[0]);
//           ^^^^^^^^^ this is only read: lend it with `&mut`
        bump(&mut reads[0]);
//                ^^^^^^^^ `reads` is only read here: take it as `&mut`
        bump(&mut lane + 1);
//           ^^^^^^^^^ this is a reference: write `*` before it, for its value
        let e = Params { scale: 1.0 };
//              ^^^^^^^^^^^^^^^^^^^^^ `offset` of `Params` missing
        let f = Params { scale: 1.0, offset: Vec3::ZERO, other: 1 };
//                                                       ^^^^^ `Params` has no member `other`
        let g = Params { scale: 1, offset: 2.0 };
//                              ^ expected `f32`, found `{integer}`: write it with a point, `1.0`
//                                         ^^^ expected `Vec3`, found `{float}`
        let h = params.scael;
//                     ^^^^^ `Params` has no member `scael` (did you mean `scale`?)
        let i = params.scaled(1.0);
//                     ^^^^^^ `Params` has no method `scaled`
        let j = scalde(1.0, &params);
//              ^^^^^^ unknown function `scalde` (did you mean `scaled`?); if `scalde` stands elsewhere, mark it with `#[hirace::monitor]`
        main(lane);
//      ^^^^^^^^^^ `main` is a kernel, which is only launched: move what both do into a helper
        let k = main;
        let l = scaled;
        let m = sum(words);
//                  ^^^^^ expected `&[f32]`, found `&mut [u32]`
        params.scale = 1.0;
//      ^^^^^^^^^^^^ uniform memory is only read
        let n = *params;
//              ^^^^^^^ this is a `Params`, not a reference: leave `*` out
        let o = Params::new(1.0);
//              ^^^^^^^^^^^ `Params` has no function `new`
        let p = Parms { scale: 1.0 };
//              ^^^^^ unknown struct `Parms` (did you mean `Params`?)
        let q = params == params;
        let r = Params(1.0, 2.0);
//              ^^^^^^ write the members' names: `Params { … }`
    }
}

#[hirace::monitor(workgroup_size(64))]
fn complete(#[builtin(local_invocation_index)] lane: u32, ints: &mut [i32], flags: &mut [u32], hits: &Atomic<u32>) {
    match lane {
//        ^^^^ this `match` must take every value: `10` is missing; end it with `_ => …`
        0..=9 => {}
        11.. => {}
    }
    match ints[lane] {
//        ^^^^^^^^^^ this `match` must take every value: `-2147483648` is missing; end it with `_ => …`
        0.. => {}
        -5 => {}
    }
    match lane == 1 {
//        ^^^^^^^^^ this `match` must take every value: `false` is missing; end it with `_ => …`
        true => {}
    }
    match (lane == 1, lane) {
//        ^^^^^^^^^^^^^^^^^ this `match` must take every value: `(false, 1)` is missing; end it with `_ => …`
        (true, _) => {}
        (false, 0) => {}
        (false, 2..) => {}
    }
    match hits.compare_exchange(0, 1) {
//        ^^^^^^^^^^^^^^^^^^^^^^^^^^^ this `match` must take every value: `Err(2)` is missing; end it with `_ => …`
        Ok(_) => {}
        Err(0 | 1) => {}
    }
    match lane {
//        ^^^^ this `match` must take every value: `4` is missing; end it with `_ => …`
        x if x > 3 => {}
        0..=3 => {}
    }
    match 1.5 {
//        ^^^ this `match` must take every value: `_` is missing; end it with `_ => …`
        1.5 => {}
    }
    let a = workgroup_barrier();
//      ^ this has no value: leave `let` out
    hits.fetch_add(1, Ordering::SeqCst);
//                    ^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed and order nothing, so there is no `SeqCst`: write `Ordering::Relaxed`, and order what has to be with `workgroup_barrier()`, or by another dispatch; an algorithm that hangs on it stands under `#[hirace::model]`, for `hirace verify`
    for i in 0..SIZE {}
//              ^^^^ unknown name `SIZE`; if `SIZE` stands elsewhere, mark it with `#[hirace::monitor]`
}
