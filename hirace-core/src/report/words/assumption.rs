//! What was guessed, in words.

use super::context::{grid, in_turn};
use crate::facts::assumption::Contents;
use crate::facts::{Assumption, ParameterValue};
use crate::program::{HostSize, HostValue};

/// What was guessed, and the value taken for it.
pub fn assumption(assumption: &Assumption) -> String {
    match assumption {
        Assumption::Grids(tried) => {
            let grids: Vec<String> = tried.iter().map(|&workgroups| grid(workgroups)).collect();
            format!("workgroups: {}", in_turn(&grids))
        }
        Assumption::Override { name, value } => format!("override `{name}`: {value}"),
        Assumption::ConstParameter { name, value } => {
            format!("const parameter `{name}`: {value}")
        }
        Assumption::Host(values) => host(values),
        Assumption::Buffer { variable, elements, contents: held } => {
            let elements = elements.map(|elements| format!("{elements} elements"));
            let parts: Vec<String> = elements.into_iter().chain(held.map(contents)).collect();
            format!("`{variable}`: {}", parts.join(", "))
        }
        Assumption::Texture { variable, size: [x, y, z], contents: held } => {
            let size = format!("`{variable}`: {x}x{y}x{z} texels");
            held.map_or(size.clone(), |held| format!("{size}, {}", contents(held)))
        }
        Assumption::Parameters { variable, values, invocations } => {
            let value = |value: &ParameterValue| match value {
                ParameterValue::Invocations => "the number of invocations".to_owned(),
                ParameterValue::One => "1".to_owned(),
                ParameterValue::Zero => "0".to_owned(),
            };
            let values = match values.as_slice() {
                [only @ ParameterValue::Invocations] => {
                    format!("{}, {}", value(only), grid(*invocations))
                }
                several => in_turn(&several.iter().map(value).collect::<Vec<_>>()),
            };
            format!("`{variable}`: every scalar is {values}")
        }
    }
}

fn contents(contents: Contents) -> String {
    match contents {
        Contents::Zeros => "zeros".to_owned(),
        Contents::Random { seed, zero_atomics } => {
            let atomics = if zero_atomics { ", zeros in atomics" } else { "" };
            format!("random contents from seed {seed}{atomics}")
        }
    }
}

/// `what the host gives: 64 invocations of a workgroup …`.
pub(super) fn host(values: &[HostValue]) -> String {
    let shown = |given: &HostValue| {
        let what = match &given.size {
            HostSize::Workgroup => "invocations of a workgroup",
            HostSize::Memory(name) => name.as_deref().unwrap_or("workgroup memory"),
        };
        format!("{} {what} (`--override {}=N`)", given.value, given.constant)
    };
    let values: Vec<String> = values.iter().map(shown).collect();
    format!("what the host gives: {}", values.join(", "))
}
