//! The rules: descriptions of the kinds of findings, as `hirace explain` prints them.

use crate::diagnostic::{Diagnostic, Result};
use crate::facts::Kind;
use crate::program::Language;

/// A rule: one kind of finding, with its description for users.
#[derive(Debug)]
pub struct Rule {
    /// The kind.
    pub kind: Kind,
    /// The code: `HR001`.
    pub code: &'static str,
    /// The name: `data-race`.
    pub name: &'static str,
    /// The name used in `// hirace: allow(…)`.
    pub directive_name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// The explanation and the fix, in Markdown, printed after the example.
    why: &'static str,
    /// A small, complete program that has the bug.
    pub example: &'static str,
    /// The language of the example.
    pub language: Language,
    /// The flags with which `hirace check` reports the bug: `--workgroups 2`.
    pub flags: &'static str,
}

/// All rules, in the order of their codes.
pub const RULES: [Rule; 6] = [
    Rule {
        kind: Kind::DataRace,
        code: Kind::DataRace.code(),
        name: Kind::DataRace.name(),
        directive_name: Kind::DataRace.directive_name(),
        summary: "two invocations access the same memory, at least one writes, and nothing orders them",
        why: include_str!("rules/data-race.md"),
        example: include_str!("rules/data-race.wgsl"),
        language: Language::Wgsl,
        flags: "--workgroups 1",
    },
    Rule {
        kind: Kind::BarrierDivergence,
        code: Kind::BarrierDivergence.code(),
        name: Kind::BarrierDivergence.name(),
        directive_name: Kind::BarrierDivergence.directive_name(),
        summary: "not all invocations of a workgroup reach a barrier",
        why: include_str!("rules/barrier-divergence.md"),
        example: include_str!("rules/barrier-divergence.wgsl"),
        language: Language::Wgsl,
        flags: "--workgroups 1",
    },
    Rule {
        kind: Kind::OutOfBounds,
        code: Kind::OutOfBounds.code(),
        name: Kind::OutOfBounds.name(),
        directive_name: Kind::OutOfBounds.directive_name(),
        summary: "an access uses an index that is out of bounds",
        why: include_str!("rules/out-of-bounds.md"),
        example: include_str!("rules/out-of-bounds.wgsl"),
        language: Language::Wgsl,
        flags: "--workgroups 2 --buffer data=zeros:100",
    },
    Rule {
        kind: Kind::NoProgress,
        code: Kind::NoProgress.code(),
        name: Kind::NoProgress.name(),
        directive_name: Kind::NoProgress.directive_name(),
        summary: "a loop makes no progress, so the kernel does not terminate",
        why: include_str!("rules/no-progress.md"),
        example: include_str!("rules/no-progress.wgsl"),
        language: Language::Wgsl,
        flags: "--workgroups 1 --buffer turn=0 --max-steps 100000",
    },
    Rule {
        kind: Kind::Assertion,
        code: Kind::Assertion.code(),
        name: Kind::Assertion.name(),
        directive_name: Kind::Assertion.directive_name(),
        summary: "an assertion of a Rust kernel fails, or its index arithmetic overflows",
        why: include_str!("rules/assertion-failed.md"),
        example: include_str!("rules/assertion-failed.rs"),
        language: Language::Rust,
        flags: "--workgroups 1 --buffer taken=5 --buffer data=zeros:64",
    },
    Rule {
        kind: Kind::NonUniform,
        code: Kind::NonUniform.code(),
        name: Kind::NonUniform.name(),
        directive_name: Kind::NonUniform.directive_name(),
        summary: "browsers refuse the module, because control flow is not provably uniform",
        why: include_str!("rules/non-uniform-control-flow.md"),
        example: include_str!("rules/non-uniform-control-flow.wgsl"),
        language: Language::Wgsl,
        flags: "--workgroups 1",
    },
];

impl Rule {
    /// Returns the rule for a kind.
    pub fn of(kind: Kind) -> &'static Self {
        &RULES[kind as usize]
    }

    /// Returns the rule whose code or name is `text`, ignoring case.
    pub fn find(text: &str) -> Result<&'static Self> {
        let wanted = text.trim().to_ascii_lowercase();
        if let Some(kind) = Kind::find(&wanted) {
            return Ok(Self::of(kind));
        }
        let names =
            |rule: &Rule| [rule.code, rule.name, rule.directive_name].map(str::to_ascii_lowercase);
        let likeness = |rule: &&Rule| {
            let near = names(rule).map(|name| strsim::jaro_winkler(&name, &wanted));
            near.into_iter().fold(0.0, f64::max)
        };
        let unknown = Diagnostic::new(format!("unknown rule `{}`", text.trim()));
        let near = RULES.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        Err(Box::new(match near {
            Some(near) if likeness(&near) > 0.8 => {
                unknown.help(format!("did you mean `{}` ({})?", near.code, near.name))
            }
            _ => {
                let all = RULES.iter().map(|rule| format!("{} ({})", rule.code, rule.name));
                unknown.note(format!("rules: {}", all.collect::<Vec<_>>().join(", ")))
            }
        }))
    }

    /// Returns the text that `hirace explain` prints, in Markdown.
    pub fn text(&self) -> String {
        let Self { code, name, directive_name: allow, summary, why, example, flags, .. } = self;
        let (word, file) = match self.language {
            Language::Rust => ("rust", "example.rs"),
            _ => ("wgsl", "example.wgsl"),
        };
        let (example, why) = (example.trim_end(), why.trim());
        format!(
            "# {code} {name}\n\n{}.\n\n```{word}\n{example}\n```\n\n`hirace check {file} {flags}` \
             reports it.\n\n{why}\n\nTo suppress a finding, write `// hirace: allow({allow}): the reason` on its \
             line or the line above.\n",
            capitalised(summary)
        )
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_stand_at_the_place_of_their_kind() {
        for rule in &RULES {
            assert_eq!(Rule::of(rule.kind).code, rule.code);
            assert_eq!(Kind::ALL[rule.kind as usize], rule.kind);
            let name = serde_json::to_value(rule.kind).expect("a kind is a string");
            assert_eq!(name, rule.name);
        }
    }

    #[test]
    fn rules_are_found_by_code_and_by_name_in_any_case() {
        for text in ["HR002", "hr002", "barrier-divergence", "Barrier-Divergence", " divergence "] {
            assert_eq!(Rule::find(text).expect(text).code, "HR002");
        }
    }

    #[test]
    fn an_unknown_rule_is_answered_with_the_nearest_or_with_all() {
        let near = Rule::find("data-rase").expect_err("no such rule");
        assert_eq!(near.help.as_deref(), Some("did you mean `HR001` (data-race)?"));
        let far = Rule::find("zzz").expect_err("no such rule");
        assert!(far.notes[0].contains("HR005 (assertion-failed)"));
    }

    #[test]
    fn examples_are_whole_programs() {
        for rule in &RULES {
            match rule.language {
                Language::Rust => {
                    let file = crate::front::rust::parse_file("example.rs", rule.example);
                    for item in file.expect(rule.name).items {
                        item.expect(rule.name);
                    }
                }
                _ => {
                    crate::front::wgsl::parse("example.wgsl", rule.example).expect(rule.name);
                }
            }
            assert!(rule.text().contains(rule.example.trim()));
        }
    }
}
