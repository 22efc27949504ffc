//! What was given up in a launch, or is to be known of it.

use super::doubt::Doubt;
use super::place::Place;
use crate::vm::schedule::Schedule;

/// Something to know about a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Races were not looked for in workgroups after a barrier that not all of their invocations reached.
    NotWatchedAfterDivergence {
        /// The first of these workgroups.
        first: u32,
        /// How many others there are.
        others: u32,
    },
    /// More words raced than the monitor keeps: so many.
    RacyWordsNotKept(u64),
    /// The monitor and the oracle see different words race: a bug of hirace.
    OracleDisagrees {
        /// Words that raced for the monitor alone.
        monitor_alone: usize,
        /// Words that raced for the oracle alone.
        oracle_alone: usize,
    },
    /// So many accesses to racy words did not fit in the log that explains them.
    TraceFull(u64),
    /// So many racy words could belong to more than one of the findings.
    Unexplained(u64),
    /// Subgroups are of the device's size, not of the one asked for.
    SubgroupSize {
        /// The device's.
        has: u32,
        /// The one asked for.
        asked: u32,
    },
    /// Larger launches were not tried, for want of time.
    LargerNotTried {
        /// How many were.
        tried: usize,
        /// How many there are.
        of: usize,
    },
    /// The launch was left in this loop after so many steps; whether the loop ends is not known.
    LeftInLoop {
        /// The loop.
        place: Place,
        /// The steps that one invocation had taken.
        steps: u64,
        /// The guess that its end hangs on, if any: a host may never give what keeps it from ending.
        hangs_on: Option<Doubt>,
    },
    /// A guessed launch was left where it was after so many steps, for want of time.
    StepsSpent(u64),
    /// A variable of guessed length is indexed past where it can grow to.
    IndexedTooFar {
        /// The variable.
        variable: String,
        /// Bytes that it may grow to.
        most: u64,
    },
    /// A device has an order of its own, and did not follow this schedule.
    ScheduleNotFollowed(Schedule),
    /// The oracle sees what runs on the embedded executor alone.
    OracleNotAsked,
    /// Whether all invocations reach these barriers was not checked. Then the launch is not clean.
    BarriersNotJudged {
        /// Those of which it is not certain from the text.
        barriers: Vec<Place>,
        /// Why not.
        why: BarriersUnjudged,
    },
    /// So many racy words had no room in the log of the device.
    DeviceLogFull(u32),
    /// Accesses were not checked after more barriers than the shadow's words can count.
    ClockRanOut(Unjudged),
    /// Accesses to workgroup memory were not checked in workgroups that waited too long for a shadow of it.
    NoShadowInTime,
    /// A depth texture holds numbers from 0 to 1 alone on a device: others were clamped.
    DepthsClamped(String),
    /// The launch ran on the embedded executor, since the device ends its loops too early.
    RanEmbedded {
        /// Turns of a loop that the device allows.
        turns: u32,
        /// The device.
        device: String,
    },
}

impl Warning {
    /// Whether the launch made little sense for what was guessed of it: then others have to show what it did not.
    pub fn is_of_a_guess(&self) -> bool {
        matches!(self, Self::LeftInLoop { .. } | Self::IndexedTooFar { .. })
    }

    /// Whether something went unchecked for it that a launch must have checked to be clean.
    pub fn leaves_unchecked(&self) -> bool {
        match self {
            Self::NotWatchedAfterDivergence { .. }
            | Self::OracleDisagrees { .. }
            | Self::BarriersNotJudged { .. }
            | Self::DeviceLogFull(_)
            | Self::ClockRanOut(_)
            | Self::NoShadowInTime
            | Self::LeftInLoop { hangs_on: None, .. }
            | Self::StepsSpent(_) => true,
            Self::RacyWordsNotKept(_)
            | Self::TraceFull(_)
            | Self::Unexplained(_)
            | Self::SubgroupSize { .. }
            | Self::LargerNotTried { .. }
            | Self::LeftInLoop { hangs_on: Some(_), .. }
            | Self::IndexedTooFar { .. }
            | Self::ScheduleNotFollowed(_)
            | Self::OracleNotAsked
            | Self::DepthsClamped(_)
            | Self::RanEmbedded { .. } => false,
        }
    }
}

/// Why a device could not tell whether all invocations reach a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarriersUnjudged {
    /// There was no room to note where the invocations of all workgroups came.
    NoRoom,
    /// Loops took more turns than they may, and were ended.
    LoopsEnded,
    /// Invocations did not come to their end.
    NotAllEnded,
}

/// Memory of which not all accesses were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// Storage memory and textures.
    Dispatch,
    /// Workgroup memory.
    Workgroup,
}
