//! The launch of a variant on a graph.

use crate::graph::Graph;
use crate::pattern::{Data, Granularity, Tag, Variant};
use hirace_core::launch::number::Number;
use hirace_core::launch::spec::{Binding, Bytes, Contents, LaunchSpec};
use hirace_core::program::Program;
use hirace_core::random::Random;
use std::sync::Arc;

/// The number of invocations per workgroup in every template.
const WORKGROUP: u32 = 64;

/// The upper bound of random values, so that sums of them are exact in an `f32`, too.
const BELOW: u32 = 1 << 12;

/// The maximum number of workgroups of a launch: the limit of WebGPU for one dimension.
const MAX_WORDS: u32 = 65_535;

/// Returns the launch of a variant, whose program is `program`: its buffers and its grid. There is an invocation, a
/// subgroup or a workgroup per vertex; half as many for variants that process several vertices each. The last vertices
/// of a very large graph have none.
pub fn launch(
    program: &Program,
    variant: &Variant,
    graph: &Graph,
    seed: u64,
    subgroup_size: u32,
) -> LaunchSpec {
    let vertices = graph.vertices();
    let at_once = match variant.form.granularity {
        Granularity::Vertex | Granularity::Neighbor | Granularity::Neighbors => WORKGROUP,
        Granularity::Warp => WORKGROUP.div_ceil(subgroup_size),
        Granularity::Block => 1,
    };
    let needed = vertices.div_ceil(at_once);
    let workgroups = if variant.tags.has(Tag::Persistent) { needed.div_ceil(2) } else { needed };
    let words = vertices.max(graph.edges()).max(1);
    let data = |stream| data(variant.data, words, seed, stream);
    // An array has at least one element.
    let edges = if graph.neighbors.is_empty() { &[0][..] } else { &graph.neighbors };
    let bindings = [
        ("nindex", buffer(graph.index.iter().map(|&at| at.to_le_bytes()))),
        ("nlist", buffer(edges.iter().map(|&to| to.to_le_bytes()))),
        ("data1", buffer(data(1))),
        ("data2", buffer(data(2))),
        ("vertices", Contents::List(vec![Number::Int(vertices.into())])),
    ];
    let variables = &program.module.global_variables;
    let declared = |name: &str| variables.iter().any(|(_, own)| own.name.as_deref() == Some(name));
    let bindings = bindings.into_iter().filter(|(name, _)| declared(name));
    LaunchSpec {
        workgroups: Some([workgroups.clamp(1, MAX_WORDS), 1, 1]),
        bindings: bindings
            .map(|(name, contents)| Binding {
                name: name.to_owned(),
                field: None,
                contents,
                text: None,
            })
            .collect(),
        seed,
        subgroup_size: Some(subgroup_size),
        ..LaunchSpec::default()
    }
}

fn buffer(words: impl Iterator<Item = [u8; 4]>) -> Contents {
    let bytes = words.flatten().collect();
    Contents::Bytes(Arc::new(Bytes { bytes, element: 4, rust: "[u32]".to_owned(), padded: false }))
}

/// Returns zero, followed by random values.
fn data(data: Data, words: u32, seed: u64, stream: u64) -> impl Iterator<Item = [u8; 4]> {
    let mut random = Random::stream(seed, stream);
    (0..words).map(move |at| {
        let value = if at == 0 { 0 } else { random.below(BELOW) };
        match data {
            Data::I32 | Data::U32 => value.to_le_bytes(),
            Data::F32 => (value as f32).to_le_bytes(),
        }
    })
}
