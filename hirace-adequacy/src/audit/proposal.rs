//! A proposed test: a launch, its purpose, and its text, ready to paste.

use super::outputs::OutputContents;
use super::point::Point;
use super::search::draft::Draft;
use super::search::kernel::Kernel;
use hirace_core::report::words;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A proposed test. It was run: it reaches and kills what it lists, and passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Proposal {
    /// A name that is unique in its file.
    pub name: String,
    /// The kernel that it launches.
    pub kernel: String,
    /// The points that it reaches and no test does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<Point>,
    /// The ids of mutants that it detects and no test does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kills: Vec<String>,
    /// The rules of findings on its launch; empty if it is clean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Buffers that depend on the schedule, which the test therefore does not compare.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsteady: Vec<String>,
    /// The command that runs the launch.
    pub command: Vec<String>,
    /// The test for hirace.toml; absent if no output can be expected, which such a test needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toml: Option<String>,
    /// The test in Rust.
    pub rust: String,
}

impl Proposal {
    /// Returns the command as it is typed in a shell.
    pub fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| words::quote(word)).collect();
        words.join(" ")
    }
}

/// The parts from which the text of a proposal is built.
pub struct Parts<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The launch.
    pub draft: &'a Draft,
    /// The compared outputs of the launch.
    pub left: &'a [OutputContents],
    /// The name of the test.
    pub name: &'a str,
    /// Whether the launch has no findings.
    pub is_clean: bool,
}

impl Parts<'_> {
    fn overrides(&self) -> Vec<(&str, f64)> {
        let Self { kernel, draft, .. } = self;
        // Overrides with their default value are omitted.
        let defaults = kernel.given_overrides();
        let is_said = |(name, value): &&(String, f64)| {
            kernel.overrides.iter().any(|(known, _)| known == name)
                || !defaults.iter().any(|default| default == &(name.clone(), *value))
        };
        let own = draft.overrides.iter().filter(is_said);
        own.chain(&kernel.constants).map(|(name, value)| (&name[..], *value)).collect()
    }

    /// Returns the command that checks the launch.
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

    /// Returns the test for hirace.toml, if there are outputs to expect.
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
            // Keys must precede the tables, or they would belong to the last one.
            let at = text.find("\n[file.test.launch]").unwrap_or(text.len());
            text.insert_str(at, &format!("golden = [{}]\n", golden.join(", ")));
        }
        table(&mut text, "expect", known.collect());
        Some(text)
    }

    /// Returns the test in Rust, to be placed next to the kernel.
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
                let _ = write!(body, "\n        .override_value({name:?}, {value:?})");
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
        for OutputContents { name, numbers, digest } in *left {
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

/// Quotes a TOML string. JSON strings are valid TOML for all characters that occur in names.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

/// Returns a TOML key, quoted if necessary.
fn bare(key: &str) -> String {
    let is_bare =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_bare { key.to_owned() } else { quoted(key) }
}

/// Converts a test name to a Rust function name.
fn identifier(name: &str) -> String {
    let plain =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let plain: String = plain.collect();
    match plain.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{plain}"),
        false => plain,
    }
}
