//! Oclgrind, on the patterns in OpenCL C, says what the exact oracle says.
//!
//! Where it is not installed these trials show as ignored, with the reason; with `HIRACE_REQUIRE_OCLGRIND=1` they
//! fail.

use super::each;
use crate::support::is_long;
use hirace_bench::detect::{Judged, Options};
use hirace_bench::pattern::{Share, Tag};
use hirace_bench::peers::{Peer, oclgrind};
use libtest_mimic::{Failed, Trial};

/// How many launches are a sample: a tenth of a second each.
fn sample() -> usize {
    if is_long() { 150 } else { 40 }
}

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let ignored =
        !oclgrind::is_installed() && std::env::var_os("HIRACE_REQUIRE_OCLGRIND").is_none();
    let missing = if ignored { " (Oclgrind is not installed)" } else { "" };
    let trial = |name: &str, test: fn() -> Result<(), Failed>, full: bool| {
        Trial::test(format!("patterns::{name}{missing}"), test).with_ignored_flag(ignored || full)
    };
    vec![
        trial("oclgrind_agrees_with_the_oracle", || agrees("", sample()), false),
        trial(
            "oclgrind_names_both_of_two_alike_accesses",
            || agrees("path_compression", if is_long() { usize::MAX } else { 20 }),
            false,
        ),
        trial("full_oclgrind_agrees_with_the_oracle", || agrees("", usize::MAX), true),
    ]
}

/// Compares both on so many launches of the kernels whose names begin so.
fn agrees(kernels: &str, sample: usize) -> Result<(), Failed> {
    let peers = [Peer::Oclgrind];
    let options = Options { device: None, seed: 0, schedules: 0, peers: &peers, stop: None };
    each(kernels, sample, &options, difference)
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
