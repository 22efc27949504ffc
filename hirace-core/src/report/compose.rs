//! Builds the document from facts.

use super::document::{
    Device, Error, Finding, Host, LaunchReport, NotChecked, Report, Stats, SuppressedFinding, Tool,
    Unwatched,
};
use super::shard_data::part;
use super::words::{self, Context};
use crate::event::CheckResults;
use crate::facts::{self, HostDispatch, LaunchFacts, NotCheckedReason};
use crate::finding::verdict;

/// Returns the document of a complete check of these launches.
pub fn report(launches: &[LaunchFacts]) -> Report {
    run(&CheckResults { launches, ..CheckResults::default() })
}

/// Returns the document of a run.
pub fn run(check: &CheckResults<'_>) -> Report {
    let CheckResults { launches, not_checked, stopped } = *check;
    Report {
        schema: "hirace.check/2".to_owned(),
        tool: Tool { name: "hirace".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        verdict: verdict::run_verdict(launches, not_checked),
        stopped,
        not_checked: not_checked.iter().map(unchecked_part).collect(),
        errors: not_checked.iter().filter_map(error).collect(),
        launches: launches.iter().map(launch).collect(),
        shards: Vec::new(),
        run_id: None,
    }
}

fn unchecked_part(left: &facts::NotChecked) -> NotChecked {
    NotChecked {
        input: left.input.clone(),
        reason: words::not_checked(&left.why),
        stopped: !matches!(left.why, NotCheckedReason::Error(_)),
    }
}

fn error(left: &facts::NotChecked) -> Option<Error> {
    match &left.why {
        NotCheckedReason::Error(error) => Some(words::error(left.input.as_deref(), error)),
        NotCheckedReason::StoppedBefore | NotCheckedReason::StoppedWithin => None,
    }
}

/// Returns the part of the document that describes a launch.
pub fn launch(launch: &LaunchFacts) -> LaunchReport {
    let context = Context::of(launch);
    let finding = |finding| words::finding(context, finding);
    let warning = |warning| words::warning(&launch.source, warning);
    LaunchReport {
        source: launch.source.name().to_owned(),
        source_map: launch.source.clone(),
        buffers_enlarged: launch.has_grown_buffers(),
        verdict: launch.verdict(),
        guessed: launch.guessed,
        entry: launch.entries.join(","),
        device: device(launch),
        workgroups: launch.grid.workgroups,
        workgroup_size: launch.grid.workgroup_size,
        inferred: launch.assumptions.iter().map(words::assumption).collect(),
        contract: launch.contract.as_ref().map(|contract| words::contract(context, contract)),
        inconclusive: words::inconclusive_reasons(launch),
        findings: link_causes(launch, launch.findings.iter().map(finding).collect()),
        allowed: launch
            .suppressed
            .iter()
            .map(|allowed| SuppressedFinding {
                finding: finding(&allowed.finding),
                by: allowed.by,
                reason: allowed.reason.clone(),
            })
            .collect(),
        stats: stats(launch),
        unwatched: launch
            .unwatched
            .iter()
            .map(|left| Unwatched {
                variable: left.name.clone(),
                reason: words::not_watched(left.reason),
            })
            .collect(),
        warnings: launch.warnings.iter().map(warning).collect(),
        notes: launch
            .notes
            .iter()
            .filter(|note| note.kind().is_shown_for(launch.verdict()))
            .map(|note| words::note(context, note))
            .collect(),
        beyond_webgpu: launch
            .exceeded_limits
            .iter()
            .map(|demand| words::exceeded_limit(&launch.source, demand))
            .collect(),
        host: launch.host.as_ref().map(host),
        part: part(launch),
    }
}

/// Adds to each finding which findings it causes, and by which one it is caused.
fn link_causes(launch: &LaunchFacts, mut described: Vec<Finding>) -> Vec<Finding> {
    for (index, finding) in launch.findings.iter().enumerate() {
        let Some(cause) = launch.cause_of(finding) else { continue };
        let at = launch.findings.iter().position(|other| std::ptr::eq(other, cause));
        if let (Some(at), Some(link)) = (at, &finding.caused_by) {
            let caused = words::caused(finding, link.link, &described[index]);
            described[index].caused_by = Some(cause.fingerprint.to_string());
            described[at].causes.push(caused);
        }
    }
    described
}

fn host(dispatch: &HostDispatch) -> Host {
    let HostDispatch { pipeline, pass, number } = dispatch.clone();
    Host { pipeline, pass, number, message: words::host(dispatch) }
}

fn device(launch: &LaunchFacts) -> Device {
    let about = launch.device.about.clone();
    Device {
        name: about.name,
        kind: about.kind,
        backend: about.backend,
        driver: about.driver,
        subgroup_size: launch.device.subgroup_size,
        shadow: launch.device.shadow.iter().map(words::shadow).collect(),
    }
}

fn stats(launch: &LaunchFacts) -> Stats {
    let stats = &launch.stats;
    let missed = stats.sites_missed.iter();
    Stats {
        words_watched: stats.words_watched,
        accesses_checked: stats.accesses_checked,
        sites: stats.sites,
        sites_executed: stats.sites_executed,
        sites_missed: missed.map(|&place| words::location(&launch.source, place)).collect(),
        allowed: launch.suppressed.len() as u32,
        racy_words: stats.racy_words,
        racy_words_unexplained: stats.racy_words_unexplained,
        cut_short: stats.cut_short,
    }
}
