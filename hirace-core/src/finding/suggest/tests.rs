//! Suggestions for races, for each relative position of the accesses.

use crate::facts::Race;
use crate::finding::fixture::{Fixture, Side, by};
use crate::ir::access::Action::{Read, Write};

const HEAD: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> floats: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
var<workgroup> tile: array<u32, 64>;
var<workgroup> other: u32;
fn load(lane: u32) { tile[lane] = lane; }
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
";

/// The line number of line 1 of a body.
const BODY: u32 = 9;

/// Returns the help for a race in `body` between its write on line `write` and its read on line `read` (lines of the
/// body, from 1), by invocations of these workgroups.
fn help(body: &str, write: (u32, u32), read: (u32, u32)) -> String {
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [4, 1, 1]);
    let write_site = fixture.access(Write, write.0 + BODY - 1, 0);
    let read_site = fixture.access(Read, read.0 + BODY - 1, 0);
    let (write, read) = (by(write.1, 1, write_site), by(read.1, 0, read_site));
    help_of(&mut fixture, write, read)
}

/// Returns the help for a race of a write with itself.
fn help_alone(body: &str, line: u32) -> String {
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [4, 1, 1]);
    let write = fixture.access(Write, line + BODY - 1, 0);
    help_of(&mut fixture, by(0, 0, write), by(0, 1, write))
}

fn help_of(fixture: &mut Fixture, earlier: Side, later: Side) -> String {
    fixture.race([1], earlier, later);
    let mut report = fixture.report();
    report.launches[0].findings.remove(0).help.expect("there is a help line")
}

#[test]
fn between_two_statements() {
    assert_eq!(
        help("tile[lane] = 1u;\nlet x = 1u;\ndata[id.x] = tile[63u - lane] + x;", (1, 0), (3, 0)),
        "call `workgroupBarrier()` between line 9 and line 11"
    );
    assert_eq!(
        help("data[lane] = 1u;\nif data[63u - lane] > 2u {\n other = 1u;\n}", (1, 0), (2, 0)),
        "call `storageBarrier()` between line 9 and line 10"
    );
}

#[test]
fn between_two_statements_on_one_line() {
    assert_eq!(
        help("tile[lane] = 1u; let x = tile[63u - lane];", (1, 0), (1, 0)),
        "call `workgroupBarrier()` between the two accesses on line 9"
    );
}

#[test]
fn between_a_condition_and_what_it_guards() {
    let body = "while tile[lane] > 3u {\n tile[63u - lane] = 1u;\n}";
    assert!(help(body, (2, 0), (1, 0)).contains("restructure"), "the condition is not uniform");
    let body = "let x = tile[lane];\nwhile data[0] > 3u {\n tile[63u - lane] = x;\n}";
    assert_eq!(help(body, (3, 0), (1, 0)), "call `workgroupBarrier()` between line 9 and line 10");
}

#[test]
fn components_of_one_vector_become_scalars() {
    let text = "var<workgroup> pair: vec2<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        pair.x = 1u;
    } else {
        pair.y = 2u;
    }
}
";
    let mut fixture = Fixture::new(text, [1, 1, 1]);
    let (x, y) = (fixture.access(Write, 5, 0), fixture.access(Write, 7, 0));
    assert_eq!(
        help_of(&mut fixture, by(0, 0, x), by(0, 1, y)),
        "let one invocation write the whole vector, or store its components as separate scalars"
    );
}

#[test]
fn between_statements_that_hold_the_accesses() {
    let body = "if lane < 7u {\n tile[lane] = 1u;\n}\nfor (var i = 0u; i < n; i++) {\n data[id.x] = tile[i];\n}";
    assert_eq!(help(body, (2, 0), (5, 0)), "call `workgroupBarrier()` between line 11 and line 12");
}

#[test]
fn at_the_end_of_a_loop_for_one_statement() {
    let body = "var s = 32u;\nwhile s > 0u {\n if lane < s {\n  tile[lane] += tile[lane + s];\n }\n s /= 2u;\n}";
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 12, 0), fixture.access(Read, 12, 1));
    assert_eq!(
        help_of(&mut fixture, by(0, 16, write), by(0, 0, read)),
        "call `workgroupBarrier()` at the end of the loop body, after line 14"
    );
}

#[test]
fn twice_in_a_loop_without_barriers() {
    let body =
        "for (var i = 0u; i < n; i++) {\n tile[lane] = i;\n data[id.x] = tile[63u - lane];\n}";
    assert_eq!(
        help(body, (2, 0), (3, 0)),
        "call `workgroupBarrier()` between line 10 and line 11, and again at the end of the loop body, after line 11"
    );
}

#[test]
fn at_the_end_of_a_loop_that_has_a_barrier_between_the_accesses() {
    let body = "loop {\n tile[lane] = 1u;\n workgroupBarrier();\n other = tile[63u - lane];\n if n == 3u { break; }\n}";
    assert_eq!(
        help(body, (2, 0), (4, 0)),
        "call `workgroupBarrier()` at the end of the loop body, after line 13"
    );
}

#[test]
fn within_one_statement_the_read_goes_first() {
    assert_eq!(
        help("tile[lane] = tile[(lane + 1u) % 64u];", (1, 0), (1, 0)),
        "read into a variable first, then call `workgroupBarrier()`, then write"
    );
    let barrier_in_loop = "loop {\n tile[lane] = tile[(lane + 1u) % 64u];\n workgroupBarrier();\n if n == 3u { break; }\n}";
    assert_eq!(
        help(barrier_in_loop, (2, 0), (2, 0)),
        "read into a variable first, then call `workgroupBarrier()`, then write"
    );
}

#[test]
fn no_barrier_where_not_all_invocations_pass() {
    let inside = "if lane < 32u {\n tile[lane] = 1u;\n other = tile[31u - lane];\n}";
    assert_eq!(
        help(inside, (2, 0), (3, 0)),
        "some invocations of the workgroup may not reach lines 10 and 11 (this depends on \
         local_invocation_index), so no barrier is allowed there: restructure the code so that all reach a \
         `workgroupBarrier()` between the two accesses"
    );
    let after_return = "if lane > 40u {\n return;\n}\ntile[lane] = 1u;\nother = tile[31u - lane];";
    assert!(help(after_return, (4, 0), (5, 0)).contains("restructure"));
    let in_loop = "for (var i = 0u; i < lane; i++) {\n tile[i] += 1u + tile[i + 1u];\n}";
    let mut fixture = Fixture::new(&format!("{HEAD}{in_loop}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 10, 0), fixture.access(Read, 10, 1));
    assert!(help_of(&mut fixture, by(0, 16, write), by(0, 0, read)).contains("restructure"));
}

#[test]
fn two_branches_become_two_ifs() {
    let body = "if lane < 32u {\n tile[lane] = 1u;\n} else {\n other = tile[lane - 32u];\n}";
    assert_eq!(
        help(body, (2, 0), (4, 0)),
        "split the `if` at line 9 in two, with `workgroupBarrier()` between them where all invocations of \
         the workgroup pass"
    );
}

#[test]
fn an_access_in_a_helper_stands_where_it_is_called() {
    let text = format!("{HEAD}load(lane);\nlet x = tile[63u - lane];\ndata[id.x] = x;\n}}\n");
    let mut fixture = Fixture::new(&text, [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 6, 0), fixture.access(Read, 10, 0));
    assert_eq!(
        help_of(&mut fixture, by(0, 1, write), by(0, 0, read)),
        "call `workgroupBarrier()` between line 9 and line 10"
    );
    let twice = format!("{HEAD}load(lane);\nload(lane + 1u);\nother = tile[63u - lane];\n}}\n");
    let mut fixture = Fixture::new(&twice, [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 6, 0), fixture.access(Read, 11, 0));
    assert_eq!(
        help_of(&mut fixture, by(0, 1, write), by(0, 0, read)),
        "call `workgroupBarrier()` between line 6 and line 11, where all invocations of the workgroup pass"
    );
}

#[test]
fn counters_become_atomic_where_the_type_has_atomics() {
    for (update, atomic) in [
        ("data[0] += 1u;", "atomicAdd"),
        ("data[0] = 1u + data[0];", "atomicAdd"),
        ("data[0] = data[0] | lane;", "atomicOr"),
        ("data[0] = max(data[0], lane);", "atomicMax"),
        ("data[0]--;", "atomicSub"),
        ("data[0] ^= data[1];", "atomicXor"),
    ] {
        assert_eq!(
            help_alone(update, 1),
            format!("make the elements of `data` atomic and use `{atomic}(&data[0], …)` at line 9")
        );
    }
    assert_eq!(
        help_alone("other += lane;", 1),
        "make `other` atomic and use `atomicAdd(&other, …)` at line 9"
    );
    assert_eq!(
        help_alone("data[data[lane]] += 1u;", 1),
        "make the elements of `data` atomic and use `atomicAdd(&data[data[lane]], …)` at line 9"
    );
    assert_eq!(
        help_alone("floats[0] += 1.0;", 1),
        "combine the values of a workgroup in workgroup memory and those of the workgroups in another \
         dispatch (WGSL has atomics only for u32 and i32, and `floats` holds neither)"
    );
    assert!(help_alone("data[0] *= 2u;", 1).contains("atomicCompareExchangeWeak"));
    let shift = "tile[lane] = tile[lane] - tile[(lane + 1u) % 64u];";
    let mut fixture = Fixture::new(&format!("{HEAD}{shift}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 9, 0), fixture.access(Read, 9, 1));
    let help = help_of(&mut fixture, by(0, 1, write), by(0, 0, read));
    assert!(help.starts_with("read into a variable first"), "{help}");
}

#[test]
fn one_writer_for_one_element() {
    assert_eq!(
        help_alone("data[0] = lane;", 1),
        "let only one invocation write it, or give each invocation its own element"
    );
    assert_eq!(
        help_alone("for (var i = 0u; i < n; i++) {\n tile[(lane + i) % 64u] = i;\n}", 2),
        "let only one invocation write it, or give each invocation its own element; if the writes \
         come from different iterations of the loop, a `workgroupBarrier()` at the end of its body, after line 10, \
         orders them"
    );
}

#[test]
fn across_workgroups_another_dispatch_or_another_buffer() {
    assert_eq!(
        help("data[id.x] = 1u;\nfloats[id.x] = f32(data[id.x + 64u]);", (1, 1), (2, 0)),
        "split the kernel into two dispatches: line 9 in the first, line 10 in the second"
    );
    assert_eq!(
        help("let x = data[id.x + 1u];\ndata[id.x] = x;", (2, 1), (1, 0)),
        "write to a second buffer instead of back to `data`, and swap the two after the dispatch"
    );
    assert_eq!(
        help("data[id.x] = data[id.x + 1u];", (1, 1), (1, 0)),
        "write to a second buffer instead of back to `data`, and swap the two after the dispatch"
    );
    assert_eq!(
        help(
            "for (var i = 0u; i < n; i++) {\n let x = data[id.x + i];\n data[id.x] = x;\n}",
            (3, 1),
            (2, 0)
        ),
        "run each iteration of the loop at line 9 as a separate dispatch, or write to a second buffer and swap \
         the two after each dispatch"
    );
}

#[test]
fn a_barrier_of_another_class_is_complemented() {
    let body = "data[lane] = 1u;\nworkgroupBarrier();\nother = data[63u - lane];";
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 9, 0), fixture.access(Read, 11, 0));
    let barrier = fixture.barrier(10);
    fixture.race([1], by(0, 1, write), by(0, 0, read).after(0, 1, barrier));
    let finding = fixture.report().launches.remove(0).findings.remove(0);
    assert_eq!(finding.reason, "`workgroupBarrier()` at line 10 does not order storage memory");
    assert_eq!(
        finding.help.as_deref(),
        Some(
            "also call `storageBarrier()` at line 10: each barrier orders only the memory it names"
        )
    );
}

#[test]
fn a_race_within_a_workgroup_and_between_two_is_not_fixed_by_a_barrier() {
    let body = "data[lane] = id.x;\nother = data[63u - lane];";
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [2, 1, 1]);
    let (write, read) = (fixture.access(Write, 9, 0), fixture.access(Read, 10, 0));
    fixture.race([1], by(0, 1, write), by(0, 62, read));
    let one = fixture.launch_of_given().findings.remove(0);
    let said = fixture.report().launches.remove(0).findings.remove(0);
    assert_eq!(said.help.as_deref(), Some("call `storageBarrier()` between line 9 and line 10"));
    fixture.race([1], by(1, 1, write), by(0, 62, read));
    let two = fixture.launch_of_given().findings.remove(0);
    let said = fixture.report().launches.remove(0).findings.remove(0);
    let help = "split the kernel into two dispatches: line 9 in the first, line 10 in the second";
    assert_eq!(said.help.as_deref(), Some(help));
    let note = "the same lines race between workgroups too, which no barrier orders";
    assert_eq!(said.notes.last().map(String::as_str), Some(note));
    let mut widened = one;
    assert!(widened.is_same_as(&two));
    widened.widen(&two);
    assert_eq!(widened.suggestion, two.suggestion);
    assert!(widened.race().is_some_and(Race::is_across_workgroups));
}
