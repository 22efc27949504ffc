use super::*;
use crate::pattern::{Data, Label, RenderedPattern, Tag};

fn judge_variants(
    variants: &[Variant],
    graphs: &[&str],
    schedules: u32,
) -> (Vec<Input>, Vec<CaseResult>) {
    let input = |name: &&str| Input::generate(&name.parse().unwrap(), 0).unwrap();
    let inputs: Vec<Input> = graphs.iter().map(input).collect();
    let options = Options { device: None, seed: 0, schedules, peers: &[], stop: None };
    let all = Sample::new(variants.len() * inputs.len(), usize::MAX);
    let judged = run(variants, &inputs, &all, &options, &|_| {}).unwrap();
    assert_eq!(judged.len(), variants.len() * inputs.len());
    (inputs, judged)
}

fn assert_right(judged: &[CaseResult]) {
    for case in judged {
        let CaseResult { variant, missed, false_alarms, wrong_sites, .. } = case;
        assert!(
            *missed == 0 && *false_alarms == 0 && wrong_sites.is_empty(),
            "{variant}: {missed} missed, {false_alarms} false, {wrong_sites:?}\n{}",
            variant.render().text
        );
        // The oracle shares the engine with the checker; the label of the kernel is independent of it.
        assert!(!(variant.label() == Label::Clean && case.found), "{variant}");
    }
}

/// Checks every seventh variant. `hirace-bench detect` checks all variants.
#[test]
fn all_races_are_found_without_false_positives() {
    let sample: Vec<Variant> = Data::ALL
        .into_iter()
        .flat_map(Variant::all)
        .enumerate()
        .filter_map(|(at, variant)| (at % 7 == 0).then_some(variant))
        .collect();
    let (_, judged) = judge_variants(&sample, &["DAG_100n_200e", "counterDAG_5n_5e"], 0);
    assert_right(&judged);
    let found = judged.iter().filter(|case| case.found).count();
    assert!(found * 4 > judged.len(), "{found} of {}", judged.len());
}

#[test]
fn racy_words_depend_on_the_schedule_only_for_variants_that_declare_it() {
    let input = Input::generate(&"DAG_200n_400e".parse().unwrap(), 0).unwrap();
    let options = Options { device: None, seed: 0, schedules: 0, peers: &[], stop: None };
    let racy = Variant::all(Data::I32).filter(|variant| variant.label() == Label::Racy);
    for variant in racy.step_by(3) {
        let subject = Subject::new(variant).unwrap();
        let case = Case { subject: &subject, input: &input, number: 0, options: &options };
        let [plain, other] = [0, 1].map(|schedule| case.words(schedule).unwrap());
        assert_eq!(plain != other, variant.racy_words_depend_on_order(), "{variant}");
    }
}

#[test]
fn results_explain_why_a_planted_race_does_not_occur() {
    let variant: Variant = "push_neighbor_atomicBug_i32".parse().unwrap();
    let (inputs, judged) =
        judge_variants(&[variant], &["DAG_5n_0e", "star_5n", "counterDAG_100n_300e"], 0);
    let reasons: Vec<Option<&str>> = judged.iter().map(|case| case.unreached.as_deref()).collect();
    assert_eq!(reasons[0], Some("no invocation reaches the bug"));
    assert_eq!(reasons[1], Some("only one invocation reaches the bug"));
    assert_eq!(reasons[2], None);
    let tables = table::tables("embedded", &[], &inputs, &judged);
    let [checker, by_results] = &tables[..] else { panic!("{tables:#?}") };
    let all = &checker[3];
    assert_eq!((all.launches, all.planted, all.with_race, all.found), (3, 3, 1, 1));
    assert!(all.is_right());
    assert!(by_results[3].found <= 1);
    assert_eq!(table::unreached_lines(&inputs, &judged).values().sum::<usize>(), 2);
}

/// The invocations of the first workgroup write one word if the last workgroup has run before.
const AFTER_THE_LAST: &str = "#[hirace::monitor]
pub mod after_the_last {
    use hirace::prelude::*;

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] vertices: u32,
        data1: &mut [i32],
        data2: &mut [i32],
    ) {
        if id.x == vertices - 1 {
            atomic_store(&mut data1[0], 1);
        } else if id.x < 64 && atomic_load(&mut data1[0]) == 1 {
            data2[0] = 7;
        }
    }
}
";

#[test]
fn a_race_that_depends_on_the_workgroup_order_is_found_under_more_schedules() {
    let variant: Variant = "path_compression_vertex_raceBug_i32".parse().unwrap();
    let rendered = RenderedPattern { text: AFTER_THE_LAST.to_owned(), racing: vec![15] };
    let subject = Subject::of(variant, rendered.clone(), &rendered).unwrap();
    let input = Input::generate(&"star_200n".parse().unwrap(), 0).unwrap();
    let judge = |schedules| {
        let options = Options { device: None, seed: 0, schedules, peers: &[], stop: None };
        let case = Case { subject: &subject, input: &input, number: 0, options: &options };
        case.judge().unwrap()
    };
    let plain = judge(0);
    assert!(!plain.with_race && !plain.found);
    assert_eq!(plain.unreached.as_deref(), Some("no invocation reaches the bug"));
    let more = judge(20);
    assert!(more.with_race && more.found && more.by_schedule && more.unreached.is_none());
    assert_right(&[more]);
}

#[test]
fn a_missing_barrier_is_found_at_both_access_sites() {
    let all: Vec<Variant> = Variant::all(Data::U32)
        .filter(|variant| variant.tags.has(Tag::SyncBug) && !variant.tags.has(Tag::GuardBug))
        .collect();
    let (_, judged) = judge_variants(&all, &["DAG_100n_200e"], 0);
    assert_right(&judged);
    assert!(judged.iter().all(|case| case.found));
}

#[test]
fn graphs_with_more_vertices_than_a_grid_has_workgroups_are_supported() {
    let variant: Variant = "push_block_break_i32".parse().unwrap();
    let (_, judged) = judge_variants(&[variant], &["star_70000n"], 0);
    assert_right(&judged);
}

#[test]
fn a_sample_is_spread_evenly() {
    let sample = Sample::new(10, 4);
    let chosen: Vec<usize> = (0..10).filter(|&at| sample.has(at)).collect();
    assert_eq!(chosen.len(), 4);
    assert!(chosen.windows(2).all(|pair| pair[1] - pair[0] >= 2), "{chosen:?}");
    assert_eq!((0..3).filter(|&at| Sample::new(3, 9).has(at)).count(), 3);
}
