//! Assertions in kernels: failures are found, and the generated WGSL of the kernel does not contain them.

use crate::facts::Kind;
use crate::{Certainty, Checked, Launch, Verdict, check};

#[hirace::monitor]
mod claims {
    use hirace::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Pair {
        pub first: u32,
        pub second: f32,
    }

    fn below(value: u32, end: u32) -> bool {
        let mut left = end;
        left -= value.min(end);
        left > 0
    }

    #[kernel(workgroup_size(8))]
    pub fn all_kinds(
        #[builtin(local_invocation_index)] lane: u32,
        numbers: &[u32],
        out: &mut [u32],
    ) {
        assert!(lane < numbers.len(), "lane {lane} of {}", numbers.len());
        let n = numbers[lane];
        assert!(below(n, 6));
        assert_eq!(n % 2, lane % 2, "parity");
        debug_assert_ne!(n, 3);
        assert_eq!(vec2(n as f32, 1.0), vec2(lane as f32, 1.0));
        assert!(n < 7 && n != 4);
        out[lane] = match n {
            0..=5 => n * 2,
            _ => unreachable!("no such {n}"),
        };
    }

    fn half(n: u32) -> u32 {
        if n % 2 == 0 {
            return n / 2;
        }
        panic!("{n} is odd")
    }

    #[kernel(workgroup_size(4))]
    pub fn in_helpers(#[builtin(local_invocation_index)] lane: u32, out: &mut [u32]) {
        out[lane] = half(lane * 2) + half(lane);
    }

    #[kernel(workgroup_size(4))]
    pub fn positions(#[builtin(local_invocation_index)] lane: u32, count: &u32, out: &mut [u32]) {
        let i = lane as usize;
        let mut left = *count as usize;
        left -= i;
        let signed = (i as isize - left as isize) * 2;
        out[i] = (left * 3 + 1) as u32 + signed as u32;
    }
}

fn said(checked: &Checked) -> Vec<(Kind, Certainty, String, String, u64)> {
    let said = |found: &crate::Finding| {
        let at = &found.accesses[0];
        (found.kind, found.certainty, found.message.clone(), at.label.to_string(), found.count)
    };
    let mut all: Vec<_> = checked.findings().map(said).collect();
    all.sort_by(|a, b| a.2.cmp(&b.2));
    all
}

#[test]
fn what_holds_is_clean() {
    let numbers: Vec<u32> = vec![0, 1, 2, 5, 4, 5, 4, 5];
    let launch = Launch::new().workgroups(1).buffer("numbers", &numbers).zeros("out", 8);
    let checked = check(&claims::all_kinds::kernel(), launch).unwrap();
    let messages: Vec<String> = said(&checked).into_iter().map(|found| found.2).collect();
    let wrong = [
        "assertion failed: `assert_eq!(vec2(n as f32, 1.0), vec2(lane as f32, 1.0))`",
        "assertion failed: `n < 7 && n != 4`",
    ];
    assert_eq!(messages, wrong);
}

#[test]
fn what_fails_is_a_finding_with_its_values() {
    let numbers: Vec<u32> = vec![0, 1, 2, 3, 4, 5, 6, 8];
    let launch = Launch::new().workgroups(1).buffer("numbers", &numbers).zeros("out", 8);
    let checked = check(&claims::all_kinds::kernel(), launch).unwrap();
    assert_eq!(checked.verdict(), Verdict::Findings);
    let all = said(&checked);
    let text: Vec<String> = all.iter().map(|(_, _, m, l, n)| format!("{m}; {l}; {n}")).collect();
    let by = |lane: u32| format!("invocation {lane} of workgroup 0");
    assert_eq!(
        text,
        [
            format!("`unreachable!(\"no such {{n}}\")` is reached; by {}; 2", by(6)),
            format!(
                "assertion failed: `assert_eq!(n % 2, lane % 2, \"parity\")`; 0 == 1 in {}; 1",
                by(7)
            ),
            format!(
                "assertion failed: `assert_eq!(vec2(n as f32, 1.0), vec2(lane as f32, 1.0))`; \
                 [8.0, 1.0] == [7.0, 1.0] in {}; 1",
                by(7)
            ),
            format!("assertion failed: `below(n, 6)`; by {}; 2", by(6)),
            format!("assertion failed: `debug_assert_ne!(n, 3)`; 3 != 3 in {}; 1", by(3)),
            format!("assertion failed: `n < 7 && n != 4`; by {}; 2", by(4)),
        ]
    );
    assert!(all.iter().all(|found| found.0 == Kind::Assertion && found.1 == Certainty::Certain));
}

#[test]
fn what_is_shipped_has_no_trace_of_assertions() {
    let kernel = claims::all_kinds::kernel();
    let wgsl = kernel.wgsl();
    for word in ["_ =", "left", "holds", "reached", "parity"] {
        let body = &wgsl[wgsl.find("fn all_kinds").unwrap()..wgsl.find("fn half").unwrap()];
        assert!(!body.contains(word), "{word} in\n{wgsl}");
    }
    assert!(crate::Kernel::from_wgsl("shipped.wgsl", &wgsl).is_ok(), "{wgsl}");
}

#[test]
fn helper_that_panics_returns_a_value() {
    let launch = Launch::new().workgroups(1).zeros("out", 4);
    let checked = check(&claims::in_helpers::kernel(), launch).unwrap();
    let [found] = &said(&checked)[..] else { panic!("{checked}") };
    assert_eq!((found.2.as_str(), found.4), ("`panic!(\"{n} is odd\")` is reached", 2));
    assert_eq!(checked.buffer::<Vec<u32>>("out").unwrap(), [0, 1, 3, 3]);
}

#[test]
fn positions_below_zero_are_found() {
    let run = |count: u32| {
        let launch = Launch::new().workgroups(1).buffer("count", &count).zeros("out", 4);
        check(&claims::positions::kernel(), launch).unwrap()
    };
    assert_eq!(said(&run(9)), []);
    let text: Vec<String> =
        said(&run(2)).iter().map(|(_, _, m, l, n)| format!("{m}; {l}; {n}")).collect();
    assert_eq!(
        text,
        [
            "`left * 3` does not fit 32 bits; 4294967295 * 3 in invocation 3 of workgroup 0; 1",
            "`left -= i` is below 0; 2 - 3 in invocation 3 of workgroup 0; 1",
        ]
    );
}

#[test]
fn what_hangs_on_a_guess_is_possible() {
    let launch = Launch::new().workgroups(1);
    let checked = check(&claims::positions::kernel(), launch).unwrap();
    let all = said(&checked);
    assert!(all.iter().all(|found| found.1 == Certainty::Possible), "{checked}");
    assert_ne!(checked.verdict(), Verdict::Findings, "{checked}");
}
