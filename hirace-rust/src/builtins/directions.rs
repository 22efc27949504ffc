//! glam's methods that treat vectors of `f32` as directions and points.

use super::Emit::{Call, Parts, Template};
use super::Parameter::{Element, Elements, Scalar, T, Tuple};
use super::{Builtin, Class};
use crate::types::Scalar::{Bool, F32, I32};

const VECTORS: Class = Class::FloatVector;
const TWO: Class = Class::Only(&[2], &[F32]);
const THREE: Class = Class::Only(&[3], &[F32]);
const FOUR: Class = Class::Only(&[4], &[F32]);
/// The class of methods that glam has for integer vectors too.
const SIGNED_TWO: Class = Class::Only(&[2], &[F32, I32]);

pub(super) const METHODS: &[Builtin] = table! {
    "length": VECTORS, [T] => Element, Call("length");
    "length_recip": VECTORS, [T] => Element, Template("(1.0 / length({0}))");
    "distance": VECTORS, [T, T] => Element, Call("distance");
    "normalize": VECTORS, [T] => T, Call("normalize");
    "normalize_or_zero": VECTORS, [T] => T, Template("select({T}(0.0), normalize({0}), dot({0}, {0}) > 0.0)");
    "normalize_or": VECTORS, [T, T] => T, Template("select({1}, normalize({0}), dot({0}, {0}) > 0.0)");
    "normalize_and_length": TWO, [T] => Tuple(&[T, Element]),
        Parts(&["select({T}(1.0, 0.0), normalize({0}), dot({0}, {0}) > 0.0)", "length({0})"]);
    "normalize_and_length": THREE, [T] => Tuple(&[T, Element]),
        Parts(&["select({T}(1.0, 0.0, 0.0), normalize({0}), dot({0}, {0}) > 0.0)", "length({0})"]);
    "normalize_and_length": FOUR, [T] => Tuple(&[T, Element]),
        Parts(&["select({T}(1.0, 0.0, 0.0, 0.0), normalize({0}), dot({0}, {0}) > 0.0)", "length({0})"]);
    "is_normalized": VECTORS, [T] => Scalar(Bool), Template("(abs(dot({0}, {0}) - 1.0) <= 2e-4)");
    "abs_diff_eq": VECTORS, [T, T, Element] => Scalar(Bool), Template("all(abs({0} - {1}) <= {T}({2}))");
    "step": VECTORS, [T, T] => T, Call("step");
    "smoothstep": VECTORS, [T, T, T] => T, Template("smoothstep({1}, {2}, {0})");
    "saturate": VECTORS, [T] => T, Call("saturate");
    "lerp": VECTORS, [T, T, Element] => T, Call("mix");
    "move_towards": VECTORS, [T, T, Element] => T,
        Template("select({0} + ({1} - {0}) / max(distance({0}, {1}), 1e-4) * {2}, {1}, distance({0}, {1}) <= max({2}, 1e-4))");
    "clamp_length": VECTORS, [T, Element, Element] => T,
        Template("select({0}, normalize({0}) * clamp(length({0}), {1}, {2}), (length({0}) < {1}) || (length({0}) > {2}))");
    "clamp_length_max": VECTORS, [T, Element] => T, Template("select({0}, normalize({0}) * {1}, length({0}) > {1})");
    "clamp_length_min": VECTORS, [T, Element] => T, Template("select({0}, normalize({0}) * {1}, length({0}) < {1})");
    "project_onto": VECTORS, [T, T] => T, Template("({1} * (dot({0}, {1}) / dot({1}, {1})))");
    "reject_from": VECTORS, [T, T] => T, Template("({0} - {1} * (dot({0}, {1}) / dot({1}, {1})))");
    "project_onto_normalized": VECTORS, [T, T] => T, Template("({1} * dot({0}, {1}))");
    "reject_from_normalized": VECTORS, [T, T] => T, Template("({0} - {1} * dot({0}, {1}))");
    "reflect": VECTORS, [T, T] => T, Call("reflect");
    "refract": VECTORS, [T, T, Element] => T, Call("refract");
    "to_angle": TWO, [T] => Element, Template("atan2({0}.y, {0}.x)");
    "angle_to": TWO, [T, T] => Element, Template("atan2({0}.x * {1}.y - {0}.y * {1}.x, dot({0}, {1}))");
    "perp": SIGNED_TWO, [T] => T, Template("{T}(-{0}.y, {0}.x)");
    "perp_dot": SIGNED_TWO, [T, T] => Element, Template("({0}.x * {1}.y - {0}.y * {1}.x)");
    "rotate": SIGNED_TWO, [T, T] => T, Template("{T}({0}.x * {1}.x - {0}.y * {1}.y, {0}.y * {1}.x + {0}.x * {1}.y)");
    "rotate_angle": TWO, [T, Element] => T,
        Template("{T}({0}.x * cos({1}) - {0}.y * sin({1}), {0}.y * cos({1}) + {0}.x * sin({1}))");
    "angle_between": THREE, [T, T] => Element, Template("acos(clamp(dot({0}, {1}) / (length({0}) * length({1})), -1.0, 1.0))");
    "rotate_x": THREE, [T, Element] => T,
        Template("{T}({0}.x, {0}.y * cos({1}) - {0}.z * sin({1}), {0}.y * sin({1}) + {0}.z * cos({1}))");
    "rotate_y": THREE, [T, Element] => T,
        Template("{T}({0}.x * cos({1}) + {0}.z * sin({1}), {0}.y, {0}.z * cos({1}) - {0}.x * sin({1}))");
    "rotate_z": THREE, [T, Element] => T,
        Template("{T}({0}.x * cos({1}) - {0}.y * sin({1}), {0}.x * sin({1}) + {0}.y * cos({1}), {0}.z)");
    "to_homogeneous": THREE, [T] => Elements(4), Template("vec4<f32>({0}, 1.0)");
    "project": FOUR, [T] => Elements(3), Template("({0}.xyz / {0}.w)");
};
