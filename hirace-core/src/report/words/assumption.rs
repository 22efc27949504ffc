//! Texts of assumptions.

use super::context::{grid, join_in_order};
use crate::facts::assumption::Contents;
use crate::facts::{Assumption, FieldValue};
use crate::program::{HostSize, HostValue};

/// The maximum number of listed fields of a variable.
const MAX_FIELDS: usize = 8;

/// Returns the text of an assumption: what was guessed, and the value used for it.
pub fn assumption(assumption: &Assumption) -> String {
    match assumption {
        Assumption::Grids(tried) => {
            let grids: Vec<String> = tried.iter().map(|&workgroups| grid(workgroups)).collect();
            format!("workgroups: {}", join_in_order(&grids))
        }
        Assumption::Override { name, value } => format!("override `{name}`: {value}"),
        Assumption::ConstParameter { name, value } => {
            format!("const parameter `{name}`: {value}")
        }
        Assumption::Host(values) => host(values),
        Assumption::Buffer { variable, elements, contents: held, grown } => {
            let grown = if *grown { " (enlarged to fit)" } else { "" };
            let elements = elements.map(|elements| format!("{elements} elements{grown}"));
            let parts: Vec<String> = elements.into_iter().chain(held.map(contents)).collect();
            format!("`{variable}`: {}", parts.join(", "))
        }
        Assumption::Texture { variable, size: [x, y, z], contents: held } => {
            let size = format!("`{variable}`: {x}x{y}x{z} texels");
            held.map_or(size.clone(), |held| format!("{size}, {}", contents(held)))
        }
        Assumption::Sampler { variable } => {
            format!("`{variable}`: sampled with one filter mode and one address mode")
        }
        Assumption::Parameters { fields, tried, .. } => {
            let shown: Vec<String> = fields.iter().take(MAX_FIELDS).map(field).collect();
            let more = match fields.len().saturating_sub(MAX_FIELDS) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let tried = match tried {
                0 | 1 => String::new(),
                n => format!(" ({n} combinations were tried)"),
            };
            format!("{}{more}{tried}", shown.join(", "))
        }
        Assumption::SubgroupSizes(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!("subgroups of {}", join_in_order(&sizes))
        }
        Assumption::OneWorkgroup => {
            "workgroups: 1, because the kernel reads no id that differs between workgroups"
                .to_owned()
        }
    }
}

/// Writes a field and its value: `` `params.size` = (5, 3) ``.
pub(super) fn field(field: &FieldValue) -> String {
    let values: Vec<String> = field.values.iter().map(ToString::to_string).collect();
    match values.as_slice() {
        [only] => format!("`{}` = {only}", field.path),
        several => format!("`{}` = ({})", field.path, several.join(", ")),
    }
}

fn contents(contents: Contents) -> String {
    match contents {
        Contents::Zeros => "zeros".to_owned(),
        Contents::Permutation { seed } => {
            format!("a permutation of the numbers 0, 1, 2, …, from seed {seed}")
        }
        Contents::Iota => "the numbers 0, 1, 2, …".to_owned(),
        Contents::Fill(value) => format!("{value} everywhere"),
        Contents::Below { most, seed } => {
            format!("random numbers from 0 to less than {most}, from seed {seed}")
        }
        Contents::Random { seed, zero_atomics } => {
            let atomics = if zero_atomics { ", with zeros in atomics" } else { "" };
            format!("random contents from seed {seed}{atomics}")
        }
    }
}

/// Writes values of the host: `values from the host: 64 invocations of a workgroup …`.
pub(super) fn host(values: &[HostValue]) -> String {
    let shown = |given: &HostValue| {
        if let HostSize::Divisor(name) = &given.size {
            let constant = name.clone().unwrap_or_else(|| given.constant.to_string());
            return format!(
                "{} for `{constant}`, which is 0 by default and a divisor (set it with `--override {constant}=N`)",
                given.value
            );
        }
        let what = match &given.size {
            HostSize::Workgroup => "invocations of a workgroup",
            HostSize::Memory(name) => name.as_deref().unwrap_or("workgroup memory"),
            _ => "of a size",
        };
        format!("{} {what} (`--override {}=N`)", given.value, given.constant)
    };
    let values: Vec<String> = values.iter().map(shown).collect();
    format!("values from the host: {}", values.join(", "))
}
