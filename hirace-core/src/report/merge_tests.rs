use super::document::Report;
use super::merge::ReportMerger;
use crate::check::source::check_launches;
use crate::check::{Options, Session};
use crate::exec::embedded::Embedded;
use crate::facts::{Certainty, Verdict};
use crate::front::wgsl;
use crate::launch::spec::{Binding, LaunchSpec};
use crate::report::compose;
use crate::report::launch_shard::MissedSite;

const RACY: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) lane: u32) { data[lane / 2u] = lane; }";

fn shard(text: &str, of: &str) -> Report {
    let parsed = wgsl::parse("k.wgsl", text).unwrap();
    let bindings = vec![Binding::parse("data=zeros:64").unwrap()];
    let spec = LaunchSpec { workgroups: Some([1; 3]), bindings, ..LaunchSpec::default() };
    let options = Options { launches: vec![spec], schedules: 4, ..Options::default() };
    let shard = of.parse().unwrap();
    let mut session = Session::new(&Embedded).with_shard(Some(shard));
    let checked = check_launches(&parsed, &options, &mut session).unwrap();
    let report = compose::report(&checked.launches);
    Report { shards: vec![of.to_owned()], run_id: Some("o".to_owned()), ..report }
}

fn merged(all: [Report; 2]) -> Report {
    let mut merged = ReportMerger::default();
    all.into_iter().for_each(|report| merged.add(report, "x.json").unwrap());
    merged.report().unwrap()
}

/// Returns the report of a shard. Its finding has this certainty and this run, and the number of the run as message.
fn with(of: &str, certainty: Certainty, across_workgroups: bool, run: u64) -> Report {
    let mut report = shard(RACY, of);
    let launch = &mut report.launches[0];
    (launch.findings[0].certainty, launch.findings[0].message) = (certainty, run.to_string());
    let divided = launch.part.as_mut().and_then(|part| part.divided.as_mut()).unwrap();
    let shown = &mut divided.findings[0];
    (shown.across_workgroups, shown.run) = (across_workgroups, run);
    report
}

#[test]
fn certain_then_cross_workgroup_then_first_findings_are_shown() {
    use Certainty::{Certain, Possible};
    for (one, two, shown) in [
        ((Possible, true, 1), (Certain, false, 2), "2"),
        ((Certain, false, 1), (Certain, true, 2), "2"),
        ((Certain, true, 3), (Certain, true, 2), "2"),
        ((Certain, true, 1), (Possible, true, 2), "1"),
    ] {
        let of = |shard: &str, (certainty, across, run)| with(shard, certainty, across, run);
        for all in [[of("1/2", one), of("2/2", two)], [of("2/2", two), of("1/2", one)]] {
            let report = merged(all);
            assert_eq!(report.launches[0].findings.len(), 1);
            assert_eq!(report.launches[0].findings[0].message, shown);
            assert_eq!(report.verdict, Verdict::Findings);
        }
    }
    let possible = |of: &str, run| with(of, Possible, false, run);
    let report = merged([possible("1/2", 1), possible("2/2", 2)]);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert_eq!(report.launches[0].inconclusive, ["the findings depend on guesses"]);
}

#[test]
fn the_plain_order_counts_once() {
    let clean = RACY.replace("lane / 2u", "lane");
    let of = |shard: &str| self::shard(&clean, shard);
    let accesses = |report: &Report| report.launches[0].stats.accesses_checked;
    let all = [of("1/2"), of("2/2")];
    // The default order, and two of four schedules each.
    assert_eq!(all.each_ref().map(accesses), [3 * 64; 2]);
    let report = merged(all);
    assert_eq!((accesses(&report), report.verdict), (5 * 64, Verdict::Clean));
    assert!(report.shards.is_empty() && report.launches[0].part.is_none());
}

#[test]
fn a_site_is_missed_that_no_shard_covered() {
    let cover = |missed: &[u32]| {
        let mut report = shard(RACY, &format!("{}/2", missed.len()));
        let launch = &mut report.launches[0];
        launch.stats.sites = 3;
        let divided = launch.part.as_mut().and_then(|part| part.divided.as_mut()).unwrap();
        let missed = missed.iter();
        let missed = missed.map(|&site| MissedSite { site, location: format!("k:{}", site / 2) });
        divided.missed = missed.collect();
        report
    };
    let stats = merged([cover(&[2]), cover(&[1, 2])]).launches[0].stats.clone();
    assert_eq!((stats.sites_executed, &stats.sites_missed[..]), (2, &["k:1".to_owned()][..]));
    let stats = merged([cover(&[0]), cover(&[1, 2])]).launches[0].stats.clone();
    assert_eq!((stats.sites_executed, stats.sites_missed.len()), (3, 0));
}

#[test]
fn the_whole_and_a_shard_are_not_merged() {
    let whole = || Report { shards: Vec::new(), run_id: None, ..shard(RACY, "1/1") };
    for (one, other) in [(whole(), shard(RACY, "1/2")), (shard(RACY, "1/2"), whole())] {
        let mut merged = ReportMerger::default();
        merged.add(one, "1.json").unwrap();
        assert!(merged.add(other, "2.json").is_err());
    }
}

#[test]
fn checks_of_different_launches_stand_one_behind_the_other() {
    let whole = |text: &str| {
        let mut report = shard(text, "1/1");
        report.launches.iter_mut().for_each(|launch| launch.part = None);
        Report { shards: Vec::new(), run_id: None, ..report }
    };
    let clean = RACY.replace("lane / 2u", "lane");
    let report = merged([whole(&clean), whole(RACY)]);
    assert_eq!((report.launches.len(), report.verdict), (2, Verdict::Findings));
    assert_eq!(merged([whole(RACY), whole(RACY)]).launches.len(), 1);
}
