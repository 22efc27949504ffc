//! Tests of classes of workgroups: a slice shows the same whether one workgroup of each class runs or all of them.

use super::proofs::Case;
use super::slices::slices_of;
use crate::support::scratch;
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::sliced::{SliceDecision, decide};
use hirace::raw::exec::{Executor, Shortcuts, Watch};
use hirace::raw::front::wgsl;
use hirace::raw::observe::Granule;
use hirace::raw::program::Program;
use hirace::raw::vm::slice::classes::{Rule, Rules};
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};

/// The number of seeds that the quick tier compares, with two kernels each.
const SAMPLE: u64 = 80;
/// The number of seeds that the full tier compares.
const LONG: u64 = 10_000;
/// The number of seeds within which a missing rule must be noticed.
const NOTICED: u64 = 3_000;

/// The rules whose absence random kernels notice. Random kernels have no private arrays, and almost no memory that is never
/// written.
const NOTICEABLE: [Rule; 5] =
    [Rule::Groups, Rule::Globals, Rule::Computed, Rule::Addresses, Rule::Conditions];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("random::sample_of_classes_shows_what_all_workgroups_do", || {
            agree(seeds(SAMPLE, LONG))
        }),
        Trial::test("random::without_a_rule_a_class_misses_a_race", every_rule_counts),
    ];
    trials.extend(NOTICEABLE.map(|rule| {
        let name = format!("random::notices_classes_without_{rule:?}").to_lowercase();
        Trial::ci(&name, move || noticed(rule))
    }));
    trials
}

/// The numbers of classes that occurred.
#[derive(Default)]
struct ClassCounts {
    kernels: u64,
    /// Kernels of which one workgroup ran for all.
    one: u64,
    /// Kernels of which one workgroup of each of several classes ran.
    several: u64,
    /// Kernels among both in which workgroup memory races.
    racy: u64,
}

fn agree(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let mut seen = ClassCounts::default();
    for seed in seeds {
        for case in Case::all(seed)? {
            let Err(error) = case_agrees(&case, seed, &mut seen) else { continue };
            let file = scratch("random").join(format!("classes-{seed}.wgsl"));
            std::fs::write(&file, &case.text)?;
            let text = &case.text;
            return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
        }
    }
    let ClassCounts { kernels, one, several, racy } = seen;
    let seen = format!(
        "of {kernels} kernels, {one} have one class of workgroups and {several} several; {racy} race there"
    );
    println!("{seen}");
    // In kernels as small as these, several classes are often not worthwhile.
    match one >= kernels / 20 && racy >= kernels / 20 && several >= kernels / 40 {
        true => Ok(()),
        false => Err(format!("too few kernels have these features: {seen}").into()),
    }
}

/// Returns how to watch: proofs are used for every other seed only.
fn watch(seed: u64) -> Watch {
    let proofs = !seed.is_multiple_of(2);
    Watch { shortcuts: Shortcuts { proofs, ..Shortcuts::ALL }, ..Watch::default() }
}

fn case_agrees(case: &Case, seed: u64, seen: &mut ClassCounts) -> Result<(), String> {
    seen.kernels += 1;
    let watch = watch(seed);
    let Some((sliced, racy)) = compare(case, &watch, Rules::default())? else { return Ok(()) };
    match sliced.classes {
        None => return Ok(()),
        Some(0 | 1) => seen.one += 1,
        Some(_) => seen.several += 1,
    }
    let module = &case.program.module;
    let is_own = |granule: &Granule| {
        module.global_variables.iter().any(|(global, variable)| {
            global.index() as u32 == granule.memory.0
                && variable.space == naga::AddressSpace::WorkGroup
        })
    };
    seen.racy += u64::from(racy.iter().any(is_own));
    Ok(())
}

/// Compares what is decided with classes and without, and the racy words.
fn compare(
    case: &Case,
    watch: &Watch,
    rules: Rules,
) -> Result<Option<(SliceDecision, BTreeSet<Granule>)>, String> {
    let decided = |classes: bool| {
        let slices = slices_of(&case.program, &case.launch)?.with_rules(rules);
        let shortcuts = Shortcuts { classes, ..watch.shortcuts };
        let watch = Watch { shortcuts, ..watch.clone() };
        decide(&case.program, &slices, &case.launch, 0, &watch, u64::MAX, None).0
    };
    let (with, without) = match (decided(true), decided(false)) {
        (Some(with), Some(without)) => (with, without),
        (None, None) => return Ok(None),
        (with, _) => return Err(format!("only one way decides it, classes: {}", with.is_some())),
    };
    let shown = |sliced: &SliceDecision| {
        let SliceDecision { dispatched, undecided, exact, proven, .. } = sliced;
        let executed: Vec<_> = dispatched
            .run
            .executed
            .iter()
            .map(|one| (one.count, one.by_several_invocations))
            .collect();
        let racy: BTreeSet<Granule> = dispatched.racy.keys().copied().collect();
        let counted = (dispatched.checked, dispatched.watched, *proven, *exact);
        let run = &dispatched.run;
        let outside = (run.out_of_bounds.clone(), run.wanted_lengths.clone());
        (racy, counted, undecided.clone(), executed, outside, dispatched.warnings.clone())
    };
    let (here, there) = (shown(&with), shown(&without));
    match here == there {
        true => Ok(Some((with, here.0))),
        false => Err(format!("by classes: {here:?}\nby all workgroups: {there:?}")),
    }
}

/// Tests the test: some kernel must show a difference if a rule is missing.
fn noticed(rule: Rule) -> Result<(), Failed> {
    for seed in 0..NOTICED {
        for case in Case::all(seed)? {
            if compare(&case, &watch(seed), Rules::without(rule)).is_err() {
                return Ok(());
            }
        }
    }
    Err(format!("{NOTICED} kernels do not show that {rule:?} is missing").into())
}

/// For each rule, a kernel that needs the rule to show that the second workgroup races.
fn every_rule_counts() -> Result<(), Failed> {
    let kernels = [
        (Rule::Groups, "if w.x == 1u { t[0] = l; }"),
        (Rule::Globals, "if g.x > 7u { t[0] = l; }"),
        (Rule::Computed, "let one = min(w.x, 1u); if one * 2u == 2u { t[0] = l; }"),
        (Rule::Loads, "if k[w.x] == 1u { t[0] = l; }"),
        (
            Rule::Arrays,
            "var a = array<u32, 4>(); a[1] = w.x; if a[1u + l % 2u] == 1u { t[l / 4u] = l; }",
        ),
        (Rule::Addresses, "t[l * (1u - w.x)] = l;"),
        (Rule::Conditions, "if w.x == 1u { t[0] = l; }"),
    ];
    assert_eq!(kernels.map(|(rule, _)| rule), Rule::ALL);
    for (rule, body) in kernels {
        let case = case_of(body)?;
        let watch =
            Watch { shortcuts: Shortcuts { proofs: false, ..Shortcuts::ALL }, ..Watch::default() };
        let wrong = |error: String| format!("{rule:?}: {error}\n{}", case.text);
        let (_, racy) = compare(&case, &watch, Rules::default())
            .map_err(wrong)?
            .ok_or_else(|| wrong("no memory is decided".to_owned()))?;
        let outcome = Embedded.run(
            &case.program,
            &case.launch,
            &Watch { oracle: true, ..watch.clone() },
            None,
        );
        let outcome = outcome.map_err(|error| wrong(error.to_string()))?;
        let oracle = outcome.dispatches.into_iter().find_map(|one| one.oracle).unwrap_or_default();
        let oracle: BTreeSet<Granule> = oracle.into_keys().collect();
        if racy != oracle || !racy.iter().all(|granule| granule.workgroup == 1) || racy.is_empty() {
            return Err(wrong(format!("{racy:?} race, but the oracle finds {oracle:?}")).into());
        }
        let without = slices_of(&case.program, &case.launch)
            .map(|slices| slices.with_rules(Rules::without(rule)))
            .and_then(|slices| {
                decide(&case.program, &slices, &case.launch, 0, &watch, u64::MAX, None).0
            });
        let without = without.ok_or_else(|| wrong("no memory is decided".to_owned()))?;
        if without.classes != Some(1) || !without.dispatched.racy.is_empty() {
            let racy = without.dispatched.racy;
            return Err(
                wrong(format!("{:?} classes without it, {racy:?} race", without.classes)).into()
            );
        }
    }
    Ok(())
}

/// Returns a kernel of two workgroups that share memory that is never written, with code before `body` that takes longer than
/// the decision which workgroups run.
fn text_of(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> k: array<u32>;
var<workgroup> t: array<u32, 8>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>,
    @builtin(local_invocation_index) l: u32) {{
    for (var i = 0u; i < 8u; i++) {{ t[l] = i; }}
    workgroupBarrier();
    {body}
}}
"
    )
}

fn case_of(body: &str) -> Result<Case, String> {
    use super::divergent::launch_of;
    use super::kernel::{Grid, Kernel};
    use hirace::raw::vm::memory::{Buffer, Resource, Resources};
    let text = text_of(body);
    let explained = |error: Box<Diagnostic>| format!("{error} {:?}\n{text}", error.notes);
    let parsed = wgsl::parse("class.wgsl", &text).map_err(explained)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(explained)?;
    let bound = program.module.global_variables.iter().map(|(_, variable)| {
        let is_bound = variable.name.as_deref() == Some("k");
        let words: Vec<u8> = [0, 1, 2, 3u32].into_iter().flat_map(u32::to_le_bytes).collect();
        is_bound.then(|| Resource::Buffer(Buffer::new(&words)))
    });
    let resources = Resources { by_global: bound.collect() };
    let grid = Grid { workgroups: 2, workgroup_size: 8, subgroup_size: 4 };
    let launch = launch_of(&Kernel { grid, body: Vec::new() }, resources);
    Ok(Case { text, program, launch })
}
