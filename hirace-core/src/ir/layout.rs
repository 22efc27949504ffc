//! Where the scalars of a type lie: what whole-aggregate accesses touch, how fine memory must be
//! watched, and what a byte offset is called in the source.

use super::access::Extent;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

/// A type with more runs of scalars than this is taken as one run, padding included. Padding belongs
/// to the same value, so nothing but accesses to that value is affected.
const MOST_RUNS: usize = 1 << 12;

/// The bytes of a scalar.
pub fn scalar(scalar: Scalar) -> Vec<Extent> {
    vec![Extent { offset: 0, bytes: u32::from(scalar.width) }]
}

/// The bytes of a vector.
pub fn vector(size: VectorSize, scalar: Scalar) -> Vec<Extent> {
    vec![Extent { offset: 0, bytes: size as u32 * u32::from(scalar.width) }]
}

/// The bytes of each scalar in a value of type `ty`: no padding, adjoining runs merged. For a type
/// that ends in a runtime-sized array, the bytes before it.
pub fn scalars(module: &Module, ty: Handle<Type>) -> Vec<Extent> {
    let mut runs = Runs { list: Vec::new(), overflow: false };
    runs.add(module, ty, 0);
    if runs.overflow {
        return vec![Extent { offset: 0, bytes: module.types[ty].inner.size(module.to_ctx()) }];
    }
    runs.list
}

struct Runs {
    list: Vec<Extent>,
    overflow: bool,
}

impl Runs {
    fn push(&mut self, offset: u32, bytes: u32) {
        let full = self.list.len() == MOST_RUNS;
        match self.list.last_mut() {
            Some(last) if last.offset + last.bytes == offset => last.bytes += bytes,
            _ if full => self.overflow = true,
            _ => self.list.push(Extent { offset, bytes }),
        }
    }

    fn add(&mut self, module: &Module, ty: Handle<Type>, at: u32) {
        match module.types[ty].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                self.push(at, u32::from(scalar.width));
            }
            TypeInner::Vector { size, scalar } => {
                self.push(at, size as u32 * u32::from(scalar.width));
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let stride = column_stride(rows, scalar);
                for column in 0..columns as u32 {
                    self.push(at + column * stride, rows as u32 * u32::from(scalar.width));
                }
            }
            TypeInner::Array { base, size: ArraySize::Constant(length), stride } => {
                self.repeat(module, base, at, length.get(), stride);
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    self.add(module, member.ty, at + member.offset);
                }
            }
            _ => {}
        }
    }

    /// An array. One whose elements are a single run without padding needs no walk.
    fn repeat(&mut self, module: &Module, base: Handle<Type>, at: u32, length: u32, stride: u32) {
        let element = scalars(module, base);
        if let [run] = element[..]
            && run == (Extent { offset: 0, bytes: stride })
        {
            return self.push(at, length * stride);
        }
        for index in 0..length {
            for run in &element {
                self.push(at + index * stride + run.offset, run.bytes);
            }
            if self.overflow {
                return;
            }
        }
    }
}

/// The distance between the columns of a matrix.
pub fn column_stride(rows: VectorSize, scalar: Scalar) -> u32 {
    let rows = if rows == VectorSize::Tri { 4 } else { rows as u32 };
    rows * u32::from(scalar.width)
}

/// log2 of the bytes of a granule in a variable of type `ty`: its smallest scalar, but no more than
/// four bytes. (`bool` takes one byte in naga's layout of workgroup memory.)
pub fn granule_shift(module: &Module, ty: Handle<Type>) -> u32 {
    match module.types[ty].inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Atomic(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. } => match scalar {
            Scalar { kind: ScalarKind::Bool, .. } => 0,
            Scalar { width, .. } => u32::from(width).trailing_zeros().min(2),
        },
        TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => {
            granule_shift(module, base)
        }
        TypeInner::Struct { ref members, .. } => {
            members.iter().map(|member| granule_shift(module, member.ty)).min().unwrap_or(2)
        }
        _ => 2,
    }
}
