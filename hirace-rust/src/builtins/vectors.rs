//! glam's vector constructors, and the methods of vectors of every scalar type.

use super::Emit::{self, Call, Template};
use super::Parameter::{Array, Element, Elements, Like, Scalar, T, Vector};
use super::{Builtin, Class};
use crate::types::Scalar as Kind;
use crate::types::Scalar::{Bool, F32, I32, U32};

const NUMBERS: &[Kind] = &[F32, I32, U32];
const ALL: &[Kind] = &[F32, I32, U32, Bool];
const TWO: Class = Class::Only(&[2], NUMBERS);
const THREE: Class = Class::Only(&[3], NUMBERS);
const FOUR: Class = Class::Only(&[4], NUMBERS);
const INTEGERS: Class = Class::Only(&[2, 3, 4], &[I32, U32]);
const MASKS: Class = Class::Only(&[2, 3, 4], &[Bool]);

pub(super) const FUNCTIONS: &[Builtin] = table! {
    "vec2": Class::None, [Scalar(F32); 2] => Vector(2, F32), Call("vec2<f32>");
    "vec3": Class::None, [Scalar(F32); 3] => Vector(3, F32), Call("vec3<f32>");
    "vec4": Class::None, [Scalar(F32); 4] => Vector(4, F32), Call("vec4<f32>");
    "ivec2": Class::None, [Scalar(I32); 2] => Vector(2, I32), Call("vec2<i32>");
    "ivec3": Class::None, [Scalar(I32); 3] => Vector(3, I32), Call("vec3<i32>");
    "ivec4": Class::None, [Scalar(I32); 4] => Vector(4, I32), Call("vec4<i32>");
    "uvec2": Class::None, [Scalar(U32); 2] => Vector(2, U32), Call("vec2<u32>");
    "uvec3": Class::None, [Scalar(U32); 3] => Vector(3, U32), Call("vec3<u32>");
    "uvec4": Class::None, [Scalar(U32); 4] => Vector(4, U32), Call("vec4<u32>");
    "bvec2": Class::None, [Scalar(Bool); 2] => Vector(2, Bool), Call("vec2<bool>");
    "bvec3": Class::None, [Scalar(Bool); 3] => Vector(3, Bool), Call("vec3<bool>");
    "bvec4": Class::None, [Scalar(Bool); 4] => Vector(4, Bool), Call("vec4<bool>");
};

pub(super) const ASSOCIATED: &[Builtin] = table! {
    "new": Class::Only(&[2], ALL), [Element; 2] => T, Template("{T}({0}, {1})");
    "new": Class::Only(&[3], ALL), [Element; 3] => T, Template("{T}({0}, {1}, {2})");
    "new": Class::Only(&[4], ALL), [Element; 4] => T, Template("{T}({0}, {1}, {2}, {3})");
    "splat": Class::Only(&[2, 3, 4], ALL), [Element] => T, Template("{T}({0})");
    "select": Class::NumericVector, [Like(Bool), T, T] => T, Template("select({2}, {1}, {0})");
    "from_array": Class::Only(&[2], ALL), [Array(2)] => T, Template("{T}({0}[0], {0}[1])");
    "from_array": Class::Only(&[3], ALL), [Array(3)] => T, Template("{T}({0}[0], {0}[1], {0}[2])");
    "from_array": Class::Only(&[4], ALL), [Array(4)] => T, Template("{T}({0}[0], {0}[1], {0}[2], {0}[3])");
    "from_homogeneous": Class::Only(&[3], &[F32]), [Vector(4, F32)] => T, Template("({0}.xyz / {0}.w)");
    "from_angle": Class::Only(&[2], &[F32]), [Element] => T, Template("{T}(cos({0}), sin({0}))");
};

const FLOATS: Emit = Template("{F}({0})");
const INTS: Emit = Template("{I}({0})");
const UINTS: Emit = Template("{U}({0})");

pub(super) const METHODS: &[Builtin] = table! {
    "extend": TWO, [T, Element] => Elements(3), Template("vec3<{E}>({0}, {1})");
    "extend": THREE, [T, Element] => Elements(4), Template("vec4<{E}>({0}, {1})");
    "truncate": THREE, [T] => Elements(2), Template("{0}.xy");
    "truncate": FOUR, [T] => Elements(3), Template("{0}.xyz");
    "with_x": TWO, [T, Element] => T, Template("{T}({1}, {0}.y)");
    "with_x": THREE, [T, Element] => T, Template("{T}({1}, {0}.yz)");
    "with_x": FOUR, [T, Element] => T, Template("{T}({1}, {0}.yzw)");
    "with_y": TWO, [T, Element] => T, Template("{T}({0}.x, {1})");
    "with_y": THREE, [T, Element] => T, Template("{T}({0}.x, {1}, {0}.z)");
    "with_y": FOUR, [T, Element] => T, Template("{T}({0}.x, {1}, {0}.zw)");
    "with_z": THREE, [T, Element] => T, Template("{T}({0}.xy, {1})");
    "with_z": FOUR, [T, Element] => T, Template("{T}({0}.xy, {1}, {0}.w)");
    "with_w": FOUR, [T, Element] => T, Template("{T}({0}.xyz, {1})");
    "to_array": TWO, [T] => Array(2), Template("array<{E}, 2>({0}.x, {0}.y)");
    "to_array": THREE, [T] => Array(3), Template("array<{E}, 3>({0}.x, {0}.y, {0}.z)");
    "to_array": FOUR, [T] => Array(4), Template("array<{E}, 4>({0}.x, {0}.y, {0}.z, {0}.w)");
    "as_vec2": Class::Only(&[2], &[I32, U32]), [T] => Like(F32), FLOATS;
    "as_vec3": Class::Only(&[3], &[I32, U32]), [T] => Like(F32), FLOATS;
    "as_vec4": Class::Only(&[4], &[I32, U32]), [T] => Like(F32), FLOATS;
    "as_ivec2": Class::Only(&[2], &[F32, U32]), [T] => Like(I32), INTS;
    "as_ivec3": Class::Only(&[3], &[F32, U32]), [T] => Like(I32), INTS;
    "as_ivec4": Class::Only(&[4], &[F32, U32]), [T] => Like(I32), INTS;
    "as_uvec2": Class::Only(&[2], &[F32, I32]), [T] => Like(U32), UINTS;
    "as_uvec3": Class::Only(&[3], &[F32, I32]), [T] => Like(U32), UINTS;
    "as_uvec4": Class::Only(&[4], &[F32, I32]), [T] => Like(U32), UINTS;
    "cmpeq": Class::NumericVector, [T, T] => Like(Bool), Template("({0} == {1})");
    "cmpne": Class::NumericVector, [T, T] => Like(Bool), Template("({0} != {1})");
    "cmplt": Class::NumericVector, [T, T] => Like(Bool), Template("({0} < {1})");
    "cmple": Class::NumericVector, [T, T] => Like(Bool), Template("({0} <= {1})");
    "cmpgt": Class::NumericVector, [T, T] => Like(Bool), Template("({0} > {1})");
    "cmpge": Class::NumericVector, [T, T] => Like(Bool), Template("({0} >= {1})");
    "all": MASKS, [T] => Scalar(Bool), Call("all");
    "any": MASKS, [T] => Scalar(Bool), Call("any");
    "bitmask": Class::Only(&[2], &[Bool]), [T] => Scalar(U32), Template("dot(vec2<u32>({0}), vec2<u32>(1u, 2u))");
    "bitmask": Class::Only(&[3], &[Bool]), [T] => Scalar(U32), Template("dot(vec3<u32>({0}), vec3<u32>(1u, 2u, 4u))");
    "bitmask": Class::Only(&[4], &[Bool]), [T] => Scalar(U32), Template("dot(vec4<u32>({0}), vec4<u32>(1u, 2u, 4u, 8u))");
    "dot": Class::NumericVector, [T, T] => Element, Call("dot");
    "cross": Class::Only(&[3], &[F32]), [T, T] => T, Call("cross");
    "cross": Class::Only(&[3], &[I32]), [T, T] => T, Template("({0}.yzx * {1}.zxy - {0}.zxy * {1}.yzx)");
    "element_sum": Class::NumericVector, [T] => Element, Template("dot({0}, {T}(1))");
    "element_product": TWO, [T] => Element, Template("({0}.x * {0}.y)");
    "element_product": THREE, [T] => Element, Template("({0}.x * {0}.y * {0}.z)");
    "element_product": FOUR, [T] => Element, Template("({0}.x * {0}.y * {0}.z * {0}.w)");
    "min_element": TWO, [T] => Element, Template("min({0}.x, {0}.y)");
    "min_element": THREE, [T] => Element, Template("min(min({0}.x, {0}.y), {0}.z)");
    "min_element": FOUR, [T] => Element, Template("min(min({0}.x, {0}.y), min({0}.z, {0}.w))");
    "max_element": TWO, [T] => Element, Template("max({0}.x, {0}.y)");
    "max_element": THREE, [T] => Element, Template("max(max({0}.x, {0}.y), {0}.z)");
    "max_element": FOUR, [T] => Element, Template("max(max({0}.x, {0}.y), max({0}.z, {0}.w))");
    "length_squared": Class::NumericVector, [T] => Element, Template("dot({0}, {0})");
    "distance_squared": Class::Only(&[2, 3, 4], &[F32, I32]), [T, T] => Element, Template("dot({0} - {1}, {0} - {1})");
    "manhattan_distance": INTEGERS, [T, T] => Scalar(U32),
        Template("dot(bitcast<{U}>(max({0}, {1})) - bitcast<{U}>(min({0}, {1})), {U}(1u))");
};
