//! Oclgrind, on the patterns in OpenCL C, says what the exact oracle says.
//!
//! Where it is not installed these trials show as ignored, with the reason; with `HIRACE_REQUIRE_OCLGRIND=1` they
//! fail.

use hirace_bench::detect::{Input, Judged, Options, Sample, run};
use hirace_bench::graph::published::SMALL;
use hirace_bench::pattern::{Data, Share, Tag, Variant};
use hirace_bench::peers::{Peer, oclgrind};
use libtest_mimic::{Failed, Trial};
use std::fmt::Write;

/// How many launches are a sample: a tenth of a second each.
const SAMPLE: usize = 150;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let ignored =
        !oclgrind::is_installed() && std::env::var_os("HIRACE_REQUIRE_OCLGRIND").is_none();
    let missing = if ignored { " (Oclgrind is not installed)" } else { "" };
    let trial = |name: &str, test: fn() -> Result<(), Failed>, full: bool| {
        Trial::test(format!("patterns::{name}{missing}"), test).with_ignored_flag(ignored || full)
    };
    vec![
        trial("oclgrind_agrees_with_the_oracle", || agrees("", SAMPLE), false),
        trial(
            "oclgrind_names_both_of_two_alike_accesses",
            || agrees("path_compression", usize::MAX),
            false,
        ),
        trial("full_oclgrind_agrees_with_the_oracle", || agrees("", usize::MAX), true),
    ]
}

/// Compares both on so many launches of the kernels whose names begin so.
fn agrees(kernels: &str, sample: usize) -> Result<(), Failed> {
    let all = Data::ALL.into_iter().flat_map(Variant::all);
    let variants: Vec<Variant> =
        all.filter(|variant| variant.form.pattern.starts_with(kernels)).collect();
    let mut inputs = Vec::new();
    for name in SMALL {
        inputs.push(Input::generate(&name.parse()?, 0)?);
    }
    let peers = [Peer::Oclgrind];
    let options = Options { device: None, seed: 0, schedules: 0, peers: &peers, stop: None };
    let chosen = Sample::new(variants.len() * inputs.len(), sample);
    let judged = run(&variants, &inputs, &chosen, &options, &|_| {}).map_err(|e| e.to_string())?;
    let mut wrong = String::new();
    for judged in &judged {
        if let Some(difference) = difference(judged) {
            writeln!(wrong, "{} on {}: {difference}", judged.variant, inputs[judged.input].name)?;
        }
    }
    let races = judged.iter().filter(|judged| judged.with_race).count();
    if races * 8 < judged.len() {
        writeln!(wrong, "{races} of {} launches have a race: too few to tell", judged.len())?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

/// What Oclgrind says otherwise.
fn difference(judged: &Judged) -> Option<String> {
    let Judged { variant, racing, with_race, peers, .. } = judged;
    let has_words = variant.form.share != Share::Warp && !variant.tags.has(Tag::Shfl);
    let said = match &peers[0] {
        Err(reason) => return has_words.then(|| format!("no answer: {reason}")),
        Ok(_) if !has_words => return Some("there are no subgroups in OpenCL C 1.2".to_owned()),
        Ok(said) => said,
    };
    if (said.races > 0) != *with_race {
        return Some(format!("{} races; by the oracle: {with_race}", said.races));
    }
    let right = |line| racing.contains(line);
    let wrong = said.lines.iter().find(|(one, two)| !right(one) || !right(two))?;
    Some(format!("a race at lines {wrong:?}, where none was planted"))
}
