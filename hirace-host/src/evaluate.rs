//! Values of expressions: what is known of the text of a shader.

use crate::expression::{Expression, ExpressionKind, MAX_DEPTH, Operator};
use crate::format::{self, ends_in_comment};
use crate::mapped::MappedText;
use crate::names::Names;
use crate::syntax::HostLanguage;
use hirace_program::source_map::Span;
use std::collections::BTreeSet;

/// The maximum number of bytes of all texts that are made for one expression.
const MAX_BYTES: usize = 16 << 20;

/// The maximum number of expressions that are evaluated for one expression: names may refer to one another many times.
const MAX_STEPS: usize = 20_000;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A text.
    Text(MappedText),
    /// A number.
    Number {
        /// The value.
        value: f64,
        /// Whether it is a float, which Python shows as one.
        is_float: bool,
    },
    /// A truth value.
    Boolean(bool),
    /// An object.
    Object(&'a [(String, Expression)]),
    /// A list.
    List(&'a [Expression]),
    /// Not known.
    Unknown,
}

/// A part of a text whose value is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hole {
    /// Where it begins and ends in the host file.
    pub start: u32,
    /// Its end.
    pub end: u32,
    /// The name that `--define` can give a value to, if there is one.
    pub name: Option<String>,
}

/// The evaluation of one expression.
pub struct Evaluation<'n, 'a> {
    names: &'n Names<'a>,
    /// The parts whose values are not known.
    pub holes: BTreeSet<Hole>,
    /// The spans of the string literals that were used.
    pub literals: BTreeSet<(u32, u32)>,
    /// The number of expressions that were evaluated.
    pub steps: usize,
    /// The number of bytes of all texts that were made.
    pub bytes: usize,
    /// Whether a limit was reached, so that parts are missing.
    pub is_limited: bool,
    depth: usize,
}

impl<'n, 'a> Evaluation<'n, 'a> {
    /// Starts an evaluation.
    pub fn new(names: &'n Names<'a>) -> Self {
        let (holes, literals) = (BTreeSet::new(), BTreeSet::new());
        Self { names, holes, literals, steps: 0, bytes: 0, is_limited: false, depth: 0 }
    }

    /// Returns the text of an expression. Parts that are not known are missing in it, and are recorded as holes.
    pub fn text(&mut self, expression: &'a Expression) -> MappedText {
        match self.value(expression) {
            Value::Text(text) => text,
            value => {
                let mut text = MappedText::default();
                self.push(&mut text, &value, expression);
                text
            }
        }
    }

    /// Replaces the placeholders of template engines in a text.
    pub fn fill_placeholders(&mut self, text: &MappedText) -> MappedText {
        let mut filled = MappedText::default();
        for part in format::placeholders(text.text()) {
            let span = Span::new(part.range.start as u32, part.range.end as u32);
            let Some(name) = part.name else {
                filled.append_range(text, part.range);
                continue;
            };
            let host = text.host_span(span);
            let at = host.start;
            match self.named(name, host, at) {
                Value::Unknown if part.is_certain => {
                    self.hole(host, Some(name.to_owned()));
                }
                Value::Unknown | Value::Object(_) | Value::List(_) => {
                    filled.append_range(text, part.range);
                }
                value => match self.shown(&value) {
                    Some(shown) => filled.push_value(&shown, host),
                    None => filled.append_range(text, part.range),
                },
            }
        }
        filled
    }

    fn hole(&mut self, host: Span, name: Option<String>) {
        self.holes.insert(Hole { start: host.start, end: host.end, name });
    }

    /// Returns the value of an expression.
    pub fn value(&mut self, expression: &'a Expression) -> Value<'a> {
        self.steps += 1;
        self.is_limited |= self.bytes > MAX_BYTES || self.steps > MAX_STEPS;
        if self.is_limited || self.depth >= MAX_DEPTH {
            return Value::Unknown;
        }
        self.depth += 1;
        let value = self.value_within(expression);
        self.depth -= 1;
        if let Value::Text(text) = &value {
            self.bytes += text.text().len();
        }
        value
    }

    fn value_within(&mut self, expression: &'a Expression) -> Value<'a> {
        use ExpressionKind as Kind;
        match &expression.kind {
            Kind::Text(text) => {
                self.literals.insert((expression.host.start, expression.host.end));
                Value::Text(text.clone())
            }
            Kind::Number { value, is_float } => {
                Value::Number { value: *value, is_float: *is_float }
            }
            Kind::Boolean(value) => Value::Boolean(*value),
            Kind::Object(members) => Value::Object(members),
            Kind::List(elements) => Value::List(elements),
            Kind::Name(name) => self.named(name, expression.host, expression.host.start),
            Kind::Member(of, name) => self.member(expression, of, name),
            Kind::Element(of, index) => match (self.value(of), self.value(index)) {
                (Value::List(list), Value::Number { value, .. }) if value >= 0.0 => {
                    list.get(value as usize).map_or(Value::Unknown, |element| self.value(element))
                }
                _ => Value::Unknown,
            },
            Kind::Template(parts) => Value::Text(self.joined(parts, None)),
            Kind::Sum(parts) => self.sum(parts),
            Kind::Operation(operator, left, right) => {
                let first = self.value(left);
                match (operator, truth(&first)) {
                    (Operator::And, Some(false)) | (Operator::Or, Some(true)) => first,
                    (Operator::And | Operator::Or, Some(_)) => self.value(right),
                    (Operator::And | Operator::Or, None) => Value::Unknown,
                    // No value that is known is `null` or `undefined`.
                    (Operator::Coalesce, _) => first,
                    _ => {
                        let right = self.value(right);
                        self.operation(*operator, &first, &right)
                    }
                }
            }
            Kind::Not(of) => {
                truth(&self.value(of)).map_or(Value::Unknown, |is| Value::Boolean(!is))
            }
            Kind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                match truth(&self.value(condition)) {
                    Some(is) => self.value(if is { yes } else { no }),
                    None => Value::Unknown,
                }
            }
            Kind::Replace { text, pattern, with, all } => self.replaced(text, pattern, with, *all),
            Kind::Join(list, separator) => {
                let separator = self.text(separator);
                match self.value(list) {
                    Value::List(list) => Value::Text(self.joined(list, Some(&separator))),
                    _ => Value::Unknown,
                }
            }
            Kind::Format { text, positional, named, captures } => {
                let text = self.text(text);
                let arguments = format::Arguments { positional, named, captures: *captures };
                Value::Text(self.formatted(&text, &arguments))
            }
            Kind::Unknown => Value::Unknown,
        }
    }

    /// Returns the value of a name that is used at `host`. `at` is the offset whose scopes apply.
    fn named(&mut self, name: &str, host: Span, at: u32) -> Value<'a> {
        let defined = self.names.defined(name);
        if let Some(found) = self.names.find(name, at)
            && let Some(value) = self.declared(found, host, defined.is_some())
        {
            return value;
        }
        defined.map_or(Value::Unknown, |value| parse_given(value, host))
    }

    fn member(&mut self, expression: &'a Expression, of: &'a Expression, name: &str) -> Value<'a> {
        let host = expression.host;
        let path = expression.path();
        let defined = self.names.defined(name).filter(|_| path.is_some());
        if let Some(path) = path
            && let Some(found) = self.names.find(&path, host.start)
            && let Some(value) = self.declared(found, host, defined.is_some())
        {
            return value;
        }
        if let ExpressionKind::Name(module) = &of.kind
            && !self.names.is_declared(module, host.start)
            && let Some(value) = library_constant(module, name, self.names.language)
        {
            return Value::Number { value, is_float: true };
        }
        let holes = self.holes.clone();
        let object = self.value(of);
        self.holes = holes;
        // A later member of the same name replaces an earlier one.
        if let Value::Object(members) = object
            && let Some((_, member)) = members.iter().rfind(|(known, _)| known == name)
            && let Some(value) = self.declared(member, host, defined.is_some())
        {
            return value;
        }
        defined.map_or(Value::Unknown, |value| parse_given(value, host))
    }

    /// Returns the value of a declaration, if it is known. Otherwise, the name is what the user can give a value to, and not
    /// what its declaration depends on. `is_defined` says that the user gives a value.
    fn declared(
        &mut self,
        declared: &'a Expression,
        host: Span,
        is_defined: bool,
    ) -> Option<Value<'a>> {
        let holes = self.holes.clone();
        let value = self.value(declared);
        let is_incomplete = value == Value::Unknown || is_defined && self.holes != holes;
        if is_incomplete {
            self.holes = holes;
            return None;
        }
        Some(in_place(value, host))
    }

    /// Adds the operands from left to right: numbers, until there is a text.
    fn sum(&mut self, parts: &'a [Expression]) -> Value<'a> {
        let values: Vec<Value<'a>> = parts.iter().map(|part| self.value(part)).collect();
        let is_text = |value: &Value<'_>| matches!(value, Value::Text(_));
        let first_text = values.iter().position(is_text);
        let numbers = values.get(..first_text.unwrap_or(values.len())).unwrap_or_default();
        let mut total = Some((0.0, false));
        for value in numbers {
            total = match (total, value) {
                (Some((total, any_float)), Value::Number { value, is_float }) => {
                    Some((total + value, any_float | is_float))
                }
                _ => None,
            };
        }
        let total = total.map(|(value, is_float)| Value::Number { value, is_float });
        let Some(first_text) = first_text else {
            return total.unwrap_or(Value::Unknown);
        };
        let mut text = MappedText::default();
        let count = numbers.len();
        match (parts.get(..count).unwrap_or_default(), total) {
            ([first, .., last], Some(total)) if self.converts() => {
                let host = Span::new(first.host.start, last.host.end);
                match self.shown(&total) {
                    Some(shown) => text.push_value(&shown, host),
                    None => self.hole(host, None),
                }
            }
            ([], _) => {}
            ([only], _) => {
                numbers.iter().for_each(|value| self.push_operand(&mut text, value, only));
            }
            (several @ [first, .., last], _) => {
                let known = self.holes.len();
                for (part, value) in several.iter().zip(&values) {
                    if *value == Value::Unknown {
                        self.unknown(part);
                    }
                }
                if self.holes.len() == known {
                    self.hole(Span::new(first.host.start, last.host.end), None);
                }
            }
        }
        for (part, value) in parts.iter().zip(&values).skip(first_text) {
            self.push_operand(&mut text, value, part);
        }
        Value::Text(text)
    }

    /// Appends an operand of a sum to a text. Only JavaScript converts numbers to texts.
    fn push_operand(&mut self, text: &mut MappedText, value: &Value<'_>, part: &'a Expression) {
        match value {
            Value::Number { .. } | Value::Boolean(_) if !self.converts() => {
                self.hole(part.host, None);
            }
            value => self.push(text, value, part),
        }
    }

    /// Returns whether a sum converts numbers to texts.
    fn converts(&self) -> bool {
        let language = self.names.language;
        matches!(language, HostLanguage::TypeScript | HostLanguage::JavaScript)
    }

    fn joined(&mut self, parts: &'a [Expression], separator: Option<&MappedText>) -> MappedText {
        let mut text = MappedText::default();
        for (index, part) in parts.iter().enumerate() {
            if index > 0
                && let Some(separator) = separator
            {
                text.append(separator);
            }
            let is_comment = ends_in_comment(text.text());
            let holes = is_comment.then(|| self.holes.clone());
            let value = self.value(part);
            self.push(&mut text, &value, part);
            if let Some(holes) = holes {
                self.holes = holes;
            }
            if text.text().len() > MAX_BYTES {
                self.is_limited = true;
                break;
            }
        }
        text
    }

    /// Appends a value of `part` to a text, or records a hole.
    fn push(&mut self, text: &mut MappedText, value: &Value<'_>, part: &'a Expression) {
        match value {
            Value::Text(more) => text.append(more),
            value => match self.shown(value) {
                Some(shown) => text.push_value(&shown, part.host),
                None if ends_in_comment(text.text()) => {}
                None => self.unknown(part),
            },
        }
    }

    /// Records what the value of an expression depends on and is not known: the names in it, or the expression as a whole.
    fn unknown(&mut self, expression: &'a Expression) {
        use ExpressionKind as Kind;
        let host = expression.host;
        let parts: Vec<&'a Expression> = match &expression.kind {
            Kind::Name(name) => return self.hole(host, Some(name.clone())),
            Kind::Member(_, name) if expression.path().is_some() => {
                return self.hole(host, Some(name.clone()));
            }
            Kind::Operation(..) | Kind::Sum(_) | Kind::Not(_) => expression.kind.parts(),
            Kind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                match truth(&self.value(condition)) {
                    Some(is) => vec![if is { yes } else { no }],
                    None => vec![condition],
                }
            }
            _ => Vec::new(),
        };
        let mut is_named = false;
        for part in parts {
            if self.value(part) == Value::Unknown {
                is_named = true;
                self.unknown(part);
            }
        }
        if !is_named {
            self.hole(host, None);
        }
    }

    fn replaced(
        &mut self,
        text: &'a Expression,
        pattern: &'a Expression,
        with: &'a Expression,
        all: bool,
    ) -> Value<'a> {
        let text = match self.value(text) {
            Value::Text(text) => text,
            _ => {
                self.unknown(text);
                return Value::Unknown;
            }
        };
        let pattern = match self.value(pattern) {
            Value::Text(pattern) if !pattern.text().is_empty() => pattern,
            _ => {
                self.hole(pattern.host, None);
                return Value::Text(text);
            }
        };
        let limit = if all { usize::MAX } else { 1 };
        let found: Vec<usize> =
            text.text().match_indices(pattern.text()).map(|(at, _)| at).take(limit).collect();
        if found.is_empty() {
            return Value::Text(text);
        }
        let value = self.text(with);
        let mut filled = MappedText::default();
        let mut from = 0;
        for at in found {
            filled.append_range(&text, from..at);
            from = at + pattern.text().len();
            let host = text.host_span(Span::new(at as u32, from as u32));
            match is_code(value.text()) {
                true => filled.append(&value),
                false => filled.push_value(value.text(), host),
            }
            self.bytes += value.text().len();
            if self.bytes > MAX_BYTES {
                self.is_limited = true;
                return Value::Unknown;
            }
        }
        filled.append_range(&text, from..text.text().len());
        Value::Text(filled)
    }

    /// Replaces the placeholders of a format string.
    fn formatted(&mut self, text: &MappedText, arguments: &format::Arguments<'a>) -> MappedText {
        let mut filled = MappedText::default();
        let mut next = 0;
        for part in format::parts(text.text()) {
            let argument = match part.kind {
                format::PartKind::Literal => {
                    filled.append_range(text, part.range);
                    continue;
                }
                format::PartKind::Next => {
                    next += 1;
                    arguments.positional.get(next - 1)
                }
                format::PartKind::Position(index) => arguments.positional.get(index),
                format::PartKind::Name(name) => {
                    arguments.named.iter().find(|(known, _)| known == name).map(|(_, of)| of)
                }
                format::PartKind::Specified => None,
            };
            let host = text.host_span(Span::new(part.range.start as u32, part.range.end as u32));
            let is_comment = ends_in_comment(filled.text());
            let (value, hole) = match (argument, part.kind) {
                (Some(argument), _) => {
                    let value = self.value(argument);
                    if value == Value::Unknown {
                        if !is_comment {
                            self.unknown(argument);
                        }
                        continue;
                    }
                    (value, None)
                }
                (None, format::PartKind::Name(name)) if arguments.captures => {
                    (self.named(name, host, host.start), Some(name.to_owned()))
                }
                (None, _) => (Value::Unknown, None),
            };
            match (&value, self.shown(&value)) {
                (Value::Text(more), _) if is_code(more.text()) => filled.append(more),
                (_, Some(shown)) => filled.push_value(&shown, host),
                (_, None) if is_comment => {}
                (_, None) => self.hole(host, hole),
            }
        }
        filled
    }

    /// Returns a value as the host language shows it in a text.
    fn shown(&self, value: &Value<'_>) -> Option<String> {
        match value {
            Value::Text(text) => Some(text.text().to_owned()),
            Value::Number { value, is_float: true } if self.is_python() => {
                Some(format!("{value:?}"))
            }
            Value::Number { value, .. } => Some(value.to_string()),
            Value::Boolean(value) if self.names.language == HostLanguage::Python => {
                Some(if *value { "True" } else { "False" }.to_owned())
            }
            Value::Boolean(value) => Some(value.to_string()),
            Value::Object(_) | Value::List(_) | Value::Unknown => None,
        }
    }

    fn is_python(&self) -> bool {
        self.names.language == HostLanguage::Python
    }

    fn operation(&self, operator: Operator, left: &Value<'_>, right: &Value<'_>) -> Value<'a> {
        let number = |value: &Value<'_>| match value {
            Value::Number { value, is_float } => Some((*value, *is_float)),
            _ => None,
        };
        let (Some((a, a_float)), Some((b, b_float))) = (number(left), number(right)) else {
            let (Some(a), Some(b)) = (self.shown(left), self.shown(right)) else {
                return Value::Unknown;
            };
            return match operator {
                Operator::Equal => Value::Boolean(a == b),
                Operator::NotEqual => Value::Boolean(a != b),
                _ => Value::Unknown,
            };
        };
        let is_float = a_float || b_float;
        let integers = a.abs() < 2f64.powi(31) && (0.0..32.0).contains(&b);
        let is_bits = !is_float && a.abs() < 2f64.powi(31) && b.abs() < 2f64.powi(31);
        let value = match operator {
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            // Only Rust's integers are divided as integers.
            Operator::Divide if self.names.language == HostLanguage::Rust && !is_float => {
                (a / b).trunc()
            }
            Operator::Divide => a / b,
            Operator::FloorDivide => (a / b).floor(),
            Operator::Remainder if self.is_python() => a - b * (a / b).floor(),
            Operator::Remainder => a % b,
            Operator::Power => a.powf(b),
            Operator::ShiftLeft if integers => a.trunc() * 2f64.powf(b.trunc()),
            Operator::ShiftRight if integers => (a.trunc() / 2f64.powf(b.trunc())).floor(),
            Operator::ShiftLeft | Operator::ShiftRight => return Value::Unknown,
            Operator::Equal => return Value::Boolean(a == b),
            Operator::NotEqual => return Value::Boolean(a != b),
            Operator::Less => return Value::Boolean(a < b),
            Operator::Greater => return Value::Boolean(a > b),
            Operator::LessEqual => return Value::Boolean(a <= b),
            Operator::GreaterEqual => return Value::Boolean(a >= b),
            Operator::BitOr if is_bits => (a as i32 | b as i32).into(),
            Operator::BitAnd if is_bits => (a as i32 & b as i32).into(),
            Operator::BitOr
            | Operator::BitAnd
            | Operator::And
            | Operator::Or
            | Operator::Coalesce => return Value::Unknown,
        };
        let divides = operator == Operator::Divide && self.is_python();
        match value.is_finite() {
            true => Value::Number { value, is_float: is_float || divides },
            false => Value::Unknown,
        }
    }
}

/// Returns the value of a constant of the standard library.
fn library_constant(module: &str, name: &str, language: HostLanguage) -> Option<f64> {
    use std::f64::consts;
    let is_python = language == HostLanguage::Python;
    let is_script = matches!(language, HostLanguage::TypeScript | HostLanguage::JavaScript);
    Some(match (module, name) {
        ("Math", "PI") if is_script => consts::PI,
        ("Math", "E") if is_script => consts::E,
        ("Math", "SQRT2") if is_script => consts::SQRT_2,
        ("Math", "SQRT1_2") if is_script => consts::FRAC_1_SQRT_2,
        ("Math", "LN2") if is_script => consts::LN_2,
        ("Math", "LN10") if is_script => consts::LN_10,
        ("Math", "LOG2E") if is_script => consts::LOG2_E,
        ("Math", "LOG10E") if is_script => consts::LOG10_E,
        ("math", "pi") if is_python => consts::PI,
        ("math", "tau") if is_python => consts::TAU,
        ("math", "e") if is_python => consts::E,
        _ => return None,
    })
}

/// Returns whether a value counts as true in a condition, if that is known.
fn truth(value: &Value<'_>) -> Option<bool> {
    match value {
        Value::Boolean(value) => Some(*value),
        Value::Number { value, .. } => Some(*value != 0.0),
        Value::Text(text) => Some(!text.text().is_empty()),
        Value::Object(_) | Value::List(_) | Value::Unknown => None,
    }
}

/// Returns the value of a name where the name is used. The text of code keeps its own place, and other texts have the place of the
/// name.
fn in_place(value: Value<'_>, host: Span) -> Value<'_> {
    match value {
        Value::Text(text) if !is_code(text.text()) => {
            let mut placed = MappedText::default();
            placed.push_value(text.text(), host);
            Value::Text(placed)
        }
        value => value,
    }
}

/// Returns whether a text is code, and not the name of a type or a number.
fn is_code(text: &str) -> bool {
    text.contains(['\n', '{', ';'])
}

/// Returns the value that the user gives to a name.
fn parse_given<'a>(value: &str, host: Span) -> Value<'a> {
    match (value, value.parse::<f64>()) {
        ("true", _) => Value::Boolean(true),
        ("false", _) => Value::Boolean(false),
        (_, Ok(number)) if number.is_finite() && number.to_string() == value => {
            Value::Number { value: number, is_float: false }
        }
        _ => {
            let mut text = MappedText::default();
            text.push_value(value, host);
            Value::Text(text)
        }
    }
}
