//! The contents of buffers after a launch are equal to the results of plain Rust.

use super::checked;
use crate::{Launch, Result, Verdict};
use glam::{IVec2, Mat3, UVec4, Vec3, Vec4};
use proptest::prelude::*;

const PRODUCT: &str = "
    override n: u32 = 8u;
    @group(0) @binding(0) var<storage> a: array<f32>;
    @group(0) @binding(1) var<storage> b: array<f32>;
    @group(0) @binding(2) var<storage, read_write> c: array<f32>;
    var<workgroup> tile_a: array<f32, 16>;
    var<workgroup> tile_b: array<f32, 16>;
    @compute @workgroup_size(4, 4)
    fn product(
        @builtin(global_invocation_id) id: vec3<u32>,
        @builtin(local_invocation_id) at: vec3<u32>,
    ) {
        var sum = 0.0;
        for (var k = 0u; k < n; k += 4u) {
            tile_a[at.y * 4u + at.x] = a[id.y * n + k + at.x];
            tile_b[at.y * 4u + at.x] = b[(k + at.y) * n + id.x];
            workgroupBarrier();
            for (var i = 0u; i < 4u; i++) { sum += tile_a[at.y * 4u + i] * tile_b[i * 4u + at.x]; }
            workgroupBarrier();
        }
        c[id.y * n + id.x] = sum;
    }";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_product_of_matrices_is_that_of_rust(tiles in 1..4u32, seed in any::<u32>()) {
        let n = tiles * 4;
        let number = |i: u32| (i.wrapping_mul(seed | 1) >> 24) as f32;
        let a: Vec<f32> = (0..n * n).map(number).collect();
        let b: Vec<f32> = (n * n..2 * n * n).map(number).collect();
        let launch = Launch::new()
            .override_value("n", n)
            .workgroups([tiles, tiles])
            .buffer("a", &a)
            .buffer("b", &b)
            .zeros("c", (n * n) as usize);
        let c: Vec<f32> = checked(PRODUCT, launch)?.assert_clean().buffer("c")?;
        let n = n as usize;
        let term = |x: usize, y: usize| (0..n).map(|k| a[y * n + k] * b[k * n + x]).sum::<f32>();
        let expected: Vec<f32> = (0..n * n).map(|i| term(i % n, i / n)).collect();
        prop_assert_eq!(c, expected);
    }

    #[test]
    fn dispatches_go_on_with_what_others_left(input in prop::collection::vec(-1000..1000i32, 64)) {
        let text = "
            @group(0) @binding(0) var<storage, read_write> data: array<i32>;
            @group(0) @binding(1) var<storage, read_write> sums: array<i32>;
            @compute @workgroup_size(1) fn blocks(@builtin(workgroup_id) group: vec3<u32>) {
                for (var i = 1u; i < 16u; i++) { data[group.x * 16u + i] += data[group.x * 16u + i - 1u]; }
                sums[group.x] = data[group.x * 16u + 15u];
            }
            @compute @workgroup_size(1) fn between() {
                for (var i = 1u; i < 4u; i++) { sums[i] += sums[i - 1u]; }
            }
            @compute @workgroup_size(16) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
                if (id.x >= 16u) { data[id.x] += sums[id.x / 16u - 1u]; }
            }";
        let launch = Launch::new()
            .buffer("data", &input)
            .zeros("sums", 4)
            .dispatch("blocks", 4)
            .dispatch("between", 1)
            .dispatch("add", 4);
        let scan: Vec<i32> = checked(text, launch)?.assert_clean().buffer("data")?;
        let mut sum = 0;
        let expected: Vec<i32> = input.iter().map(|x| { sum += x; sum }).collect();
        prop_assert_eq!(scan, expected);
    }

    #[test]
    fn vectors_and_matrices_come_back_without_their_padding(
        points in prop::collection::vec(prop::array::uniform3(-8i8..8), 1..20),
        columns in prop::array::uniform3(prop::array::uniform3(-8i8..8)),
    ) {
        let text = "
            struct Params { count: u32, turn: mat3x3<f32>, shift: vec3<f32> }
            @group(0) @binding(0) var<uniform> params: Params;
            @group(0) @binding(1) var<storage> points: array<vec3<f32>>;
            @group(0) @binding(2) var<storage, read_write> turned: array<vec3<f32>>;
            @compute @workgroup_size(8) fn turn(@builtin(global_invocation_id) id: vec3<u32>) {
                if (id.x < params.count) { turned[id.x] = params.turn * points[id.x] + params.shift; }
            }";
        let vector = |v: [i8; 3]| Vec3::from_array(v.map(f32::from));
        let points: Vec<Vec3> = points.into_iter().map(vector).collect();
        let turn = Mat3::from_cols(vector(columns[0]), vector(columns[1]), vector(columns[2]));
        let launch = Launch::new()
            .workgroups(3)
            .buffer("params", &(points.len() as u32, turn, Vec3::Y))
            .buffer("points", &points)
            .zeros("turned", points.len());
        let turned: Vec<Vec3> = checked(text, launch)?.assert_clean().buffer("turned")?;
        let expected: Vec<Vec3> = points.iter().map(|&point| turn * point + Vec3::Y).collect();
        prop_assert_eq!(turned, expected);
    }
}

#[test]
fn memory_is_of_the_serial_run_where_values_flow_between_workgroups() -> Result<()> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> order: array<u32>;
        @compute @workgroup_size(1) fn take(@builtin(workgroup_id) group: vec3<u32>) {
            order[atomicAdd(&next, 1u)] = group.x;
        }";
    for _ in 0..8 {
        let launch = Launch::new().workgroups(200).zeros("order", 200).buffer("next", &0u32);
        let checked = checked(text, launch)?;
        checked.assert_clean();
        assert_eq!(checked.buffer::<u32>("next")?, 200);
        assert_eq!(checked.buffer::<Vec<u32>>("order")?, (0..200).collect::<Vec<u32>>());
    }
    Ok(())
}

#[test]
fn memory_after_a_race_is_the_same_each_time() -> Result<()> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> last: u32;
        @compute @workgroup_size(32) fn race(@builtin(global_invocation_id) id: vec3<u32>) { last = id.x; }";
    for _ in 0..8 {
        let checked = checked(text, Launch::new().workgroups(50).buffer("last", &7u32))?;
        assert_eq!(checked.verdict(), Verdict::Findings);
        assert_eq!(checked.buffer::<u32>("last")?, 50 * 32 - 1);
    }
    Ok(())
}

#[test]
fn other_schedules_do_not_change_what_is_read_back() -> Result<()> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> last: u32;
        @compute @workgroup_size(1) fn race(@builtin(workgroup_id) group: vec3<u32>) { last = group.x; }";
    let launch = || Launch::new().workgroups(8).buffer("last", &99u32);
    assert_eq!(checked(text, launch().schedules(4))?.buffer::<u32>("last")?, 7);
    let one = |seed| checked(text, launch().schedule(seed))?.buffer::<u32>("last");
    let seen: Vec<u32> = (1..20).map(one).collect::<Result<_>>()?;
    assert!(seen.iter().any(|&last| last != 7), "{seen:?}");
    Ok(())
}

#[test]
fn guessed_buffers_can_be_read_too() -> Result<()> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            out[id.x + 40u] = id.x;
        }";
    let out: Vec<u32> = checked(text, Launch::new().workgroups(2))?.buffer("out")?;
    assert!(out.len() >= 72, "it grew: {}", out.len());
    assert_eq!(out[40..72], (0..32).collect::<Vec<u32>>());
    Ok(())
}

#[test]
fn textures_of_whole_numbers_and_several_layers_come_back() -> Result<()> {
    let text = "
        @group(0) @binding(0) var image: texture_2d_array<u32>;
        @group(0) @binding(1) var negated: texture_storage_2d_array<rgba32sint, write>;
        @compute @workgroup_size(2, 2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let texel = textureLoad(image, id.xy, id.z, 0);
            textureStore(negated, id.xy, id.z, -vec4<i32>(texel));
        }";
    let texels: Vec<UVec4> = (0..8).map(|i| UVec4::new(i, 10 + i, 20 + i, 30 + i)).collect();
    let launch = Launch::new()
        .workgroups([1, 1, 1])
        .texture("image", [2, 2, 2], &texels)
        .zeros("negated", [2, 2, 2]);
    let checked = checked(text, launch)?;
    checked.assert_clean();
    assert_eq!(checked.texture::<IVec2>("negated")?[5], IVec2::new(-5, -15));
    assert_eq!(checked.texture::<[i32; 4]>("negated")?[7], [-7, -17, -27, -37]);
    assert_eq!(checked.texture::<u32>("image")?, (0..8).collect::<Vec<u32>>());
    assert!(checked.texture::<Vec4>("negated").is_err());
    Ok(())
}

#[test]
fn lanes_of_a_subgroup_are_as_many_as_asked_for() -> Result<()> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> size: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(subgroup_size) lanes: u32, @builtin(local_invocation_index) i: u32) { size[i] = lanes; }";
    for lanes in [4, 32, 64] {
        let launch = Launch::new().workgroups(1).subgroup_size(lanes).zeros("size", 64);
        assert_eq!(checked(text, launch)?.assert_clean().buffer::<Vec<u32>>("size")?, [lanes; 64]);
    }
    Ok(())
}
