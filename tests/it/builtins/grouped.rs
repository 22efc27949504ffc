//! Rows that differ in their type or their name alone, written as one line: `[f32, Vec2] fn(T) -> T = cos sin;`

use std::fmt;

/// How wide lines are.
const WIDTH: usize = 110;

/// What is asked of rustc about one name and one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    form: String,
    of: String,
    signature: String,
    name: &'static str,
}

impl Row {
    /// A function of this name and signature, in which the type that it is of is written `T`.
    pub fn new(of: Option<String>, signature: &str, name: &'static str) -> Self {
        let signature = match &of {
            Some(of) => with_variable(signature, of),
            None => signature.to_owned(),
        };
        Self { form: String::new(), of: of.unwrap_or_else(|| "()".to_owned()), signature, name }
    }

    /// The row with words before it that say how it is called.
    pub fn with_form(self, form: &str) -> Self {
        Self { form: form.to_owned(), ..self }
    }
}

/// The signature with `T` in the place of a type.
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

/// Rows, each once, in the order in which they came.
#[derive(Default)]
pub struct Grouped(Vec<Row>);

impl Grouped {
    /// Adds a row, if it is not there.
    pub fn add(&mut self, row: Row) {
        if !self.0.contains(&row) {
            self.0.push(row);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// One line for all names that have one form and signature for the same types.
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
