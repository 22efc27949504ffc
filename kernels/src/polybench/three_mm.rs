//! `3mm` of PolyBench: `g = (a b) (c d)`, three products of matrices.

/// Square matrices. The first two products are independent: they share a dispatch, with one layer of the grid
/// each.
#[hirace::monitor]
pub mod three_mm {
    use hirace::prelude::*;

    /// Returns an element of a product of matrices, given their start offsets in the buffers.
    fn element(left: &[f32], right: &[f32], starts: UVec2, size: u32, at: UVec3) -> f32 {
        let mut sum = 0.0;
        for k in 0..size {
            sum += left[starts.x + at.y * size + k] * right[starts.y + k * size + at.x];
        }
        sum
    }

    /// First dispatch: `left` holds `a` followed by `c`, `right` holds `b` followed by `d`.
    #[kernel(workgroup_size(8, 8))]
    pub fn multiply_both(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        left: &[f32],
        right: &[f32],
        products: &mut [f32],
    ) {
        if id.x < size && id.y < size {
            let start = id.z * size * size;
            let sum = element(left, right, UVec2::splat(start), size, id);
            products[start + id.y * size + id.x] = sum;
        }
    }

    /// Second dispatch: multiplies the products.
    #[kernel(workgroup_size(8, 8))]
    pub fn multiply_products(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        products: &mut [f32],
        g: &mut [f32],
    ) {
        if id.x < size && id.y < size {
            let sum = element(products, products, uvec2(0, size * size), size, id);
            g[id.y * size + id.x] = sum;
        }
    }

    /// Both layers of the grid read their own matrices and write the same one.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        left: &[f32],
        right: &[f32],
        products: &mut [f32],
    ) {
        if id.x < size && id.y < size {
            let start = id.z * size * size;
            let sum = element(left, right, UVec2::splat(start), size, id);
            products[id.y * size + id.x] = sum;
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on products[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::three_mm;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch without a grid, and the expected `products` and `g`.
    fn launch(size: usize) -> (Launch, [Vec<f32>; 2]) {
        let area = size * size;
        let (left, right) = (floats(2 * area, 97), floats(2 * area, 98));
        let matrix = |elements: &[f32]| Matrix::of(size, size, elements);
        let first = &matrix(&left) * &matrix(&right);
        let second = &matrix(&left[area..]) * &matrix(&right[area..]);
        let launch = Launch::new()
            .buffer("size", &(size as u32))
            .buffer("left", &left)
            .buffer("right", &right)
            .zeros("products", 2 * area)
            .zeros("g", area);
        (launch, [[first.floats(), second.floats()].concat(), (&first * &second).floats()])
    }

    fn holds(size: usize) {
        let (launch, [products, g]) = launch(size);
        let across = size.div_ceil(8) as u32;
        let launch = launch
            .dispatch("multiply_both", [across, across, 2])
            .dispatch("multiply_products", [across, across]);
        let run = clean(&three_mm::multiply_both::kernel(), launch);
        assert_close(&run.read::<f32>("products"), &products, 1e-5);
        assert_close(&run.read::<f32>("g"), &g, 1e-5);
    }

    #[test]
    fn all_products_are_those_of_the_definition() {
        holds(16);
    }

    #[test]
    fn matrices_need_not_fill_workgroups() {
        holds(11);
        holds(1);
    }

    #[test]
    fn layers_of_the_grid_need_places_of_their_own() {
        let launch = launch(8).0.workgroups([1, 1, 2]);
        racy(&three_mm::racy::kernel(), launch, include_str!("three_mm.rs"));
    }
}
