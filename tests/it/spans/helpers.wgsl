@group(0) @binding(0) var<storage, read_write> data: array<array<u32, 4>>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
var<workgroup> tile: array<u32, 64>;
var<workgroup> quad: vec4<f32>;

fn put(p: ptr<storage, u32, read_write>, v: u32) -> u32 {
    let old = *p;
//            ^^ read
    *p = v;
//  ^^ write
    return *p + old;
//  ^^^^^^^^^^^^^^^ return
//         ^^ read
}

fn row(p: ptr<storage, array<u32, 4>, read_write>, i: u32) -> u32 {
    let cell = &(*p)[i];
    *cell = p[i] + (*p)[0];
//  ^^^^^ write
//          ^^^^ read
//                 ^^^^^^^ read
    return put(cell, put(&p[1], *cell));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ return
//                   ^^^^^^^^^^^^^^^^^ call
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ call
//                              ^^^^^ read
}

fn mixed(t: ptr<workgroup, u32>, q: ptr<workgroup, vec4<f32>>, f: ptr<function, u32>) -> f32 {
    *f = *t + *f;
//       ^^ read
    *f += *f * *t;
//             ^^ read
    (*q) = q.wzyx * (*q).x;
//   ^^ write
//         ^ read
//                  ^^^^^^ read
    if *t > 1u && *f < 2u || *t == 0u { return f32(*t); }
//     ^^ read
//                           ^^ read
//                                      ^^^^^^^^^^^^^^ return
//                                                 ^^ read
    return (*q)[*t];
//  ^^^^^^^^^^^^^^^ return
//              ^^ read
//         ^^^^^^^^ read
}

fn count(c: ptr<storage, atomic<u32>, read_write>, all: ptr<storage, array<atomic<u32>>, read_write>) {
    atomicAdd(c, 1u);
//  ^^^^^^^^^^^^^^^^ atomic
    atomicStore(&(*all)[arrayLength(all) - 1u], atomicLoad(c));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ atomic
//                                              ^^^^^^^^^^^^^ atomic
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    var f = tile[l];
//          ^^^^^^^ read
    let r = row(&data[tile[l]], put(&data[l][2], tile[1]));
//                    ^^^^^^^ read
//                                               ^^^^^^^ read
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ call
//                              ^^^^^^^^^^^^^^^^^^^^^^^^^ call
    let m = mixed(&tile[l], &quad, &f);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^ call
    count(&counts[l], &counts);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^ call
}
