//! A test that is proposed: a launch, what it is for, and its text, ready to paste.

use super::left::Left;
use super::point::Point;
use super::search::draft::Draft;
use super::search::kernel::Kernel;
use hirace_core::report::words;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A test that is proposed. It was run: it reaches and kills what it says, and passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Proposal {
    /// What it may be called: unlike the others of its file.
    pub name: String,
    /// The kernel that it launches.
    pub kernel: String,
    /// What it reaches that no test does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<Point>,
    /// The mutants that it notices and no test does: their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kills: Vec<String>,
    /// Rules of what is found on its launch; without any, it is clean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finds: Vec<String>,
    /// Buffers that hang on the order of things, and that it therefore does not look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsteady: Vec<String>,
    /// The command that launches it.
    pub command: Vec<String>,
    /// As a test in hirace.toml: not there if nothing that it leaves can be expected, as such a test must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toml: Option<String>,
    /// As a test in Rust.
    pub rust: String,
}

impl Proposal {
    /// The command that launches it, as it is typed.
    pub fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| words::quoted(word)).collect();
        words.join(" ")
    }
}

/// What the text of a proposal is made of.
pub struct Parts<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The launch.
    pub draft: &'a Draft,
    /// What it leaves, of what is looked at.
    pub left: &'a [Left],
    /// What the test is called.
    pub name: &'a str,
    /// Whether nothing is found on it.
    pub is_clean: bool,
}

impl Parts<'_> {
    fn overrides(&self) -> Vec<(&str, f64)> {
        let Self { kernel, draft, .. } = self;
        // What has a default and keeps it need not be said.
        let defaults = kernel.given_overrides();
        let is_said = |(name, value): &&(String, f64)| {
            kernel.overrides.iter().any(|(known, _)| known == name)
                || !defaults.iter().any(|default| default == &(name.clone(), *value))
        };
        let own = draft.overrides.iter().filter(is_said);
        own.chain(&kernel.constants).map(|(name, value)| (&name[..], *value)).collect()
    }

    /// The command that checks it.
    pub fn command(&self) -> Vec<String> {
        let Self { kernel, draft, .. } = self;
        let mut words: Vec<String> = ["hirace", "check"].map(str::to_owned).into();
        let mut add = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
        add("--entry", kernel.entry.clone());
        add("--workgroups", grid(draft.workgroups));
        for given in &draft.given {
            add("--buffer", format!("{}={}", given.name, given.text()));
        }
        for (name, value) in self.overrides() {
            add("--override", format!("{name}={value}"));
        }
        if let Some(size) = draft.subgroup_size {
            add("--subgroup-size", size.to_string());
        }
        words.insert(2, kernel.file.clone());
        words
    }

    /// A test in hirace.toml, if there is something to expect.
    pub fn toml(&self) -> Option<String> {
        let Self { kernel, draft, left, name, .. } = self;
        if left.is_empty() {
            return None;
        }
        let mut text = format!("[[file]]\npath = {}\n\n", quoted(&kernel.file));
        let _ = writeln!(text, "[[file.test]]\nname = {}\n\n[file.test.launch]", quoted(name));
        let _ = writeln!(text, "entry = {}", quoted(&kernel.entry));
        let _ = writeln!(text, "workgroups = [{}]", list(draft.workgroups));
        if let Some(size) = draft.subgroup_size {
            let _ = writeln!(text, "subgroup-size = {size}");
        }
        let table = |text: &mut String, name: &str, rows: Vec<(&str, String)>| {
            if !rows.is_empty() {
                let _ = writeln!(text, "\n[file.test.{name}]");
                for (key, value) in rows {
                    let _ = writeln!(text, "{} = {value}", bare(key));
                }
            }
        };
        let given = draft.given.iter().map(|given| (&given.name[..], quoted(&given.text())));
        table(&mut text, "launch.buffers", given.collect());
        let overrides = self.overrides().into_iter().map(|(name, value)| (name, value.to_string()));
        table(&mut text, "launch.overrides", overrides.collect());
        let known =
            left.iter().filter_map(|left| Some((&left.name[..], quoted(left.numbers.as_ref()?))));
        let golden: Vec<String> = left
            .iter()
            .filter(|left| left.numbers.is_none())
            .map(|left| quoted(&left.name))
            .collect();
        if !golden.is_empty() {
            // Before the tables, or it would be of the last of them.
            let at = text.find("\n[file.test.launch]").unwrap_or(text.len());
            text.insert_str(at, &format!("golden = [{}]\n", golden.join(", ")));
        }
        table(&mut text, "expect", known.collect());
        Some(text)
    }

    /// A test in Rust, to stand beside the kernel.
    pub fn rust(&self) -> String {
        let Self { kernel, draft, left, name, is_clean } = self;
        let mut body = String::new();
        let _ = write!(
            body,
            "    let launch = hirace::Launch::new()\n        .workgroups([{}])",
            list(draft.workgroups)
        );
        for given in &draft.given {
            let _ = write!(body, "\n        .contents({:?}, {:?})", given.name, given.text());
        }
        for (name, value) in &draft.overrides {
            if self.overrides().iter().any(|(known, _)| known == name) {
                let _ = write!(body, "\n        .set_override({name:?}, {value:?})");
            }
        }
        if let Some(size) = draft.subgroup_size {
            let _ = write!(body, "\n        .subgroup_size({size})");
        }
        body.push_str(";\n");
        let is_rust = kernel.file.ends_with(".rs");
        let constants: Vec<String> =
            kernel.constants.iter().map(|(_, value)| value.to_string()).collect();
        let made = match (is_rust, constants.is_empty()) {
            (true, true) => format!("{}::kernel()", kernel.entry),
            (true, false) => format!("{}::kernel::<{}>()", kernel.entry, constants.join(", ")),
            (false, _) => {
                let name = kernel.file.rsplit('/').next().unwrap_or(&kernel.file);
                let _ = writeln!(
                    body,
                    "    let kernel = hirace::Kernel::from_wgsl({name:?}, include_str!({name:?}))?.with_entry({:?});",
                    kernel.entry
                );
                "kernel".to_owned()
            }
        };
        let _ = writeln!(body, "    let checked = hirace::check(&{made}, launch)?;");
        if *is_clean {
            body.push_str("    checked.assert_clean();\n");
        }
        for Left { name, numbers, digest } in *left {
            let _ = match numbers {
                Some(numbers) => writeln!(body, "    checked.assert_holds({name:?}, {numbers:?});"),
                None => writeln!(body, "    assert_eq!(checked.digest({name:?})?, {digest:#x});"),
            };
        }
        format!(
            "#[test]\nfn {}() -> hirace::Result<()> {{\n{body}    Ok(())\n}}\n",
            identifier(name)
        )
    }
}

fn list([x, y, z]: [u32; 3]) -> String {
    format!("{x}, {y}, {z}")
}

fn grid([x, y, z]: [u32; 3]) -> String {
    format!("{x},{y},{z}")
}

/// A string of TOML, which are those of JSON but for what no name has.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

/// A key of TOML.
fn bare(key: &str) -> String {
    let is_bare =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_bare { key.to_owned() } else { quoted(key) }
}

/// A name of a Rust function.
fn identifier(name: &str) -> String {
    let plain =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let plain: String = plain.collect();
    match plain.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{plain}"),
        false => plain,
    }
}
