//! Planted bugs of known depth: the number of ordering constraints between steps that must be met for the bug
//! to show.

use super::Small;

pub struct Bug {
    pub name: &'static str,
    pub depth: u64,
    /// The statements of each unit.
    units: &'static [&'static str],
    /// Number of invocations of a workgroup.
    size: u32,
    words: &'static [u32],
    /// Maximum number of steps of each unit, under any schedule.
    pub steps: &'static [u64],
    /// Returns whether the bug shows in the final memory of a run.
    pub shows: fn(&[u32]) -> bool,
}

impl Bug {
    pub fn small(&self) -> Small {
        match self.size {
            1 => Small::new(self.units, 1, self.words),
            size => {
                let [all] = self.units else { panic!("{}", self.name) };
                let text =
                    format!("var<workgroup> tile: array<u32, 8>; fn all(u: u32) {{ {all} }}");
                Small::of_text(&text, self.steps.len() as u32, size, self.words)
            }
        }
    }

    /// Returns whether the control flow depends on values read.
    pub fn branches(&self) -> bool {
        self.units.iter().any(|does| does.contains("if (m["))
    }

    /// Returns the maximum number of steps of a run.
    pub fn most_steps(&self) -> u64 {
        self.steps.iter().sum()
    }
}

pub const BUGS: &[Bug] = &[
    Bug {
        name: "a read before the write that it is meant to see",
        depth: 1,
        units: &["m[0] = 1u;", "m[1] = m[0] + 10u;"],
        size: 1,
        words: &[0; 2],
        steps: &[1, 2],
        shows: |m| m[1] == 10,
    },
    Bug {
        name: "one of eight reads before the first writes",
        depth: 1,
        units: &[
            "m[0] = 1u;",
            "m[1] = m[0];",
            "m[2] = m[0];",
            "m[3] = m[0];",
            "m[4] = m[0];",
            "m[5] = m[0];",
            "m[6] = m[0];",
            "m[7] = m[0];",
        ],
        size: 1,
        words: &[0; 8],
        steps: &[1, 2, 2, 2, 2, 2, 2, 2],
        shows: |m| m[5] == 0,
    },
    Bug {
        name: "a barrier is missing between the write and the neighbor's read",
        depth: 1,
        units: &["tile[u] = u + 1u; m[u] = tile[(u + 1u) % 3u];"],
        size: 3,
        words: &[9; 3],
        steps: &[3, 3, 3],
        shows: |m| m[0] == 0,
    },
    Bug {
        name: "a lost update",
        depth: 2,
        units: &["m[0] = m[0] + 1u;", "m[0] = m[0] + 1u;"],
        size: 1,
        words: &[0],
        steps: &[2, 2],
        shows: |m| m[0] == 1,
    },
    Bug {
        name: "what was checked changes before it is used",
        depth: 2,
        units: &["if (m[0] != 0u) { m[1] = m[0] + 50u; }", "m[0] = 0u;"],
        size: 1,
        words: &[7, 0],
        steps: &[3, 1],
        shows: |m| m[1] == 50,
    },
    Bug {
        name: "a flag is set before its data",
        depth: 2,
        units: &["m[0] = 1u; m[1] = 42u;", "if (m[0] == 1u) { m[2] = m[1] + 100u; }"],
        size: 1,
        words: &[0; 3],
        steps: &[2, 3],
        shows: |m| m[2] == 100,
    },
    Bug {
        name: "an update is lost after a barrier",
        depth: 2,
        units: &["tile[u] = 1u; workgroupBarrier(); if (u > 0u) { m[0] = m[0] + tile[0]; }"],
        size: 3,
        words: &[0],
        steps: &[1, 4, 4],
        shows: |m| m[0] == 1,
    },
    Bug {
        name: "two reads of one value see one write and not the next",
        depth: 3,
        units: &["let a = m[0]; let b = m[0]; m[1] = 10u * a + b;", "m[0] = 1u; m[0] = 2u;"],
        size: 1,
        words: &[0, 7],
        steps: &[3, 2],
        shows: |m| m[1] == 1,
    },
    Bug {
        name: "two updates of two counters are lost in one run",
        depth: 3,
        units: &["m[0] = m[0] + 1u; m[1] = m[1] + 1u;", "m[0] = m[0] + 1u; m[1] = m[1] + 1u;"],
        size: 1,
        words: &[0; 2],
        steps: &[4, 4],
        shows: |m| m[0] == 1 && m[1] == 1,
    },
    Bug {
        name: "a flag is passed on before its data",
        depth: 3,
        units: &[
            "m[0] = 1u; m[1] = 1u;",
            "if (m[0] == 1u) { m[2] = 1u; }",
            "if (m[2] == 1u) { m[3] = m[1] + 10u; }",
        ],
        size: 1,
        words: &[0; 4],
        steps: &[2, 2, 3],
        shows: |m| m[3] == 10,
    },
    Bug {
        name: "a total is read before the second of two has written",
        depth: 1,
        units: &["m[0] = 1u;", "m[1] = 1u;", "m[2] = m[0] + m[1];"],
        size: 1,
        words: &[0, 0, 7],
        steps: &[1, 1, 3],
        shows: |m| m[2] < 2,
    },
    Bug {
        name: "the last to write is not the one that is meant",
        depth: 1,
        units: &["m[0] = 1u;", "m[0] = 2u;"],
        size: 1,
        words: &[0],
        steps: &[1, 1],
        shows: |m| m[0] == 1,
    },
    Bug {
        name: "a read comes before a write that many others precede",
        depth: 1,
        units: &["for (var i = 0u; i < 40u; i++) { m[2] = i; } m[0] = 1u;", "m[1] = m[0] + 5u;"],
        size: 1,
        words: &[0; 3],
        steps: &[41, 2],
        shows: |m| m[1] == 5,
    },
    Bug {
        name: "a level of a tree is read before it is written",
        depth: 1,
        units: &["tile[u] = 1u; if (u < 2u) { m[u] = tile[u + 2u] + 5u; }"],
        size: 4,
        words: &[9; 2],
        steps: &[3, 3, 1, 1],
        shows: |m| m[0] == 5,
    },
    Bug {
        name: "an update is lost amid other steps",
        depth: 2,
        units: &[
            "m[1] = 1u; m[1] = 2u; m[0] = m[0] + 1u; m[1] = 3u;",
            "m[2] = 1u; m[0] = m[0] + 1u; m[2] = 2u;",
        ],
        size: 1,
        words: &[0; 3],
        steps: &[5, 4],
        shows: |m| m[0] == 1,
    },
    Bug {
        name: "two take what is free once",
        depth: 2,
        units: &[
            "if (m[0] == 0u) { m[0] = 1u; m[1] = 1u; }",
            "if (m[0] == 0u) { m[0] = 2u; m[2] = 1u; }",
        ],
        size: 1,
        words: &[0; 3],
        steps: &[3, 3],
        shows: |m| m[1] == 1 && m[2] == 1,
    },
    Bug {
        name: "a pair is read half old and half new",
        depth: 2,
        units: &["m[0] = 1u; m[1] = 1u;", "let a = m[0]; let b = m[1]; m[2] = 10u * a + b;"],
        size: 1,
        words: &[0, 0, 7],
        steps: &[2, 3],
        shows: |m| m[2] == 1,
    },
    Bug {
        name: "one of three updates is lost",
        depth: 2,
        units: &["m[0] = m[0] + 1u;", "m[0] = m[0] + 1u;", "m[0] = m[0] + 1u;"],
        size: 1,
        words: &[0],
        steps: &[2, 2, 2],
        shows: |m| m[0] < 3,
    },
    Bug {
        name: "a value is seen that is there for a moment",
        depth: 3,
        units: &["m[0] = 1u; m[0] = 0u;", "let a = m[0]; let b = m[0]; m[1] = 10u * a + b;"],
        size: 1,
        words: &[0, 7],
        steps: &[2, 3],
        shows: |m| m[1] == 10,
    },
    Bug {
        name: "the second of three stages is missed",
        depth: 3,
        units: &[
            "m[0] = 1u; m[1] = 1u; m[2] = 1u;",
            "let a = m[0]; let b = m[1]; let c = m[2]; m[3] = a + 2u * b + 4u * c;",
        ],
        size: 1,
        words: &[0; 4],
        steps: &[3, 4],
        shows: |m| m[3] == 5,
    },
];

/// Kernels that spin: their number of steps depends on the schedule, so PCT gives no guarantee for them.
pub const SPINNING: &[(&str, &[&str], &[u32])] = &[
    ("a wait for a flag", &["while (m[0] == 0u) {} m[1] = 1u;", "m[2] = 1u; m[0] = 1u;"], &[0; 3]),
    (
        "a wait for two flags",
        &["while (m[0] + m[1] < 2u) {} m[2] = 1u;", "m[0] = 1u;", "m[1] = 1u;"],
        &[0; 3],
    ),
];
