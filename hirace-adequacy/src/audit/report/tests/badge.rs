use super::fixture::audit;
use crate::audit::report::badge::report;
use crate::audit::results::Audit;
use crate::mutate::results::Status;

fn of(noticed: u64, all: u64) -> String {
    let mut audit = audit();
    let statuses = [(Status::Killed, noticed), (Status::Survived, all - noticed)];
    // Mutants that do not count do not change the score.
    audit.mutants.summary.by_status = [&statuses[..], &[(Status::Equivalent, 7)]].concat();
    report(&audit)
}

#[test]
fn badge_has_accessible_label() {
    let badge = of(5, 6);
    assert!(badge.contains("role=\"img\" aria-label=\"kernels tested: 83 %\""), "{badge}");
    assert!(badge.contains("<title>kernels tested: 83 % of mutants"), "{badge}");
    assert!(badge.contains(">83 %</text>"), "{badge}");
}

#[test]
fn almost_all_is_not_all() {
    assert!(of(999, 1000).contains(">99 %</text>"));
    assert!(of(1000, 1000).contains(">100 %</text>"));
    assert!(of(0, 3).contains(">0 %</text>"));
}

#[test]
fn each_score_has_its_color() {
    let colors = [of(95, 100), of(80, 100), of(60, 100), of(10, 100), of(0, 0)]
        .map(|badge| badge.split("fill=\"").nth(2).unwrap().split('"').next().unwrap().to_owned());
    assert_eq!(colors, ["#1a7f37", "#4d7c0f", "#9a6700", "#b62324", "#57606a"]);
}

#[test]
fn no_mutants_give_unknown_score() {
    let badge = report(&Audit::default());
    assert!(badge.contains("kernels tested: unknown\"") && !badge.contains('%'), "{badge}");
}
