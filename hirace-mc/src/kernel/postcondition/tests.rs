//! Conditions over memory of many types.

use super::Postcondition;
use hirace_core::front::wgsl;
use hirace_core::postcondition;
use hirace_core::program::Program;
use hirace_core::source_map::SourceMap;
use hirace_core::vm::memory::{Buffer, Resource, Resources};
use std::collections::BTreeMap;

const TEXT: &str = "struct Cell { count: atomic<i32>, at: vec3f, parts: array<array<u32, 2>, 3> }
    const N = 3u;
    @group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
    @group(0) @binding(1) var<uniform> size: vec2u;
    var<workgroup> tile: u32;
    @compute @workgroup_size(1) fn main() { tile = size.x; atomicAdd(&cells[0].count, 1); }";

/// Returns whether the condition holds if each word of `cells` is its index, except that the first is -1 and one holds
/// 0.5. Returns the column of the error if it is invalid.
fn holds(text: &str) -> Result<bool, u32> {
    let parsed = wgsl::parse("it.wgsl", TEXT).expect("a shader");
    let program = Program::new(&parsed, &BTreeMap::new()).expect("a program");
    let bytes = |words: u32| (0..words).flat_map(u32::to_le_bytes).collect::<Vec<_>>();
    let mut cells = bytes(32);
    cells[..4].copy_from_slice(&(-1i32).to_le_bytes());
    cells[16..20].copy_from_slice(&0.5f32.to_le_bytes());
    let mut given = [cells, bytes(2)].into_iter();
    let globals = program.module.global_variables.iter();
    let bound = globals.map(|(_, global)| {
        global.binding?;
        Some(Resource::Buffer(Buffer::new(&given.next()?)))
    });
    let resources = Resources { by_global: bound.collect() };
    let source = SourceMap::new("it", text);
    let condition = postcondition::parse(&source).expect("a condition");
    let given = [(source, condition)];
    let claims = Postcondition::of(&program, 0, &resources, &given)
        .map_err(|error| error.labels.first().map_or(u32::MAX, |(span, _)| span.start))?;
    let memory = |location| super::super::place::initial(&resources, location);
    Ok(claims[0].unmet(&memory).is_none())
}

#[test]
fn elements_of_all_types_are_found() {
    for text in [
        "cells[0].count == -1 && cells[0].count < 0",
        "cells[0].at.x == 0.5 && cells[0].at[0] * 2 == 1",
        "(0..N).all(|i| cells[0].parts[i][1] == 8 + 2 * i)",
        "cells[1].parts[2][1] == 28",
        "cells.len() == 2 && cells[0].parts.len() == N && cells[0].parts[0].len() == 2",
        "size.y == 1 && size[0] == 0",
        "(0..2).any(|i| (0..=1).any(|j| cells[i].parts[j][0] == 25))",
        "!(cells[0].parts[0][0] == 8)",
        "7 / 2 == 3 && -7 % 4 == -3 && 7 / 2.0 == 3.5",
        "cells[size.y].count == 16",
    ] {
        assert_eq!(holds(text), Ok(true), "{text}");
        assert_eq!(holds(&format!("!({text})")), Ok(false), "{text}");
    }
}

#[test]
fn comparisons_with_missing_elements_do_not_hold() {
    for text in [
        "cells[cells[1].count].count == 0",
        "cells[cells[1].count].count != 0",
        "cells[0].parts[0][1] / size.x == 0",
        "cells[0].parts[0][1] % size.x != 0",
    ] {
        assert_eq!(holds(text), Ok(false), "{text}");
    }
}

#[test]
fn unknown_memory_is_rejected_at_its_span() {
    for (text, column) in [
        ("cells[0].count == cell", 18),
        ("tile == 0", 0),
        ("cells == 0", 0),
        ("cells[0].at == 0", 0),
        ("cells[0].size == 0", 0),
        ("size.z == 0", 0),
        ("0 == size.x.y", 5),
        ("cells[2].count == 0", 0),
        ("cells[-1].count == 0", 0),
        ("size.x.len() == 0", 0),
        ("(0..size.x).all(|i| true)", 0),
        ("(0..100000).all(|i| true)", 0),
        ("(0..300).all(|i| (0..300).any(|j| true))", 0),
        ("1 / 0 == 1", 0),
    ] {
        assert_eq!(holds(text), Err(column), "{text}");
    }
}
