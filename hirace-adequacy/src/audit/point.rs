//! Points of a source that a suite can cover: arms of branches, cases of loops, functions and barriers.

use hirace_core::cover::coverage::{BranchKind, File};
use serde::{Deserialize, Serialize};

/// A point of a source that can be covered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Point {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1; 0 for a function.
    pub column: u32,
    /// The kind of point.
    pub what: PointKind,
}

/// The kind of a point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum PointKind {
    /// A function is called.
    Function {
        /// The name.
        name: String,
    },
    /// A branch takes one of its arms.
    Arm {
        /// The kind of branch.
        #[cfg_attr(test, schemars(with = "String"))]
        branch: BranchKind,
        /// The index among the branches that begin at this location.
        #[serde(default, skip_serializing_if = "is_zero")]
        index: u32,
        /// The arm: `true`, `case 1, 2`.
        arm: String,
    },
    /// A loop runs a certain number of iterations.
    Iterations {
        /// The case: `0 iterations`, `1 iteration`, `more iterations`, `boundary`.
        case: String,
    },
    /// All invocations of a workgroup reach a barrier.
    Barrier,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Returns all points of a file of a coverage, with the count and the enclosing function of each.
pub fn points(file: &File) -> Vec<(Point, u64, &str)> {
    let mut points = Vec::new();
    for function in &file.functions {
        let what = PointKind::Function { name: function.name.clone() };
        let point = Point { line: function.line, column: 0, what };
        points.push((point, function.count, &function.name[..]));
    }
    for branch in &file.branches {
        for arm in &branch.arms {
            let what =
                PointKind::Arm { branch: branch.kind, index: branch.index, arm: arm.label.clone() };
            let point = Point { line: branch.line, column: branch.column, what };
            points.push((point, arm.count, &branch.function));
        }
    }
    for of in &file.loops {
        for (case, count) in of.cases() {
            let what = PointKind::Iterations { case: case.to_owned() };
            points.push((Point { line: of.line, column: of.column, what }, count, &of.function));
        }
    }
    for barrier in &file.barriers {
        let point = Point { line: barrier.line, column: barrier.column, what: PointKind::Barrier };
        points.push((point, barrier.complete, &barrier.function));
    }
    points
}
