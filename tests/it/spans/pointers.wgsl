struct Cell { n: u32, v: vec4<f32>, m: mat2x2<f32>, xy: u32 }
@group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
var<workgroup> tile: array<u32, 64>;
var<workgroup> ready: bool;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    let p = &tile[l];
    *p = 1u;
//  ^^ write
    *p += *p;
//  ^^ read
//  ^^ write
//        ^^ read
    (*p)++;
//   ^^ read
//   ^^ write
    let x = *p;
//          ^^ read
    let other = p;
    let y = *other - *p * 2u * (*other);
//          ^^^^^^ read
//                   ^^ read
//                              ^^^^^^ read
    let same = &*p;
    *same = select(*same, *p, *other > 1u);
//  ^^^^^ write
//                 ^^^^^ read
//                        ^^ read
//                            ^^^^^^ read
    _ = *p;
//      ^^ read
    tile[*p] = tile[*p + tile[*other]];
//       ^^ read
//  ^^^^^^^^ write
//                  ^^ read
//                            ^^^^^^ read
//                       ^^^^^^^^^^^^ read
//             ^^^^^^^^^^^^^^^^^^^^^^^ read
    let cell = &cells[l];
    (*cell).n = cell.n + 1u;
//  ^^^^^^^^^ write
//              ^^^^^^ read
    let whole = *cell;
//              ^^^^^ read
    *cell = whole;
//  ^^^^^ write
    let vector = &cell.v;
    *vector = (*vector).wzyx + vector.xxyy;
//  ^^^^^^^ write
//             ^^^^^^^ read
//                             ^^^^^^ read
    vector.x = (*vector).y * (*vector)[2] * vector[l];
//  ^^^^^^^^ write
//             ^^^^^^^^^^^ read
//                           ^^^^^^^^^^^^ read
//                                          ^^^^^^^^^ read
    let matrix = &(*cell).m;
    (*matrix)[0] = (*matrix)[1];
//  ^^^^^^^^^^^^ write
//                 ^^^^^^^^^^^^ read
    (*matrix)[0][1] += 1.0;
//  ^^^^^^^^^^^^^^^ read
//  ^^^^^^^^^^^^^^^ write
    let array_pointer = &tile;
    (*array_pointer)[l] = array_pointer[l + 1u];
//  ^^^^^^^^^^^^^^^^^^^ write
//                        ^^^^^^^^^^^^^^^^^^^^^ read
    let named_like_a_swizzle = (*cell).xy + cell.xy;
//                             ^^^^^^^^^^ read
//                                          ^^^^^^^ read
    let flag = &ready;
    if *flag { *flag = false; }
//     ^^^^^ read
//             ^^^^^ write
    if (!*flag && l > 2u || *flag) { return; }
//       ^^^^^ read
//                          ^^^^^ read
    while *flag { continue; }
//        ^^^^^ read
    for (var i = *p; i < *p; i += *p) { *p += i; }
//               ^^ read
//                       ^^ read
//                                ^^ read
//                                      ^^ read
//                                      ^^ write
    loop {
        if l > 3u { continue; }
        continuing { break if *flag; }
//                            ^^^^^ read
    }
    switch *p {
//         ^^ read
        case 1u: { let x = *p; }
//                         ^^ read
        default: {}
    }
    { let p = &tile[0]; let x = *p; }
//                              ^^ read
    let converted = u32(*p) + u32(f32(*other));
//                      ^^ read
//                                    ^^^^^^ read
    let made = vec2<u32>(*p, *other).xy;
//                       ^^ read
//                           ^^^^^^ read
    var f = 1u;
    let private_pointer = &f;
    *private_pointer = *p + *private_pointer;
//                     ^^ read
    let of_address = *&tile[2] + (*(&tile))[1];
//                     ^^^^^^^ read
//                               ^^^^^^^^^^^^^ read
}
