//! Values of expressions: what is known of the text of a shader.

use crate::expression::{Declaration, Expression, ExpressionKind, MAX_DEPTH, Operator};
use crate::format;
use crate::mapped::MappedText;
use hirace_program::source_map::Span;
use std::collections::{BTreeSet, HashMap};

/// The maximum number of bytes of all texts that are made for one expression.
const MAX_BYTES: usize = 16 << 20;

/// The maximum number of expressions that are evaluated for one expression: names may refer to one another many times.
const MAX_STEPS: usize = 100_000;

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

/// The declarations of a host file, and the values that the user gives.
pub struct Names<'a> {
    declarations: HashMap<&'a str, Vec<&'a Declaration>>,
    defines: &'a [(String, String)],
    /// Whether a later declaration of a name hides an earlier one.
    shadows: bool,
    /// Whether floats with integral values are shown as floats.
    shows_floats: bool,
}

impl<'a> Names<'a> {
    /// Creates the names of a file.
    pub fn new(
        declarations: &'a [Declaration],
        defines: &'a [(String, String)],
        shadows: bool,
        shows_floats: bool,
    ) -> Self {
        let mut all: HashMap<&str, Vec<&Declaration>> = HashMap::new();
        for declaration in declarations {
            all.entry(declaration.name.as_str()).or_default().push(declaration);
        }
        Self { declarations: all, defines, shadows, shows_floats }
    }

    /// Returns the value of the declaration that a name at an offset refers to, if it is known.
    fn find(&self, name: &str, at: u32) -> Option<&'a Expression> {
        let all = self.declarations.get(name)?;
        let holds = |of: &&&Declaration| of.scope.start <= at && at < of.scope.end;
        let scope = all.iter().filter(holds).map(|of| of.scope).min_by_key(|scope| scope.len())?;
        let mut own = all.iter().filter(|of| of.scope == scope);
        let found = match self.shadows {
            true => own.rfind(|of| of.at <= at).or_else(|| all.iter().find(|of| of.scope == scope)),
            false => own.next().filter(|_| own.next().is_none()),
        };
        found?.value.as_ref()
    }

    fn defined(&self, name: &str) -> Option<&'a str> {
        let mut defines = self.defines.iter();
        defines.find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
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
    depth: usize,
}

impl<'n, 'a> Evaluation<'n, 'a> {
    /// Starts an evaluation.
    pub fn new(names: &'n Names<'a>) -> Self {
        let (holes, literals) = (BTreeSet::new(), BTreeSet::new());
        Self { names, holes, literals, steps: 0, bytes: 0, depth: 0 }
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
        if self.depth >= MAX_DEPTH || self.bytes > MAX_BYTES || self.steps > MAX_STEPS {
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
                let (left, right) = (self.value(left), self.value(right));
                self.operation(*operator, &left, &right)
            }
            Kind::Not(of) => match self.value(of) {
                Value::Boolean(value) => Value::Boolean(!value),
                _ => Value::Unknown,
            },
            Kind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                match self.value(condition) {
                    Value::Boolean(is) => self.value(if is { yes } else { no }),
                    Value::Number { value, .. } => self.value(if value != 0.0 { yes } else { no }),
                    _ => {
                        // The names of the condition are what the user can define.
                        self.unknown(condition);
                        Value::Unknown
                    }
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
        if let Some(found) = self.names.find(name, at) {
            let value = self.value(found);
            if value != Value::Unknown {
                return in_place(value, host);
            }
        }
        self.names.defined(name).map_or(Value::Unknown, |value| given(value, host))
    }

    fn member(&mut self, expression: &'a Expression, of: &'a Expression, name: &str) -> Value<'a> {
        let host = expression.host;
        if let Some(path) = expression.path()
            && let Some(found) = self.names.find(&path, host.start)
        {
            let value = self.value(found);
            if value != Value::Unknown {
                return in_place(value, host);
            }
        }
        if let Value::Object(members) = self.value(of)
            && let Some((_, member)) = members.iter().find(|(known, _)| known == name)
        {
            let value = self.value(member);
            return in_place(value, host);
        }
        let is_path = expression.path().is_some();
        let defined = self.names.defined(name).filter(|_| is_path);
        defined.map_or(Value::Unknown, |value| given(value, host))
    }

    fn sum(&mut self, parts: &'a [Expression]) -> Value<'a> {
        let values: Vec<Value<'a>> = parts.iter().map(|part| self.value(part)).collect();
        let mut total = 0.0;
        let mut all_float = false;
        for value in &values {
            match value {
                Value::Number { value, is_float } => {
                    total += value;
                    all_float |= is_float;
                }
                _ => {
                    // A sum without any text is not a text.
                    if !values.iter().any(|value| matches!(value, Value::Text(_))) {
                        parts.iter().for_each(|part| self.unknown(part));
                        return Value::Unknown;
                    }
                    let mut text = MappedText::default();
                    for (part, value) in parts.iter().zip(&values) {
                        self.push(&mut text, value, part);
                    }
                    return Value::Text(text);
                }
            }
        }
        Value::Number { value: total, is_float: all_float }
    }

    fn joined(&mut self, parts: &'a [Expression], separator: Option<&MappedText>) -> MappedText {
        let mut text = MappedText::default();
        for (index, part) in parts.iter().enumerate() {
            if index > 0
                && let Some(separator) = separator
            {
                text.append(separator);
            }
            let value = self.value(part);
            self.push(&mut text, &value, part);
            if text.text().len() > MAX_BYTES {
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
                None => self.unknown(part),
            },
        }
    }

    /// Records what the value of an expression depends on and is not known: the names in it, or the expression as a whole.
    fn unknown(&mut self, expression: &'a Expression) {
        use ExpressionKind as Kind;
        let host = expression.host;
        match &expression.kind {
            Kind::Name(name) => self.hole(host, Some(name.clone())),
            Kind::Member(_, name) if expression.path().is_some() => {
                self.hole(host, Some(name.clone()));
            }
            Kind::Operation(_, left, right) => {
                for operand in [left, right] {
                    if self.value(operand) == Value::Unknown {
                        self.unknown(operand);
                    }
                }
            }
            Kind::Sum(parts) => {
                for part in parts {
                    if self.value(part) == Value::Unknown {
                        self.unknown(part);
                    }
                }
            }
            Kind::Not(of) => self.unknown(of),
            Kind::Conditional(parts) if self.value(&parts[0]) == Value::Unknown => {
                self.unknown(&parts[0]);
            }
            _ => self.hole(host, None),
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
            };
            let host = text.host_span(Span::new(part.range.start as u32, part.range.end as u32));
            let (value, hole) = match (argument, part.kind) {
                (Some(argument), _) => {
                    let value = self.value(argument);
                    if value == Value::Unknown {
                        self.unknown(argument);
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
                (_, None) => self.hole(host, hole),
            }
        }
        filled
    }

    /// Returns a value as the host language shows it in a text.
    fn shown(&self, value: &Value<'_>) -> Option<String> {
        match value {
            Value::Text(text) => Some(text.text().to_owned()),
            Value::Number { value, is_float: true } if self.names.shows_floats => {
                Some(format!("{value:?}"))
            }
            Value::Number { value, .. } => Some(value.to_string()),
            Value::Boolean(value) => Some(value.to_string()),
            Value::Object(_) | Value::List(_) | Value::Unknown => None,
        }
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
        let value = match operator {
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            // Only Rust hides names, and only Rust's integers are divided as integers.
            Operator::Divide if self.names.shadows && !is_float => (a / b).trunc(),
            Operator::Divide => a / b,
            Operator::FloorDivide => (a / b).floor(),
            Operator::Remainder if self.names.shows_floats => a - b * (a / b).floor(),
            Operator::Remainder => a % b,
            Operator::Power => a.powf(b),
            Operator::ShiftLeft if integers => a.trunc() * 2f64.powf(b.trunc()),
            Operator::ShiftRight if integers => (a.trunc() / 2f64.powf(b.trunc())).floor(),
            Operator::ShiftLeft | Operator::ShiftRight => return Value::Unknown,
            Operator::Equal => return Value::Boolean(a == b),
            Operator::NotEqual => return Value::Boolean(a != b),
            Operator::Less => return Value::Boolean(a < b),
            Operator::Greater => return Value::Boolean(a > b),
        };
        let divides = operator == Operator::Divide && self.names.shows_floats;
        match value.is_finite() {
            true => Value::Number { value, is_float: is_float || divides },
            false => Value::Unknown,
        }
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
fn given<'a>(value: &str, host: Span) -> Value<'a> {
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
