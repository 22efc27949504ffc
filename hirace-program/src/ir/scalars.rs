//! Offsets of the scalars in a buffer's type, by WGSL's layout rules.

use naga::{ArraySize, Handle, Module, Scalar, Type, TypeInner};

/// The size of a buffer's type: a fixed part, and the stride of a runtime-sized array at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of a type without a runtime-sized array; otherwise bytes before that array.
    pub fixed: u32,
    /// Bytes from one element of the runtime-sized array to the next, if there is one.
    pub stride: Option<u32>,
}

impl Footprint {
    /// Returns the footprint of `ty`. An array whose size is an unresolved override counts as empty.
    pub fn of(module: &Module, ty: Handle<Type>) -> Self {
        match module.types[ty].inner {
            TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => {
                Self { fixed: 0, stride: Some(stride) }
            }
            TypeInner::Struct { ref members, span } => match members.last() {
                Some(last) => match Self::of(module, last.ty).stride {
                    Some(stride) => Self { fixed: last.offset, stride: Some(stride) },
                    None => Self { fixed: span, stride: None },
                },
                None => Self { fixed: span, stride: None },
            },
            ref inner => Self { fixed: inner.try_size(module.to_ctx()).unwrap_or(0), stride: None },
        }
    }

    /// Returns the size in bytes with `elements` in the runtime-sized array, or `None` if it exceeds the address range.
    pub fn bytes(self, elements: u32) -> Option<u32> {
        let array = self.stride.unwrap_or(0).checked_mul(elements)?;
        self.fixed.checked_add(array)?.checked_next_multiple_of(4)
    }

    /// Returns the number of elements of the runtime-sized array in a buffer of `bytes`.
    pub fn elements(self, bytes: u32) -> u32 {
        self.stride.map_or(0, |stride| bytes.saturating_sub(self.fixed) / stride.max(1))
    }

    /// Returns the length of the runtime-sized array in a buffer of `bytes`, or `None` if there is no such array, or the
    /// buffer ends before it.
    pub fn array_length(self, bytes: u32) -> Option<u32> {
        (self.stride.is_some() && bytes >= self.fixed).then(|| self.elements(bytes))
    }
}

/// A scalar in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarSlot {
    /// Offset of its first byte.
    pub offset: u32,
    /// Its type.
    pub scalar: Scalar,
    /// Whether it is an atomic.
    pub atomic: bool,
    /// Its index in a vector; 0 for a scalar that is not part of one.
    pub component: u32,
}

/// Calls `visit` for every scalar of `ty` in layout order, with `elements` in its runtime-sized array.
pub fn scalars(
    module: &Module,
    ty: Handle<Type>,
    elements: u32,
    visit: &mut impl FnMut(ScalarSlot),
) {
    walk(module, ty, 0, elements, visit);
}

fn walk(
    module: &Module,
    ty: Handle<Type>,
    offset: u32,
    elements: u32,
    visit: &mut impl FnMut(ScalarSlot),
) {
    let mut vector = |offset: u32, size: naga::VectorSize, scalar: Scalar| {
        for component in 0..size as u32 {
            let offset = offset + component * u32::from(scalar.width);
            visit(ScalarSlot { offset, scalar, atomic: false, component });
        }
    };
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) => {
            visit(ScalarSlot { offset, scalar, atomic: false, component: 0 })
        }
        TypeInner::Atomic(scalar) => {
            visit(ScalarSlot { offset, scalar, atomic: true, component: 0 })
        }
        TypeInner::Vector { size, scalar } => vector(offset, size, scalar),
        TypeInner::Matrix { columns, rows, scalar } => {
            let stride = naga::proc::Alignment::from(rows) * u32::from(scalar.width);
            for column in 0..columns as u32 {
                vector(offset + column * stride, rows, scalar);
            }
        }
        TypeInner::Array { base, size, stride } => {
            for i in 0..array_length(module, size, elements) {
                walk(module, base, offset + i * stride, elements, visit);
            }
        }
        TypeInner::Struct { ref members, .. } => {
            for member in members {
                walk(module, member.ty, offset + member.offset, elements, visit);
            }
        }
        _ => {}
    }
}

/// Returns the different scalars of `ty` and whether each is atomic, in layout order. This takes no longer for long arrays.
pub fn scalar_types(module: &Module, ty: Handle<Type>) -> Vec<(Scalar, bool)> {
    let mut all = Vec::new();
    add_scalar_types(module, ty, &mut all);
    all
}

fn add_scalar_types(module: &Module, ty: Handle<Type>, all: &mut Vec<(Scalar, bool)>) {
    let one = match module.types[ty].inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. } => (scalar, false),
        TypeInner::Atomic(scalar) => (scalar, true),
        TypeInner::Array { base, size, .. } if array_length(module, size, 1) > 0 => {
            return add_scalar_types(module, base, all);
        }
        TypeInner::Struct { ref members, .. } => {
            return members.iter().for_each(|member| add_scalar_types(module, member.ty, all));
        }
        _ => return,
    };
    if !all.contains(&one) {
        all.push(one);
    }
}

/// Returns the number of elements of an array, which is `elements` for a runtime-sized one.
fn array_length(module: &Module, size: ArraySize, elements: u32) -> u32 {
    match size.resolve(module.to_ctx()) {
        Ok(naga::proc::IndexableLength::Known(count)) => count,
        Ok(naga::proc::IndexableLength::Dynamic) => elements,
        Err(_) => 0,
    }
}

/// Returns the number of scalars in `ty` before its runtime-sized array, and the number in each element of that array.
pub fn scalar_counts(module: &Module, ty: Handle<Type>) -> (u64, u64) {
    counts(module, ty, |_| 1)
}

/// Returns the number of scalar bytes in `ty` before its runtime-sized array, and the number in each element of that array.
pub fn byte_counts(module: &Module, ty: Handle<Type>) -> (u64, u64) {
    counts(module, ty, |scalar| scalar.width.into())
}

fn counts(module: &Module, ty: Handle<Type>, of: impl Fn(Scalar) -> u64) -> (u64, u64) {
    let fixed = sum(module, ty, 0, &of);
    match Footprint::of(module, ty).stride {
        Some(_) => (fixed, sum(module, ty, 1, &of) - fixed),
        None => (fixed, 0),
    }
}

/// Returns the sum of `of` over all scalars, with `elements` in the runtime-sized array.
fn sum(module: &Module, ty: Handle<Type>, elements: u32, of: &impl Fn(Scalar) -> u64) -> u64 {
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => of(scalar),
        TypeInner::Vector { size, scalar } => size as u64 * of(scalar),
        TypeInner::Matrix { columns, rows, scalar } => columns as u64 * rows as u64 * of(scalar),
        TypeInner::Array { base, size, .. } => {
            u64::from(array_length(module, size, elements)) * sum(module, base, elements, of)
        }
        TypeInner::Struct { ref members, .. } => {
            members.iter().map(|member| sum(module, member.ty, elements, of)).sum()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(source: &str, elements: u32) -> (Footprint, Vec<u32>) {
        let module = naga::front::wgsl::parse_str(source).unwrap();
        let ty = module.global_variables.iter().next().unwrap().1.ty;
        let mut offsets = Vec::new();
        scalars(&module, ty, elements, &mut |place| offsets.push(place.offset));
        (Footprint::of(&module, ty), offsets)
    }

    #[test]
    fn padding_holds_no_scalars() {
        let (footprint, offsets) = layout(
            "struct S { a: vec3f, b: u32, c: mat3x3f, d: array<vec3u, 2>, e: u32 }
             @group(0) @binding(0) var<uniform> s: S;",
            0,
        );
        let columns = [16, 20, 24, 32, 36, 40, 48, 52, 56];
        let elements = [64, 68, 72, 80, 84, 88];
        let expected = [&[0, 4, 8, 12][..], &columns, &elements, &[96]].concat();
        assert_eq!(offsets, expected);
        assert_eq!(footprint, Footprint { fixed: 112, stride: None });
    }

    #[test]
    fn a_runtime_sized_array_grows_by_its_stride() {
        let (footprint, offsets) = layout(
            "struct S { n: atomic<u32>, items: array<vec3f> }
             @group(0) @binding(0) var<storage, read_write> s: S;",
            2,
        );
        assert_eq!(offsets, [0, 16, 20, 24, 32, 36, 40]);
        assert_eq!(footprint, Footprint { fixed: 16, stride: Some(16) });
        assert_eq!(footprint.bytes(2), Some(48));
        assert_eq!(footprint.bytes(u32::MAX), None);
        assert_eq!(footprint.elements(47), 1);
    }

    #[test]
    fn long_arrays_are_counted_without_a_walk() {
        let source = "
            struct S { n: atomic<u32>, m: mat2x3f, long: array<array<vec2u, 1000>, 60000>, f: u32 }
            @group(0) @binding(0) var<storage, read_write> s: S;";
        let module = naga::front::wgsl::parse_str(source).unwrap();
        let ty = module.global_variables.iter().next().unwrap().1.ty;
        assert_eq!(scalar_counts(&module, ty), (1 + 6 + 120_000_000 + 1, 0));
        assert_eq!(byte_counts(&module, ty).0, 4 * scalar_counts(&module, ty).0);
        let types = [(Scalar::U32, true), (Scalar::F32, false), (Scalar::U32, false)];
        assert_eq!(scalar_types(&module, ty), types);
    }

    #[test]
    fn sixteen_bit_scalars_are_two_bytes_apart() {
        let (footprint, offsets) =
            layout("enable f16; @group(0) @binding(0) var<storage> s: array<vec2<f16>>;", 2);
        assert_eq!(offsets, [0, 2, 4, 6]);
        assert_eq!(footprint.stride, Some(4));
    }
}
