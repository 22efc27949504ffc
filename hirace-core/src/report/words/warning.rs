//! Texts of warnings.

use super::context::location;
use super::doubt::describe_doubt;
use super::names::count;
use super::varying::varying;
use crate::facts::warning::{
    NonUniform, UncheckedBarriersReason, UncheckedMemory, UniformityRequirement,
};
use crate::facts::{Kind, Warning};
use crate::source_map::SourceMap;

/// Returns the text of HR006.
fn non_uniform(source: &SourceMap, found: &NonUniform) -> String {
    let operation = source.snippet(found.place.span);
    let name = operation.split('(').next().unwrap_or(operation).trim();
    let at = location(source, found.place);
    let must = match found.requires {
        UniformityRequirement::Barrier | UniformityRequirement::Subgroup => {
            format!("`{name}` at {at} must be called from uniform control flow")
        }
        UniformityRequirement::Pointer => {
            format!("the argument of `{name}` at {at} must be uniform")
        }
    };
    let origin = match found.origin_place {
        Some(place) => format!("{} at line {}", varying(found.origin), place.at.line),
        None => format!("`{}`", varying(found.origin)),
    };
    let depends = match found.branch {
        Some(branch) => format!("the branch at line {} depends on {origin}", branch.at.line),
        None => format!("it depends on {origin}"),
    };
    let code = Kind::NonUniform.code();
    format!("{code}: browsers refuse this module: {must}, and {depends}")
}

/// Returns the text of a warning about a launch of `source`.
pub fn warning(source: &SourceMap, warning: &Warning) -> String {
    match warning {
        Warning::NotWatchedAfterDivergence { first, others } => {
            let others = match others {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            format!(
                "races in workgroup {first}{others} were not checked after a barrier that not all of its \
                 invocations reached"
            )
        }
        Warning::RacyWordsDropped(words) => format!("{words} more words raced than are reported"),
        Warning::OracleDisagrees { monitor_alone, oracle_alone } => format!(
            "the monitor and the oracle disagree, which is a bug of hirace: {monitor_alone} words raced only in the monitor, {oracle_alone} only in the oracle"
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
            format!("subgroups had {has} lanes, not {asked}: the device decides the subgroup size")
        }
        Warning::LargerNotTried { tried, of } => format!(
            "larger launches were not tried, because time ran out: {tried} of {of} were tried (choose one with --workgroups)"
        ),
        Warning::AbandonedInLoop { place, steps, depends_on: None } => format!(
            "stopped after {steps} steps at {}, which may or may not terminate; later code was not checked (raise --max-steps to continue)",
            location(source, *place)
        ),
        Warning::AbandonedInLoop { place, steps, depends_on: Some(on) } => format!(
            "one of the launches tried was stopped after {steps} steps at {}: {}",
            location(source, *place),
            describe_doubt(on)
        ),
        Warning::StepsSpent(steps) => format!(
            "the launch was stopped after {steps} steps to save time; later code was not checked (set the steps of each subgroup with --max-steps)"
        ),
        Warning::IndexedTooFar { variable, most } => format!(
            "`{variable}` is indexed past {} MiB, to which its guessed length is limited; accesses past that were not checked",
            most >> 20
        ),
        Warning::NonUniform(found) => non_uniform(source, found),
        Warning::ScheduleNotFollowed(schedule) => {
            let name = match schedule.seed() {
                Some(seed) => format!("{seed:#x}"),
                None => format!("`{schedule}`"),
            };
            format!("schedule {name} was not followed: a device uses its own order")
        }
        Warning::OracleNotUsed => {
            "the oracle was not used: it only observes the embedded executor".to_owned()
        }
        Warning::BarriersNotChecked { barriers, why } => {
            let barriers: Vec<String> =
                barriers.iter().map(|&barrier| location(source, barrier)).collect();
            let why = match why {
                UncheckedBarriersReason::NoRoom => {
                    "the device had no memory to record which barriers the invocations of all workgroups reached"
                }
                UncheckedBarriersReason::LoopsEnded => {
                    "the device ended loops with too many iterations, together with the code after them"
                }
                UncheckedBarriersReason::NotAllEnded => "some invocations did not terminate on the device",
            };
            format!(
                "whether all invocations of a workgroup reach the barrier at {} was not checked, and races after it may have been missed: {why} (run without --device to check it)",
                barriers.join(", ")
            )
        }
        Warning::DeviceLogFull(words) => {
            format!("{words} more racy words did not fit in the log of the device")
        }
        Warning::ClockRanOut(memory) => {
            let memory = match memory {
                UncheckedMemory::Dispatch => "storage memory and textures",
                UncheckedMemory::Workgroup => "workgroup memory",
            };
            format!(
                "accesses to {memory} were not checked after more barriers than the shadow words can count"
            )
        }
        Warning::NoShadowInTime => {
            "accesses to workgroup memory were not checked in workgroups that waited too long for shadow memory".to_owned()
        }
        Warning::DepthsClamped(texture) => format!(
            "values of `{texture}` outside 0 to 1 were clamped, because a depth texture holds no others on a device"
        ),
        Warning::RanEmbedded { max_iterations, device } => format!(
            "a launch ran on the embedded executor: its loops take more than {max_iterations} iterations, after which they are ended on {device}"
        ),
    }
}
