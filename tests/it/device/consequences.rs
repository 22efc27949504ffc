//! Tests that the consequences of races in launches on a device are reported as far as they are known: stored values are not
//! observable there.

use super::{Case, device, error_text, given};
use hirace::facts::{DangerousUse, Dependence, Outcome};
use hirace::raw::check::source::check_launches;
use hirace::raw::check::{Options, Session};
use hirace::raw::exec::Executor;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::front::wgsl;
use libtest_mimic::Failed;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<u32, 64>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 128>;
var<workgroup> tile: array<u32, 64>;
var<workgroup> done: u32;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    x[0] += 1u;
    done = 1u;
    x[3] = l / 64u;
    tile[l] = l;
    out[64u + tile[63u - l]] = l;
}
";

pub fn cases() -> Vec<Case> {
    vec![Case::new("leads_of_races_are_those_that_are_known_there", known)]
}

/// Returns the line of each race, and the reported consequence.
fn said(executor: &dyn Executor) -> Result<Vec<(u32, String)>, Failed> {
    let parsed = wgsl::parse("leads.wgsl", KERNEL).map_err(error_text)?;
    let launch = given("--workgroups 1 --buffer x=zeros:64 --buffer out=zeros:128")?;
    let options = Options { launches: vec![launch], ..Options::default() };
    let mut session = Session::new(executor);
    let checked = check_launches(&parsed, &options, &mut session).map_err(error_text)?;
    let findings = checked.launches.iter().flat_map(|launch| &launch.findings);
    let races = findings.filter_map(|finding| finding.race());
    let said = races.map(|race| {
        let outcome = match &race.leads_to.outcome {
            None => "unknown",
            Some(Outcome::SameValue(same)) if same.always => "same always",
            Some(Outcome::SameValue(_)) => "same here",
            Some(Outcome::LostUpdate { by: Dependence::Value, .. }) => "lost",
            Some(Outcome::LostUpdate { by: Dependence::Control, .. }) => "lost by control",
            Some(Outcome::StaleRead { .. }) => "stale",
            Some(other) => other.name(),
        };
        let reaches = race.leads_to.reaches.iter().map(|reach| match reach.what {
            DangerousUse::Index => format!(", index {}", reach.place.at.line),
            DangerousUse::LoopBound => format!(", loop {}", reach.place.at.line),
            other => format!(", {} {}", other.name(), reach.place.at.line),
        });
        (race.first.place.at.line, format!("{outcome}{}", reaches.collect::<String>()))
    });
    // From here on, what is written depends on what is read too early.
    Ok(said.filter(|(line, _)| *line < 12).collect())
}

fn known() -> Result<(), Failed> {
    let wanted = |seen: &str| {
        // The race in which all write the same value is a warning, which comes last.
        let of = [(8, "lost"), (10, seen), (11, "stale, index 12"), (9, "same always")];
        of.map(|(line, said)| (line, said.to_owned())).to_vec()
    };
    let (here, there) = (said(&Embedded)?, said(device().as_ref()?)?);
    match here == wanted("same here") && there == wanted("unknown") {
        true => Ok(()),
        false => Err(format!("here {here:?}, there {there:?}").into()),
    }
}
