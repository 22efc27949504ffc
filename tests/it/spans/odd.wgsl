// Odd but valid text. Tabs, comments anywhere, words that are not ASCII.
var<workgroup> größe: array<u32, 64>;
var<workgroup> one: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    größe[l] /* = 1; */ = /* *p */ größe[l + 1u]; // größe[2] = one
//  ^^^^^^^^ write
//                                 ^^^^^^^^^^^^^ read
    let p = &größe[l]; /* let q = *p; */ let q = *p
//                                               ^^ read
    ; *p = q;
//    ^^ write
    größe
//  ^^^^^ write
      [l]
      = one
//      ^^^ read
      + *
//      ^ read
      p;
    if (one > (*p)) { größe[0]++; } else { one = (*p); }
//      ^^^ read
//             ^^ read
//                    ^^^^^^^^ read
//                    ^^^^^^^^ write
//                                         ^^^ write
//                                                ^^ read
    let a = *p; let b = one * *p; let c = one**p; let d = ~(*p);
//          ^^ read
//                      ^^^ read
//                            ^^ read
//                                        ^^^ read
//                                            ^^ read
//                                                          ^^ read
    let product = vec2<u32>(*p).x; let less = one > (*p) * 2u;
//                          ^^ read
//                                            ^^^ read
//                                                   ^^ read
}
