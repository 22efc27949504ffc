//! What types are inferred.

use super::locals;

#[test]
fn a_literal_is_what_a_later_line_makes_of_it() {
    assert_eq!(locals("let mut i = 0; i += lane;"), "i: u32");
    assert_eq!(locals("let i = 0; ints[lane] = i;"), "i: i32");
    assert_eq!(locals("let a = 1; let b = a; let c = b; words[c] = c;"), "a: u32, b: u32, c: u32");
}

#[test]
fn a_literal_of_which_nothing_is_said_is_of_rustcs_type() {
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
