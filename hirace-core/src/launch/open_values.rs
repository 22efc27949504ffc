//! The inferred values of a candidate launch, which can be varied.

use super::candidates::{Candidate, open_fields};
use super::measures::Slot;
use super::spec::LaunchSpec;
use super::used::is_used;
use super::variation::OpenValue;
use crate::ir::globals::{Role, role};
use crate::program::Program;

/// Returns the numbers and the buffer or texture contents that were not given.
pub fn open_values(program: &Program, spec: &LaunchSpec, candidate: &Candidate) -> Vec<OpenValue> {
    let module = &program.module;
    let mut open = Vec::new();
    for (variable, global) in module.global_variables.iter() {
        if !is_used(program, &candidate.dispatches, variable) {
            continue;
        }
        let fields = open_fields(program, spec, &candidate.measures, variable);
        let offsets = fields.iter().flat_map(|field| field.offsets());
        open.extend(offsets.map(|offset| OpenValue::Number(Slot { variable, offset })));
        let is_given = spec.gives(global.name.as_deref());
        if !is_given && matches!(role(module, variable), Role::Data | Role::Texture) {
            open.push(OpenValue::Contents(variable));
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use crate::launch::candidates::candidates;
    use crate::launch::spec::Binding;
    use crate::launch::variation::Variation;
    use crate::random::Random;

    const TEXT: &str = "
        struct Params { n: u32, level: f32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage> given: array<u32>;
        @group(0) @binding(2) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            if (params.level > 0.0) { out[id.x] = given[id.x] + params.n; }
        }";

    #[test]
    fn given_values_are_not_varied() {
        let program = Program::new(&wgsl::parse("test.wgsl", TEXT).unwrap(), &Default::default());
        let program = program.unwrap();
        let given = ["given=zeros:128", "params.n=4"].map(|text| Binding::parse(text).unwrap());
        let spec = LaunchSpec { bindings: given.into(), ..LaunchSpec::default() };
        let candidate = candidates(&program, &spec, 0).unwrap().remove(0);
        let names = |open: &OpenValue| {
            let global = &program.module.global_variables[open.variable()];
            (
                global.name.clone().unwrap(),
                matches!(open, OpenValue::Number(slot) if slot.offset == 4),
            )
        };
        let open = open_values(&program, &spec, &candidate);
        let expected = [("params".to_owned(), true), ("out".to_owned(), false)];
        assert_eq!(open.iter().map(names).collect::<Vec<_>>(), expected);

        let mut random = Random::new(0);
        let none = Variation::default();
        let changed = std::iter::repeat_with(|| none.changed(&open, &mut random)).take(64);
        let changed: Vec<Variation> = changed.collect();
        let all: Vec<OpenValue> =
            changed.iter().flat_map(|variation| variation.changes()).collect();
        assert!(all.iter().all(|one| open.contains(one)));
        assert_eq!(open.iter().filter(|one| all.contains(one)).count(), 2);
        assert!(none.is_none() && changed.iter().any(|variation| !variation.is_none()));
    }
}
