//! Tests of the patterns of the labeled corpus, compared with other tools.
//!
//! - `compiled`: rustc accepts every kernel that the templates make;
//! - `oclgrind`: Oclgrind finds the races that the oracle finds.
//!
//! The tests of devices include that a device finds them.

mod compiled;
mod oclgrind;

use hirace_bench::detect::{CaseResult, Input, Options, Sample, run};
use hirace_bench::graph::published::SMALL;
use hirace_bench::pattern::{Data, Variant};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::fmt::Write;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    [compiled::trials(), oclgrind::trials()].into_iter().flatten().collect()
}

/// Runs a sample of launches of the kernels whose names start with `kernels`, on the small published graphs, and fails with the
/// messages of `wrong`.
pub fn each(
    kernels: &str,
    sample: usize,
    options: &Options<'_>,
    wrong: impl Fn(&CaseResult) -> Option<String>,
) -> Result<(), Failed> {
    let all = Data::ALL.into_iter().flat_map(Variant::all);
    let variants: Vec<Variant> =
        all.filter(|variant| variant.form.pattern.starts_with(kernels)).collect();
    let mut inputs = Vec::new();
    for name in SMALL {
        inputs.push(Input::generate(&name.parse()?, options.seed)?);
    }
    let chosen = Sample::new(variants.len() * inputs.len(), sample);
    let judged = run(&variants, &inputs, &chosen, options, &|_| {}).map_err(|e| e.to_string())?;
    let mut failures = String::new();
    for judged in &judged {
        if let Some(wrong) = wrong(judged) {
            writeln!(failures, "{} on {}: {wrong}", judged.variant, inputs[judged.input].name)?;
        }
    }
    if judged.is_empty() {
        return Err(format!("no kernel has a name that starts with {kernels:?}").into());
    }
    let races = judged.iter().filter(|judged| judged.with_race).count();
    if races * 8 < judged.len() {
        writeln!(failures, "{races} of {} launches have a race: too few to compare", judged.len())?;
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.into()) }
}
