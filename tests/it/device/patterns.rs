//! Tests of the patterns of the labeled corpus: the device finds the races that the oracle finds, at the lines where they were
//! planted.

use super::{Case, device};
use crate::patterns::each;
use hirace_bench::detect::{CaseResult, Options};
use libtest_mimic::Failed;

/// The number of launches in a sample. Each launch takes a tenth of a second.
const SAMPLE: usize = 20;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("agrees_on_patterns", || agrees(SAMPLE)),
        Case::full("agrees_on_patterns", || agrees(usize::MAX)),
    ]
}

fn agrees(sample: usize) -> Result<(), Failed> {
    let device = Some(device().as_ref()? as _);
    let options = Options { device, seed: 0, schedules: 0, peers: &[], stop: None };
    each(
        "",
        sample,
        &options,
        |CaseResult { missed, false_alarms, wrong_sites, warnings, .. }| {
            let right = missed + false_alarms == 0 && wrong_sites.is_empty() && warnings.is_empty();
            let wrong = format!(
                "{missed} words missed, {false_alarms} false, {wrong_sites:?}, {warnings:?}"
            );
            (!right).then_some(wrong)
        },
    )
}
