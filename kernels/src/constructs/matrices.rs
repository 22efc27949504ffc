//! Matrices: their columns, and products with vectors and with matrices.

/// One invocation per matrix.
#[hirace::monitor]
pub mod matrices {
    use hirace::prelude::*;

    /// Uses square matrices.
    #[kernel(workgroup_size(4))]
    pub fn square(
        #[builtin(global_invocation_id)] id: UVec3,
        input: &[Mat4],
        output: &mut [Mat4],
        determinants: &mut [Vec3],
    ) {
        let m = input[id.x];
        let upper = Mat3::from_cols(m.x_axis.xyz(), m.y_axis.xyz(), m.z_axis.xyz());
        let turn = Mat2::from_cols(vec2(0.0, 1.0), vec2(-1.0, 0.0));
        let turned = turn * m.x_axis.xy();
        let mut product = m * m.transpose() * 0.5 + m - Mat4::IDENTITY;
        product.w_axis += (upper * upper.transpose() * m.w_axis.xyz()).extend(turned.x + turned.y);
        output[id.x] = product;
        determinants[id.x] = vec3(determinant(m), upper.determinant(), turn.determinant());
    }

    /// Uses all nine shapes, each made from its columns and multiplied by a vector.
    #[kernel(workgroup_size(4))]
    pub fn shapes(#[builtin(global_invocation_id)] id: UVec3, columns: &[Vec4], sums: &mut [Vec2]) {
        let v4 = columns[id.x];
        let v3 = v4.xyz();
        let v2 = v4.xy();
        let square = mat2(v2, v2) * v2 + (mat3(v3, v3, v3) * v3).xy();
        let whole = (mat4(v4, v4, v4, v4) * v4).xy();
        let two = (Mat2x3::from_cols(v3, v3) * v2).xy() + (Mat2x4::from_cols(v4, v4) * v2).xy();
        let three = Mat3x2::from_cols(v2, v2, v2) * v3;
        let tall = (Mat3x4::from_cols(v4, v4, v4) * v3).xy();
        let four = Mat4x2::from_cols(v2, v2, v2, v2) * v4;
        let last = (Mat4x3::from_cols(v3, v3, v3, v3) * v4).xy();
        sums[id.x] = square + whole + two + three + tall + four + last;
    }

    /// Uses non-square matrices, which glam does not have.
    #[kernel(workgroup_size(4))]
    pub fn oblong(
        #[builtin(global_invocation_id)] id: UVec3,
        tall: &[Mat2x3],
        wide: &[Mat4x2],
        products: &mut [Mat4x3],
        sums: &mut [Vec2],
    ) {
        let product = tall[id.x] * wide[id.x];
        products[id.x] = product * 2.0 - product;
        let tall_rows = transpose(tall[id.x]);
        let column = tall[id.x].col(id.x % 2);
        sums[id.x] = 2.0 * (tall_rows * column) + wide[id.x] * Vec4::ONE;
    }
}

#[cfg(test)]
mod tests {
    use super::matrices;
    use crate::support::{assert_close, clean, floats, scalars};
    use hirace::Launch;
    use hirace::prelude::{Mat3, Mat4, Vec2, Vec3, Vec4};

    #[test]
    fn square_matrices_are_as_in_glam() {
        let input: Vec<Mat4> = floats(64, 44).chunks(16).map(Mat4::from_cols_slice).collect();
        let launch = Launch::new()
            .workgroups(1)
            .buffer("input", &input)
            .buffer("output", &[Mat4::ZERO; 4])
            .buffer("determinants", &[Vec3::ZERO; 4]);
        let run = clean(&matrices::square::kernel(), launch);
        let upper = |m: &Mat4| Mat3::from_mat4(*m);
        let product = |m: &Mat4| {
            let mut product = *m * m.transpose() * 0.5 + *m - Mat4::IDENTITY;
            let [x, y, z] = (upper(m) * upper(m).transpose() * m.w_axis.truncate()).to_array();
            product.w_axis += Vec4::new(x, y, z, m.x_axis.x - m.x_axis.y);
            product
        };
        let expected: Vec<Mat4> = input.iter().map(product).collect();
        assert_close(&scalars(&run.read::<Mat4>("output")), &scalars(&expected), 1e-5);
        let determinants = |m: &Mat4| Vec3::new(m.determinant(), upper(m).determinant(), 1.0);
        let expected: Vec<Vec3> = input.iter().map(determinants).collect();
        assert_close(&scalars(&run.read::<Vec3>("determinants")), &scalars(&expected), 1e-5);
    }

    #[test]
    fn every_shape_sums_its_columns_as_the_vector_says() {
        let columns: Vec<Vec4> = floats(16, 61).chunks(4).map(Vec4::from_slice).collect();
        let launch = Launch::new()
            .workgroups(1)
            .buffer("columns", &columns)
            .buffer("sums", &[Vec2::ZERO; 4]);
        let run = clean(&matrices::shapes::kernel(), launch);
        let expected = |v: &Vec4| {
            let (two, three) = (v.x + v.y, v.x + v.y + v.z);
            Vec2::new(v.x, v.y) * 3.0 * (two + three + three + v.w)
        };
        let expected: Vec<Vec2> = columns.iter().map(expected).collect();
        assert_close(&scalars(&run.read::<Vec2>("sums")), &scalars(&expected), 1e-5);
    }

    #[test]
    fn oblong_matrices_are_multiplied_by_rows_and_columns() {
        let numbers = floats(56, 54);
        let of = |i: usize| &numbers[14 * i..][..14];
        let tall = |i: usize| [0, 3].map(|at| Vec3::from_slice(&of(i)[at..]));
        let wide = |i: usize| [6, 8, 10, 12].map(|at| Vec2::from_slice(&of(i)[at..]));
        let launch = Launch::new()
            .workgroups(1)
            .buffer("tall", &(0..4).map(tall).collect::<Vec<_>>())
            .buffer("wide", &(0..4).map(wide).collect::<Vec<_>>())
            .buffer("products", &[[Vec3::ZERO; 4]; 4])
            .buffer("sums", &[Vec2::ZERO; 4]);
        let run = clean(&matrices::oblong::kernel(), launch);
        let product =
            |i: usize| wide(i).map(|column| tall(i)[0] * column.x + tall(i)[1] * column.y);
        let expected: Vec<[Vec3; 4]> = (0..4).map(product).collect();
        assert_close(&scalars(&run.read::<[Vec3; 4]>("products")), &scalars(&expected), 1e-5);
        let sum = |i: usize| {
            let column = tall(i)[i % 2];
            2.0 * Vec2::from(tall(i).map(|other| other.dot(column))) + wide(i).iter().sum::<Vec2>()
        };
        let expected: Vec<Vec2> = (0..4).map(sum).collect();
        assert_close(&scalars(&run.read::<Vec2>("sums")), &scalars(&expected), 1e-5);
    }
}
