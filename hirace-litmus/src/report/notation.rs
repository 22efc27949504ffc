//! Formats a test on one line, in the notation of the literature: `S(x,1); F; r0=L(y)`.

use crate::test::{Action, Condition, Test};

/// Returns the name of a location.
pub fn location(location: u8) -> String {
    const NAMES: [&str; 3] = ["x", "y", "z"];
    let name = NAMES.get(usize::from(location));
    name.map_or_else(|| format!("x{location}"), |name| (*name).to_owned())
}

/// Formats an operation: S is a store, L a load, X an exchange, A an add, R an add of 0 that only reads, F a fence, and
/// B a barrier.
pub fn action(action: &Action) -> String {
    match *action {
        Action::Read { location: at, register, update } => {
            let does = if update { "R" } else { "L" };
            format!("r{register}={does}({})", location(at))
        }
        Action::Write { location: at, value, update } => {
            let does = if update { "X" } else { "S" };
            format!("{does}({},{value})", location(at))
        }
        Action::Add { location: at, value, register } => {
            format!("r{register}=A({},{value})", location(at))
        }
        Action::Fence => "F".to_owned(),
        Action::Barrier => "B".to_owned(),
    }
}

/// Formats the operations of all threads, separated by `||`.
pub fn threads(test: &Test) -> String {
    let thread = |actions: &Vec<Action>| actions.iter().map(action).collect::<Vec<_>>().join("; ");
    test.threads.iter().map(thread).collect::<Vec<_>>().join(" || ")
}

/// Formats a condition as an expression.
pub fn condition(of: &Condition) -> String {
    match of {
        Condition::Register(register, value) => format!("r{register} == {value}"),
        Condition::Memory(at, value) => format!("{} == {value}", location(*at)),
        Condition::All(all) => joined(all, " && ", "true"),
        Condition::Any(any) => joined(any, " || ", "false"),
        Condition::Not(not) => format!("!({})", condition(not)),
    }
}

fn joined(conditions: &[Condition], with: &str, none: &str) -> String {
    let one = |of: &Condition| match of {
        Condition::Any(several) | Condition::All(several) if several.len() > 1 => {
            format!("({})", condition(of))
        }
        of => condition(of),
    };
    match conditions {
        [] => none.to_owned(),
        [single] => condition(single),
        several => several.iter().map(one).collect::<Vec<_>>().join(with),
    }
}
