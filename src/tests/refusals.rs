//! Tests of the errors for arguments that do not fit a kernel. They name both the kernel's types and the Rust types.

use super::checked;
use crate::{Error, Kernel, Launch, check};
use glam::{Vec3, Vec4};

const TEXT: &str = "
    struct Params { n: u32, scale: f32 }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage, read_write> points: array<vec3<f32>>;
    @group(0) @binding(2) var<storage, read_write> counts: array<u32>;
    @group(0) @binding(3) var<storage, read_write> four: array<u32, 4>;
    @group(0) @binding(4) var image: texture_2d<f32>;
    var<workgroup> tile: array<u32, 4>;
    @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
        tile[i] = params.n;
        points[i] = vec3(params.scale) * textureLoad(image, vec2(0u), 0).x;
        counts[i] = 1u;
        four[i] = 1u;
    }
    @compute @workgroup_size(1) fn other() { counts[0] = 2u; }";

fn refused(launch: Launch) -> Error {
    let kernel = Kernel::from_wgsl("test.wgsl", TEXT).unwrap().with_entry("main");
    check(&kernel, launch).unwrap_err()
}

/// Returns the message, notes and help of an error, line by line.
fn in_words(error: &Error) -> String {
    let mut lines = vec![error.message().to_owned()];
    lines.extend(error.notes().iter().map(|note| format!("note: {note}")));
    lines.extend(error.help().iter().map(|help| format!("help: {help}")));
    lines.join("\n")
}

#[test]
fn names_that_the_kernel_has_not_are_answered_with_those_it_has() {
    assert_eq!(
        in_words(&refused(Launch::new().zeros("point", 4))),
        "test.wgsl has no variable `point` to give contents to\nhelp: did you mean `points`?"
    );
    assert_eq!(
        in_words(&refused(Launch::new().zeros("xyz", 4))),
        "test.wgsl has no variable `xyz` to give contents to\n\
         note: its buffers and textures are: params, points, counts, four, image"
    );
    assert!(
        in_words(&refused(Launch::new().zeros("tile", 4))).starts_with("`tile` is not a buffer")
    );
    assert!(in_words(&refused(Launch::new().dispatch("mein", 1))).contains("did you mean `main`?"));
    assert!(in_words(&refused(Launch::new().override_value("n", 1))).contains("no override `n`"));
    let twice = Launch::new().zeros("counts", 4).zeros("counts", 4);
    assert_eq!(in_words(&refused(twice)), "`counts` is given contents twice");
}

#[test]
fn types_that_differ_are_reported_where_they_differ() {
    assert_eq!(
        in_words(&refused(Launch::new().buffer("points", &vec![Vec4::ONE; 3]))),
        "contents of `points`: `Vec<Vec4>` does not fill its type `array<vec3<f32>>`\n\
         note: found vec4<f32> where vec3<f32> is expected"
    );
    assert_eq!(
        in_words(&refused(Launch::new().buffer("counts", &[1, 2, 3]))),
        "contents of `counts`: `[i32; 3]` does not fill its type `array<u32>`\n\
         note: found i32 where u32 is expected\n\
         help: write `1u32`: integer literals are `i32` in Rust by default"
    );
    assert_eq!(
        in_words(&refused(Launch::new().buffer("params", &(1u32, 2u32)))),
        "contents of `params`: `(u32, u32)` does not fill its type `Params`\n\
         note: found u32 where f32 is expected"
    );
    assert_eq!(
        in_words(&refused(Launch::new().buffer("params", &1.0f32))),
        "contents of `params`: `f32` does not fill its type `Params`\n\
         note: in WGSL, that is f32, but Params is expected"
    );
    assert!(in_words(&refused(Launch::new().buffer("image", &[1.0f32]))).contains("not a buffer"));
    let texture = Launch::new().texture("counts", [2, 2], &[1.0f32; 4]);
    assert!(in_words(&refused(texture)).contains("it is a buffer, not a texture"));
}

#[test]
fn sizes_that_do_not_fit_are_reported() {
    assert_eq!(
        in_words(&refused(Launch::new().buffer("points", &[1.0f32; 4]))),
        "contents of `points`: its type `array<vec3<f32>>` takes a multiple of 3 scalars, got 4"
    );
    assert_eq!(
        in_words(&refused(Launch::new().buffer("four", &[1u32; 3]))),
        "contents of `four`: its type `array<u32, 4>` takes 4 scalars, got 3"
    );
    assert_eq!(
        in_words(&refused(Launch::new().bytes("points", &[Vec3::ONE.to_array(); 4]))),
        "contents of `points`: `[f32; 3]` has 12 bytes, the elements of its type `array<vec3<f32>>` are \
         16 bytes apart"
    );
    assert_eq!(
        in_words(&refused(Launch::new().bytes("params", &[1u32; 3]))),
        "contents of `params`: its type `Params` takes 8 bytes, `u32` has 12"
    );
    let texture = Launch::new().texture("image", [2, 2], &[1.0f32; 3]);
    assert!(in_words(&refused(texture)).contains("2x2x1 are 4 texels, got 3"));
    assert!(in_words(&refused(Launch::new().workgroups(0))).contains("runs nothing"));
    assert!(in_words(&refused(Launch::new().subgroup_size(3))).contains("power of two"));
}

#[test]
fn what_cannot_be_read_back_says_why() {
    let kernel = Kernel::from_wgsl("test.wgsl", TEXT).unwrap();
    let launch = Launch::new().workgroups(1).zeros("points", 4).zeros("counts", 6);
    let checked = check(&kernel.clone().with_entry("main"), launch.clone()).unwrap();
    assert_eq!(checked.buffer::<Vec<Vec3>>("points").unwrap().len(), 4);
    assert_eq!(checked.buffer::<[u32; 4]>("four").unwrap(), [1; 4]);
    assert_eq!(
        in_words(&checked.buffer::<[u32; 4]>("counts").unwrap_err()),
        "`counts` has 6 scalars: `[u32; 4]` takes 4"
    );
    assert_eq!(
        in_words(&checked.buffer::<Vec<i32>>("counts").unwrap_err()),
        "`counts` is `array<u32>`: it cannot be read as `Vec<i32>`\n\
         note: found i32 where u32 is expected"
    );
    assert_eq!(
        in_words(&checked.buffer::<u32>("count").unwrap_err()),
        "test.wgsl has no buffer `count`\nhelp: did you mean `counts`?"
    );
    assert!(
        in_words(&checked.buffer::<u32>("tile").unwrap_err())
            .contains("does not outlive the workgroup")
    );
    assert!(
        in_words(&checked.buffer::<f32>("image").unwrap_err()).contains("read it as a texture")
    );
    assert!(in_words(&checked.texture::<f32>("four").unwrap_err()).contains("read it as a buffer"));
    assert!(in_words(&checked.bytes::<[u8; 7]>("four").unwrap_err()).contains("16 bytes"));

    let other = check(&kernel.clone().with_entry("other"), launch.clone()).unwrap();
    assert!(in_words(&other.buffer::<u32>("four").unwrap_err()).contains("has no contents"));
    let both = check(&kernel, launch).unwrap();
    assert!(in_words(&both.buffer::<Vec<u32>>("counts").unwrap_err()).contains("with_entry"));
    assert_eq!(both.buffer::<[u32; 4]>("four").unwrap(), [1; 4]);
}

#[test]
fn an_error_shows_itself_whole_where_a_test_ends_with_it() {
    let error =
        checked("@compute @workgroup_size(1) fn main() { let x = 1u + 1.0; }", Launch::new());
    let shown = format!("{:?}", error.unwrap_err());
    assert!(shown.contains("test.wgsl:1:") && shown.contains("1u + 1.0"), "{shown}");
}

#[test]
#[should_panic(expected = "not known whether the kernel is clean")]
fn inconclusive_is_not_clean() {
    let text = "
        @group(0) @binding(0) var<storage> never: u32;
        @group(0) @binding(1) var<storage, read_write> out: u32;
        @compute @workgroup_size(1) fn main() { if (never * 2u == 246913578u) { out = 1u; } }";
    let _ = checked(text, Launch::new()).unwrap().assert_clean();
}
