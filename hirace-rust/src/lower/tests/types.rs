//! Tests of type inference.

use super::locals;

#[test]
fn literal_type_is_inferred_from_later_use() {
    assert_eq!(locals("let mut i = 0; i += lane;"), "i: u32");
    assert_eq!(locals("let i = 0; ints[lane] = i;"), "i: i32");
    assert_eq!(locals("let a = 1; let b = a; let c = b; words[c] = c;"), "a: u32, b: u32, c: u32");
}

#[test]
fn unconstrained_literals_use_rustc_defaults() {
    assert_eq!(locals("let i = 0; let x = 1.0;"), "i: i32, x: f32");
}

#[test]
fn what_is_assigned_later_has_the_type_of_what_is_assigned() {
    assert_eq!(locals("let x; if lane == 0 { x = 1; } else { x = lane; }"), "x: u32");
}

#[test]
fn vectors_go_with_numbers() {
    assert_eq!(
        locals("let a = Vec3::splat(1.0) * 2.0; let b = 2.0 * a; let c = b.xy(); let d = c.x;"),
        "a: Vec3, b: Vec3, c: Vec2, d: f32"
    );
}

#[test]
fn numbers_of_one_expression_are_of_one_type() {
    assert_eq!(locals("let a = 1 + 2 * lane; let b = (3 - 1) << lane;"), "a: u32, b: i32");
    assert_eq!(locals("let a = 2.0; let b = floats[0] * a;"), "a: f32, b: f32");
    assert_eq!(
        locals("let a = -1; let b = if lane == 0 { a } else { ints[0] };"),
        "a: i32, b: i32"
    );
}

#[test]
fn what_follows_a_declaration_tells_its_type() {
    assert_eq!(locals("let mut a = [0; 4]; a[1] = lane;"), "a: [u32; 4]");
    assert_eq!(locals("let (a, b) = (1, 2); words[a] = b;"), "a: i32, b: u32");
    assert_eq!(locals("let mut t = (0, 0.5); t.0 = lane;"), "t: (u32, f32)");
    assert_eq!(locals("let n; let m = n + 1; n = lane;").split(", ").next(), Some("n: u32"));
}

#[test]
fn annotations_may_leave_parts_out() {
    assert_eq!(locals("let a: _ = lane; let b: [_; 2] = [1, lane];"), "a: u32, b: [u32; 2]");
    assert_eq!(locals("let a: (u32, _) = (1, 2.0);"), "a: (u32, f32)");
}

#[test]
fn loop_variable_has_the_type_of_the_range() {
    assert_eq!(locals("for i in 0..lane {}"), "i: u32");
    assert_eq!(locals("for i in 0..10 { words[i] = i; }"), "i: u32");
    assert_eq!(locals("for i in 0..10 {}"), "i: i32");
    assert_eq!(locals("for i in 0..floats.len() {}"), "i: usize");
    assert_eq!(locals("for i in lane..floats.len() {}"), "i: u32");
}

#[test]
fn a_length_is_a_usize_unless_a_u32_is_asked_for() {
    assert_eq!(locals("let n = floats.len();"), "n: usize");
    assert_eq!(locals("let n = tile.len() - 1; let m = n.min(lane);"), "n: u32, m: u32");
    assert_eq!(locals("let n = floats.len(); if lane < n {}"), "n: u32");
    assert_eq!(locals("let n = floats.len().div_ceil(64); words[0] = n;"), "n: u32");
    assert_eq!(locals("let mut k = 0; k += floats.len(); let l: usize = k;"), "k: usize, l: usize");
    assert_eq!(locals("let n = floats.len().abs_diff(3);"), "n: usize");
    assert_eq!(locals("let n = tile.len().count_ones();"), "n: u32");
    assert_eq!(locals("let n = bitcast::<f32>(words.len());"), "n: f32");
}

#[test]
fn sizes_are_integers_of_their_own() {
    assert_eq!(
        locals("let i = lane as usize; let a = i + 1; let b = (i as isize - 3).unsigned_abs();"),
        "i: usize, a: usize, b: usize"
    );
    assert_eq!(locals("let a = max(lane as usize, 3); let b = a << 2u32;"), "a: usize, b: usize");
    assert_eq!(locals("let a = usize::MAX; let b = usize::BITS;"), "a: usize, b: u32");
}

#[test]
fn loops_and_blocks_give_what_leaves_them() {
    assert_eq!(locals("let a = loop { if lane == 0 { break 1; } break lane; };"), "a: u32");
    assert_eq!(locals("let a = 'b: { if lane == 0 { break 'b 1.5; } 2.5 };"), "a: f32");
    assert_eq!(locals("let a = if lane == 0 { return } else { 7 };"), "a: i32");
}

#[test]
fn arms_give_one_type_and_bind_parts() {
    assert_eq!(
        locals("let a = match lane { 0 => 1, n @ 1..=3 => n, m => m + 1 };"),
        "n: u32, m: u32, a: u32"
    );
    assert_eq!(
        locals("match (lane, 1.5) { (0, x) | (1, x) => {} (n, y) => {} }"),
        "x: f32, n: u32, y: f32"
    );
    assert_eq!(locals("if let Ok(old) = hits.compare_exchange(0, 1) {}"), "old: u32");
}

#[test]
fn functions_of_wgsl_are_typed_by_their_arguments() {
    assert_eq!(
        locals(
            "let a = max(1, lane); let b = clamp(0.5, 0.0, 1.0); let c = dot(vec2(1.0, 2.0), vec2(0.0, 1.0));"
        ),
        "a: u32, b: f32, c: f32"
    );
    assert_eq!(
        locals("let a = select(1, 2, lane == 0); words[0] = a; let b = floats[0].to_bits();"),
        "a: u32, b: u32"
    );
    assert_eq!(
        locals(
            "let m = Mat3::IDENTITY; let v = m * Vec3::ONE; let d = m.determinant(); let t = m.x_axis.y;"
        ),
        "m: Mat3, v: Vec3, d: f32, t: f32"
    );
}

#[test]
fn comparisons_of_vectors_are_one_bool() {
    assert_eq!(
        locals("let a = gid == gid; let b = gid.cmplt(gid); let c = b.any();"),
        "a: bool, b: BVec3, c: bool"
    );
}
