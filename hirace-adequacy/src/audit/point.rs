//! What of a source a suite may run and may not: an arm of a branch, a case of a loop, a function, a barrier.

use hirace_core::cover::coverage::{BranchKind, File};
use serde::{Deserialize, Serialize};

/// Something in a source that runs or does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Point {
    /// Where it stands, from 1.
    pub line: u32,
    /// In characters, from 1; 0 of a function.
    pub column: u32,
    /// What it is.
    pub what: What,
}

/// What runs or does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum What {
    /// A function is entered.
    Function {
        /// Its name.
        name: String,
    },
    /// A branch goes one of its ways.
    Arm {
        /// What branches.
        #[cfg_attr(test, schemars(with = "String"))]
        branch: BranchKind,
        /// Which of the branches that begin there.
        #[serde(default, skip_serializing_if = "is_zero")]
        nth: u32,
        /// Which way: `true`, `case 1, 2`.
        arm: String,
    },
    /// A loop runs so often.
    Turns {
        /// How often: `0 turns`, `1 turn`, `more turns`, `boundary`.
        case: String,
    },
    /// All invocations of a workgroup come to a barrier.
    Barrier,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// All points of a file of a coverage, with how often each was seen and the function that it is in.
pub fn points(file: &File) -> Vec<(Point, u64, &str)> {
    let mut points = Vec::new();
    for function in &file.functions {
        let what = What::Function { name: function.name.clone() };
        let point = Point { line: function.line, column: 0, what };
        points.push((point, function.count, &function.name[..]));
    }
    for branch in &file.branches {
        for arm in &branch.arms {
            let what = What::Arm { branch: branch.kind, nth: branch.nth, arm: arm.label.clone() };
            let point = Point { line: branch.line, column: branch.column, what };
            points.push((point, arm.count, &branch.function));
        }
    }
    for of in &file.loops {
        for (case, count) in of.cases() {
            let what = What::Turns { case: case.to_owned() };
            points.push((Point { line: of.line, column: of.column, what }, count, &of.function));
        }
    }
    for barrier in &file.barriers {
        let point = Point { line: barrier.line, column: barrier.column, what: What::Barrier };
        points.push((point, barrier.full, &barrier.function));
    }
    points
}
