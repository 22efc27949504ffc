//! The WGSL matrices that glam does not have, which are not square. `Mat2x3` has 2 columns and 3 rows.

use core::ops::{Add, AddAssign, Index, IndexMut, Mul, MulAssign, Sub, SubAssign};
use glam::{Mat2, Mat3, Mat4, Vec2, Vec3, Vec4};

/// WGSL's `mat2x2<f32>`.
pub type Mat2x2 = Mat2;
/// WGSL's `mat3x3<f32>`.
pub type Mat3x3 = Mat3;
/// WGSL's `mat4x4<f32>`.
pub type Mat4x4 = Mat4;

macro_rules! matrices {
    ($($wgsl:literal $name:ident: $($axis:ident)*, $column:ident [$($row:literal)*], $vector:ident,
        $transposed:ident, $mul:ident;)*) => {$(
        #[doc = concat!("WGSL's `", $wgsl, "<f32>`.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C)]
        pub struct $name {
            $(#[doc = concat!("Its column `", stringify!($axis), "`.")]
            pub $axis: $column,)*
        }

        impl $name {
            /// The matrix of zeros.
            pub const ZERO: Self = Self { $($axis: $column::ZERO),* };

            /// Creates a matrix from its columns.
            pub const fn from_cols($($axis: $column),*) -> Self {
                Self { $($axis),* }
            }

            /// Returns the column with this index.
            pub fn col(&self, index: usize) -> $column {
                [$(self.$axis),*][index]
            }

            /// Returns the row with this index.
            pub fn row(&self, index: usize) -> $vector {
                $vector::new($(self.$axis[index]),*)
            }

            /// Returns the transposed matrix.
            pub fn transpose(&self) -> $transposed {
                $transposed::from_cols($(self.row($row)),*)
            }

            /// Returns `self * rhs`.
            pub fn $mul(&self, rhs: $vector) -> $column {
                *self * rhs
            }

            /// Returns `self * rhs`.
            pub fn mul_scalar(&self, rhs: f32) -> Self {
                *self * rhs
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, rhs: Self) -> Self {
                Self { $($axis: self.$axis + rhs.$axis),* }
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, rhs: Self) -> Self {
                Self { $($axis: self.$axis - rhs.$axis),* }
            }
        }

        impl Mul<f32> for $name {
            type Output = Self;
            fn mul(self, rhs: f32) -> Self {
                Self { $($axis: self.$axis * rhs),* }
            }
        }

        impl Mul<$name> for f32 {
            type Output = $name;
            fn mul(self, rhs: $name) -> $name {
                rhs * self
            }
        }

        impl Mul<$vector> for $name {
            type Output = $column;
            fn mul(self, rhs: $vector) -> $column {
                let parts = [$(self.$axis),*];
                let scaled = parts.iter().zip(rhs.to_array()).map(|(column, factor)| *column * factor);
                scaled.sum()
            }
        }

        impl Mul<$name> for $column {
            type Output = $vector;
            fn mul(self, rhs: $name) -> $vector {
                $vector::new($(self.dot(rhs.$axis)),*)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, rhs: Self) {
                *self = *self + rhs;
            }
        }

        impl SubAssign for $name {
            fn sub_assign(&mut self, rhs: Self) {
                *self = *self - rhs;
            }
        }

        impl MulAssign<f32> for $name {
            fn mul_assign(&mut self, rhs: f32) {
                *self = *self * rhs;
            }
        }

        impl Index<usize> for $name {
            type Output = $column;
            fn index(&self, index: usize) -> &$column {
                let columns = [$(&self.$axis),*];
                columns[index]
            }
        }

        impl IndexMut<usize> for $name {
            fn index_mut(&mut self, index: usize) -> &mut $column {
                let columns = [$(&mut self.$axis),*];
                let mut columns = columns.into_iter();
                columns.nth(index).expect("a column of this number")
            }
        }
    )*};
}

matrices! {
    "mat2x3" Mat2x3: x_axis y_axis, Vec3 [0 1 2], Vec2, Mat3x2, mul_vec2;
    "mat2x4" Mat2x4: x_axis y_axis, Vec4 [0 1 2 3], Vec2, Mat4x2, mul_vec2;
    "mat3x2" Mat3x2: x_axis y_axis z_axis, Vec2 [0 1], Vec3, Mat2x3, mul_vec3;
    "mat3x4" Mat3x4: x_axis y_axis z_axis, Vec4 [0 1 2 3], Vec3, Mat4x3, mul_vec3;
    "mat4x2" Mat4x2: x_axis y_axis z_axis w_axis, Vec2 [0 1], Vec4, Mat2x4, mul_vec4;
    "mat4x3" Mat4x3: x_axis y_axis z_axis w_axis, Vec3 [0 1 2], Vec4, Mat3x4, mul_vec4;
}

macro_rules! products {
    ($($left:ident * $right:ident = $product:ident: $($axis:ident)*;)*) => {$(
        impl Mul<$right> for $left {
            type Output = $product;
            fn mul(self, rhs: $right) -> $product {
                $product::from_cols($(self * rhs.$axis),*)
            }
        }
    )*};
}

products! {
    Mat2 * Mat3x2 = Mat3x2: x_axis y_axis z_axis;
    Mat2 * Mat4x2 = Mat4x2: x_axis y_axis z_axis w_axis;
    Mat2x3 * Mat2 = Mat2x3: x_axis y_axis;
    Mat2x3 * Mat3x2 = Mat3: x_axis y_axis z_axis;
    Mat2x3 * Mat4x2 = Mat4x3: x_axis y_axis z_axis w_axis;
    Mat2x4 * Mat2 = Mat2x4: x_axis y_axis;
    Mat2x4 * Mat3x2 = Mat3x4: x_axis y_axis z_axis;
    Mat2x4 * Mat4x2 = Mat4: x_axis y_axis z_axis w_axis;
    Mat3x2 * Mat2x3 = Mat2: x_axis y_axis;
    Mat3x2 * Mat3 = Mat3x2: x_axis y_axis z_axis;
    Mat3x2 * Mat4x3 = Mat4x2: x_axis y_axis z_axis w_axis;
    Mat3 * Mat2x3 = Mat2x3: x_axis y_axis;
    Mat3 * Mat4x3 = Mat4x3: x_axis y_axis z_axis w_axis;
    Mat3x4 * Mat2x3 = Mat2x4: x_axis y_axis;
    Mat3x4 * Mat3 = Mat3x4: x_axis y_axis z_axis;
    Mat3x4 * Mat4x3 = Mat4: x_axis y_axis z_axis w_axis;
    Mat4x2 * Mat2x4 = Mat2: x_axis y_axis;
    Mat4x2 * Mat3x4 = Mat3x2: x_axis y_axis z_axis;
    Mat4x2 * Mat4 = Mat4x2: x_axis y_axis z_axis w_axis;
    Mat4x3 * Mat2x4 = Mat2x3: x_axis y_axis;
    Mat4x3 * Mat3x4 = Mat3: x_axis y_axis z_axis;
    Mat4x3 * Mat4 = Mat4x3: x_axis y_axis z_axis w_axis;
    Mat4 * Mat2x4 = Mat2x4: x_axis y_axis;
    Mat4 * Mat3x4 = Mat3x4: x_axis y_axis z_axis;
}
