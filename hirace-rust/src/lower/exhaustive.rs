//! Exhaustiveness of `match`.
//!
//! The algorithm works column by column, like rustc's. The values of the first column are divided into classes that no
//! pattern distinguishes: the two values of `bool`, intervals of integers, `Ok` and `Err`. For each class, the rows
//! that match it must be exhaustive in the remaining columns.

use super::super::tree::{Arm, EnumKind, Module, Pattern, Scalar, Type};
use super::evaluate::{Value, evaluate};

/// The maximum number of classes that are checked. If there are more, the patterns are assumed to be exhaustive.
const MAX_CLASSES: usize = 20_000;

/// A pattern; `None` matches everything.
type Cell<'a> = Option<&'a Pattern>;

/// Returns a value that no arm matches, as written in Rust, or `None` if the arms are exhaustive.
pub fn missing(module: &Module, ty: &Type, arms: &[Arm]) -> Option<String> {
    let taken = arms.iter().filter(|arm| arm.guard.is_none());
    let rows = taken.map(|arm| vec![Some(&arm.pattern)]).collect();
    let mut search = Search { module, left: MAX_CLASSES };
    search.missing(rows, vec![ty.clone()]).and_then(|mut values| values.pop())
}

struct Search<'a> {
    module: &'a Module,
    left: usize,
}

impl<'a> Search<'a> {
    /// Returns values of these types, one each, that no row matches.
    fn missing(&mut self, rows: Vec<Vec<Cell<'a>>>, mut types: Vec<Type>) -> Option<Vec<String>> {
        if types.is_empty() || self.left == 0 {
            return (rows.is_empty() && self.left > 0).then(Vec::new);
        }
        self.left -= 1;
        let rows: Vec<Vec<Cell<'a>>> = rows.into_iter().flat_map(alternatives).collect();
        match types.remove(0) {
            Type::Tuple(parts) => {
                let count = parts.len();
                let rows = rows.into_iter().filter_map(|row| open_tuple(row, count)).collect();
                let found = self.missing(rows, parts.into_iter().chain(types).collect())?;
                let (first, rest) = found.split_at(count);
                Some(
                    std::iter::once(format!("({})", first.join(", ")))
                        .chain(rest.to_vec())
                        .collect(),
                )
            }
            Type::Enum(which, arguments) => {
                let variants = self.module.variants(which, &arguments).into_iter().enumerate();
                variants.into_iter().find_map(|(nth, (_, parts))| {
                    let count = parts.len();
                    let rows =
                        rows.iter().filter_map(|row| open_variant(row, nth, count)).collect();
                    let found =
                        self.missing(rows, parts.into_iter().chain(types.clone()).collect())?;
                    let (held, rest) = found.split_at(count);
                    let name = self.variant_name(which, nth);
                    let whole = match held {
                        [] => name,
                        _ => format!("{name}({})", held.join(", ")),
                    };
                    Some(std::iter::once(whole).chain(rest.to_vec()).collect())
                })
            }
            Type::Exchange(scalar) => [true, false].into_iter().find_map(|ok| {
                let rows = rows.iter().filter_map(|row| open_exchange(row, ok)).collect();
                let inner = std::iter::once(Type::Scalar(scalar)).chain(types.clone()).collect();
                let mut found = self.missing(rows, inner)?;
                found[0] = format!("{}({})", if ok { "Ok" } else { "Err" }, found[0]);
                Some(found)
            }),
            Type::Scalar(scalar) if !scalar.is_float() => {
                let ranges: Vec<(i128, i128)> =
                    rows.iter().map(|row| self.range(row[0], scalar)).collect();
                let (least, greatest) = limits(scalar);
                let mut starts: Vec<i128> =
                    ranges.iter().flat_map(|(from, to)| [*from, *to + 1]).collect();
                starts.push(least);
                starts.retain(|start| (least..=greatest).contains(start));
                starts.sort_unstable();
                starts.dedup();
                starts.into_iter().find_map(|value| {
                    let takes = |(from, to): &(i128, i128)| (from..=to).contains(&&value);
                    let taking = rows.iter().zip(&ranges).filter(|(_, range)| takes(range));
                    let rest = taking.map(|(row, _)| row[1..].to_vec()).collect();
                    let found = self.missing(rest, types.clone())?;
                    let value = if scalar == Scalar::Bool {
                        (value == 1).to_string()
                    } else {
                        value.to_string()
                    };
                    Some(std::iter::once(value).chain(found).collect())
                })
            }
            _ => {
                let takes = rows.into_iter().filter(|row| row[0].is_none());
                let found = self.missing(takes.map(|row| row[1..].to_vec()).collect(), types)?;
                Some(std::iter::once("_".to_owned()).chain(found).collect())
            }
        }
    }

    fn variant_name(&self, which: EnumKind, nth: usize) -> String {
        match which {
            EnumKind::Option => ["None", "Some"][nth.min(1)].to_owned(),
            EnumKind::Result => ["Ok", "Err"][nth.min(1)].to_owned(),
            EnumKind::Ordering => ["Less", "Equal", "Greater"][nth.min(2)].to_owned(),
            EnumKind::Own(id) => {
                let of = &self.module.enums[id.0];
                format!("{}::{}", of.name.text, of.variants[nth].name)
            }
        }
    }

    /// Returns the first and last value that a pattern matches. If they are not known, the range is empty.
    fn range(&self, pattern: Cell<'_>, scalar: Scalar) -> (i128, i128) {
        let (least, greatest) = limits(scalar);
        let known = |value| match evaluate(self.module, value) {
            Some(Value::Int(value)) => Some(value),
            Some(Value::Bool(value)) => Some(value.into()),
            _ => None,
        };
        let range = match pattern {
            None => Some((least, greatest)),
            Some(Pattern::Value(value)) => known(value).map(|value| (value, value)),
            Some(Pattern::Range(first, last, inclusive)) => {
                let first = first.as_ref().map_or(Some(least), known);
                let end = last.as_ref().map_or(Some(greatest), known);
                let open = last.is_some() && !inclusive;
                first.zip(end).map(|(first, end)| (first, end - i128::from(open)))
            }
            Some(_) => None,
        };
        range.unwrap_or((1, 0))
    }
}

/// Expands alternatives and removes names in the first column of a row.
fn alternatives(row: Vec<Cell<'_>>) -> Vec<Vec<Cell<'_>>> {
    let with = |pattern| {
        let mut row = row.clone();
        row[0] = pattern;
        row
    };
    match row[0] {
        Some(Pattern::Wildcard) => vec![with(None)],
        Some(Pattern::Bind(_, inner)) => alternatives(with(Some(inner))),
        Some(Pattern::Either(all)) => {
            all.iter().flat_map(|one| alternatives(with(Some(one)))).collect()
        }
        _ => vec![row],
    }
}

fn open_tuple(row: Vec<Cell<'_>>, count: usize) -> Option<Vec<Cell<'_>>> {
    let parts: Vec<Cell<'_>> = match row[0] {
        None => vec![None; count],
        Some(Pattern::Tuple(parts)) if parts.len() == count => parts.iter().map(Some).collect(),
        Some(_) => return None,
    };
    Some(parts.into_iter().chain(row[1..].to_vec()).collect())
}

fn open_variant<'a>(row: &[Cell<'a>], nth: usize, count: usize) -> Option<Vec<Cell<'a>>> {
    let parts: Vec<Cell<'a>> = match row[0] {
        None => vec![None; count],
        Some(Pattern::Variant(of, parts)) if *of == nth => parts.iter().map(Some).collect(),
        Some(_) => return None,
    };
    Some(parts.into_iter().chain(row[1..].to_vec()).collect())
}

fn open_exchange<'a>(row: &[Cell<'a>], ok: bool) -> Option<Vec<Cell<'a>>> {
    let inner: Cell<'a> = match row[0] {
        None => None,
        Some(Pattern::ExchangeResult(of, inner)) if *of == ok => Some(inner),
        Some(_) => return None,
    };
    Some(std::iter::once(inner).chain(row[1..].to_vec()).collect())
}

fn limits(scalar: Scalar) -> (i128, i128) {
    scalar.range().unwrap_or((0, 1))
}
