//! The text of each kind of suggestion.

use super::suggestion;
use crate::facts::suggestion::{AtomicFunction, AtomicTarget};
use crate::facts::{BarrierClass, Suggestion, Varying};
use crate::program::Language;
use crate::report::words::context::Context;
use crate::source_map::SourceMap;

#[test]
fn each_suggestion_has_a_text() {
    let name = || "data".to_owned();
    let (workgroup, storage) = (BarrierClass::Workgroup, BarrierClass::Storage);
    let origin = Varying::LocalInvocationIndex;
    let update = |target| Suggestion::UseAtomic {
        target,
        function: AtomicFunction::Add,
        place: "data[0]".to_owned(),
        line: 9,
    };
    let move_out = |of_loop, origin, to_after| Suggestion::MoveBarrierOut {
        of_loop,
        line: 9,
        origin,
        to_after,
    };
    let checked = |is_clean| {
        let change = Suggestion::CallAtLoopEnd { class: workgroup, after: Some(14) };
        Suggestion::Checked { change: Box::new(change), is_clean }
    };
    let suggestions = [
        Suggestion::FixBoundsFirst,
        Suggestion::AlsoCall { class: storage, line: 10 },
        Suggestion::CallBetween { class: workgroup, lines: [9, 9], at_loop_end: None },
        Suggestion::CallBetween { class: storage, lines: [9, 10], at_loop_end: None },
        Suggestion::CallBetween { class: workgroup, lines: [9, 10], at_loop_end: Some(11) },
        Suggestion::CallBefore { class: workgroup, keyword: Some("if"), line: 18 },
        Suggestion::CallBefore { class: storage, keyword: None, line: 18 },
        Suggestion::CallWhereAllPass { class: workgroup, lines: [6, 11] },
        Suggestion::CallAtLoopEnd { class: workgroup, after: None },
        Suggestion::CallAtLoopEnd { class: workgroup, after: Some(14) },
        Suggestion::CallAtLoopStart { class: workgroup, before: 9 },
        Suggestion::CallAfter { class: storage, line: 11 },
        Suggestion::ReachBarrier { class: BarrierClass::Texture, lines: [9, 12] },
        Suggestion::SplitBranch { class: workgroup, keyword: "if", line: 9 },
        Suggestion::Restructure { class: workgroup, lines: [10, 11], origin: Some(origin) },
        Suggestion::Restructure {
            class: BarrierClass::Subgroup,
            lines: [10, 10],
            origin: Some(origin),
        },
        Suggestion::Restructure { class: workgroup, lines: [10, 11], origin: None },
        Suggestion::ReadFirst { class: workgroup, at_loop_end: None },
        Suggestion::ReadFirst { class: workgroup, at_loop_end: Some(14) },
        Suggestion::OneWriter { loop_end_barrier: None },
        Suggestion::OneWriter { loop_end_barrier: Some((workgroup, Some(10))) },
        Suggestion::DeviceScope,
        Suggestion::MakeBothAtomic,
        Suggestion::WholeVector,
        update(AtomicTarget::Elements(name())),
        update(AtomicTarget::Place("data[0]".to_owned())),
        Suggestion::CompareExchange(name()),
        Suggestion::Combine(name()),
        Suggestion::DispatchEachIteration(9),
        Suggestion::OneWorkgroupWrites(name()),
        Suggestion::SecondBuffer(name()),
        Suggestion::PassByAtomic { flag: "ready".to_owned(), data: name() },
        Suggestion::PassByAtomic { flag: name(), data: name() },
        Suggestion::UseDimension { id: Some("id".to_owned()), dimension: 1, size: [16, 1, 1] },
        Suggestion::UseDimension { id: None, dimension: 2, size: [8, 8, 1] },
        Suggestion::SplitKernel { first: 9, second: 10 },
        Suggestion::DoNotReturn(10),
        move_out(true, origin, None),
        move_out(false, Varying::Atomic, None),
        move_out(false, origin, Some(true)),
        move_out(false, origin, Some(false)),
        Suggestion::MoveBarrier,
        Suggestion::GuardLength(name()),
        Suggestion::GuardLast(Some(63)),
        Suggestion::GuardLast(None),
        Suggestion::SelectEvaluatesBoth { subgroups: false },
        Suggestion::SelectEvaluatesBoth { subgroups: true },
        Suggestion::StayInRange("add"),
        Suggestion::DoNotWait,
        Suggestion::EnsureTermination,
        checked(true),
        checked(false),
        Suggestion::Checked {
            change: Box::new(Suggestion::UseDimension { id: None, dimension: 1, size: [8, 1, 1] }),
            is_clean: true,
        },
    ];
    let source = SourceMap::new("kernel.wgsl", "");
    let texts = |language| {
        let context = Context { source: &source, language, host: None };
        let texts = suggestions.iter().map(|each| suggestion(context, each));
        texts.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("wgsl", texts(Language::Wgsl));
    insta::assert_snapshot!("rust", texts(Language::Rust));
}
