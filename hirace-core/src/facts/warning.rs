//! Warnings: limitations of the check of a launch, and other things that a user should know.

use super::doubt::Doubt;
use super::place::Place;
use super::varying::Varying;
use crate::vm::schedule::Schedule;

/// A warning about the check of a launch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Races were not checked in workgroups after a barrier that not all of their invocations reached.
    NotWatchedAfterDivergence {
        /// The first of these workgroups.
        first: u32,
        /// The number of further workgroups.
        others: u32,
    },
    /// More words raced than the monitor keeps; this many were dropped.
    RacyWordsDropped(u64),
    /// The monitor and the oracle report different racy words, which is a bug in hirace.
    OracleDisagrees {
        /// The number of words that raced only in the monitor.
        monitor_alone: usize,
        /// The number of words that raced only in the oracle.
        oracle_alone: usize,
    },
    /// This many accesses to racy words did not fit in the log that explains races.
    TraceFull(u64),
    /// This many racy words could belong to more than one of the findings.
    Unexplained(u64),
    /// Subgroups have the size of the device instead of the requested size.
    SubgroupSize {
        /// The subgroup size of the device.
        has: u32,
        /// The requested subgroup size.
        asked: u32,
    },
    /// Larger launches were not tried because the time ran out.
    LargerNotTried {
        /// The number of launches that were tried.
        tried: usize,
        /// The total number of launches.
        of: usize,
    },
    /// The launch was abandoned in this loop after a number of steps; whether the loop terminates is not known.
    AbandonedInLoop {
        /// The location of the loop.
        place: Place,
        /// The number of steps that one invocation had taken.
        steps: u64,
        /// The assumption that the end of the loop depends on, if any. A host may never supply the value that keeps the
        /// loop running.
        depends_on: Option<Doubt>,
    },
    /// A guessed launch was abandoned after this many steps to save time.
    StepsSpent(u64),
    /// An index exceeds the size to which a variable of guessed length can grow.
    IndexedTooFar {
        /// The name of the variable.
        variable: String,
        /// The maximum size of the variable, in bytes.
        most: u64,
    },
    /// A device uses its own order and did not follow this schedule.
    ScheduleNotFollowed(Schedule),
    /// The oracle did not run, because it only observes the embedded executor.
    OracleNotUsed,
    /// Whether all invocations reach these barriers was not checked, so the launch is not clean.
    BarriersNotChecked {
        /// The barriers that the analysis cannot prove to be reached by all invocations.
        barriers: Vec<Place>,
        /// The reason.
        why: UncheckedBarriersReason,
    },
    /// This many racy words did not fit in the log of the device.
    DeviceLogFull(u32),
    /// Accesses were not checked after more barriers than the shadow words can count.
    ClockRanOut(UncheckedMemory),
    /// Accesses to workgroup memory were not checked in workgroups that waited too long for shadow memory.
    NoShadowInTime,
    /// HR006: an operation that WGSL permits only in uniform control flow, or only with a uniform operand, where the analysis
    /// of WGSL cannot prove that. Browsers refuse the module.
    NonUniform(NonUniform),
    /// Contents of this depth texture were clamped, because it only holds numbers from 0 to 1 on a device.
    DepthsClamped(String),
    /// The launch ran on the embedded executor, because the device ends its loops too early.
    RanEmbedded {
        /// The number of loop iterations that the device allows.
        max_iterations: u32,
        /// The name of the device.
        device: String,
    },
}

impl Warning {
    /// Returns whether guessed values made the launch meaningless, so that other launches have to show what this one
    /// did not.
    pub fn is_from_guess(&self) -> bool {
        matches!(self, Self::AbandonedInLoop { .. } | Self::IndexedTooFar { .. })
    }

    /// Returns whether a launch was abandoned in a loop that may not terminate.
    pub fn is_of_loop(&self) -> bool {
        matches!(self, Self::AbandonedInLoop { .. })
    }

    /// Returns whether the warning means that something was not checked that has to be checked for the verdict `clean`.
    pub fn leaves_unchecked(&self) -> bool {
        match self {
            Self::NotWatchedAfterDivergence { .. }
            | Self::OracleDisagrees { .. }
            | Self::BarriersNotChecked { .. }
            | Self::DeviceLogFull(_)
            | Self::ClockRanOut(_)
            | Self::NoShadowInTime
            | Self::AbandonedInLoop { depends_on: None, .. }
            | Self::StepsSpent(_) => true,
            Self::RacyWordsDropped(_)
            | Self::TraceFull(_)
            | Self::Unexplained(_)
            | Self::SubgroupSize { .. }
            | Self::LargerNotTried { .. }
            | Self::AbandonedInLoop { depends_on: Some(_), .. }
            | Self::IndexedTooFar { .. }
            | Self::ScheduleNotFollowed(_)
            | Self::OracleNotUsed
            | Self::NonUniform(_)
            | Self::DepthsClamped(_)
            | Self::RanEmbedded { .. } => false,
        }
    }
}

/// An operation that has to be uniform and is not provably so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NonUniform {
    /// The operation.
    pub place: Place,
    /// What of the operation has to be uniform.
    pub requires: UniformityRequirement,
    /// The branch or loop that invocations may take differently, if it is known.
    pub branch: Option<Place>,
    /// The kind of value that may differ between invocations.
    pub origin: Varying,
    /// Where the value is read, if it is not an argument of the entry point.
    pub origin_place: Option<Place>,
}

/// What WGSL requires to be uniform. There are only these cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UniformityRequirement {
    /// The control flow at a barrier, or at `workgroupUniformLoad`.
    Barrier,
    /// The pointer that is passed to `workgroupUniformLoad`.
    Pointer,
    /// The control flow at a subgroup operation.
    Subgroup,
}

/// The reason why a device could not decide whether all invocations reach a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UncheckedBarriersReason {
    /// The device lacked the memory to record which barriers the invocations of all workgroups reached.
    NoRoom,
    /// Loops exceeded the iteration limit and were ended.
    LoopsEnded,
    /// Some invocations did not terminate.
    NotAllEnded,
}

/// Memory of which not all accesses were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UncheckedMemory {
    /// Storage memory and textures.
    Dispatch,
    /// Workgroup memory.
    Workgroup,
}
