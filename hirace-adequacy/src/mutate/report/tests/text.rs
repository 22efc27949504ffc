use super::fixture::several;
use super::only;
use crate::mutate::report::text::{line, report, status_line};
use crate::mutate::results::{Mutant, Results, Status};
use hirace_core::report::text::Style;
use insta::assert_snapshot;

fn colored() -> Style {
    Style::default().with_color(true).with_width(100)
}

fn lines(style: Style) -> String {
    let lines = several().mutants.iter().map(|of| status_line(of, style)).collect::<Vec<_>>();
    lines.join("\n")
}

fn plain(results: &Results) -> String {
    report(results, Style::default())
}

#[test]
fn a_line_for_each_mutant() {
    assert_snapshot!(lines(Style::default()));
}

#[test]
fn a_line_for_each_mutant_in_colors() {
    assert_snapshot!(lines(colored()).replace('\x1b', "␛"));
}

#[test]
fn mutant_outside_functions_is_listed_without_function() {
    let outside = several().mutants.into_iter().find(|of| of.function.is_none()).unwrap();
    assert_eq!(line(&outside), "kernels/scan.wgsl:1:19: replace << with >>");
}

#[test]
fn status_line_contains_no_control_characters() {
    let mut mutant = several().mutants.remove(0);
    mutant.file = "a\x1b[2J.wgsl".to_owned();
    mutant.function = Some("f\u{9b}".to_owned());
    let line = status_line(&mutant, Style::default());
    assert!(!line.contains(char::is_control), "{line:?}");
}

#[test]
fn the_table_and_what_to_look_at() {
    assert_snapshot!(plain(&several()));
}

#[test]
fn the_table_in_colors() {
    let text = report(&several(), colored()).replace('\x1b', "␛");
    let bold: Vec<&str> = text.lines().filter(|line| line.contains("[1m")).collect();
    assert_snapshot!(bold.join("\n"));
}

#[test]
fn no_mutants_are_said() {
    assert_eq!(plain(&Results::default()), "no mutants were found\n");
}

#[test]
fn what_is_found_without_a_mutant_is_named() {
    let text = plain(&several());
    let known =
        "my kernels/a<b>,\"100%\".wgsl:2: HR001 of out in f, only because an index is clamped";
    assert!(text.contains(&format!("kills none (1)\n  {known}")), "{text}");
    assert!(text.contains("it makes a finding worse that is also found without it: "), "{text}");
    assert!(text.contains("cannot run here, so in no score (1)\n"), "{text}");
}

#[test]
fn equivalent_mutants_count_if_asked() {
    let mut results = several();
    let before = results.summary.score.unwrap();
    results.counts_equivalent = true;
    results.summarize();
    assert!(results.summary.score.unwrap() < before);
    assert!(
        plain(&results).contains("not counted   1 unviable, 1 skipped\n"),
        "{}",
        plain(&results)
    );
}

/// Without counted mutants there is no score.
#[test]
fn where_nothing_counts_there_is_no_score() {
    let text = plain(&only(|of| of.status == Some(Status::Equivalent)));
    assert!(text.contains("\nscore         none: there are no mutants that count\n"), "{text}");
    assert!(!text.contains("strict score"));
}

#[test]
fn a_strict_score_that_is_not_known_is_not_0() {
    let mut results = several();
    results.mutants.iter_mut().for_each(|of| of.by_outputs = None);
    results.summarize();
    assert!(plain(&results).contains("strict score  unknown\n"));
    let killed = |of: &&mut Mutant| of.status == Some(Status::Killed);
    results.mutants.iter_mut().find(killed).unwrap().by_outputs = Some(true);
    results.summarize();
    let said =
        "strict score  at least 8 %: assertions on outputs detect 1 of 13, for 4 this is unknown\n";
    assert!(plain(&results).contains(said), "{}", plain(&results));
}

/// The next step, as the number of open mutants decreases.
#[test]
fn next_step_is_about_the_worst_miss_reason() {
    use crate::mutate::report::missed::{MissReason, missed};
    let next = |keep: &dyn Fn(&Mutant) -> bool| {
        let text = plain(&only(keep));
        text.lines().last().unwrap().to_owned()
    };
    let without = |gone: &'static [MissReason]| {
        move |of: &Mutant| missed(of).is_none_or(|why| !gone.contains(&why))
    };
    let found = |of: &Mutant| missed(of).is_none() && of.status.is_some();
    let steps = [
        next(&|_| true),
        next(&without(&[MissReason::Survived])),
        next(&without(&[MissReason::Survived, MissReason::NotRun])),
        next(&without(&[MissReason::Survived, MissReason::NotRun, MissReason::Undecided])),
        next(&without(&MissReason::ALL)),
        next(&found),
        next(&|of| found(of) && of.by_outputs != Some(false)),
    ];
    assert_snapshot!(steps.join("\n"));
}

#[test]
fn almost_all_is_not_all() {
    use crate::mutate::report::words::percent;
    assert_eq!([0.0, 0.1, 0.9, 50.5, 99.6, 100.0].map(percent), [0, 1, 1, 51, 99, 100]);
}
