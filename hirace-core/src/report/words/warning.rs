//! What was given up, in words.

use super::context::location;
use super::doubt::why;
use super::who::count;
use crate::facts::Warning;
use crate::facts::warning::{BarriersUnjudged, Unjudged};
use crate::source_map::SourceMap;

/// What was given up in a launch of what stands in `source`, or is to be known of it.
pub fn warning(source: &SourceMap, warning: &Warning) -> String {
    match warning {
        Warning::NotWatchedAfterDivergence { first, others } => {
            let others = match others {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            format!(
                "races in workgroup {first}{others} were not looked for after a barrier that not all of its \
                 invocations reached"
            )
        }
        Warning::RacyWordsNotKept(words) => format!("{words} more words raced than are reported"),
        Warning::OracleDisagrees { monitor_alone, oracle_alone } => format!(
            "the monitor and the oracle disagree, which is a bug of hirace: {monitor_alone} words raced for the monitor alone, {oracle_alone} for the oracle alone"
        ),
        Warning::TraceFull(dropped) => {
            let accesses = count(*dropped, "access", "accesses");
            format!("{accesses} to racy words did not fit in the log that explains them")
        }
        Warning::Unexplained(words) => {
            let words = count(*words, "more racy word", "more racy words");
            format!("{words} not explained: more than one of the findings may be the cause")
        }
        Warning::SubgroupSize { has, asked } => {
            format!("subgroups had {has} lanes, not {asked}: that is for the device to say")
        }
        Warning::LargerNotTried { tried, of } => format!(
            "larger launches were not tried, for want of time: {tried} of {of} were (--workgroups chooses one)"
        ),
        Warning::LeftInLoop { place, steps, hangs_on: None } => format!(
            "stopped after {steps} steps at {}, which may come to its end or not; what comes later was not checked (--step-limit gives it more)",
            location(source, *place)
        ),
        Warning::LeftInLoop { place, steps, hangs_on: Some(on) } => format!(
            "one of the launches tried was stopped after {steps} steps at {}: {}",
            location(source, *place),
            why(on)
        ),
        Warning::StepsSpent(steps) => format!(
            "the launch was left unfinished after {steps} steps, for want of time; what comes later was not checked (--step-limit gives each subgroup as many as it needs)"
        ),
        Warning::IndexedTooFar { variable, most } => format!(
            "`{variable}` is indexed past {} MiB; its length is guessed and does not grow so far, and what lies there was not checked",
            most >> 20
        ),
        Warning::ScheduleNotFollowed(schedule) => {
            let name = match schedule.seed() {
                Some(seed) => format!("{seed:#x}"),
                None => format!("`{schedule}`"),
            };
            format!("schedule {name} was not followed: a device has an order of its own")
        }
        Warning::OracleNotAsked => {
            "the oracle was not asked: it sees what runs on the embedded executor alone".to_owned()
        }
        Warning::BarriersNotJudged { barriers, why } => {
            let barriers: Vec<String> =
                barriers.iter().map(|&barrier| location(source, barrier)).collect();
            let why = match why {
                BarriersUnjudged::NoRoom => {
                    "the device had no room to note where the invocations of all workgroups came"
                }
                BarriersUnjudged::LoopsEnded => {
                    "the device ended loops that took too many turns, and what comes after them with them"
                }
                BarriersUnjudged::NotAllEnded => "invocations did not come to their end on the device",
            };
            format!(
                "whether all invocations of a workgroup reach the barrier at {} was not checked, and races after it may have been missed: {why} (without --device it is checked)",
                barriers.join(", ")
            )
        }
        Warning::DeviceLogFull(words) => {
            format!("{words} more racy words had no room in the log of the device")
        }
        Warning::ClockRanOut(memory) => {
            let memory = match memory {
                Unjudged::Dispatch => "storage memory and textures",
                Unjudged::Workgroup => "workgroup memory",
            };
            format!(
                "accesses to {memory} after too many barriers for the shadow's words to count were not checked"
            )
        }
        Warning::NoShadowInTime => {
            "accesses to workgroup memory in workgroups that waited for its shadow for too long were not checked".to_owned()
        }
        Warning::DepthsClamped(texture) => format!(
            "`{texture}` held numbers from 0 to 1 alone: what is outside was clamped, since a device holds no other depths"
        ),
        Warning::RanEmbedded { turns, device } => format!(
            "a launch ran on the embedded executor: its loops take more than {turns} turns, past which they are ended on {device}"
        ),
    }
}
