//! Resource bindings of a module: what a host needs to create its bind groups.

use naga::valid::FunctionInfo;
use naga::{AddressSpace, GlobalVariable, Handle, ImageClass, Module, StorageAccess, TypeInner};

pub use hirace_runtime::{Binding, BindingKind};

/// Returns the bindings of `module`, sorted by group and binding number.
pub fn bindings(module: &Module) -> Vec<Binding> {
    those(module, |_| true)
}

/// Returns the bindings that an entry point uses, sorted by group and binding number, as in an automatic pipeline layout. `info`
/// is that of the entry point.
pub fn used_bindings(module: &Module, info: &FunctionInfo) -> Vec<Binding> {
    those(module, |variable| !info[variable].is_empty())
}

fn those(module: &Module, wanted: impl Fn(Handle<GlobalVariable>) -> bool) -> Vec<Binding> {
    use naga::common::wgsl::TypeContext;
    let of = |variable: &GlobalVariable| {
        let naga::ResourceBinding { group, binding } = variable.binding?;
        Some(Binding::new(
            variable.name.clone().unwrap_or_default().into(),
            group,
            binding,
            kind(variable.space, &module.types[variable.ty].inner)?,
            module.to_ctx().type_to_string(variable.ty).into(),
        ))
    };
    let variables = module.global_variables.iter().filter(|(handle, _)| wanted(*handle));
    let mut list: Vec<Binding> = variables.filter_map(|(_, variable)| of(variable)).collect();
    list.sort_by_key(|binding| (binding.group, binding.binding));
    list
}

fn kind(space: AddressSpace, inner: &TypeInner) -> Option<BindingKind> {
    Some(match (space, inner) {
        (AddressSpace::Uniform, _) => BindingKind::Uniform,
        (AddressSpace::Storage { access }, _) => match access.contains(StorageAccess::STORE) {
            true => BindingKind::StorageReadWrite,
            false => BindingKind::StorageRead,
        },
        (_, TypeInner::Image { class: ImageClass::Storage { .. }, .. }) => {
            BindingKind::StorageTexture
        }
        (_, TypeInner::Image { .. }) => BindingKind::Texture,
        (_, TypeInner::Sampler { .. }) => BindingKind::Sampler,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_come_by_number_with_kind_and_type() {
        let module = naga::front::wgsl::parse_str(
            "struct Params { n: u32 }
             @group(1) @binding(0) var image: texture_2d<f32>;
             @group(0) @binding(2) var<storage, read_write> out: array<vec3f>;
             @group(0) @binding(1) var<storage> input: array<atomic<u32>, 4>;
             @group(0) @binding(0) var<uniform> params: Params;
             @group(1) @binding(2) var nearest: sampler;
             @group(1) @binding(1) var target_: texture_storage_2d<rgba8unorm, write>;
             var<workgroup> tile: array<u32, 4>;",
        )
        .unwrap();
        let list: Vec<_> = bindings(&module)
            .into_iter()
            .map(|b| (b.group, b.binding, b.name.into_owned(), b.kind, b.ty.into_owned()))
            .collect();
        use BindingKind::*;
        let expected = [
            (0, 0, "params", Uniform, "Params"),
            (0, 1, "input", StorageRead, "array<atomic<u32>, 4>"),
            (0, 2, "out", StorageReadWrite, "array<vec3<f32>>"),
            (1, 0, "image", Texture, "texture_2d<f32>"),
            (1, 1, "target_", StorageTexture, "texture_storage_2d<rgba8unorm,write>"),
            (1, 2, "nearest", Sampler, "sampler"),
        ];
        let expected = expected.map(|(g, b, n, k, t)| (g, b, n.to_owned(), k, t.to_owned()));
        assert_eq!(list, expected);
    }
}
