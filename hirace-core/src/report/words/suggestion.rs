//! How findings could be fixed, in words.

use super::context::Context;
use super::spelling;
use super::varying::varying;
use crate::facts::suggestion::AtomicTarget;
use crate::facts::{Class, Suggestion};

/// The help line of a finding.
pub fn suggestion(context: Context<'_>, suggestion: &Suggestion) -> String {
    let language = context.language;
    let call = |class: &Class| format!("`{}`", spelling::barrier(language, *class));
    let variable_is = |name: &str| format!("`{name}`");
    match suggestion {
        Suggestion::FixBoundsFirst => {
            "fix the access out of bounds first: this race may come of it".to_owned()
        }
        Suggestion::AlsoCall { class, line } => format!(
            "call {} as well at line {line}: each barrier orders only the memory it names",
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
        Suggestion::CallWhereAllPass { class, lines: [a, b] } => format!(
            "call {} between line {a} and line {b}, where all invocations of the workgroup pass",
            call(class)
        ),
        Suggestion::CallAtLoopEnd { class, after } => {
            let after = after.map(|line| format!(", after line {line}")).unwrap_or_default();
            format!("call {} at the end of the loop body{after}", call(class))
        }
        Suggestion::ReachBarrier { class, lines: [first, second] } => format!(
            "see that all invocations pass a {} between line {first} and line {second}",
            call(class)
        ),
        Suggestion::SplitBranch { class, keyword, line } => format!(
            "split the `{keyword}` at line {line} in two, with {} between them where all invocations \
             of the workgroup pass",
            call(class)
        ),
        Suggestion::Restructure { class, lines: [a, b], origin } => {
            let which = if a == b { format!("line {a}") } else { format!("lines {a} and {b}") };
            format!(
                "not all invocations of the workgroup need come to {which} (that hangs on {}), so no barrier \
                 may stand there: restructure so that all reach a {} between the two accesses",
                varying(*origin),
                call(class)
            )
        }
        Suggestion::ReadFirst(class) => {
            format!("read into a variable first, then call {}, then write", call(class))
        }
        Suggestion::OneWriter { turns } => {
            let own =
                "let one invocation alone write it, or give each invocation an element of its own";
            match turns {
                None => own.to_owned(),
                Some((class, after)) => format!(
                    "{own}; if the writes come from different turns of the loop, a {} at the end of its \
                     body{} orders them",
                    call(class),
                    after.map(|line| format!(", after line {line},")).unwrap_or_default()
                ),
            }
        }
        Suggestion::DeviceScope => "give both atomics the scope of the device".to_owned(),
        Suggestion::MakeBothAtomic => "make both accesses atomic".to_owned(),
        Suggestion::WholeVector => {
            "let one invocation write the whole vector, or store its components as scalars of their own"
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
            "{} and update it in a loop with `{}`, or let one invocation do it",
            spelling::make_atomic(language, &variable_is(variable)),
            spelling::compare_exchange(language)
        ),
        Suggestion::Combine(variable) => format!(
            "combine the values of a workgroup in workgroup memory and those of the workgroups in another \
             dispatch (WGSL has atomics for u32 and i32 alone, and `{variable}` holds neither)"
        ),
        Suggestion::DispatchEachTurn(line) => format!(
            "run each turn of the loop at line {line} as a dispatch of its own, or write to a second buffer \
             and swap the two after each dispatch"
        ),
        Suggestion::OneWorkgroupWrites(variable) => format!(
            "let one workgroup alone write this element of `{variable}`, or give each workgroup an element \
             of its own"
        ),
        Suggestion::SecondBuffer(variable) => format!(
            "write to a second buffer instead of back to `{variable}`, and swap the two after the dispatch"
        ),
        Suggestion::SplitKernel { first, second } => format!(
            "split the kernel into two dispatches: line {first} in the first, line {second} in the second"
        ),
        Suggestion::DoNotReturn(line) => format!(
            "do not return at line {line}: let these invocations skip the work and come to the barrier"
        ),
        Suggestion::OneBarrier([a, b]) => format!(
            "put one barrier where all invocations pass, in place of `{}` at line {} and `{}` at line {}",
            context.barrier(a),
            a.place.at.line,
            context.barrier(b),
            b.place.at.line
        ),
        Suggestion::MoveBarrierOut { of_loop, line, origin } => {
            let what = if *of_loop { "loop" } else { "branch" };
            format!(
                "move the barrier out of the {what} at line {line}, which hangs on {}",
                varying(*origin)
            )
        }
        Suggestion::MoveBarrier => {
            "move the barrier to where all invocations of the workgroup pass".to_owned()
        }
        Suggestion::GuardLength(array) => format!(
            "leave it out where the index is not below `{}`",
            spelling::length(language, array)
        ),
        Suggestion::GuardLast(Some(last)) => {
            format!("leave it out where the index is not from 0 to {last}")
        }
        Suggestion::GuardLast(None) => "leave it out: there are no elements".to_owned(),
        Suggestion::SelectEvaluatesBoth { subgroups } => {
            let outside = match subgroups {
                true => "; leave subgroup operations outside of it, where all invocations pass",
                false => "",
            };
            format!("`select` evaluates both of its values: load under an `if` instead{outside}")
        }
        Suggestion::DoNotWait => {
            "do not wait in a loop for what another invocation does: put what comes after it in a \
             later dispatch"
                .to_owned()
        }
        Suggestion::StayInRange(method) => format!(
            "see that the result is in range before it is computed, or write `.wrapping_{method}(…)` or \
             `.saturating_{method}(…)` where it may not be"
        ),
        Suggestion::ComeToAnEnd => {
            "see that each turn of the loop comes nearer to its end; if it is only long, raise the \
             step limit (`--step-limit`)"
                .to_owned()
        }
    }
}
