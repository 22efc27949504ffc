//! The behaviors of a definition, and the condition that they give.

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
    let mut left = limits::CONDITIONS;
    let mut behaviors = Vec::new();
    for name in names {
        let value = fields.need(name)?;
        let inner = source.object(value, &KEYS)?;
        let name = inner.get("key").map_or(Ok(name), |key| source.string(key))?.to_owned();
        let kind = source.choice(inner.need("type")?, "type", &TYPES)?;
        let behavior = match kind {
            Type::Else => Behavior::Else,
            _ => Behavior::Condition(condition(source, value, known, 0, &mut left)?),
        };
        behaviors.push((name, behavior));
    }
    sought(behaviors).ok_or_else(|| {
        let lacks = source.wrong(fields.open(), format!("missing behavior `{TARGET_NAME}`"));
        Box::new(lacks.help("add the behavior that is the condition of the test"))
    })
}

fn sought(behaviors: Vec<(String, Behavior)>) -> Option<Condition> {
    let (mut sought, mut others, mut rest) = (Vec::new(), Vec::new(), false);
    for (name, behavior) in behaviors {
        match (name == TARGET_NAME, behavior) {
            (true, Behavior::Condition(condition)) => sought.push(condition),
            (false, Behavior::Condition(condition)) => others.push(condition),
            (is_sought, Behavior::Else) => rest |= is_sought,
        }
    }
    if rest {
        // The sought conditions are excluded, since `else` is the negation of the other behaviors.
        others.extend(sought.iter().cloned());
        sought.push(Condition::Not(Box::new(Condition::Any(others))));
    }
    match sought.len() {
        0 | 1 => sought.pop(),
        _ => Some(Condition::Any(sought)),
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
    left: &mut usize,
) -> Result<Condition> {
    if depth >= limits::DEPTH {
        return Err(source.wrong(
            value.range(),
            format!("conditions are nested more than {} deep", limits::DEPTH),
        ));
    }
    *left = left.checked_sub(1).ok_or_else(|| {
        source.wrong(value.range(), format!("more than {} conditions", limits::CONDITIONS))
    })?;
    let fields = source.object(value, &KEYS)?;
    let kind = fields.need("type")?;
    let (what, names) = match source.choice(kind, "type", &TYPES)? {
        Type::Else => {
            return Err(source.wrong(
                kind.range(),
                "only a whole behavior can be `else`, not a condition in one",
            ));
        }
        Type::Op => {
            let given = fields.need("op")?;
            let op = source.choice(given, "op", &OPS)?;
            let mut all = Vec::new();
            for one in source.array(fields.need("conditions")?)? {
                all.push(condition(source, one, known, depth + 1, left)?);
            }
            return match (op, all.len()) {
                (Op::And, _) => Ok(Condition::All(all)),
                (Op::Or, _) => Ok(Condition::Any(all)),
                (Op::Not, 1) => Ok(Condition::Not(Box::new(all.remove(0)))),
                (Op::Not, _) => {
                    Err(source.wrong(given.range(), "`not` takes exactly one condition"))
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
        return Err(source.unknown(id.range(), what, name, &names));
    };
    let held = source.number(fields.need("value")?, 0, u32::MAX)?;
    Ok(match source.string(kind)? {
        "memory" => Condition::Memory(number, held),
        _ => Condition::Register(number, held),
    })
}
