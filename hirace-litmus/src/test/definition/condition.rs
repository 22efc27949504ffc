//! The behaviors of a definition, and the condition of the test that they define.

use super::json::Source;
use super::limits;
use crate::test::Condition;
use hirace_core::diagnostic::Result;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use std::collections::BTreeMap;

/// The names that conditions may use.
pub(super) struct KnownNames<'a> {
    pub locations: BTreeMap<&'a str, u8>,
    pub variables: BTreeMap<&'a str, u8>,
}

/// The name of the behavior that is the condition of the test.
pub(super) const TARGET_NAME: &str = "weak";

const KEYS: [&str; 6] = ["type", "op", "conditions", "id", "value", "key"];

#[derive(Clone, Copy, PartialEq)]
enum Type {
    Op,
    Else,
    Variable,
    Memory,
}

#[derive(Clone, Copy)]
enum Op {
    And,
    Or,
    Not,
}

/// A behavior: a condition, or the negation of all other behaviors.
enum Behavior {
    Condition(Condition),
    Else,
}

/// Reads all behaviors and returns the condition of the test.
pub(super) fn read<'a>(
    source: Source<'a>,
    value: &Value<'a>,
    known: &KnownNames<'_>,
) -> Result<Condition> {
    let Value::Object(object) = value else {
        return Err(source.wrong(value.range(), "expected an object"));
    };
    let names: Vec<&str> =
        object.properties.iter().map(|property| property.name.as_str()).collect();
    let fields = source.object(value, &names)?;
    let mut remaining = limits::CONDITIONS;
    let mut behaviors = Vec::new();
    for name in names {
        let value = fields.need(name)?;
        let inner = source.object(value, &KEYS)?;
        let name = inner.get("key").map_or(Ok(name), |key| source.string(key))?.to_owned();
        let kind = source.choice(inner.need("type")?, "type", &TYPES)?;
        let behavior = match kind {
            Type::Else => Behavior::Else,
            _ => Behavior::Condition(condition(source, value, known, 0, &mut remaining)?),
        };
        behaviors.push((name, behavior));
    }
    target_condition(behaviors).ok_or_else(|| {
        let error = source.wrong(fields.open(), format!("missing behavior `{TARGET_NAME}`"));
        Box::new(error.help("add the behavior that is the condition of the test"))
    })
}

/// Returns the condition of the test: the disjunction of all behaviors with the target name.
fn target_condition(behaviors: Vec<(String, Behavior)>) -> Option<Condition> {
    let (mut targets, mut others, mut has_else) = (Vec::new(), Vec::new(), false);
    for (name, behavior) in behaviors {
        match (name == TARGET_NAME, behavior) {
            (true, Behavior::Condition(condition)) => targets.push(condition),
            (false, Behavior::Condition(condition)) => others.push(condition),
            (is_target, Behavior::Else) => has_else |= is_target,
        }
    }
    if has_else {
        // The target conditions are excluded, since `else` is the negation of the other behaviors.
        others.extend(targets.iter().cloned());
        targets.push(Condition::Not(Box::new(Condition::Any(others))));
    }
    match targets.len() {
        0 | 1 => targets.pop(),
        _ => Some(Condition::Any(targets)),
    }
}

const TYPES: [(&str, Type); 4] = [
    ("op", Type::Op),
    ("else", Type::Else),
    ("variable", Type::Variable),
    ("memory", Type::Memory),
];

const OPS: [(&str, Op); 3] = [("and", Op::And), ("or", Op::Or), ("not", Op::Not)];

fn condition<'a>(
    source: Source<'a>,
    value: &Value<'a>,
    known: &KnownNames<'_>,
    depth: usize,
    remaining: &mut usize,
) -> Result<Condition> {
    if depth >= limits::DEPTH {
        return Err(source.wrong(
            value.range(),
            format!("conditions are nested more than {} deep", limits::DEPTH),
        ));
    }
    *remaining = remaining.checked_sub(1).ok_or_else(|| {
        source.wrong(value.range(), format!("more than {} conditions", limits::CONDITIONS))
    })?;
    let fields = source.object(value, &KEYS)?;
    let kind = fields.need("type")?;
    let (noun, names) = match source.choice(kind, "type", &TYPES)? {
        Type::Else => {
            return Err(source.wrong(
                kind.range(),
                "only a whole behavior can be `else`, not a condition in one",
            ));
        }
        Type::Op => {
            let op_value = fields.need("op")?;
            let op = source.choice(op_value, "op", &OPS)?;
            let mut conditions = Vec::new();
            for item in source.array(fields.need("conditions")?)? {
                conditions.push(condition(source, item, known, depth + 1, remaining)?);
            }
            return match (op, conditions.len()) {
                (Op::And, _) => Ok(Condition::All(conditions)),
                (Op::Or, _) => Ok(Condition::Any(conditions)),
                (Op::Not, 1) => Ok(Condition::Not(Box::new(conditions.remove(0)))),
                (Op::Not, _) => {
                    Err(source.wrong(op_value.range(), "`not` takes exactly one condition"))
                }
            };
        }
        Type::Variable => ("variable of a read", &known.variables),
        Type::Memory => ("accessed location", &known.locations),
    };
    let id = fields.need("id")?;
    let name = source.string(id)?;
    let Some(number) = names.get(name).copied() else {
        let names: Vec<&str> = names.keys().copied().collect();
        return Err(source.unknown(id.range(), noun, name, &names));
    };
    let expected = source.number(fields.need("value")?, 0, u32::MAX)?;
    Ok(match source.string(kind)? {
        "memory" => Condition::Memory(number, expected),
        _ => Condition::Register(number, expected),
    })
}
