//! Byte offsets of the scalars of a type: what accesses to whole aggregates touch, the granularity at which memory must be
//! watched, and the source name of a byte offset.

use super::access::Extent;
use naga::{
    ArraySize, GlobalVariable, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize,
};

/// A type with more ranges of scalars than this counts as one range, padding included. Padding belongs to the same value, so only
/// accesses to that value are affected.
const MAX_RUNS: usize = 1 << 12;

/// Returns the bytes of a scalar.
pub fn scalar(scalar: Scalar) -> Vec<Extent> {
    vec![Extent { offset: 0, bytes: u32::from(scalar.width) }]
}

/// Returns the bytes of a vector.
pub fn vector(size: VectorSize, scalar: Scalar) -> Vec<Extent> {
    vec![Extent { offset: 0, bytes: size as u32 * u32::from(scalar.width) }]
}

/// Returns the bytes of each scalar in a value of type `ty`, without padding and with adjacent ranges merged. For a type that
/// ends in a runtime-sized array, returns the bytes before that array.
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
        let full = self.list.len() == MAX_RUNS;
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

    /// Adds an array. If its elements are a single range without padding, adds one range.
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

/// Returns the distance between the columns of a matrix, in bytes.
pub fn column_stride(rows: VectorSize, scalar: Scalar) -> u32 {
    let rows = if rows == VectorSize::Tri { 4 } else { rows as u32 };
    rows * u32::from(scalar.width)
}

/// Returns log2 of the size in bytes of a granule in a variable of type `ty`. A granule is its smallest scalar, but at most four
/// bytes. (`bool` takes one byte in naga's layout of workgroup memory.)
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

/// Returns the source name of the scalar at byte `offset` of `variable`: `tile[16]`, `particles[3].pos.x`.
pub fn describe(module: &Module, variable: Handle<GlobalVariable>, offset: u32) -> String {
    let variable = &module.global_variables[variable];
    let mut name = variable.name.clone().unwrap_or_else(|| "(unnamed)".to_owned());
    let mut ty = &module.types[variable.ty].inner;
    let mut offset = offset;
    loop {
        match ty {
            TypeInner::Array { base, stride, .. } => {
                name += &format!("[{}]", offset / (*stride).max(1));
                offset %= (*stride).max(1);
                ty = &module.types[*base].inner;
            }
            TypeInner::Struct { members, .. } => {
                let member =
                    members.iter().enumerate().rfind(|(_, member)| member.offset <= offset);
                let Some((index, member)) = member else { return name };
                match &member.name {
                    Some(member) => name += &format!(".{member}"),
                    None => name += &format!(".{index}"),
                }
                offset -= member.offset;
                ty = &module.types[member.ty].inner;
            }
            TypeInner::Matrix { rows, scalar, .. } => {
                let stride = column_stride(*rows, *scalar).max(1);
                return name
                    + &format!("[{}]{}", offset / stride, component(offset % stride, *scalar));
            }
            TypeInner::Vector { scalar, .. } => return name + component(offset, *scalar),
            _ => return name,
        }
    }
}

fn component(offset: u32, scalar: Scalar) -> &'static str {
    let index = offset / u32::from(scalar.width).max(1);
    [".x", ".y", ".z", ".w"].get(index as usize).copied().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        struct P { id: u32, pos: vec3<f32>, m: mat2x3<f32>, tail: array<vec2<u32>, 2> }
        struct H { a: f16, b: vec3<f16>, c: f16, d: u32 }
        enable f16;
        @group(0) @binding(0) var<storage, read_write> particles: array<P>;
        @group(0) @binding(1) var<storage, read_write> half: array<H, 3>;
        var<workgroup> tile: array<u32, 64>;
        var<workgroup> flags: array<vec2<bool>, 4>;
        var<workgroup> wide: array<vec3<u32>, 70000>;
        var<workgroup> one: u32;";

    fn module() -> Module {
        let text = TEXT.replace("enable f16;", "");
        naga::front::wgsl::parse_str(&format!("enable f16; {text}")).unwrap()
    }

    fn variable(module: &Module, name: &str) -> (Handle<GlobalVariable>, Handle<Type>) {
        let mut all = module.global_variables.iter();
        let found = all.find(|(_, variable)| variable.name.as_deref() == Some(name)).unwrap();
        (found.0, found.1.ty)
    }

    #[test]
    fn offsets_have_the_names_of_the_source() {
        let module = module();
        let name =
            |variable_name, offset| describe(&module, variable(&module, variable_name).0, offset);
        assert_eq!(name("tile", 64), "tile[16]");
        assert_eq!(name("one", 0), "one");
        assert_eq!(name("flags", 3), "flags[1].y");
        assert_eq!(name("half", 24 + 8), "half[1].b.x");
        // A `P` has 80 bytes: id at 0, pos at 16, m at 32, tail at 64.
        assert_eq!(name("particles", 3 * 80 + 24), "particles[3].pos.z");
        assert_eq!(name("particles", 80 + 32 + 16 + 4), "particles[1].m[1].y");
        assert_eq!(name("particles", 64 + 8), "particles[0].tail[1].x");
    }

    #[test]
    fn whole_aggregates_are_their_scalars() {
        let module = module();
        let runs = |name| scalars(&module, variable(&module, name).1);
        let run = |offset, bytes| Extent { offset, bytes };
        assert_eq!(runs("tile"), [run(0, 256)]);
        assert_eq!(runs("half")[..3], [run(0, 2), run(8, 12), run(24, 2)]);
        let TypeInner::Array { base, .. } = module.types[variable(&module, "particles").1].inner
        else {
            panic!("an array")
        };
        let expected = [run(0, 4), run(16, 12), run(32, 12), run(48, 12), run(64, 16)];
        assert_eq!(scalars(&module, base), expected);
    }

    #[test]
    fn a_type_of_too_many_runs_is_one() {
        let module = module();
        let ty = variable(&module, "wide").1;
        assert_eq!(scalars(&module, ty), [Extent { offset: 0, bytes: 70000 * 16 }]);
    }

    #[test]
    fn granules_are_as_small_as_the_smallest_scalar() {
        let module = module();
        let shift = |name| granule_shift(&module, variable(&module, name).1);
        assert_eq!([shift("tile"), shift("half"), shift("flags")], [2, 1, 0]);
    }
}
