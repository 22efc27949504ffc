//! The names of a host file: which declaration a name refers to, and which names lead to shaders.

use crate::expression::{Declaration, Expression, ExpressionKind};
use crate::format::{self, PartKind};
use crate::syntax::{HostLanguage, MARK, Scan};
use hirace_program::source_map::Span;
use std::collections::{HashMap, HashSet};

/// The declarations of a host file, and the values that the user gives.
pub struct Names<'a> {
    declarations: HashMap<&'a str, Scopes<Vec<&'a Declaration>>>,
    functions: Scopes<()>,
    defines: &'a [(String, String)],
    /// The language, whose rules for numbers apply.
    pub language: HostLanguage,
}

impl<'a> Names<'a> {
    /// Creates the names of a file.
    pub fn new(scan: &'a Scan, defines: &'a [(String, String)], language: HostLanguage) -> Self {
        let mut all: HashMap<&str, Vec<(Span, &Declaration)>> = HashMap::new();
        for declaration in &scan.declarations {
            let own = all.entry(declaration.name.as_str()).or_default();
            own.push((declaration.scope, declaration));
        }
        let grouped = all.into_iter().map(|(name, own)| (name, Scopes::new(own))).collect();
        let functions = scan.functions.iter().map(|function| (*function, ())).collect();
        Self { declarations: grouped, functions: Scopes::new(functions), defines, language }
    }

    /// Returns the value of the declaration that a name at an offset refers to, if it is known.
    pub fn find(&self, name: &str, at: u32) -> Option<&'a Expression> {
        let scopes = self.declarations.get(name)?;
        for (scope, own) in scopes.containing(at) {
            let visible = || own.iter().filter(|of| !of.is_class_member || !self.hides(scope, at));
            // A variable hides an item and earlier variables, after its declaration.
            let variable = visible().filter(|of| 0 < of.at && of.at <= at).max_by_key(|of| of.at);
            if let Some(variable) = variable {
                return variable.value.as_ref();
            }
            let mut items = visible().filter(|of| of.at == 0);
            if let Some(item) = items.next() {
                return item.value.as_ref().filter(|_| items.next().is_none());
            }
        }
        None
    }

    /// Returns whether a name is declared in a scope around an offset, with or without a known value.
    pub fn is_declared(&self, name: &str, at: u32) -> bool {
        let scopes = self.declarations.get(name);
        scopes.is_some_and(|scopes| scopes.containing(at).next().is_some())
    }

    /// Returns whether an offset is in a function of the class with this scope. Functions do not see the names of their class.
    fn hides(&self, class: Span, at: u32) -> bool {
        let innermost = self.functions.containing(at).next();
        innermost.is_some_and(|(function, _)| function.start > class.start)
    }

    /// Returns the value that the user gives to a name.
    pub fn defined(&self, name: &str) -> Option<&'a str> {
        let mut defines = self.defines.iter();
        defines.find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Spans that are nested or apart, and a value for each.
struct Scopes<T> {
    /// The spans in the order of their starts, outer ones first, with the index of the next outer one.
    all: Vec<(Span, T, Option<usize>)>,
}

impl<T: Group> Scopes<T> {
    fn new(mut spans: Vec<(Span, T::Item)>) -> Self {
        spans.sort_by_key(|(span, _)| (span.start, u32::MAX - span.end));
        let mut all: Vec<(Span, T, Option<usize>)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (span, item) in spans {
            if let Some((last, group, _)) = all.last_mut()
                && *last == span
            {
                group.add(item);
                continue;
            }
            while open.last().is_some_and(|&outer| all[outer].0.end <= span.start) {
                open.pop();
            }
            let mut group = T::default();
            group.add(item);
            all.push((span, group, open.last().copied()));
            open.push(all.len() - 1);
        }
        Self { all }
    }

    /// Returns the spans that contain an offset, inner ones first.
    fn containing(&self, at: u32) -> impl Iterator<Item = (Span, &T)> {
        let last = self.all.partition_point(|(span, ..)| span.start <= at).checked_sub(1);
        let outer = std::iter::successors(last, |&index| self.all.get(index)?.2);
        let entries = outer.filter_map(|index| self.all.get(index));
        entries.filter(move |(span, ..)| at < span.end).map(|(span, group, _)| (*span, group))
    }
}

/// What several values for one span become.
trait Group: Default {
    /// A value.
    type Item;
    /// Adds a value.
    fn add(&mut self, item: Self::Item);
}

impl<T> Group for Vec<T> {
    type Item = T;
    fn add(&mut self, item: T) {
        self.push(item);
    }
}

impl Group for () {
    type Item = ();
    fn add(&mut self, (): ()) {}
}

/// Returns, for each candidate, whether its text can contain an entry point: only these are evaluated.
pub fn reach_entry_points(scan: &Scan, defines: &[(String, String)]) -> Vec<bool> {
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    let given = defines.iter().filter(|(_, value)| value.contains(MARK));
    let mut open: Vec<&str> = given.map(|(name, _)| name.as_str()).collect();
    for declaration in &scan.declarations {
        let Some(value) = &declaration.value else { continue };
        let Uses { names, has_entry_point } = Uses::of(value);
        if has_entry_point {
            open.push(&declaration.name);
        }
        for name in names {
            users.entry(name).or_default().push(&declaration.name);
        }
    }
    let mut reached: HashSet<&str> = HashSet::new();
    while let Some(name) = open.pop() {
        // A member is used by its last name.
        let name = name.rsplit('.').next().unwrap_or(name);
        if reached.insert(name) {
            open.extend(users.get(name).into_iter().flatten());
        }
    }
    let reaches = |expression| {
        let uses = Uses::of(expression);
        uses.has_entry_point || uses.names.iter().any(|name| reached.contains(name))
    };
    scan.candidates.iter().map(|candidate| reaches(&candidate.expression)).collect()
}

/// What an expression uses.
#[derive(Default)]
struct Uses<'a> {
    /// The names, and the last names of members.
    names: Vec<&'a str>,
    /// Whether a literal in it contains an entry point.
    has_entry_point: bool,
}

impl<'a> Uses<'a> {
    fn of(expression: &'a Expression) -> Self {
        use ExpressionKind as Kind;
        let mut uses = Self::default();
        let mut open = vec![(expression, false)];
        while let Some((expression, is_format)) = open.pop() {
            match &expression.kind {
                Kind::Text(text) => {
                    uses.has_entry_point |= text.text().contains(MARK);
                    let parts = match is_format {
                        true => format::parts(text.text()),
                        false => Vec::new(),
                    };
                    uses.names.extend(parts.into_iter().filter_map(|part| match part.kind {
                        PartKind::Name(name) => Some(name),
                        _ => None,
                    }));
                }
                Kind::Name(name) => uses.names.push(name),
                Kind::Member(of, name) => {
                    uses.names.push(name);
                    open.push((of, false));
                }
                Kind::Format { text, positional, named, captures } => {
                    open.push((text, *captures));
                    open.extend(positional.iter().map(|of| (of, false)));
                    open.extend(named.iter().map(|(_, of)| (of, false)));
                }
                kind => open.extend(kind.parts().into_iter().map(|of| (of, is_format))),
            }
        }
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_scopes_come_first() {
        let spans = [(0, 100), (10, 20), (12, 18), (30, 40), (10, 20)];
        let spans = spans.map(|(start, end)| (Span::new(start, end), end));
        let scopes: Scopes<Vec<u32>> = Scopes::new(spans.to_vec());
        let found = |at| -> Vec<(u32, usize)> {
            scopes.containing(at).map(|(span, all)| (span.start, all.len())).collect()
        };
        assert_eq!(found(13), [(12, 1), (10, 2), (0, 1)]);
        assert_eq!(found(19), [(10, 2), (0, 1)]);
        assert_eq!(found(25), [(0, 1)]);
        assert_eq!(found(100), []);
    }
}
