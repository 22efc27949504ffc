var<workgroup> tile: array<u32, 64>;
var<workgroup> one: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    if one > 1u && tile[l] == 0u {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ branch
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ statement
//     ^^^^^^^^^^^^^^^^^^^^^^^^^ branch
//     ^^^ read
//                 ^^^^^^^ read
        tile[l] = 1u;
//      ^^^^^^^ write
//      ^^^^^^^^^^^^^ statement
    } else if (tile[l] > one) {
//    ^^^^^^^^^^^^^^^^^^^^^^^ branch
//    ^^^^^^^^^^^^^^^^^^^^^^^ statement
//             ^^^^^^^ read
//                       ^^^ read
        return;
//      ^^^^^^ return
//      ^^^^^^^ statement
    } else { one = 2u; }
//           ^^^ write
//           ^^^^^^^^^ statement
    for (var i = one; i < tile[i]; i += tile[4]) {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ loop
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ statement
//               ^^^ read
//                    ^^^^^^^^^^^ branch
//                        ^^^^^^^ read
//                                      ^^^^^^^ read
        while (tile[5] < 3u) { tile[5]++; }
//      ^^^^^^^^^^^^^^^^^^^^ loop
//      ^^^^^^^^^^^^^^^^^^^^ statement
//            ^^^^^^^^^^^^^^ branch
//             ^^^^^^^ read
//                             ^^^^^^^ read
//                             ^^^^^^^ write
//                             ^^^^^^^^^^ statement
//                                        ^ close
    }
//  ^ close
    loop {
//  ^^^^ loop
//  ^^^^ statement
        switch one + 1u { case 1u: { one = 2u; } default: { break; } }
//      ^^^^^^^^^^^^^^^ branch
//      ^^^^^^^^^^^^^^^ statement
//             ^^^ read
//                                   ^^^ write
//                                   ^^^^^^^^^ statement
        continuing { one += 1u; break if one == 9u; }
//                   ^^^ read
//                   ^^^ write
//                   ^^^^^^^^^^ statement
//                              ^^^^^^^^^^^^^^^^^^^ statement
//                                       ^^^ read
    }
//  ^ close
}
