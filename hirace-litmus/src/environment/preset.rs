//! The named environments of the authors' web page.

use super::Parameters;
use serde::{Deserialize, Serialize};

/// A named environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Few workgroups, and no stress.
    Basic,
    /// Many workgroups, with shuffled ids and spin barriers.
    Interleave,
    /// As `Interleave`, with all kinds of stress.
    Stress,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Basic, Self::Interleave, Self::Stress];

    /// Returns the parameters of the preset.
    pub fn parameters(self) -> Parameters {
        let basic = Parameters {
            testing_workgroups: 2,
            max_workgroups: 4,
            workgroup_size: super::published_size(),
            shuffle_pct: 0,
            barrier_pct: 0,
            mem_stress_pct: 0,
            pre_stress_pct: 0,
            scratch_memory_size: 2048,
            mem_stride: 1,
            stress_line_size: 64,
            stress_target_lines: 2,
            mem_stress_iterations: 0,
            pre_stress_iterations: 0,
            stress_strategy_balance_pct: 0,
            mem_stress_store_first_pct: 0,
            mem_stress_store_second_pct: 0,
            pre_stress_store_first_pct: 0,
            pre_stress_store_second_pct: 0,
            iterations: None,
        };
        let interleave = Parameters {
            testing_workgroups: 256,
            max_workgroups: 1024,
            shuffle_pct: 100,
            barrier_pct: 100,
            mem_stride: 4,
            ..basic.clone()
        };
        match self {
            Self::Basic => basic,
            Self::Interleave => interleave,
            Self::Stress => Parameters {
                testing_workgroups: 512,
                mem_stress_pct: 100,
                pre_stress_pct: 100,
                mem_stress_iterations: 1024,
                pre_stress_iterations: 128,
                stress_strategy_balance_pct: 100,
                mem_stress_store_first_pct: 50,
                mem_stress_store_second_pct: 50,
                pre_stress_store_first_pct: 50,
                pre_stress_store_second_pct: 50,
                ..interleave
            },
        }
    }
}
