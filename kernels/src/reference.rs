//! Dense matrices of f64, as a reference for kernels of linear algebra.

use std::cmp::Ordering;
use std::ops::{Add, Index, IndexMut, Mul};

/// A row-major matrix.
#[derive(Clone)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    elements: Vec<f64>,
}

impl Matrix {
    /// Returns a matrix with elements computed by a function of row and column.
    pub fn new(rows: usize, columns: usize, element: impl Fn(usize, usize) -> f64) -> Self {
        let elements = (0..rows * columns).map(|i| element(i / columns, i % columns)).collect();
        Self { rows, columns, elements }
    }

    /// Returns the matrix at the start of a buffer, which may be longer.
    pub fn of(rows: usize, columns: usize, elements: &[f32]) -> Self {
        Self::new(rows, columns, |row, column| f64::from(elements[row * columns + column]))
    }

    /// Returns a matrix of one column.
    pub fn column(elements: &[f32]) -> Self {
        Self::of(elements.len(), 1, elements)
    }

    /// Returns the transposed matrix.
    pub fn transposed(&self) -> Self {
        Self::new(self.columns, self.rows, |row, column| self[(column, row)])
    }

    /// Returns the matrix times a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        Self::new(self.rows, self.columns, |row, column| factor * self[(row, column)])
    }

    /// Returns the two factors of an LU decomposition stored in one matrix: the lower one has ones on its diagonal.
    pub fn triangles(&self) -> (Self, Self) {
        let triangle = |element: fn(f64, Ordering) -> f64| {
            Self::new(self.rows, self.columns, |row, column| {
                element(self[(row, column)], row.cmp(&column))
            })
        };
        let lower = triangle(|element, side| match side {
            Ordering::Less => 0.0,
            Ordering::Equal => 1.0,
            Ordering::Greater => element,
        });
        (lower, triangle(|element, side| if side == Ordering::Greater { 0.0 } else { element }))
    }

    /// Solves the equation `self * x = right` for a square matrix, without exchanging rows.
    pub fn solve(mut self, mut right: Self) -> Self {
        for pivot in 0..self.rows {
            for row in (0..self.rows).filter(|row| *row != pivot) {
                let share = self[(row, pivot)] / self[(pivot, pivot)];
                for column in pivot..self.columns {
                    self[(row, column)] -= share * self[(pivot, column)];
                }
                right[(row, 0)] -= share * right[(pivot, 0)];
            }
        }
        Self::new(self.rows, 1, |row, _| right[(row, 0)] / self[(row, row)])
    }

    /// Returns the elements as floats, in the order of buffers.
    pub fn floats(&self) -> Vec<f32> {
        self.elements.iter().map(|element| *element as f32).collect()
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.elements[row * self.columns + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.elements[row * self.columns + column]
    }
}

impl Mul for &Matrix {
    type Output = Matrix;

    fn mul(self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.rows);
        Matrix::new(self.rows, other.columns, |row, column| {
            (0..self.columns).map(|k| self[(row, k)] * other[(k, column)]).sum()
        })
    }
}

impl Add for Matrix {
    type Output = Matrix;

    fn add(self, other: Matrix) -> Matrix {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns));
        Matrix::new(self.rows, self.columns, |row, column| {
            self[(row, column)] + other[(row, column)]
        })
    }
}
