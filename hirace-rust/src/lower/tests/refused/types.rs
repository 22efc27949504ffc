#[hirace::monitor(workgroup_size(64))]
fn names(
    #[builtin(local_invocation_index)] lane: usize,
//                                           ^^^^^ `local_invocation_index` has the type `u32`
    #[builtin(global_invocation_id)] gid: u32,
//                                        ^^^ `global_invocation_id` has the type `UVec3`
    a: &[u8],
//     ^^^^^ `[u8]` cannot be used here: buffers have no integers below 32 bits: use a `u32` and convert it, `… as u8`, or pack four bytes and use `unpack4x_u8`
    b: &mut [f64],
//           ^^^ `f64` is not a type of WGSL: use `f32`
    c: &[&[f32]],
//       ^^^^^^ only the outermost array can be a slice: write `&[[T; N]]`, or compute the index, `x[row * width + column]`
    d: &[[f32]],
//       ^^^^^ only the outermost array can be a slice: write `&[[T; N]]`, or compute the index, `x[row * width + column]`
    e: Vec<f32>,
//     ^^^^^^^^ `Vec` is not a type of WGSL: WGSL has no allocation: use an array `[T; N]`, or a buffer `&mut [T]`
    f: &[Foo],
//       ^^^ unknown type `Foo`; if `Foo` is declared elsewhere, mark it with `#[hirace::monitor]`
    g: &[Vec5],
//       ^^^^ unknown type `Vec5` (did you mean `Vec2`?); if `Vec5` is declared elsewhere, mark it with `#[hirace::monitor]`
    h: &mut [Option<u32>],
//     ^^^^^^^^^^^^^^^^^^ `[Option<u32>]` cannot be used here: tuples and enums have no layout in memory: use a struct, and a number for the variant
    i: &[bool],
//     ^^^^^^^ `[bool]` cannot be used here: `bool` has no layout in buffers: use a `u32`, and compare it with 0
    j: &Atomic<f32>,
//      ^^^^^^^^^^^ an atomic must be of type `u32` or `i32`: write `Atomic<u32>`
    k: &Atomic,
//      ^^^^^^ an atomic must be of type `u32` or `i32`: write `Atomic<u32>`
    l: &mut String,
//          ^^^^^^ `String` is not a type of WGSL: WGSL has no strings: use numbers
    m: &[(u32, f32)],
//     ^^^^^^^^^^^^^ `[(u32, f32)]` cannot be used here: tuples and enums have no layout in memory: use a struct, and a number for the variant
    n: &[Vec3A],
//       ^^^^^ `Vec3A` is not a type of WGSL: use `Vec2`, `Vec3`, `Vec4`, `IVec…`, `UVec…`, or `Mat2` to `Mat4`
    o: f32,
//  ^^^^^^ the source of `o` is not specified: write `#[uniform] o: f32`, or for a buffer `o: &f32`
    p: UVec3,
//  ^^^^^^^^ the source of `p` is not specified: write `#[builtin(global_invocation_id)] p: UVec3`, or `#[uniform] p: UVec3`
    q: &Vec3<f32>,
//      ^^^^^^^^^ `Vec3` takes no generic arguments
    r: &mut [f32; 0],
//                ^ an array in WGSL must have at least one element
    s: &AtomicU64,
//      ^^^^^^^^^ `AtomicU64` is not a type of WGSL: WGSL's atomics have 32 bits: write `AtomicU32`, or `Atomic<u32>`
    t: &std::vec::Vec<u32>,
//      ^^^^^^^^^^^^^^^^^^ `Vec` is not a type of WGSL: WGSL has no allocation: use an array `[T; N]`, or a buffer `&mut [T]`
    u: impl Fn(u32) -> u32,
//     ^^^^^^^^^^^^^^^^^^^ `impl Trait` is only supported for parameters: write the name of the type
    v: &dyn Fn(),
//      ^^^^^^^^ WGSL has no dynamic dispatch: use `impl Trait`
    w: &mut &mut [f32],
//          ^^^^^^^^^^ references can only be parameters: they cannot be stored, returned or nested
    x: &[i128; 4],
//       ^^^^ `i128` is not a type of WGSL: its integers have at most 64 bits, use one or two `i64`
) {
}

#[hirace::monitor(workgroup_size(64))]
fn memory(
    #[uniform] a: &mut f32,
//                ^^^^^^^^ uniform memory is read-only: write `&T`, or use a storage buffer without `#[uniform]`
    #[uniform] b: &[f32],
//                 ^^^^^ a slice can only be a buffer (`&[T]`, `&mut [T]`) or the last field of a buffer's struct: write `[T; N]`
    #[workgroup] c: &[f32; 4],
//                  ^^^^^^^^^ this workgroup memory must be writable: write `&mut`
    #[workgroup] d: &mut [f32],
//                       ^^^^^ an array in workgroup memory must have a length: write `[T; N]`
    #[workgroup] e: [f32; 64],
//                  ^^^^^^^^^ workgroup memory must be a reference: write `#[workgroup] e: &mut …`
    #[private] f: &Atomic<u32>,
//                ^^^^^^^^^^^^ `Atomic<u32>` cannot be used here: atomics must be in storage or workgroup memory
    #[uniform] g: Atomic<u32>,
//                ^^^^^^^^^^^ `Atomic<u32>` cannot be used here: atomics must be in storage or workgroup memory
    #[workgroup] #[private] h: &mut u32,
//               ^^^^^^^^^^ a parameter cannot be both `workgroup` and `private`
    #[workgrup] i: &mut u32,
//  ^^^^^^^^^^^ unknown attribute `workgrup` (did you mean `workgroup`?)
    #[builtin(global_id)] j: UVec3,
//            ^^^^^^^^^ compute shaders have no built-in value `global_id`
    #[builtin] k: u32,
//  ^^^^^^^^^^ missing built-in value: write `#[builtin(global_invocation_id)]`
    #[binding(0)] l: &[f32],
//  ^^^^^^^^^^^^^ `binding` takes a group and a binding: write `#[binding(0, 3)]`
    #[workgroup]
    #[binding(0, 1)]
//  ^^^^^^^^^^^^^^^^ workgroup and private memory has no binding: remove `binding`
    m: &mut u32,
    #[binding(0, 2)] n: &[f32],
    #[binding(0, 2)] o: &[f32],
//  ^^^^^^^^^^^^^^^^ this binding is already used by `n`
    #[uniform] #[uniform] p: u32,
//             ^^^^^^^^^^ duplicate attribute `uniform`
    (q, r): (u32, u32),
//  ^^^^^^ patterns in parameters are not supported here: destructure the parameter with `let` in the body, or name an unused one `_x`
    #[cfg(feature = "x")] s: &[f32],
//  ^^^^^^^^^^^^^^^^^^^^^ `cfg` is not supported inside a monitored item: put it on the whole item, or branch on an `#[overridable] const`
    t: Texture2d<f32>,
//  ^^^^^^^^^^^^^^^^^ this cannot be passed by value: write `t: &Texture2d<f32>`
    u: &mut Texture2d<f32>,
//     ^^^^^^^^^^^^^^^^^^^ textures and samplers must be shared references: write `&`
    v: &Texture2d,
//      ^^^^^^^^^ missing texel type: write `Texture2d<f32>`
    w: &TextureStorage2d<Rgba8, Write>,
//                       ^^^^^ unknown `Rgba8`: one of Rgba8Unorm, Rgba8Snorm, Rgba8Uint, Rgba8Sint, Rgba16Unorm, Rgba16Snorm, Rgba16Uint, Rgba16Sint, Rgba16Float, R32Uint, R32Sint, R32Float, Rg32Uint, Rg32Sint, Rg32Float, Rgba32Uint, Rgba32Sint, Rgba32Float, Bgra8Unorm, R8Unorm, …
    x: &TextureStorage2d<Rgba8Unorm, Writes>,
//                                   ^^^^^^ unknown `Writes` (did you mean `Write`?)
    y: &TextureStorage2d<Rgba8Unorm>,
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ missing format and access mode: write `TextureStorage2d<Rgba8Unorm, Write>`
    self_: Self,
//         ^^^^ `Self` is not a type of WGSL: it is only available in an `impl`: write the name of the type
) {
}

#[hirace::monitor]
//^^^^^^^^^^^^^^^^^^ missing workgroup size: write `#[monitor(workgroup_size(64))]`
fn no_size() {}

#[hirace::monitor(workgroup_size())]
//                ^^^^^^^^^^^^^^^^ expected 1, 2 or 3 sizes: write `workgroup_size(8, 8)`
fn empty_size() {}

#[hirace::monitor(workgroupsize(64))]
//                ^^^^^^^^^^^^^^^^^ unknown argument `workgroupsize` (did you mean `workgroup_size`?)
fn misspelt() {}

#[hirace::monitor(workgroup_size(64))]
fn result(out: &mut [u32]) -> u32 {
//                            ^^^ a kernel cannot return a value: write results to a buffer, `&mut [T]`
    out[0]
}

#[hirace::monitor(workgroup_size(64))]
async fn asynchronous() {}
//^^^^^ kernels cannot be asynchronous: every invocation runs to its end

#[hirace::monitor(workgroup_size(64))]
unsafe fn not_safe() {}
//^^^^^^ kernels have no unsafe code: remove `unsafe`

#[hirace::monitor(workgroup_size(64))]
extern "C" fn abi() {}
//^^^^^^^^^^ kernels and helpers have no ABI: remove `extern`

#[hirace::monitor(workgroup_size(64))]
fn generic<T: Copy>(out: &mut [u32]) {}
//         ^^^^^^^ a kernel cannot have type parameters: write one kernel per type that calls a generic function

#[hirace::monitor(workgroup_size(64))]
fn float_generic<const N: f32>(out: &mut [u32]) {}
//                        ^^^ a const parameter must be an integer of at most 32 bits or a `bool`

#[hirace::monitor(workgroup_size(64))]
fn doubled(out: &mut [u32], out: &mut [u32]) {}
//                          ^^^ the name `out` is declared multiple times

#[hirace::monitor(workgroup_size(64.0))]
//                               ^^^^ expected `u32`, found `{float}`: write it without a decimal point, or convert it, `… as u32`
fn float_size() {}

#[hirace::monitor(workgroup_size(SIZE))]
//                               ^^^^ unknown name `SIZE`; if `SIZE` is declared elsewhere, mark it with `#[hirace::monitor]`
fn unknown_size() {}

#[hirace::monitor]
//^^^^^^^^^^^^^^^^^^ a monitored module must be inline: write `mod … { … }`
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
//                    ^^^^^^^^ `[f32; 4]` cannot be used here: the size of array elements in uniform memory must be a multiple of 16 bytes: use `Vec4` or `UVec4`, or a storage buffer, `&…` without `#[uniform]`
        #[uniform] b: Outer,
        #[uniform] c: &Late,
//                    ^^^^^ `Late` cannot be used here: `list` starts at byte 8, but structs and arrays in uniform memory must start at a multiple of 16: write `#[align(16)]` before it
        #[uniform] d: [[Vec2; 2]; 2],
//                    ^^^^^^^^^^^^^^ `[[Vec2; 2]; 2]` cannot be used here: the size of array elements in uniform memory must be a multiple of 16 bytes: use `Vec4` or `UVec4`, or a storage buffer, `&…` without `#[uniform]`
        #[uniform] e: [Vec3; 2],
    ) {
    }
}

#[hirace::monitor(workgroup_size(64, 0))]
//                                   ^ the workgroup size must be at least 1
fn no_invocations() {}

#[hirace::monitor]
mod sizes {
    #[overridable]
    const W: u32 = 64;

    #[kernel(workgroup_size(W, 16384))]
    fn at_the_limit() {}

    #[kernel(workgroup_size(W, 2147483648))]
//                             ^^^^^^^^^^ the workgroup size must be at most 16384
    fn too_many_invocations() {}
}
