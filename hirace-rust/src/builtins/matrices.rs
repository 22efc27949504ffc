//! glam's matrices, and WGSL's matrix types that glam does not have.

use super::Emit::{Call, Template};
use super::Parameter::{Column, Element, Index, Matrix, Row, Scalar, T, Transposed, Vector};
use super::{Builtin, Class, Parameter};
use crate::types::Scalar::F32;

/// All matrices.
pub(super) const MATRICES: Class =
    Class::Matrices(&[(2, 2), (3, 3), (4, 4), (2, 3), (2, 4), (3, 2), (3, 4), (4, 2), (4, 3)]);

const TWO: Class = Class::Matrices(&[(2, 2)]);
const THREE: Class = Class::Matrices(&[(3, 3)]);
const FOUR: Class = Class::Matrices(&[(4, 4)]);
const TWO_COLUMNS: Class = Class::Matrices(&[(2, 2), (2, 3), (2, 4)]);
const THREE_COLUMNS: Class = Class::Matrices(&[(3, 3), (3, 2), (3, 4)]);
const FOUR_COLUMNS: Class = Class::Matrices(&[(4, 4), (4, 2), (4, 3)]);
const ANGLE: Parameter = Scalar(F32);

pub(super) const FUNCTIONS: &[Builtin] = table! {
    "mat2": Class::None, [Vector(2, F32); 2] => Matrix(2, 2), Call("mat2x2<f32>");
    "mat3": Class::None, [Vector(3, F32); 3] => Matrix(3, 3), Call("mat3x3<f32>");
    "mat4": Class::None, [Vector(4, F32); 4] => Matrix(4, 4), Call("mat4x4<f32>");
};

pub(super) const ASSOCIATED: &[Builtin] = table! {
    "from_cols": TWO_COLUMNS, [Column; 2] => T, Template("{T}({0}, {1})");
    "from_cols": THREE_COLUMNS, [Column; 3] => T, Template("{T}({0}, {1}, {2})");
    "from_cols": FOUR_COLUMNS, [Column; 4] => T, Template("{T}({0}, {1}, {2}, {3})");
    "from_rows": TWO, [Row; 2] => T, Template("transpose({T}({0}, {1}))");
    "from_rows": THREE, [Row; 3] => T, Template("transpose({T}({0}, {1}, {2}))");
    "from_rows": FOUR, [Row; 4] => T, Template("transpose({T}({0}, {1}, {2}, {3}))");
    "from_diagonal": TWO, [Column] => T, Template("{T}({0}.x, 0.0, 0.0, {0}.y)");
    "from_diagonal": THREE, [Column] => T, Template("{T}({0}.x, 0.0, 0.0, 0.0, {0}.y, 0.0, 0.0, 0.0, {0}.z)");
    "from_diagonal": FOUR, [Column] => T,
        Template("{T}({0}.x, 0.0, 0.0, 0.0, 0.0, {0}.y, 0.0, 0.0, 0.0, 0.0, {0}.z, 0.0, 0.0, 0.0, 0.0, {0}.w)");
    "from_angle": TWO, [ANGLE] => T, Template("{T}(cos({0}), sin({0}), -sin({0}), cos({0}))");
    "from_angle": THREE, [ANGLE] => T, Template("{T}(cos({0}), sin({0}), 0.0, -sin({0}), cos({0}), 0.0, 0.0, 0.0, 1.0)");
    "from_scale_angle": TWO, [Vector(2, F32), ANGLE] => T,
        Template("{T}(cos({1}) * {0}.x, sin({1}) * {0}.x, -sin({1}) * {0}.y, cos({1}) * {0}.y)");
    "from_rotation_x": THREE, [ANGLE] => T, Template("{T}(1.0, 0.0, 0.0, 0.0, cos({0}), sin({0}), 0.0, -sin({0}), cos({0}))");
    "from_rotation_x": FOUR, [ANGLE] => T,
        Template("{T}(1.0, 0.0, 0.0, 0.0, 0.0, cos({0}), sin({0}), 0.0, 0.0, -sin({0}), cos({0}), 0.0, 0.0, 0.0, 0.0, 1.0)");
    "from_rotation_y": THREE, [ANGLE] => T, Template("{T}(cos({0}), 0.0, -sin({0}), 0.0, 1.0, 0.0, sin({0}), 0.0, cos({0}))");
    "from_rotation_y": FOUR, [ANGLE] => T,
        Template("{T}(cos({0}), 0.0, -sin({0}), 0.0, 0.0, 1.0, 0.0, 0.0, sin({0}), 0.0, cos({0}), 0.0, 0.0, 0.0, 0.0, 1.0)");
    "from_rotation_z": THREE, [ANGLE] => T, Template("{T}(cos({0}), sin({0}), 0.0, -sin({0}), cos({0}), 0.0, 0.0, 0.0, 1.0)");
    "from_rotation_z": FOUR, [ANGLE] => T,
        Template("{T}(cos({0}), sin({0}), 0.0, 0.0, -sin({0}), cos({0}), 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)");
    "from_translation": THREE, [Vector(2, F32)] => T, Template("{T}(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, {0}.x, {0}.y, 1.0)");
    "from_translation": FOUR, [Vector(3, F32)] => T,
        Template("{T}(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, {0}.x, {0}.y, {0}.z, 1.0)");
    "from_scale": THREE, [Vector(2, F32)] => T, Template("{T}({0}.x, 0.0, 0.0, 0.0, {0}.y, 0.0, 0.0, 0.0, 1.0)");
    "from_scale": FOUR, [Vector(3, F32)] => T,
        Template("{T}({0}.x, 0.0, 0.0, 0.0, 0.0, {0}.y, 0.0, 0.0, 0.0, 0.0, {0}.z, 0.0, 0.0, 0.0, 0.0, 1.0)");
    "from_mat3": TWO, [Matrix(3, 3)] => T, Template("{T}({0}[0].xy, {0}[1].xy)");
    "from_mat2": THREE, [Matrix(2, 2)] => T,
        Template("{T}(vec3<f32>({0}[0], 0.0), vec3<f32>({0}[1], 0.0), vec3<f32>(0.0, 0.0, 1.0))");
    "from_mat4": THREE, [Matrix(4, 4)] => T, Template("{T}({0}[0].xyz, {0}[1].xyz, {0}[2].xyz)");
    "from_mat3": FOUR, [Matrix(3, 3)] => T,
        Template("{T}(vec4<f32>({0}[0], 0.0), vec4<f32>({0}[1], 0.0), vec4<f32>({0}[2], 0.0), vec4<f32>(0.0, 0.0, 0.0, 1.0))");
};

pub(super) const METHODS: &[Builtin] = table! {
    "transpose": MATRICES, [T] => Transposed, Call("transpose");
    "determinant": Class::Matrix, [T] => Element, Call("determinant");
    "inverse": TWO, [T] => T, Template("({T}({0}[1].y, -{0}[0].y, -{0}[1].x, {0}[0].x) * (1.0 / determinant({0})))");
    "inverse": THREE, [T] => T,
        Template("(transpose({T}(cross({0}[1], {0}[2]), cross({0}[2], {0}[0]), cross({0}[0], {0}[1]))) * (1.0 / determinant({0})))");
    "mul_vec2": TWO_COLUMNS, [T, Row] => Column, Template("({0} * {1})");
    "mul_vec3": THREE_COLUMNS, [T, Row] => Column, Template("({0} * {1})");
    "mul_vec4": FOUR_COLUMNS, [T, Row] => Column, Template("({0} * {1})");
    "transpose_mul_vec2": TWO, [T, Column] => Row, Template("({1} * {0})");
    "transpose_mul_vec3": THREE, [T, Column] => Row, Template("({1} * {0})");
    "transpose_mul_vec4": FOUR, [T, Column] => Row, Template("({1} * {0})");
    "mul_scalar": MATRICES, [T, Element] => T, Template("({0} * {1})");
    "div_scalar": Class::Matrix, [T, Element] => T, Template("({0} * (1.0 / {1}))");
    "mul_diagonal_scale": TWO, [T, Row] => T, Template("{T}({0}[0] * {1}.x, {0}[1] * {1}.y)");
    "mul_diagonal_scale": THREE, [T, Row] => T, Template("{T}({0}[0] * {1}.x, {0}[1] * {1}.y, {0}[2] * {1}.z)");
    "mul_diagonal_scale": FOUR, [T, Row] => T, Template("{T}({0}[0] * {1}.x, {0}[1] * {1}.y, {0}[2] * {1}.z, {0}[3] * {1}.w)");
    "diagonal": TWO, [T] => Column, Template("vec2<f32>({0}[0].x, {0}[1].y)");
    "diagonal": THREE, [T] => Column, Template("vec3<f32>({0}[0].x, {0}[1].y, {0}[2].z)");
    "diagonal": FOUR, [T] => Column, Template("vec4<f32>({0}[0].x, {0}[1].y, {0}[2].z, {0}[3].w)");
    "abs": TWO, [T] => T, Template("{T}(abs({0}[0]), abs({0}[1]))");
    "abs": THREE, [T] => T, Template("{T}(abs({0}[0]), abs({0}[1]), abs({0}[2]))");
    "abs": FOUR, [T] => T, Template("{T}(abs({0}[0]), abs({0}[1]), abs({0}[2]), abs({0}[3]))");
    "col": MATRICES, [T, Index] => Column, Template("{0}[{1}]");
    "row": MATRICES, [T, Index] => Row, Template("transpose({0})[{1}]");
    "transform_point2": THREE, [T, Vector(2, F32)] => Vector(2, F32), Template("({0} * vec3<f32>({1}, 1.0)).xy");
    "transform_vector2": THREE, [T, Vector(2, F32)] => Vector(2, F32), Template("({0} * vec3<f32>({1}, 0.0)).xy");
    "transform_point3": FOUR, [T, Vector(3, F32)] => Vector(3, F32), Template("({0} * vec4<f32>({1}, 1.0)).xyz");
    "transform_vector3": FOUR, [T, Vector(3, F32)] => Vector(3, F32), Template("({0} * vec4<f32>({1}, 0.0)).xyz");
    "project_point3": FOUR, [T, Vector(3, F32)] => Vector(3, F32),
        Template("(({0} * vec4<f32>({1}, 1.0)).xyz / ({0} * vec4<f32>({1}, 1.0)).w)");
};
