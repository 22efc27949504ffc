//! Tests what rustc reports for rejected items: hirace's errors at their tokens, and nothing else.
//!
//! Which code is rejected, and the wording of the errors, are tested where kernels are lowered.

use hirace_testing::Tier;
use hirace_testing::harness::{self, Trial};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Builds hirace for a crate of its own.
    let trial = Trial::test("rustc_says_what_we_say_and_every_name_stays", || {
        trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
        Ok(())
    });
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    harness::run(&folder, "", vec![trial.in_tier(Tier::Full)])
}
