//! Roles of global variables for launches.

use naga::{AddressSpace, GlobalVariable, Handle, ImageClass, Module, StorageAccess, TypeInner};

/// The largest size in bytes of a read-only storage buffer that is treated as a block of parameters.
const PARAMETER_BYTES: u32 = 256;

/// The role of a global variable for code that binds memory to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A uniform, immediate data, or a small read-only storage buffer of fixed size that serves the same purpose: a few numbers
    /// that control the kernel.
    Parameters,
    /// Any other buffer.
    Data,
    /// A texture.
    Texture,
    /// A sampler.
    Sampler,
    /// Workgroup and private memory, which is not bound by the host.
    Internal,
    /// An unsupported resource that the host binds (acceleration structures, binding arrays).
    Unsupported,
}

/// Returns the role of `global`.
pub fn role(module: &Module, global: Handle<GlobalVariable>) -> Role {
    let variable = &module.global_variables[global];
    let inner = &module.types[variable.ty].inner;
    match variable.space {
        AddressSpace::Uniform | AddressSpace::Immediate => match inner {
            TypeInner::BindingArray { .. } => Role::Unsupported,
            _ => Role::Parameters,
        },
        AddressSpace::Storage { access } => match inner {
            TypeInner::BindingArray { .. } => Role::Unsupported,
            TypeInner::Array { .. } => Role::Data,
            _ if access.contains(StorageAccess::STORE) => Role::Data,
            _ if inner.is_dynamically_sized(&module.types) => Role::Data,
            _ => match inner.try_size(module.to_ctx()) {
                Some(bytes) if bytes <= PARAMETER_BYTES => Role::Parameters,
                _ => Role::Data,
            },
        },
        AddressSpace::Handle => match inner {
            TypeInner::Image { .. } => Role::Texture,
            TypeInner::Sampler { .. } => Role::Sampler,
            _ => Role::Unsupported,
        },
        AddressSpace::Function
        | AddressSpace::Private
        | AddressSpace::WorkGroup
        | AddressSpace::TaskPayload
        | AddressSpace::RayPayload
        | AddressSpace::IncomingRayPayload => Role::Internal,
    }
}

/// Returns whether shaders may write a buffer or texture that the host binds to `variable`.
pub fn is_writable(module: &Module, variable: &GlobalVariable) -> bool {
    match variable.space {
        AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
        AddressSpace::Handle => matches!(
            module.types[variable.ty].inner,
            TypeInner::Image { class: ImageClass::Storage { access, .. }, .. }
                if access.contains(StorageAccess::STORE)
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_read_only_structs_are_parameters() {
        let module = naga::front::wgsl::parse_str(
            "struct P { n: u32 } struct R { n: u32, rest: array<u32> }
             @group(0) @binding(0) var<uniform> a: P;
             @group(0) @binding(1) var<storage> b: P;
             @group(0) @binding(2) var<storage, read_write> c: P;
             @group(0) @binding(3) var<storage> d: R;
             @group(0) @binding(4) var<storage> e: array<u32, 4>;
             @group(0) @binding(5) var f: texture_2d<f32>;
             @group(0) @binding(6) var g: sampler;
             var<workgroup> h: u32;",
        )
        .unwrap();
        let roles: Vec<Role> =
            module.global_variables.iter().map(|(handle, _)| role(&module, handle)).collect();
        use Role::*;
        assert_eq!(roles, [Parameters, Parameters, Data, Data, Data, Texture, Sampler, Internal]);
    }
}
