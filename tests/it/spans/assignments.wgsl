struct Body { pos: vec3<f32>, mass: f32, spin: mat3x3<f32>, links: array<u32, 4> }
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
var<workgroup> tile: array<u32, 64>;
var<workgroup> one: u32;
var<workgroup> v: vec4<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    let s = 3u;
    tile[l] += tile[l + s];
//  ^^^^^^^ read
//             ^^^^^^^^^^^ read
//  ^^^^^^^ write
    tile[l] = tile[63u - l];
//  ^^^^^^^ write
//            ^^^^^^^^^^^^^ read
    one++;
//  ^^^ read
//  ^^^ write
    tile[l]--;
//  ^^^^^^^ read
//  ^^^^^^^ write
    (tile[l]) = (one);
//   ^^^^^^^ write
//               ^^^ read
    tile[one] <<= tile[tile[0]] & 7u;
//       ^^^ read
//  ^^^^^^^^^ read
//  ^^^^^^^^^ write
//                     ^^^^^^^ read
//                ^^^^^^^^^^^^^ read
    bodies[l].mass = bodies[l + 1u].pos.x * bodies[0].spin[1].z;
//  ^^^^^^^^^^^^^^ write
//                   ^^^^^^^^^^^^^^^^^^^^ read
//                                          ^^^^^^^^^^^^^^^^^^^ read
    bodies[l].pos.y = v.w;
//  ^^^^^^^^^^^^^^^ write
//                    ^^^ read
    v = v.wzyx;
//  ^ write
//      ^ read
    bodies[l].spin[one][2] = 1.0;
//                 ^^^ read
//  ^^^^^^^^^^^^^^^^^^^^^^ write
    bodies[l].spin[1] = bodies[l].pos;
//  ^^^^^^^^^^^^^^^^^ write
//                      ^^^^^^^^^^^^^ read
    bodies[l] = bodies[l + 1u];
//  ^^^^^^^^^ write
//              ^^^^^^^^^^^^^^ read
    bodies[l].links = bodies[l + 1u].links;
//  ^^^^^^^^^^^^^^^ write
//                    ^^^^^^^^^^^^^^^^^^^^ read
    var local = tile;
//              ^^^^ read
    local[l] += local[s];
    tile = local;
//  ^^^^ write
    _ = one;
//      ^^^ read
    let b = tile[0] == 1u || (one <= 2u && tile[1] != one);
//          ^^^^^^^ read
//                            ^^^ read
//                                         ^^^^^^^ read
//                                                    ^^^ read
}
