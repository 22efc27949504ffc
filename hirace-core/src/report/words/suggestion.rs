//! Texts of suggestions.

use super::context::Context;
use super::spelling;
use super::varying::varying;
use crate::facts::suggestion::AtomicTarget;
use crate::facts::{BarrierClass, Suggestion};

/// Returns the help line of a finding.
pub fn suggestion(context: Context<'_>, suggestion: &Suggestion) -> String {
    let language = context.language;
    let call = |class: &BarrierClass| format!("`{}`", spelling::barrier(language, *class));
    let variable_is = |name: &str| format!("`{name}`");
    match suggestion {
        Suggestion::Checked { change, is_clean } => {
            let result = match is_clean {
                true => "the launch above is clean with this change",
                false => "this finding is gone with this change",
            };
            let checked = format!(" (checked: {result})");
            match &**change {
                // Only the first of the alternatives was tried.
                Suggestion::UseDimension { id, dimension, size } => {
                    use_dimension(id.as_deref(), *dimension, *size, &checked)
                }
                change => self::suggestion(context, change) + &checked,
            }
        }
        Suggestion::FixBoundsFirst => {
            "fix the access out of bounds first: it may cause this race".to_owned()
        }
        Suggestion::AlsoCall { class, line } => format!(
            "also call {} at line {line}: each barrier orders only the memory it names",
            call(class)
        ),
        Suggestion::CallBetween { class, lines: [first, second], at_loop_end } => {
            let between = match first == second {
                true => format!("call {} between the two accesses on line {first}", call(class)),
                false => format!("call {} between line {first} and line {second}", call(class)),
            };
            match at_loop_end {
                Some(end) => {
                    format!("{between}, and again at the end of the loop body, after line {end}")
                }
                None => between,
            }
        }
        Suggestion::CallBefore { class, keyword, line } => {
            let what = match keyword {
                Some(keyword) => format!("the `{keyword}` at line {line}"),
                None => format!("line {line}"),
            };
            format!(
                "call {} before {what}, because not all invocations of the workgroup continue after it",
                call(class)
            )
        }
        Suggestion::CallWhereAllPass { class, lines: [a, b] } => format!(
            "call {} between line {a} and line {b}, where all invocations of the workgroup pass",
            call(class)
        ),
        Suggestion::CallAtLoopEnd { class, after } => {
            let after = after.map(|line| format!(", after line {line}")).unwrap_or_default();
            format!("call {} at the end of the loop body{after}", call(class))
        }
        Suggestion::CallAtLoopStart { class, before } => {
            format!("call {} at the beginning of the loop body, before line {before}", call(class))
        }
        Suggestion::CallAfter { class, line } => format!("call {} after line {line}", call(class)),
        Suggestion::ReachBarrier { class, lines: [first, second] } => format!(
            "make all invocations reach a {} between line {first} and line {second}",
            call(class)
        ),
        Suggestion::SplitBranch { class, keyword, line } => format!(
            "split the `{keyword}` at line {line} in two, with {} between them where all invocations \
             of the workgroup pass",
            call(class)
        ),
        Suggestion::Restructure { class, lines: [a, b], origin } => {
            let which = if a == b { format!("line {a}") } else { format!("lines {a} and {b}") };
            let (reason, call) = (origin.map(varying), call(class));
            match reason {
                Some(reason) => format!(
                    "some invocations of the workgroup may not reach {which} (this depends on {reason}), so no barrier is \
                     allowed there: restructure the code so that all reach a {call} between the two accesses"
                ),
                None => format!(
                    "restructure the code so that each invocation passes a {call} after one access at {which} and before the \
                     other: no single barrier that orders them was found"
                ),
            }
        }
        Suggestion::ReadFirst { class, at_loop_end } => {
            let first = format!("read into a variable first, then call {}, then write", call(class));
            match at_loop_end {
                Some(end) => format!(
                    "{first}, and call it again at the end of the loop body, after line {end}"
                ),
                None => first,
            }
        }
        Suggestion::OneWriter { loop_end_barrier } => {
            let own =
                "let only one invocation write it, or give each invocation its own element";
            match loop_end_barrier {
                None => own.to_owned(),
                Some((class, after)) => format!(
                    "{own}; if the writes come from different iterations of the loop, a {} at the end of its \
                     body{} orders them",
                    call(class),
                    after.map(|line| format!(", after line {line},")).unwrap_or_default()
                ),
            }
        }
        Suggestion::DeviceScope => "give both atomics device scope".to_owned(),
        Suggestion::MakeBothAtomic => "make both accesses atomic".to_owned(),
        Suggestion::WholeVector => {
            "let one invocation write the whole vector, or store its components as separate scalars"
                .to_owned()
        }
        Suggestion::UseAtomic { target, function, place, line } => {
            let what = match target {
                AtomicTarget::Elements(array) => format!("the elements of `{array}`"),
                AtomicTarget::Place(place) => format!("`{place}`"),
            };
            format!(
                "{} and use `{}` at line {line}",
                spelling::make_atomic(language, &what),
                spelling::atomic(language, *function, place)
            )
        }
        Suggestion::CompareExchange(variable) => format!(
            "{} and update it in a loop with `{}`, or let only one invocation update a word",
            spelling::make_atomic(language, &variable_is(variable)),
            spelling::compare_exchange(language)
        ),
        Suggestion::Combine(variable) => format!(
            "combine the values of a workgroup in workgroup memory and those of the workgroups in another \
             dispatch (WGSL has atomics only for u32 and i32, and `{variable}` holds neither)"
        ),
        Suggestion::DispatchEachIteration(line) => format!(
            "run each iteration of the loop at line {line} as a separate dispatch, or write to a second buffer \
             and swap the two after each dispatch"
        ),
        Suggestion::OneWorkgroupWrites(variable) => format!(
            "let only one workgroup write this element of `{variable}`, or give each workgroup its own element"
        ),
        Suggestion::PassByAtomic { flag, data } => {
            let accesses = match flag == data {
                true => "its other accesses".to_owned(),
                false => format!("the accesses to `{data}`"),
            };
            format!(
                "the atomics on `{flag}` do not order {accesses}: pass the value in an atomic itself, or read it in a later \
                 dispatch"
            )
        }
        Suggestion::UseDimension { id, dimension, size } => {
            use_dimension(id.as_deref(), *dimension, *size, "")
        }
        Suggestion::SecondBuffer(variable) => format!(
            "write to a second buffer instead of back to `{variable}`, and swap the two after the dispatch"
        ),
        Suggestion::SplitKernel { first, second } => format!(
            "split the kernel into two dispatches: line {first} in the first, line {second} in the second"
        ),
        Suggestion::DoNotReturn(line) => format!(
            "do not return at line {line}: let these invocations skip the work and reach the barrier"
        ),
        Suggestion::OneBarrier([a, b]) => format!(
            "put one barrier where all invocations pass, in place of `{}` at line {} and `{}` at line {}",
            context.barrier(a),
            a.place.at.line,
            context.barrier(b),
            b.place.at.line
        ),
        Suggestion::MoveBarrierOut { of_loop, line, origin, to_after } => {
            let what = if *of_loop { "loop" } else { "branch" };
            let target = match to_after {
                Some(true) => ", to directly after it",
                Some(false) => ", to directly before it",
                None => "",
            };
            format!(
                "move the barrier out of the {what} at line {line}, which depends on {}{target}",
                varying(*origin)
            )
        }
        Suggestion::MoveBarrier => {
            "move the barrier to where all invocations of the workgroup pass".to_owned()
        }
        Suggestion::GuardLength(array) => format!(
            "skip the access if the index is not below `{}`",
            spelling::length(language, array)
        ),
        Suggestion::GuardLast(Some(last)) => {
            format!("skip the access if the index is not from 0 to {last}")
        }
        Suggestion::GuardLast(None) => "remove the access: the array has no elements".to_owned(),
        Suggestion::SelectEvaluatesBoth { subgroups } => {
            let outside = match subgroups {
                true => "; leave subgroup operations outside of it, where all invocations pass",
                false => "",
            };
            format!("`select` evaluates both of its values: load under an `if` instead{outside}")
        }
        Suggestion::DoNotWait => {
            "do not wait in a loop for another invocation: move the code after the loop into a later dispatch"
                .to_owned()
        }
        Suggestion::StayInRange(method) => format!(
            "check that the result is in range before computing it, or use `.wrapping_{method}(…)` or \
                 `.saturating_{method}(…)`"
        ),
        Suggestion::EnsureTermination => {
            "make sure that each iteration of the loop makes progress".to_owned()
        }
    }
}

/// Returns the text of [`Suggestion::UseDimension`]. `checked` follows the first alternative.
fn use_dimension(id: Option<&str>, dimension: usize, [x, y, z]: [u32; 3], checked: &str) -> String {
    let name = ["x", "y", "z"].get(dimension).copied().unwrap_or_default();
    let component = match id {
        Some(id) => format!("`{id}.{name}`"),
        None => format!("the {name} component of an id"),
    };
    format!(
        "{component} is not used, so the invocations that differ only in {name} do the same: change the workgroup size \
         to {x}×{y}×{z}{checked}, or use {component} in the index"
    )
}

#[cfg(test)]
mod tests;
