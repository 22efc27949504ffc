//! Tests of the findings in kernels in Rust: at their own lines, in their own words.

use super::in_words;
use hirace::raw::check::source::check_launches;
use hirace::raw::check::{Options, Session};
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::front::rust;
use hirace::raw::report::compose;
use hirace::raw::report::document::Finding;
use hirace_testing::harness::Trial;

pub fn trials() -> Vec<Trial> {
    let of = |&(name, text, wanted): &(&'static str, &'static str, &'static [&'static str])| {
        Trial::test(format!("rust::findings::{name}"), move || {
            let got = findings(text)?;
            if got == wanted {
                return Ok(());
            }
            Err(format!("got\n{got:#?}\nbut wanted\n{wanted:#?}").into())
        })
    };
    KERNELS.iter().map(of).collect()
}

/// Returns the findings in the kernels of a file: the locations with their source text, and the help.
fn findings(text: &str) -> Result<Vec<String>, String> {
    let file = rust::parse_file("kernel.rs", text).map_err(|error| in_words(&error))?;
    let mut found = Vec::new();
    for parsed in file.items {
        let parsed = parsed.map_err(|error| in_words(&error))?;
        let mut session = Session::new(&Embedded);
        let checked = check_launches(&parsed, &Options::default(), &mut session);
        let checked = checked.map_err(|error| in_words(&error))?;
        for launch in checked.launches.iter().map(compose::launch) {
            found.extend(launch.findings.iter().map(shown));
            found.extend(launch.allowed.iter().map(|allowed| {
                format!("allowed: {}", allowed.reason.as_deref().unwrap_or_default())
            }));
        }
        found.extend(checked.warnings.iter().map(|warning| warning.message.clone()));
    }
    Ok(found)
}

fn shown(finding: &Finding) -> String {
    let places = finding.accesses.iter().map(|place| {
        format!("{}:{} `{}` {}", place.line, place.column, place.snippet, place.label)
    });
    let places: Vec<String> = places.collect();
    let help = finding.help.as_deref().unwrap_or("none");
    format!("{}; {}; help: {help}", finding.message, places.join("; "))
}

const KERNELS: &[(&str, &str, &[&str])] = &[
    (
        "a_missing_barrier_is_reported_on_rusts_lines",
        "use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
pub fn block_sum(
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(workgroup_id)] group: UVec3,
    input: &[f32],
    output: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[lane] = input[group.x * 64 + lane];
    workgroup_barrier();
    let mut stride = 32;
    while stride > 0 {
        if lane < stride {
            tile[lane] += tile[lane + stride];
        }
        stride /= 2;
    }
    if lane == 0 {
        output[group.x] = tile[0];
    }
}
",
        &[
            "data race on `tile[1]` (workgroup memory); 16:13 `tile[lane]` written by invocation 1 of workgroup 0; 16:27 `tile[lane + stride]` read by invocation 0 of workgroup 0; help: call `workgroup_barrier()` at the end of the loop body, after line 18 (checked: the launch above is clean with this change)",
        ],
    ),
    (
        "a_counter_is_answered_with_the_atomic_that_rust_has",
        "#[hirace::monitor]
mod counting {
    use hirace::prelude::*;

    fn tally(total: &mut u32, by: u32) {
        *total += by;
    }

    #[kernel(workgroup_size(64))]
    fn count(#[builtin(local_invocation_index)] lane: u32, hits: &mut [u32]) {
        tally(&mut hits[lane % 4], 1);
    }
}
",
        &[
            "data race on `hits[0]` (storage memory); 6:9 `*total` written by invocation 0 of workgroup 0; 6:9 `*total` read by invocation 28 of workgroup 0; help: make `hits` atomic (`Atomic<T>`) and use `total.fetch_add(…)` at line 6",
        ],
    ),
    (
        "plain_memory_that_is_used_atomically_is_judged_as_plain",
        "use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
fn mix(#[builtin(local_invocation_index)] lane: u32, filter: &mut [u32], out: &mut [u32]) {
    atomic_add(&mut filter[0], 1);
    if lane == 3 {
        filter[0] = 7;
    }
    out[lane] = match lane {
        5 => filter[0],
        _ => 0,
    };
}
",
        &[
            "data race on `filter[0]` (storage memory); 7:9 `filter[0]` written by invocation 3 of workgroup 0; 5:5 `atomic_add(&mut filter[0], 1)` accessed atomically by invocation 31 of workgroup 0; help: call `storage_barrier()` between line 5 and line 6 (checked: this finding is gone with this change)",
            "data race on `filter[0]` (storage memory); 7:9 `filter[0]` written by invocation 3 of workgroup 0; 10:14 `filter[0]` read by invocation 5 of workgroup 0; help: call `storage_barrier()` between line 8 and line 9 (checked: this finding is gone with this change)",
            "data race on `filter[0]` (storage memory); 10:14 `filter[0]` read by invocation 5 of workgroup 0; 5:5 `atomic_add(&mut filter[0], 1)` accessed atomically by invocation 31 of workgroup 0; help: call `storage_barrier()` between line 5 and line 6 (checked: this finding is gone with this change)",
            "possible data race on `out[0]` (storage memory); 9:5 `out[lane]` written by invocation 0 of workgroup 1; 9:5 `out[lane]` written by invocation 0 of workgroup 0; help: let only one workgroup write this element of `out`, or give each workgroup its own element",
            "possible data race on `filter[0]` (storage memory): all invocations write the same value; 7:9 `filter[0]` written by invocation 3 of workgroup 1; 7:9 `filter[0]` written by invocation 3 of workgroup 0; help: let only one workgroup write this element of `filter`, or give each workgroup its own element",
        ],
    ),
    (
        "a_strong_exchange_is_one_atomic_access",
        "use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
fn claim(#[builtin(local_invocation_index)] lane: u32, #[workgroup] owner: &Atomic<u32>) {
    if lane == 3 {
        *owner.plain() = 7;
    }
    let claimed = owner.compare_exchange(0, lane);
    workgroup_barrier();
    if claimed.is_err() && owner.compare_exchange(lane, 0).is_ok() {
        owner.store(1);
    }
}
",
        &[
            "data race on `owner` (workgroup memory); 6:9 `*owner.plain()` written by invocation 3 of workgroup 0; 8:19 `owner.compare_exchange(0, lane)` accessed atomically by invocation 0 of workgroup 0; help: call `workgroup_barrier()` between line 7 and line 8 (checked: the launch above is clean with this change)",
        ],
    ),
    (
        "a_sum_that_is_read_too_early_wants_a_barrier_and_no_atomic",
        "use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
fn sum(#[builtin(local_invocation_index)] lane: u32, #[workgroup] sum: &Atomic<u32>, out: &mut u32) {
    sum.fetch_add(lane);
    if lane == 0 {
        *out = *sum.plain();
    }
}
",
        &[
            "data race on `sum` (workgroup memory); 7:16 `*sum.plain()` read by invocation 0 of workgroup 0; 5:5 `sum.fetch_add(lane)` accessed atomically by invocation 31 of workgroup 0; help: call `workgroup_barrier()` between line 5 and line 6 (checked: the launch above is clean with this change)",
        ],
    ),
    (
        "a_divergent_barrier_and_a_comment_are_seen",
        "use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
fn diverge(#[builtin(local_invocation_index)] lane: u32, out: &mut [u32]) {
    // hirace: allow(race): all write the same
    out[0] = 1;
    if lane < 7 {
        workgroup_barrier();
    }
}
",
        &[
            "`workgroup_barrier()` is not reached by all invocations of the workgroup; 8:9 `workgroup_barrier()` invocations 0 to 6 of workgroup 0 wait here; help: move the barrier out of the branch at line 7, which depends on local_invocation_index, to directly after it (checked: this finding is gone with this change)",
            "allowed: all write the same",
        ],
    ),
];
