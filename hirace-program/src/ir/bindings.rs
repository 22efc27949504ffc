//! What a module wants bound: what a host needs to know to make its bind groups.

use naga::{AddressSpace, ImageClass, Module, StorageAccess, TypeInner};
use std::borrow::Cow;

/// A variable that memory, a texture or a sampler is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its name.
    pub name: Cow<'static, str>,
    /// `@group(…)`.
    pub group: u32,
    /// `@binding(…)`.
    pub binding: u32,
    /// What it is bound to.
    pub kind: BindingKind,
    /// Its type in WGSL: `array<vec3<f32>>`.
    pub ty: Cow<'static, str>,
}

/// What a variable is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that is only read.
    StorageRead,
    /// A storage buffer.
    StorageReadWrite,
    /// A sampled, multisampled or depth texture.
    Texture,
    /// A storage texture.
    StorageTexture,
    /// A sampler.
    Sampler,
}

/// The bindings of `module`, by group and number.
pub fn bindings(module: &Module) -> Vec<Binding> {
    use naga::common::wgsl::TypeContext;
    let of = |variable: &naga::GlobalVariable| {
        let naga::ResourceBinding { group, binding } = variable.binding?;
        Some(Binding {
            name: variable.name.clone().unwrap_or_default().into(),
            group,
            binding,
            kind: kind(variable.space, &module.types[variable.ty].inner)?,
            ty: module.to_ctx().type_to_string(variable.ty).into(),
        })
    };
    let mut list: Vec<Binding> =
        module.global_variables.iter().filter_map(|(_, variable)| of(variable)).collect();
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
