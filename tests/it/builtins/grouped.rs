//! Rows that differ only in type or name, written as one line: `[f32, Vec2] fn(T) -> T = cos sin;`

use std::fmt;

/// The width of lines.
const WIDTH: usize = 110;

/// One name and one type that rustc checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    form: String,
    of: String,
    signature: String,
    name: &'static str,
}

impl Row {
    /// Returns a function of this name and signature, in which the type `of` is written `T`.
    pub fn new(of: Option<String>, signature: &str, name: &'static str) -> Self {
        let signature = match &of {
            Some(of) => with_variable(signature, of),
            None => signature.to_owned(),
        };
        Self { form: String::new(), of: of.unwrap_or_else(|| "()".to_owned()), signature, name }
    }

    /// Returns the row prefixed with words that say how it is called.
    pub fn with_form(self, form: &str) -> Self {
        Self { form: form.to_owned(), ..self }
    }
}

/// Replaces a type in the signature by `T`.
fn with_variable(signature: &str, of: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '<';
    let mut made = String::new();
    let mut rest = signature;
    while let Some(at) = rest.find(of) {
        let (before, after) = (&rest[..at], &rest[at + of.len()..]);
        let is_part = before.ends_with(|c: char| c.is_alphanumeric()) || after.starts_with(is_word);
        made += before;
        made += if is_part { of } else { "T" };
        rest = after;
    }
    made + rest
}

/// Rows without duplicates, in the order in which they were added.
#[derive(Default)]
pub struct Grouped(Vec<Row>);

impl Grouped {
    /// Adds a row, unless it exists.
    pub fn add(&mut self, row: Row) {
        if !self.0.contains(&row) {
            self.0.push(row);
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Writes one line for all names that have the same form and signature for the same types.
impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut of_names: Vec<(&Row, Vec<&str>)> = Vec::new();
        for row in &self.0 {
            let alike = |(first, _): &&mut (&Row, Vec<&str>)| {
                (&first.form, &first.signature, first.name) == (&row.form, &row.signature, row.name)
            };
            match of_names.iter_mut().find(alike) {
                Some((_, types)) => types.push(&row.of),
                None => of_names.push((row, vec![&row.of])),
            }
        }
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for (Row { form, signature, name, .. }, types) in of_names {
            let space = if form.is_empty() { "" } else { " " };
            let head = format!("{form}{space}[{}] {signature} =", types.join(", "));
            match lines.iter_mut().find(|(other, _)| *other == head) {
                Some((_, names)) => names.push(name),
                None => lines.push((head, vec![name])),
            }
        }
        for (head, names) in lines {
            let mut line = format!("    {head}");
            for name in names {
                if line.len() + 1 + name.len() > WIDTH {
                    writeln!(f, "{line}")?;
                    line = "       ".to_owned();
                }
                line = format!("{line} {name}");
            }
            writeln!(f, "{line};")?;
        }
        Ok(())
    }
}
