//! Suggestions for races, for each relative position of the accesses.

use crate::facts::suggestion::{AtomicFunction, AtomicTarget};
use crate::facts::{BarrierClass, Race, Suggestion, Varying};
use crate::ir::access::Action::{Read, Write};
use crate::tests::fixture::{Fixture, Side, by};

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

/// Returns the suggestion for a race in `body` between its write on line `write` and its read on line `read` (lines of the body,
/// from 1), by invocations of these workgroups.
fn suggest(body: &str, write: (u32, u32), read: (u32, u32)) -> Suggestion {
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [4, 1, 1]);
    let write_site = fixture.access(Write, write.0 + BODY - 1, 0);
    let read_site = fixture.access(Read, read.0 + BODY - 1, 0);
    let (write, read) = (by(write.1, 1, write_site), by(read.1, 0, read_site));
    suggestion_of(&mut fixture, write, read)
}

/// Returns the suggestion for a race of a write with itself.
fn suggest_alone(body: &str, line: u32) -> Suggestion {
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [4, 1, 1]);
    let write = fixture.access(Write, line + BODY - 1, 0);
    suggestion_of(&mut fixture, by(0, 0, write), by(0, 1, write))
}

fn suggestion_of(fixture: &mut Fixture, earlier: Side, later: Side) -> Suggestion {
    fixture.race([1], earlier, later);
    let finding = fixture.launch_of_given().findings.remove(0);
    finding.suggestion.expect("there is a suggestion")
}

/// Returns the suggestion to call a barrier between two lines, outside of loops.
fn call_between(class: BarrierClass, lines: [u32; 2]) -> Suggestion {
    Suggestion::CallBetween { class, lines, at_loop_end: None }
}

/// Returns the suggestion to read before a barrier and write after it, outside of loops.
fn read_first() -> Suggestion {
    Suggestion::ReadFirst { class: BarrierClass::Workgroup, at_loop_end: None }
}

#[test]
fn between_two_statements() {
    assert_eq!(
        suggest(
            "tile[lane] = 1u;\nlet x = 1u;\ndata[id.x] = tile[63u - lane] + x;",
            (1, 0),
            (3, 0)
        ),
        call_between(BarrierClass::Workgroup, [9, 11])
    );
    assert_eq!(
        suggest("data[lane] = 1u;\nif data[63u - lane] > 2u {\n other = 1u;\n}", (1, 0), (2, 0)),
        call_between(BarrierClass::Storage, [9, 10])
    );
}

#[test]
fn between_two_statements_on_one_line() {
    assert_eq!(
        suggest("tile[lane] = 1u; let x = tile[63u - lane];", (1, 0), (1, 0)),
        call_between(BarrierClass::Workgroup, [9, 9])
    );
}

#[test]
fn between_a_condition_and_what_it_guards() {
    let body = "while tile[lane] > 3u {\n tile[63u - lane] = 1u;\n}";
    // Not all invocations evaluate the condition equally often.
    assert_eq!(
        suggest(body, (2, 0), (1, 0)),
        Suggestion::Restructure {
            class: BarrierClass::Workgroup,
            lines: [9, 10],
            origin: Some(Varying::LocalInvocationIndex)
        }
    );
    let body = "let x = tile[lane];\nwhile data[0] > 3u {\n tile[63u - lane] = x;\n}";
    assert_eq!(suggest(body, (3, 0), (1, 0)), call_between(BarrierClass::Workgroup, [9, 10]));
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
    assert_eq!(suggestion_of(&mut fixture, by(0, 0, x), by(0, 1, y)), Suggestion::WholeVector);
}

#[test]
fn between_statements_that_hold_the_accesses() {
    let body = "if lane < 7u {\n tile[lane] = 1u;\n}\nfor (var i = 0u; i < n; i++) {\n data[id.x] = tile[i];\n}";
    assert_eq!(suggest(body, (2, 0), (5, 0)), call_between(BarrierClass::Workgroup, [11, 12]));
}

#[test]
fn at_the_end_of_a_loop_for_one_statement() {
    let body = "var s = 32u;\nwhile s > 0u {\n if lane < s {\n  tile[lane] += tile[lane + s];\n }\n s /= 2u;\n}";
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 12, 0), fixture.access(Read, 12, 1));
    assert_eq!(
        suggestion_of(&mut fixture, by(0, 16, write), by(0, 0, read)),
        Suggestion::CallAtLoopEnd { class: BarrierClass::Workgroup, after: Some(14) }
    );
}

#[test]
fn twice_in_a_loop_without_barriers() {
    let body =
        "for (var i = 0u; i < n; i++) {\n tile[lane] = i;\n data[id.x] = tile[63u - lane];\n}";
    assert_eq!(
        suggest(body, (2, 0), (3, 0)),
        Suggestion::CallBetween {
            class: BarrierClass::Workgroup,
            lines: [10, 11],
            at_loop_end: Some(11)
        }
    );
}

#[test]
fn at_the_end_of_a_loop_that_has_a_barrier_between_the_accesses() {
    let body = "loop {\n tile[lane] = 1u;\n workgroupBarrier();\n other = tile[63u - lane];\n if n == 3u { break; }\n}";
    assert_eq!(
        suggest(body, (2, 0), (4, 0)),
        Suggestion::CallAtLoopEnd { class: BarrierClass::Workgroup, after: Some(13) }
    );
}

#[test]
fn within_one_statement_the_read_goes_first() {
    assert_eq!(suggest("tile[lane] = tile[(lane + 1u) % 64u];", (1, 0), (1, 0)), read_first());
    let barrier_in_loop = "loop {\n tile[lane] = tile[(lane + 1u) % 64u];\n workgroupBarrier();\n if n == 3u { break; }\n}";
    assert_eq!(suggest(barrier_in_loop, (2, 0), (2, 0)), read_first());
}

#[test]
fn no_barrier_where_not_all_invocations_pass() {
    let inside = "if lane < 32u {\n tile[lane] = 1u;\n other = tile[31u - lane];\n}";
    let restructure = |lines| Suggestion::Restructure {
        class: BarrierClass::Workgroup,
        lines,
        origin: Some(Varying::LocalInvocationIndex),
    };
    assert_eq!(suggest(inside, (2, 0), (3, 0)), restructure([10, 11]));
    let after_return = "if lane > 40u {\n return;\n}\ntile[lane] = 1u;\nother = tile[31u - lane];";
    assert_eq!(suggest(after_return, (4, 0), (5, 0)), restructure([12, 13]));
    let in_loop = "for (var i = 0u; i < lane; i++) {\n tile[i] += 1u + tile[i + 1u];\n}";
    let mut fixture = Fixture::new(&format!("{HEAD}{in_loop}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 10, 0), fixture.access(Read, 10, 1));
    let suggestion = suggestion_of(&mut fixture, by(0, 16, write), by(0, 0, read));
    assert_eq!(suggestion, restructure([10, 10]));
}

#[test]
fn two_branches_become_two_ifs() {
    let body = "if lane < 32u {\n tile[lane] = 1u;\n} else {\n other = tile[lane - 32u];\n}";
    assert_eq!(
        suggest(body, (2, 0), (4, 0)),
        Suggestion::SplitBranch { class: BarrierClass::Workgroup, keyword: "if", line: 9 }
    );
}

#[test]
fn an_access_in_a_helper_stands_where_it_is_called() {
    let text = format!("{HEAD}load(lane);\nlet x = tile[63u - lane];\ndata[id.x] = x;\n}}\n");
    let mut fixture = Fixture::new(&text, [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 6, 0), fixture.access(Read, 10, 0));
    assert_eq!(
        suggestion_of(&mut fixture, by(0, 1, write), by(0, 0, read)),
        call_between(BarrierClass::Workgroup, [9, 10])
    );
    let twice = format!("{HEAD}load(lane);\nload(lane + 1u);\nother = tile[63u - lane];\n}}\n");
    let mut fixture = Fixture::new(&twice, [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 6, 0), fixture.access(Read, 11, 0));
    assert_eq!(
        suggestion_of(&mut fixture, by(0, 1, write), by(0, 0, read)),
        call_between(BarrierClass::Workgroup, [10, 11])
    );
    // The read comes between two calls.
    let around = format!("{HEAD}load(lane);\nother = tile[63u - lane];\nload(lane + 1u);\n}}\n");
    let mut fixture = Fixture::new(&around, [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 6, 0), fixture.access(Read, 10, 0));
    assert_eq!(
        suggestion_of(&mut fixture, by(0, 1, write), by(0, 0, read)),
        Suggestion::CallWhereAllPass { class: BarrierClass::Workgroup, lines: [6, 10] }
    );
}

#[test]
fn before_a_statement_that_not_all_invocations_leave() {
    let before =
        |keyword, line| Suggestion::CallBefore { class: BarrierClass::Workgroup, keyword, line };
    let body = "tile[lane] = 1u;\nif lane > 40u {\n return;\n}\nother = tile[63u - lane];";
    assert_eq!(suggest(body, (1, 0), (5, 0)), before(Some("if"), 10));
    let body = "tile[lane] = 1u;\nlet x = n;\nswitch lane {\n case 3u: { return; }\n default: {}\n}\nother = tile[63u - lane];";
    assert_eq!(suggest(body, (1, 0), (7, 0)), before(Some("switch"), 11));
    let body = "tile[lane] = 1u;\nfor (var i = 0u; i < 9u; i++) {\n if i == lane { return; }\n}\nother = tile[63u - lane];";
    assert_eq!(suggest(body, (1, 0), (5, 0)), before(Some("for"), 10));
}

#[test]
fn an_update_of_a_part_of_a_word_becomes_atomic() {
    let exchange = Suggestion::CompareExchange("data".to_owned());
    let masked = "data[lane / 2u] = (data[lane / 2u] & 65535u) | (lane << 16u);";
    assert_eq!(suggest_alone(masked, 1), exchange);
    let insert = "data[0] = insertBits(data[0], lane, 4u, 4u);";
    assert_eq!(suggest_alone(insert, 1), exchange);
    let by_name = "let old = data[0];\ndata[0] = (old * 3u) ^ lane;";
    assert_eq!(suggest(by_name, (2, 0), (1, 0)), exchange);
}

#[test]
fn a_split_follows_the_flow_of_data() {
    let second_buffer = Suggestion::SecondBuffer("data".to_owned());
    let text = |body: &str| {
        format!("{HEAD}{body}\n}}\nfn at(i: u32) -> u32 {{ return data[i % 256u]; }}\n")
    };
    let suggested = |body: &str, write: u32, read: u32| {
        let mut fixture = Fixture::new(&text(body), [4, 1, 1]);
        let (write, read) = (fixture.access(Write, write, 0), fixture.access(Read, read, 0));
        suggestion_of(&mut fixture, by(1, 1, write), by(0, 1, read))
    };
    let two_calls = "let x = at(id.x + 1u) + at(id.x + 2u);\ndata[id.x] = x;";
    assert_eq!(suggested(two_calls, 10, 12), second_buffer);
    let around = "let x = at(id.x + 1u);\ndata[id.x] = x;\nfloats[id.x] = f32(at(id.x + 2u));";
    assert_eq!(suggested(around, 10, 13), second_buffer);
    let after = "data[id.x] = 1u;\nfloats[id.x] = f32(at(id.x + 1u) + at(id.x + 2u));";
    assert_eq!(suggested(after, 9, 12), Suggestion::SplitKernel { first: 9, second: 12 });
}

#[test]
fn a_message_by_a_flag_gets_no_second_buffer() {
    let text = "\
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
@group(0) @binding(1) var<storage, read_write> ready: array<atomic<u32>>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    var before = 0u;
    if group.x > 0u {
        while atomicLoad(&ready[group.x - 1u]) == 0u {}
        before = sums[group.x - 1u];
    }
    sums[group.x] = before + 1u;
    atomicStore(&ready[group.x], 1u);
}
";
    let mut fixture = Fixture::new(text, [4, 1, 1]);
    let (write, read) = (fixture.access(Write, 10, 0), fixture.access(Read, 8, 0));
    let (flag, data) = ("ready".to_owned(), "sums".to_owned());
    assert_eq!(
        suggestion_of(&mut fixture, by(0, 0, write), by(1, 0, read)),
        Suggestion::PassByAtomic { flag, data }
    );
    // Two writes pass no message.
    let mut fixture = Fixture::new(text, [4, 1, 1]);
    let write = fixture.access(Write, 10, 0);
    assert_eq!(
        suggestion_of(&mut fixture, by(0, 0, write), by(1, 0, write)),
        Suggestion::OneWorkgroupWrites("sums".to_owned())
    );
}

#[test]
fn a_dimension_that_no_access_uses_is_removed() {
    let suggested = |size: &str, index: &str| {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> floats: array<f32>;
             @compute @workgroup_size({size})
             fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {{
                 floats[{index}] += 0.5;
             }}"
        );
        let mut fixture = Fixture::new(&text, [1, 1, 1]);
        let (write, read) = (fixture.access(Write, 4, 0), fixture.access(Read, 4, 0));
        suggestion_of(&mut fixture, by(0, 0, write), by(0, 8, read))
    };
    let remove = |dimension, size| {
        let id = Some("id".to_owned());
        Suggestion::UseDimension { id, dimension, size }
    };
    assert_eq!(suggested("8, 8", "id.x"), remove(1, [8, 1, 1]));
    assert_eq!(suggested("8, 1, 4", "lane.x"), remove(2, [8, 1, 1]));
    assert_eq!(suggested("8, 8", "id.x + lane.y"), Suggestion::Combine("floats".to_owned()));
}

#[test]
fn counters_become_atomic_where_the_type_has_atomics() {
    let use_atomic = |target, function, place: &str| Suggestion::UseAtomic {
        target,
        function,
        place: place.to_owned(),
        line: 9,
    };
    let elements = || AtomicTarget::Elements("data".to_owned());
    for (update, function) in [
        ("data[0] += 1u;", AtomicFunction::Add),
        ("data[0] = 1u + data[0];", AtomicFunction::Add),
        ("data[0] = data[0] | lane;", AtomicFunction::Or),
        ("data[0] = max(data[0], lane);", AtomicFunction::Max),
        ("data[0]--;", AtomicFunction::Sub),
        ("data[0] ^= data[1];", AtomicFunction::Xor),
    ] {
        assert_eq!(suggest_alone(update, 1), use_atomic(elements(), function, "data[0]"));
    }
    let other = AtomicTarget::Place("other".to_owned());
    assert_eq!(suggest_alone("other += lane;", 1), use_atomic(other, AtomicFunction::Add, "other"));
    assert_eq!(
        suggest_alone("data[data[lane]] += 1u;", 1),
        use_atomic(elements(), AtomicFunction::Add, "data[data[lane]]")
    );
    let floats = Suggestion::Combine("floats".to_owned());
    assert_eq!(suggest_alone("floats[0] += 1.0;", 1), floats);
    let exchange = Suggestion::CompareExchange("data".to_owned());
    assert_eq!(suggest_alone("data[0] *= 2u;", 1), exchange);
    let shift = "tile[lane] = tile[lane] - tile[(lane + 1u) % 64u];";
    let mut fixture = Fixture::new(&format!("{HEAD}{shift}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 9, 0), fixture.access(Read, 9, 1));
    let suggestion = suggestion_of(&mut fixture, by(0, 1, write), by(0, 0, read));
    assert_eq!(suggestion, read_first());
}

#[test]
fn guarded_minimum_and_maximum_become_atomic() {
    let use_atomic = |function| Suggestion::UseAtomic {
        target: AtomicTarget::Elements("data".to_owned()),
        function,
        place: "data[0]".to_owned(),
        line: BODY,
    };
    let guarded = |condition: &str, value: &str| {
        suggest_alone(&format!("if {condition} {{\n data[0] = {value};\n}}"), 2)
    };
    for (condition, value, function) in [
        ("lane > data[0]", "lane", AtomicFunction::Max),
        ("data[0] <= lane", "lane", AtomicFunction::Max),
        ("tile[lane] < data[0]", "tile[lane]", AtomicFunction::Min),
        ("data[0] >= n", "n", AtomicFunction::Min),
    ] {
        assert_eq!(guarded(condition, value), use_atomic(function), "{condition}");
    }
    let floats = "if f32(lane) > floats[0] {\n floats[0] = f32(lane);\n}";
    assert_eq!(suggest_alone(floats, 2), Suggestion::Combine("floats".to_owned()));
}

#[test]
fn a_write_that_a_read_of_its_place_guards_becomes_an_exchange_between_workgroups() {
    let exchange = Suggestion::CompareExchange("data".to_owned());
    for body in [
        "if data[0] == 0u {\n data[0] = lane;\n}",
        "if lane > data[0] {\n data[0] = lane; floats[0] = 1.0;\n}",
        "if (data[0] < 64u) & (lane > 2u) {\n data[0] = 64u;\n}",
    ] {
        assert_eq!(suggest(body, (2, 0), (1, 1)), exchange, "{body}");
        // Within a workgroup, a barrier may be what is missing.
        assert_ne!(suggest(body, (2, 0), (1, 0)), exchange, "{body}");
    }
    // The maximum of two elements is not one of the element and the invocation's own value.
    let sorted = "if data[id.x] < data[id.x + 1u] {\n data[id.x] = data[id.x + 1u];\n}";
    assert_eq!(suggest(sorted, (2, 0), (1, 1)), Suggestion::SecondBuffer("data".to_owned()));
}

#[test]
fn one_writer_for_one_element() {
    assert_eq!(
        suggest_alone("data[0] = lane;", 1),
        Suggestion::OneWriter { loop_end_barrier: None }
    );
    assert_eq!(
        suggest_alone("for (var i = 0u; i < n; i++) {\n tile[(lane + i) % 64u] = i;\n}", 2),
        Suggestion::OneWriter { loop_end_barrier: Some((BarrierClass::Workgroup, Some(10))) }
    );
}

#[test]
fn across_workgroups_another_dispatch_or_another_buffer() {
    assert_eq!(
        suggest("data[id.x] = 1u;\nfloats[id.x] = f32(data[id.x + 64u]);", (1, 1), (2, 0)),
        Suggestion::SplitKernel { first: 9, second: 10 }
    );
    assert_eq!(
        suggest("let x = data[id.x + 1u];\ndata[id.x] = x;", (2, 1), (1, 0)),
        Suggestion::SecondBuffer("data".to_owned())
    );
    assert_eq!(
        suggest("data[id.x] = data[id.x + 1u];", (1, 1), (1, 0)),
        Suggestion::SecondBuffer("data".to_owned())
    );
    assert_eq!(
        suggest(
            "for (var i = 0u; i < n; i++) {\n let x = data[id.x + i];\n data[id.x] = x;\n}",
            (3, 1),
            (2, 0)
        ),
        Suggestion::DispatchEachIteration(9)
    );
}

#[test]
fn a_barrier_of_another_class_is_complemented() {
    let body = "data[lane] = 1u;\nworkgroupBarrier();\nother = data[63u - lane];";
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 9, 0), fixture.access(Read, 11, 0));
    let barrier = fixture.barrier(10);
    fixture.race([1], by(0, 1, write), by(0, 0, read).after(0, 1, barrier));
    let finding = fixture.launch_of_given().findings.remove(0);
    let also = Suggestion::AlsoCall { class: BarrierClass::Storage, line: 10 };
    assert_eq!(finding.suggestion, Some(also));
}

#[test]
fn a_race_within_a_workgroup_and_between_two_is_not_fixed_by_a_barrier() {
    let body = "data[lane] = id.x;\nother = data[63u - lane];";
    let mut fixture = Fixture::new(&format!("{HEAD}{body}\n}}\n"), [2, 1, 1]);
    let (write, read) = (fixture.access(Write, 9, 0), fixture.access(Read, 10, 0));
    fixture.race([1], by(0, 1, write), by(0, 62, read));
    let one = fixture.launch_of_given().findings.remove(0);
    assert_eq!(one.suggestion, Some(call_between(BarrierClass::Storage, [9, 10])));
    fixture.race([1], by(1, 1, write), by(0, 62, read));
    let two = fixture.launch_of_given().findings.remove(0);
    assert_eq!(two.suggestion, Some(Suggestion::SplitKernel { first: 9, second: 10 }));
    assert!(two.race().is_some_and(Race::is_across_workgroups));
    let mut widened = one;
    assert!(widened.is_same_as(&two));
    widened.widen(&two);
    assert_eq!(widened.suggestion, two.suggestion);
    assert!(widened.race().is_some_and(Race::is_across_workgroups));
}

#[test]
fn at_the_end_of_a_loop_whose_condition_is_the_value_read() {
    let at_loop_end =
        |after| Suggestion::CallAtLoopEnd { class: BarrierClass::Workgroup, after: Some(after) };
    // All invocations read the same value once a barrier separates the read from the next write.
    let body = "var more = true;\nwhile more {\n if lane == 0u { other = 0u; }\n workgroupBarrier();\n more = other != 0u;\n}";
    assert_eq!(suggest(body, (3, 0), (5, 0)), at_loop_end(13));
    let body = "loop {\n if lane == 0u { other = n; }\n workgroupBarrier();\n if other == 0u { break; }\n data[id.x] = 1u;\n}";
    assert_eq!(suggest(body, (2, 0), (4, 0)), at_loop_end(13));
    let body = "var i = 0u;\nloop {\n tile[lane] = i;\n workgroupBarrier();\n let all = tile[0] + tile[1];\n i += all;\n if i > 9u { break; }\n}";
    assert_eq!(suggest(body, (3, 0), (5, 0)), at_loop_end(15));
    // The invocations read different elements.
    let body = "var more = true;\nwhile more {\n tile[63u - lane] = n;\n workgroupBarrier();\n more = tile[lane] != 0u;\n}";
    let suggested = suggest(body, (3, 0), (5, 0));
    assert!(matches!(suggested, Suggestion::Restructure { .. }), "{suggested:?}");
    // Other workgroups may write storage memory.
    let body = "var more = true;\nwhile more {\n if lane == 0u { data[0] = n; }\n storageBarrier();\n more = data[0] != 0u;\n}";
    let suggested = suggest(body, (3, 0), (5, 0));
    assert!(matches!(suggested, Suggestion::Restructure { .. }), "{suggested:?}");
}
