#[hirace::monitor(workgroup_size(64))]
fn names(
    #[builtin(local_invocation_index)] lane: usize,
//                                           ^^^^^ `local_invocation_index` is of type `u32`
    #[builtin(global_invocation_id)] gid: u32,
//                                        ^^^ `global_invocation_id` is of type `UVec3`
    a: &[u8],
//     ^^^^^ `[u8]` cannot be here: memory that a host fills holds 32 bits: use a `u32`, converted where it is used, `… as u8`, or four bytes in one, which `unpack4x_u8` takes apart
    b: &mut [f64],
//           ^^^ `f64` is not a type of WGSL: use `f32`
    c: &[&[f32]],
//       ^^^^^^ an array of arrays has inner lengths, `&[[T; N]]`; or compute the index: `x[row * width + column]`
    d: &[[f32]],
//       ^^^^^ an array of arrays has inner lengths, `&[[T; N]]`; or compute the index: `x[row * width + column]`
    e: Vec<f32>,
//     ^^^^^^^^ `Vec` is not a type of WGSL: WGSL allocates nothing: use an array `[T; N]`, or a buffer `&mut [T]`
    f: &[Foo],
//       ^^^ unknown type `Foo`; if `Foo` stands elsewhere, mark it with `#[hirace::monitor]`
    g: &[Vec5],
//       ^^^^ unknown type `Vec5` (did you mean `Vec2`?); if `Vec5` stands elsewhere, mark it with `#[hirace::monitor]`
    h: &mut [Option<u32>],
//     ^^^^^^^^^^^^^^^^^^ `[Option<u32>]` cannot be here: tuples and enums are never in memory: write a struct, and numbers for what is one of several
    i: &[bool],
//     ^^^^^^^ `[bool]` cannot be here: `bool` has no layout in buffers: use a `u32`, and compare it with 0
    j: &Atomic<f32>,
//      ^^^^^^^^^^^ atomics hold a `u32` or an `i32`: write `Atomic<u32>`
    k: &Atomic,
//      ^^^^^^ atomics hold a `u32` or an `i32`: write `Atomic<u32>`
    l: &mut String,
//          ^^^^^^ `String` is not a type of WGSL: WGSL has no text: use numbers
    m: &[(u32, f32)],
//     ^^^^^^^^^^^^^ `[(u32, f32)]` cannot be here: tuples and enums are never in memory: write a struct, and numbers for what is one of several
    n: &[Vec3A],
//       ^^^^^ `Vec3A` is not a type of WGSL: use `Vec2`, `Vec3`, `Vec4`, `IVec…`, `UVec…`, or `Mat2` to `Mat4`
    o: f32,
//  ^^^^^^ say where `o` comes from: `#[uniform] o: f32`, or a buffer, `o: &f32`
    p: UVec3,
//  ^^^^^^^^ say where `p` comes from: `#[builtin(global_invocation_id)] p: UVec3`, or `#[uniform] p: UVec3`
    q: &Vec3<f32>,
//      ^^^^^^^^^ `Vec3` has no parameters
    r: &mut [f32; 0],
//                ^ an array in WGSL has at least one element
    s: &AtomicU64,
//      ^^^^^^^^^ `AtomicU64` is not a type of WGSL: WGSL's atomics have 32 bits: write `AtomicU32`, or `Atomic<u32>`
    t: &std::vec::Vec<u32>,
//      ^^^^^^^^^^^^^^^^^^ `Vec` is not a type of WGSL: WGSL allocates nothing: use an array `[T; N]`, or a buffer `&mut [T]`
    u: impl Fn(u32) -> u32,
//     ^^^^^^^^^^^^^^^^^^^ `impl Trait` is a type of parameters: name the type
    v: &dyn Fn(),
//      ^^^^^^^^ which function is called is known when compiled: take `impl Trait`
    w: &mut &mut [f32],
//          ^^^^^^^^^^ references are parameters only: they are not kept, returned or put into one another
    x: &[i128; 4],
//       ^^^^ `i128` is not a type of WGSL: its integers have 64 bits at most: use `i64`, or two of them
) {
}

#[hirace::monitor(workgroup_size(64))]
fn memory(
    #[uniform] a: &mut f32,
//                ^^^^^^^^ uniform memory is only read: take `&T`, or a buffer without `#[uniform]`
    #[uniform] b: &[f32],
//                 ^^^^^ an array without length is a buffer (`&[T]`, `&mut [T]`) or the last member of a buffer's struct; else it has a length: `[T; N]`
    #[workgroup] c: &[f32; 4],
//                  ^^^^^^^^^ nothing could be written to this workgroup memory: take `&mut`
    #[workgroup] d: &mut [f32],
//                       ^^^^^ an array in workgroup memory has a length: `[T; N]`
    #[workgroup] e: [f32; 64],
//                  ^^^^^^^^^ workgroup memory is taken by reference: `#[workgroup] e: &mut …`
    #[private] f: &Atomic<u32>,
//                ^^^^^^^^^^^^ `Atomic<u32>` cannot be here: atomics are in storage or workgroup memory
    #[uniform] g: Atomic<u32>,
//                ^^^^^^^^^^^ `Atomic<u32>` cannot be here: atomics are in storage or workgroup memory
    #[workgroup] #[private] h: &mut u32,
//               ^^^^^^^^^^ a parameter is either `workgroup` or `private`
    #[workgrup] i: &mut u32,
//  ^^^^^^^^^^^ unknown attribute `workgrup` (did you mean `workgroup`?)
    #[builtin(global_id)] j: UVec3,
//            ^^^^^^^^^ compute shaders have no built-in value `global_id`
    #[builtin] k: u32,
//  ^^^^^^^^^^ name the built-in value: `#[builtin(global_invocation_id)]`
    #[binding(0)] l: &[f32],
//  ^^^^^^^^^^^^^ `binding` takes the group and the binding: `#[binding(0, 3)]`
    #[workgroup]
    #[binding(0, 1)]
//  ^^^^^^^^^^^^^^^^ workgroup and private memory is not bound: leave `binding` out
    m: &mut u32,
    #[binding(0, 2)] n: &[f32],
    #[binding(0, 2)] o: &[f32],
//  ^^^^^^^^^^^^^^^^ `n` is bound here already
    #[uniform] #[uniform] p: u32,
//             ^^^^^^^^^^ `uniform` is given twice
    (q, r): (u32, u32),
//  ^^^^^^ a parameter has a name here: take it apart with `let` in the body (one that is not used may be `_x`)
    #[cfg(feature = "x")] s: &[f32],
//  ^^^^^^^^^^^^^^^^^^^^^ `cfg` inside a monitored item: what is compiled must not depend on it; put it on the whole item, or branch on an `#[overridable] const`
    t: Texture2d<f32>,
//  ^^^^^^^^^^^^^^^^^ this is taken by reference: `t: &Texture2d<f32>`
    u: &mut Texture2d<f32>,
//     ^^^^^^^^^^^^^^^^^^^ textures and samplers are taken as `&`
    v: &Texture2d,
//      ^^^^^^^^^ say what its texels are: `Texture2d<f32>`
    w: &TextureStorage2d<Rgba8, Write>,
//                       ^^^^^ unknown `Rgba8`: one of Rgba8Unorm, Rgba8Snorm, Rgba8Uint, Rgba8Sint, Rgba16Unorm, Rgba16Snorm, Rgba16Uint, Rgba16Sint, Rgba16Float, R32Uint, R32Sint, R32Float, Rg32Uint, Rg32Sint, Rg32Float, Rgba32Uint, Rgba32Sint, Rgba32Float, Bgra8Unorm, R8Unorm, …
    x: &TextureStorage2d<Rgba8Unorm, Writes>,
//                                   ^^^^^^ unknown `Writes` (did you mean `Write`?)
    y: &TextureStorage2d<Rgba8Unorm>,
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ say the texture's format and access: `TextureStorage2d<Rgba8Unorm, Write>`
    self_: Self,
//         ^^^^ `Self` is not a type of WGSL: it stands in an `impl`: name the type
) {
}

#[hirace::monitor]
//^^^^^^^^^^^^^^^^^^ the size of the workgroup is missing: write `#[monitor(workgroup_size(64))]`
fn no_size() {}

#[hirace::monitor(workgroup_size())]
//                ^^^^^^^^^^^^^^^^ a workgroup has 1, 2 or 3 sizes: `workgroup_size(8, 8)`
fn empty_size() {}

#[hirace::monitor(workgroupsize(64))]
//                ^^^^^^^^^^^^^^^^^ unknown argument `workgroupsize` (did you mean `workgroup_size`?)
fn misspelt() {}

#[hirace::monitor(workgroup_size(64))]
fn result(out: &mut [u32]) -> u32 {
//                            ^^^ a kernel returns nothing: write results to a buffer, `&mut [T]`
    out[0]
}

#[hirace::monitor(workgroup_size(64))]
async fn asynchronous() {}
//^^^^^ a kernel is not asynchronous: every invocation runs to its end

#[hirace::monitor(workgroup_size(64))]
unsafe fn not_safe() {}
//^^^^^^ nothing in a kernel is unsafe: leave `unsafe` out

#[hirace::monitor(workgroup_size(64))]
extern "C" fn abi() {}
//^^^^^^^^^^ kernels and their helpers have no ABI: leave `extern` out

#[hirace::monitor(workgroup_size(64))]
fn generic<T: Copy>(out: &mut [u32]) {}
//         ^^^^^^^ nothing says what this is where a kernel is launched: write a kernel for each type, which calls a function that has the parameter

#[hirace::monitor(workgroup_size(64))]
fn float_generic<const N: f32>(out: &mut [u32]) {}
//                        ^^^ a const parameter is an integer of 32 bits or less, or a `bool`

#[hirace::monitor(workgroup_size(64))]
fn doubled(out: &mut [u32], out: &mut [u32]) {}
//                          ^^^ `out` is declared twice

#[hirace::monitor(workgroup_size(64.0))]
//                               ^^^^ expected `u32`, found `{float}`: write it without a point, or convert it, `… as u32`
fn float_size() {}

#[hirace::monitor(workgroup_size(SIZE))]
//                               ^^^^ unknown name `SIZE`; if `SIZE` stands elsewhere, mark it with `#[hirace::monitor]`
fn unknown_size() {}

#[hirace::monitor]
//^^^^^^^^^^^^^^^^^^ a monitored module stands in one file: write `mod … { … }`
mod later;

#[hirace::monitor]
mod uniforms {
    struct Two {
        a: Vec2,
        b: Vec2,
    }

    struct Late {
        first: f32,
        list: [Two; 2],
    }

    struct Outer {
        first: f32,
        late: Late,
    }

    #[kernel(workgroup_size(64))]
    fn main(
        #[uniform] a: [f32; 4],
//                    ^^^^^^^^ `[f32; 4]` cannot be here: elements of arrays in uniform memory take a multiple of 16 bytes: use `Vec4` or `UVec4` for them, or a buffer, `&…` without `#[uniform]`
        #[uniform] b: Outer,
        #[uniform] c: &Late,
//                    ^^^^^ `Late` cannot be here: `list` begins at byte 8, and in uniform memory structs and arrays begin at multiples of 16: write `#[align(16)]` before it
        #[uniform] d: [[Vec2; 2]; 2],
//                    ^^^^^^^^^^^^^^ `[[Vec2; 2]; 2]` cannot be here: elements of arrays in uniform memory take a multiple of 16 bytes: use `Vec4` or `UVec4` for them, or a buffer, `&…` without `#[uniform]`
        #[uniform] e: [Vec3; 2],
    ) {
    }
}

#[hirace::monitor(workgroup_size(64, 0))]
//                                   ^ a workgroup has at least one invocation
fn no_invocations() {}
