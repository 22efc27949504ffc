//! Orders and scopes of calls in Rust models, and stronger forms of them.

use hirace_core::edit::Edit;
use hirace_core::front::rust::memory_ordering::{ORDERS, SCOPES, allowed_orders};
use hirace_core::front::wgsl::tokens::Tokens;
use hirace_core::ir::order::{MemoryOrder, Scope};
use hirace_core::source_map::Span;
use std::ops::Range;

/// A call of a method of an atomic, or of `fence`.
pub struct Call<'a> {
    text: &'a str,
    tokens: &'a Tokens<'a>,
    /// The index of the token that names the function.
    name: usize,
    arguments: Vec<Range<usize>>,
}

/// A stronger form of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stronger {
    /// The edit that writes it.
    pub edit: Edit,
    /// The number of steps by which it is stronger.
    pub steps: u32,
}

/// An enum whose variants the text names.
struct Enum {
    name: &'static str,
    path: &'static str,
}

const ORDERING: Enum = Enum { name: "Ordering", path: "std::sync::atomic::Ordering" };
const SCOPE: Enum = Enum { name: "Scope", path: "hirace::prelude::Scope" };

impl<'a> Call<'a> {
    /// Returns the call at a span of `text`.
    pub fn at(text: &'a str, tokens: &'a Tokens<'a>, span: Span) -> Option<Self> {
        let close = tokens.at(span.end).checked_sub(1)?;
        let open = tokens.partner(close).filter(|_| tokens.text(close) == ")")?;
        let name = open.checked_sub(1)?;
        let arguments = arguments(tokens, open + 1..close);
        (tokens.span(name).start >= span.start).then_some(Self { text, tokens, name, arguments })
    }

    /// Returns the stronger orders that the call could have.
    pub fn orders(&self) -> Vec<Stronger> {
        let name = self.tokens.text(self.name);
        let said: Vec<(usize, MemoryOrder)> =
            self.arguments.iter().filter_map(|at| self.variant(at, &ORDERING, &ORDERS)).collect();
        let mut all = Vec::new();
        for (index, (at, own)) in said.into_iter().enumerate() {
            let failed = index > 0 && name.starts_with("compare_exchange");
            let allowed = allowed_orders(name, failed);
            for (word, order) in ORDERS.iter().filter(|(_, order)| allowed.contains(order)) {
                if let steps @ 1.. = order.strength().saturating_sub(own.strength()) {
                    all.push(Stronger { edit: self.rename(at, &ORDERING, word), steps });
                }
            }
        }
        all
    }

    /// Returns the wider scopes that the call could have. `shared` is the scope of a call without `.within(…)`. The
    /// queue family is skipped, because one dispatch does not distinguish it from the device.
    pub fn scopes(&self, shared: Scope) -> Vec<Stronger> {
        let within = self.within();
        let argument = match &within {
            Some((argument, _)) => argument.clone(),
            None => match self.arguments.get(1) {
                Some(argument) if self.tokens.text(self.name) == "fence" => argument.clone(),
                _ => return Vec::new(),
            },
        };
        let Some((at, own)) = self.variant(&argument, &SCOPE, &SCOPES) else { return Vec::new() };
        let wider = [Scope::Workgroup, Scope::Device].into_iter().filter(|scope| {
            *scope <= shared && *scope > own && (*scope, own) != (Scope::Device, Scope::QueueFamily)
        });
        let say = |(steps, scope): (u32, Scope)| {
            let edit = match &within {
                Some((_, whole)) if scope == shared => Edit::new(*whole, ""),
                _ => {
                    let (word, _) = SCOPES.iter().find(|(_, known)| *known == scope)?;
                    self.rename(at, &SCOPE, word)
                }
            };
            Some(Stronger { edit, steps })
        };
        (1..).zip(wider).filter_map(say).collect()
    }

    /// Returns the argument of a `.within(…)` before the name, and the span of that call with the whitespace before it.
    fn within(&self) -> Option<(Range<usize>, Span)> {
        let tokens = self.tokens;
        let close = self.name.checked_sub(2).filter(|_| tokens.text(self.name - 1) == ".")?;
        let open = tokens.partner(close).filter(|_| tokens.text(close) == ")")?;
        let dot = open.checked_sub(2).filter(|_| tokens.text(open - 1) == "within")?;
        let before = dot.checked_sub(1).map_or(0, |before| tokens.span(before).end);
        let own = tokens.span_of(dot..close + 1);
        let blank = self.text[Span::new(before, own.start).range(self.text)].trim().is_empty();
        let start = if blank { before } else { own.start };
        let [argument] = &arguments(tokens, open + 1..close)[..] else { return None };
        Some((argument.clone(), Span::new(start, own.end)))
    }

    /// Returns the variant that an expression names: the token of its name, and its value.
    fn variant<T: Copy>(
        &self,
        at: &Range<usize>,
        of: &Enum,
        known: &[(&str, T)],
    ) -> Option<(usize, T)> {
        let name = at.end.checked_sub(1)?;
        let is_path = at.len() > 2
            && self.tokens.text(name - 1) == "::"
            && self.tokens.text(name - 2) == of.name;
        let (_, variant) = known.iter().find(|(known, _)| *known == self.tokens.text(name))?;
        (at.len() == 1 || is_path).then_some((name, *variant))
    }

    /// Replaces the name of a variant. Writes its full path if the name is unqualified and not imported.
    fn rename(&self, at: usize, of: &Enum, word: &str) -> Edit {
        let is_alone = at.checked_sub(1).is_none_or(|before| self.tokens.text(before) != "::");
        let text = match is_alone && !self.is_imported(of, word) {
            true => format!("{}::{word}", of.path),
            false => word.to_owned(),
        };
        Edit::new(self.tokens.span(at), text)
    }

    fn is_imported(&self, of: &Enum, word: &str) -> bool {
        let tokens = self.tokens;
        let is_use = |at: &usize| tokens.text(*at) == "use";
        tokens.all().filter(is_use).any(|start| {
            let mut used = (start..tokens.all().end).take_while(|at| tokens.text(*at) != ";");
            used.any(|at| {
                let is_all = tokens.text(at) == of.name
                    && tokens.text(at + 1) == "::"
                    && tokens.text(at + 2) == "*";
                is_all || tokens.text(at) == word
            })
        })
    }
}

/// Splits the tokens between a pair of brackets at commas.
fn arguments(tokens: &Tokens<'_>, within: Range<usize>) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let (mut start, mut at) = (within.start, within.start);
    while at < within.end {
        if tokens.text(at) == "," {
            all.push(start..at);
            start = at + 1;
        }
        let is_open = matches!(tokens.text(at), "(" | "[" | "{");
        at = tokens.partner(at).filter(|_| is_open).unwrap_or(at) + 1;
    }
    if start < within.end {
        all.push(start..within.end);
    }
    all
}
