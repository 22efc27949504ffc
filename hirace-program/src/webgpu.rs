//! Limits that WebGPU guarantees on every device, and the resources that an entry point requires.

use crate::diagnostic::Diagnostic;
use crate::program::Program;
use crate::source_map::{SourceMap, Span};
use naga::{AddressSpace, ImageClass, TypeInner};

/// A limit of WebGPU that the source of a kernel can exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// Invocations per workgroup.
    Invocations,
    /// Workgroup size in x.
    SizeX,
    /// Workgroup size in y.
    SizeY,
    /// Workgroup size in z.
    SizeZ,
    /// Bytes of workgroup memory.
    WorkgroupStorage,
    /// Storage buffers.
    StorageBuffers,
    /// Uniform buffers.
    UniformBuffers,
    /// Sampled textures.
    SampledTextures,
    /// Storage textures.
    StorageTextures,
    /// Samplers.
    Samplers,
    /// Bind groups.
    BindGroups,
    /// Binding numbers in a bind group.
    Bindings,
    /// Size of a uniform buffer in bytes.
    UniformSize,
}

impl Limit {
    /// Returns WebGPU's name of the limit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invocations => "maxComputeInvocationsPerWorkgroup",
            Self::SizeX => "maxComputeWorkgroupSizeX",
            Self::SizeY => "maxComputeWorkgroupSizeY",
            Self::SizeZ => "maxComputeWorkgroupSizeZ",
            Self::WorkgroupStorage => "maxComputeWorkgroupStorageSize",
            Self::StorageBuffers => "maxStorageBuffersPerShaderStage",
            Self::UniformBuffers => "maxUniformBuffersPerShaderStage",
            Self::SampledTextures => "maxSampledTexturesPerShaderStage",
            Self::StorageTextures => "maxStorageTexturesPerShaderStage",
            Self::Samplers => "maxSamplersPerShaderStage",
            Self::BindGroups => "maxBindGroups",
            Self::Bindings => "maxBindingsPerBindGroup",
            Self::UniformSize => "maxUniformBufferBindingSize",
        }
    }

    /// Returns the value that every device supports without a request.
    pub const fn guaranteed_value(self) -> u64 {
        match self {
            Self::Invocations | Self::SizeX | Self::SizeY => 256,
            Self::SizeZ => 64,
            Self::WorkgroupStorage => 16384,
            Self::StorageBuffers => 8,
            Self::UniformBuffers => 12,
            Self::SampledTextures | Self::Samplers => 16,
            Self::StorageTextures | Self::BindGroups => 4,
            Self::Bindings => 1000,
            Self::UniformSize => 65536,
        }
    }

    /// Returns the name of the counted resource, if the limit is a number of variables.
    pub const fn counted(self) -> Option<&'static str> {
        match self {
            Self::StorageBuffers => Some("storage buffers"),
            Self::UniformBuffers => Some("uniform buffers"),
            Self::SampledTextures => Some("sampled textures"),
            Self::StorageTextures => Some("storage textures"),
            Self::Samplers => Some("samplers"),
            _ => None,
        }
    }
}

/// A resource requirement of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The limit that applies.
    #[doc(hidden)]
    pub limit: Limit,
    /// The required amount.
    pub asked: u64,
    /// The entry point.
    pub entry: String,
    /// The variables that cause the requirement: the largest first, or counted ones in their order. Empty if the entry point
    /// itself causes it.
    pub variables: Vec<Variable>,
    /// The span of the entry point's name.
    named: Option<Span>,
}

/// A variable and its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The span of the declaration.
    pub span: Span,
}

impl Requirement {
    /// Returns the variable to point at if at most `most` is available: for counted variables, the first that exceeds the limit.
    pub fn variable(&self, most: u64) -> Option<&Variable> {
        let first = if self.limit.counted().is_some() { most as usize } else { 0 };
        self.variables.get(first)
    }

    /// Returns the span to point at if at most `most` is available.
    pub fn place(&self, most: u64) -> Option<Span> {
        self.variable(most).map(|variable| variable.span).or(self.named)
    }

    /// Returns a description of the requirement, which the text of a limit can follow.
    pub fn describe(&self) -> String {
        let Self { limit, asked, entry, variables, .. } = self;
        let variable = variables.first().map_or("", |variable| &variable.name);
        let workgroups =
            |along| format!("the workgroups of `{entry}` have {asked} invocations{along}");
        match limit {
            Limit::Invocations => workgroups(""),
            Limit::SizeX => workgroups(" in x"),
            Limit::SizeY => workgroups(" in y"),
            Limit::SizeZ => workgroups(" in z"),
            Limit::WorkgroupStorage => match variables.len() {
                1 => format!("`{variable}` takes {asked} bytes of workgroup memory"),
                n => format!("{n} variables take {asked} bytes of workgroup memory"),
            },
            Limit::BindGroups => format!("`{variable}` takes {asked} bind groups"),
            Limit::Bindings => format!("`{variable}` takes {asked} bindings in its group"),
            Limit::UniformSize => format!("`{variable}` has {asked} bytes"),
            counted => format!("`{entry}` uses {asked} {}", counted.counted().unwrap_or_default()),
        }
    }

    /// Creates the diagnostic that the requirement of a kernel in `source` exceeds WebGPU's guarantees.
    #[doc(hidden)]
    pub fn beyond_webgpu(&self, source: &SourceMap) -> Diagnostic {
        let (said, name, most) =
            (self.describe(), self.limit.name(), self.limit.guaranteed_value());
        let message = format!("{said}, but WebGPU guarantees only {most} ({name})");
        match self.place(most) {
            Some(at) => Diagnostic::at(source, at, message),
            None => Diagnostic::new(message),
        }
    }
}

/// The size of each workgroup variable is rounded up to a multiple of this number of bytes.
pub const WORKGROUP_STEP: u64 = 16;

/// Returns the resource requirements of an entry point, by the variables that it uses.
pub fn demands(program: &Program, entry: usize) -> Vec<Requirement> {
    let module = &program.module;
    let Some(point) = module.entry_points.get(entry) else { return Vec::new() };
    let named = program.function_name(&point.name);
    let demand = |limit, asked, variables| {
        let entry = point.name.clone();
        Requirement { limit, asked, entry, variables, named }
    };
    let [x, y, z] = point.workgroup_size.map(u64::from);
    let mut all = vec![
        demand(Limit::Invocations, x.saturating_mul(y).saturating_mul(z), Vec::new()),
        demand(Limit::SizeX, x, Vec::new()),
        demand(Limit::SizeY, y, Vec::new()),
        demand(Limit::SizeZ, z, Vec::new()),
    ];
    let mut workgroup = Vec::new();
    let mut counted = Vec::new();
    let info = program.info.get_entry_point(entry);
    for (handle, declared) in module.global_variables.iter() {
        if info[handle].is_empty() {
            continue;
        }
        let name = declared.name.clone().unwrap_or_else(|| "(unnamed)".to_owned());
        let span = Span::from(module.global_variables.get_span(handle));
        let variable = Variable { name, span };
        let inner = &module.types[declared.ty].inner;
        let bytes = u64::from(inner.try_size(module.to_ctx()).unwrap_or(u32::MAX));
        if declared.space == AddressSpace::WorkGroup {
            workgroup.push((bytes, variable.clone()));
        }
        if declared.space == AddressSpace::Uniform {
            all.push(demand(Limit::UniformSize, bytes, vec![variable.clone()]));
        }
        if let Some(binding) = declared.binding {
            for (limit, number) in
                [(Limit::BindGroups, binding.group), (Limit::Bindings, binding.binding)]
            {
                all.push(demand(limit, u64::from(number) + 1, vec![variable.clone()]));
            }
        }
        if let Some(limit) = kind(declared.space, inner) {
            counted.push((limit, variable));
        }
    }
    workgroup.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let steps = workgroup.iter().map(|(bytes, _)| bytes.next_multiple_of(WORKGROUP_STEP));
    let bytes = steps.sum();
    let variables = workgroup.into_iter().map(|(_, variable)| variable).collect();
    all.push(demand(Limit::WorkgroupStorage, bytes, variables));
    counted.sort_by_key(|(limit, _)| *limit);
    for of_one in counted.chunk_by(|(a, _), (b, _)| a == b) {
        let variables: Vec<Variable> =
            of_one.iter().map(|(_, variable)| variable.clone()).collect();
        all.push(demand(of_one[0].0, variables.len() as u64, variables));
    }
    all
}

/// Returns the requirements that exceed WebGPU's guarantees.
pub fn exceeded_requirements(program: &Program, entry: usize) -> Vec<Requirement> {
    let mut all = demands(program, entry);
    all.retain(|demand| demand.asked > demand.limit.guaranteed_value());
    all
}

/// Returns the limit that a variable counts towards.
fn kind(space: AddressSpace, inner: &TypeInner) -> Option<Limit> {
    match (space, inner) {
        (AddressSpace::Storage { .. }, _) => Some(Limit::StorageBuffers),
        (AddressSpace::Uniform, _) => Some(Limit::UniformBuffers),
        (_, TypeInner::Image { class: ImageClass::Storage { .. }, .. }) => {
            Some(Limit::StorageTextures)
        }
        (_, TypeInner::Image { .. }) => Some(Limit::SampledTextures),
        (_, TypeInner::Sampler { .. }) => Some(Limit::Samplers),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use std::collections::BTreeMap;

    fn program(text: &str, overrides: &[(&str, f64)]) -> Program {
        let parsed = wgsl::parse("a.wgsl", text).expect("it is WGSL");
        let values = overrides.iter().map(|(name, value)| ((*name).to_owned(), *value));
        Program::new(&parsed, &values.collect::<BTreeMap<_, _>>()).expect("it is valid")
    }

    fn said(program: &Program, entry: usize) -> Vec<(&'static str, String, u32)> {
        let of = |demand: Requirement| {
            let most = demand.limit.guaranteed_value();
            let at = demand.place(most).expect("it stands somewhere");
            (demand.limit.name(), demand.describe(), program.source.position(at.start).line)
        };
        exceeded_requirements(program, entry).into_iter().map(of).collect()
    }

    #[test]
    fn limits_that_webgpu_guarantees_are_not_exceeded() {
        let text = "var<workgroup> tile: array<u32, 4096>;
            @compute @workgroup_size(4, 1, 64) fn main() { tile[0] = 1u; }";
        assert_eq!(said(&program(text, &[]), 0), []);
    }

    #[test]
    fn workgroups_are_too_large_by_the_values_of_overrides() {
        let text = "override N = 64;\n@compute @workgroup_size(N) fn main() {}";
        assert_eq!(said(&program(text, &[]), 0), []);
        let large = "the workgroups of `main` have 512 invocations";
        assert_eq!(
            said(&program(text, &[("N", 512.0)]), 0),
            [
                ("maxComputeInvocationsPerWorkgroup", large.to_owned(), 2),
                ("maxComputeWorkgroupSizeX", format!("{large} in x"), 2),
            ]
        );
    }

    #[test]
    fn each_entry_point_asks_for_what_it_uses_itself() {
        let text = "var<workgroup> small: vec3<u32>;
            var<workgroup> large: array<u32, 4096>;
            fn both() { small.x = 1u; large[0] = 1u; }
            @compute @workgroup_size(1) fn one() { large[0] = 1u; }
            @compute @workgroup_size(1) fn two() { both(); }";
        let program = program(text, &[]);
        assert_eq!(said(&program, 0), []);
        let two = "2 variables take 16400 bytes of workgroup memory".to_owned();
        assert_eq!(said(&program, 1), [("maxComputeWorkgroupStorageSize", two, 2)]);
    }

    #[test]
    fn the_first_binding_that_is_too_many_is_the_place() {
        let lines = (0..10).map(|n| {
            format!("@group(0) @binding({n}) var<storage, read_write> b{n}: array<u32>;\n")
        });
        let sum = (0..9).map(|n| format!("b{n}[0] = 1u; "));
        let text = lines.chain(["@compute @workgroup_size(1) fn main() {".to_owned()]);
        let text: String = text.chain(sum).chain(["}".to_owned()]).collect();
        let nine = "`main` uses 9 storage buffers".to_owned();
        assert_eq!(said(&program(&text, &[]), 0), [("maxStorageBuffersPerShaderStage", nine, 9)]);
    }

    #[test]
    fn groups_and_bindings_are_counted_from_0() {
        let text = "@group(3) @binding(999) var<storage, read_write> fits: u32;
            @group(4) @binding(1000) var<uniform> far: array<vec4<u32>, 5000>;
            @compute @workgroup_size(1) fn main() { fits = far[0].x; }";
        assert_eq!(
            said(&program(text, &[]), 0),
            [
                ("maxUniformBufferBindingSize", "`far` has 80000 bytes".into(), 2),
                ("maxBindGroups", "`far` takes 5 bind groups".into(), 2),
                ("maxBindingsPerBindGroup", "`far` takes 1001 bindings in its group".into(), 2),
            ]
        );
    }
}
