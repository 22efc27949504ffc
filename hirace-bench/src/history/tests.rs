use super::Action::{Atomic, Read, Write};
use super::Memory::{Storage, Workgroup};
use super::*;
use hirace_core::check::source::check_launches;
use hirace_core::check::{Options, Session};
use hirace_core::exec::Watch;
use hirace_core::exec::embedded::Embedded;
use hirace_core::facts::Verdict;
use hirace_core::front::rust;
use hirace_core::launch::spec::{Binding, LaunchSpec};
use proptest::prelude::*;

/// Returns whether the checker finds a race, and asserts that the oracle agrees. A race in which all write the same value counts.
fn found(history: &History) -> bool {
    let text = history.kernel();
    let file = rust::parse_file("history.rs", &text).unwrap();
    let parsed = file.items[0].as_ref().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let workgroups = history.workgroups();
    let mut bindings = vec![format!("sums=zeros:{}", workgroups * WORKGROUP)];
    if history.memory == Storage {
        bindings.push("word=zeros:1".to_owned());
    }
    let spec = LaunchSpec {
        workgroups: Some([workgroups, 1, 1]),
        bindings: bindings.iter().map(|text| Binding::parse(text).unwrap()).collect(),
        subgroup_size: Some(SUBGROUP),
        ..LaunchSpec::default()
    };
    let watch = Watch { oracle: true, ..Watch::default() };
    let options = Options { launches: vec![spec], watch, ..Options::default() };
    let mut session = Session::new(&Embedded);
    let checked = check_launches(parsed, &options, &mut session).unwrap();
    let report = &checked.launches[0];
    assert!(report.warnings.is_empty(), "{:?}\n{text}", report.warnings);
    report.strict_verdict() == Verdict::Findings
}

fn history(memory: Memory, steps: &[Step]) -> History {
    History { memory, steps: steps.to_vec() }
}

fn assert_judged(history: &History, races: bool) {
    assert_eq!(history.races(), races, "{history:?}");
    assert_eq!(found(history), races, "{}", history.kernel());
}

#[test]
fn a_reader_is_remembered_however_many_read_after_it() {
    for memory in [Storage, Workgroup] {
        // Within a subgroup, across subgroups, and across workgroups.
        for readers in [1, 2, 3, 4, 8, 16, 32, 33, 64, 65, 100, 128] {
            // With a single reader in a workgroup, no other invocation accesses its word.
            let alone = match memory {
                Storage => readers == 1,
                Workgroup => readers % WORKGROUP == 1,
            };
            assert_judged(&read_by_many(memory, readers), !alone);
        }
    }
}

#[test]
fn barrier_orders_reads_only_for_invocations_that_pass_it() {
    use super::Barrier::{OtherMemory, OwnMemory, Subgroup};
    let barrier = |barrier| Step::Barrier(barrier);
    for memory in [Storage, Workgroup] {
        let mut steps = read_by_many(memory, 40).steps;
        for (at, races) in
            [(barrier(OwnMemory), false), (barrier(OtherMemory), true), (barrier(Subgroup), true)]
        {
            steps.insert(40, at);
            assert_judged(&history(memory, &steps), races);
            steps.remove(40);
        }
    }
    // The readers of the second workgroup do not execute the barrier of the first one.
    let mut steps = read_by_many(Storage, 65).steps;
    steps.insert(65, barrier(OwnMemory));
    assert_judged(&history(Storage, &steps), true);
}

/// Histories for which the published transition table is wrong.
#[test]
fn what_the_published_automaton_forgets_is_remembered() {
    let access = Step::Access;
    let [own, subgroup] = [Barrier::OwnMemory, Barrier::Subgroup].map(Step::Barrier);
    let false_alarms = [
        vec![access(0, Read), own, access(0, Atomic), access(1, Atomic)],
        vec![access(0, Read), subgroup, access(0, Atomic), access(1, Atomic)],
        vec![
            access(0, Write),
            own,
            access(0, Atomic),
            access(40, Atomic),
            own,
            access(0, Atomic),
            own,
            access(1, Read),
        ],
    ];
    for steps in false_alarms {
        for memory in [Storage, Workgroup] {
            assert_judged(&history(memory, &steps), false);
        }
    }
    let missed =
        [access(0, Write), subgroup, access(0, Atomic), access(1, Atomic), access(1, Read)];
    assert_judged(&history(Storage, &missed), true);
}

#[test]
fn writes_of_one_value_are_a_race() {
    for memory in [Storage, Workgroup] {
        assert_judged(&history(memory, &[Step::Access(31, Write), Step::Access(0, Write)]), true);
    }
}

fn any_history() -> impl Strategy<Value = History> {
    let who = prop::sample::select(vec![0u32, 1, 31, 32, 40, 63, 64, 70]);
    let action = prop::sample::select(vec![Read, Read, Write, Atomic, Atomic]);
    let barrier =
        prop::sample::select(vec![Barrier::OwnMemory, Barrier::OtherMemory, Barrier::Subgroup]);
    let step = prop_oneof![
        3 => (who, action).prop_map(|(who, action)| Step::Access(who, action)),
        2 => barrier.prop_map(Step::Barrier),
    ];
    let memory = prop::sample::select(vec![Storage, Workgroup]);
    (memory, prop::collection::vec(step, 0..14))
        .prop_map(|(memory, steps)| History { memory, steps })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_history_is_judged_as_the_definition_says(history in any_history()) {
        prop_assert_eq!(found(&history), history.races(), "{}", history.kernel());
    }
}
