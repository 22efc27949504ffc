//! An audit with all kinds of advice, in which all external text is markup.

use crate::audit::point::{Point, PointKind as At};
use crate::audit::proposal::Proposal;
use crate::audit::results::{Advice, AdviceKind, Audit, BarrierNeed, Change, Gain, Kernel};
use crate::mutate::report::tests::fixture::several;
use crate::mutate::results::Mutant;
use crate::report::tests::edge::{NAME, odd};
use hirace_core::cover::coverage::{BranchKind, UnobservedKernel};
use hirace_core::report::finding_summary::FindingSummary;

/// A text that ends an element and an attribute if it is not escaped.
pub(super) const HOSTILE: &str = "</pre></script><b onclick=\"x\">'&`";

pub(super) fn found() -> FindingSummary {
    FindingSummary {
        file: NAME.to_owned(),
        line: 2,
        rule: "HR001".to_owned(),
        message: format!("a race of {HOSTILE}"),
        kernel: HOSTILE.to_owned(),
        certain: true,
        command: Some(format!("hirace check {HOSTILE}")),
    }
}

fn proposal() -> Proposal {
    let point = Point { line: 2, column: 40, what: At::Function { name: HOSTILE.to_owned() } };
    Proposal {
        name: HOSTILE.to_owned(),
        kernel: HOSTILE.to_owned(),
        reaches: vec![point],
        kills: vec![HOSTILE.to_owned()],
        rules: vec!["HR003".to_owned()],
        unsteady: vec![HOSTILE.to_owned()],
        command: ["hirace", "check", HOSTILE].map(str::to_owned).to_vec(),
        toml: Some(format!("[[file]]\npath = \"{HOSTILE}\"\n\tin = 1\n")),
        rust: format!("#[test]\nfn a() {{\n    \"{HOSTILE}\";\n}}\n"),
    }
}

/// Returns one piece of advice of each kind; the first ones belong to a file whose lines are shown.
pub(super) fn advice() -> Vec<Advice> {
    let change = || Change {
        id: HOSTILE.to_owned(),
        original: HOSTILE.to_owned(),
        replacement: String::new(),
    };
    let arm = Point {
        line: 9,
        column: 3,
        what: At::Arm { branch: BranchKind::If, index: 0, arm: HOSTILE.to_owned() },
    };
    let condition = Some(HOSTILE.to_owned());
    let gains = vec![
        Gain::Reaches { point: arm.clone(), condition: condition.clone() },
        Gain::Notices { line: 4, change: change() },
    ];
    let barrier = |needed| AdviceKind::Barrier { barrier: HOSTILE.to_owned(), needed };
    let by = BarrierNeed::ByFindings { test: HOSTILE.to_owned(), rules: vec![HOSTILE.to_owned()] };
    let all = [
        AdviceKind::Fix { found: found() },
        AdviceKind::Order {
            test: HOSTILE.to_owned(),
            message: HOSTILE.to_owned(),
            schedule: HOSTILE.to_owned(),
        },
        AdviceKind::AddTest { test: Box::new(proposal()), gains },
        barrier(by),
        barrier(BarrierNeed::ByNothing { tried: 3 }),
        AdviceKind::Look {
            mutants: vec![change(), change()],
            nearest: Some(HOSTILE.to_owned()),
            tried: 1,
        },
        AdviceKind::Reach { point: arm, condition, tried: 7 },
    ];
    let lines = [2, 0, 4, 9, 700, 11, 2];
    let advice = all.into_iter().zip(lines).map(|(what, line)| Advice {
        file: NAME.to_owned(),
        line,
        kernel: Some(HOSTILE.to_owned()),
        action: what,
    });
    advice.collect()
}

/// Returns the whole audit.
pub(super) fn audit() -> Audit {
    let mut coverage = odd();
    coverage.unobserved.push(UnobservedKernel {
        file: HOSTILE.to_owned(),
        kernel: HOSTILE.to_owned(),
        test: HOSTILE.to_owned(),
    });
    let mut mutants = several();
    // Two of these mutants are killed, and two survived.
    let is_on_it = |mutant: &&mut Mutant| mutant.file == "kernels/spmv.rs" && mutant.line == 3;
    for mutant in mutants.mutants.iter_mut().filter(is_on_it) {
        mutant.file = NAME.to_owned();
        mutant.id = HOSTILE.to_owned();
        mutant.original = HOSTILE.to_owned();
    }
    let kernel = |name: &str| Kernel {
        file: NAME.to_owned(),
        name: name.to_owned(),
        tests: vec![HOSTILE.to_owned()],
        coverage: coverage.summary,
        mutants: mutants.summary.clone(),
        launches_tried: 5,
        missing: 4,
        reached: 1,
    };
    Audit {
        stopped: true,
        kernels: vec![kernel(HOSTILE), kernel("f")],
        advice: advice(),
        found: vec![found()],
        coverage,
        mutants,
        ..Audit::default()
    }
}

/// Returns twelve lines for the file of the coverage; other files have no text.
pub(super) fn source(name: &str) -> Option<String> {
    (name == NAME).then(|| format!("// {HOSTILE}\n\tx\u{7}\n").repeat(6))
}
