//! Selection of mutants by operator, source location, shard, and the changed lines of a diff.

use super::results::{Class, Mutant};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::shard::Shard;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// A class, an operator, or an operator of a class: `relational`, `less-to-less-equal`,
/// `relational.less-to-less-equal`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    class: Option<Class>,
    operator: Option<String>,
}

impl Selector {
    /// Returns whether the selector matches a mutant.
    pub fn matches(&self, mutant: &Mutant) -> bool {
        self.class.is_none_or(|class| class == mutant.class)
            && self.operator.as_ref().is_none_or(|operator| *operator == mutant.operator)
    }

    /// Parses a selector. Any operator name is accepted; [`Selection::check`] reports names that match no mutant.
    ///
    /// # Errors
    /// The class does not exist.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if let Some(class) = Class::named(text) {
            return Ok(Self { class: Some(class), operator: None });
        }
        let Some((class, operator)) = text.split_once('.') else {
            let is_name = text.contains('-') && !text.contains(char::is_whitespace);
            return match is_name {
                true => Ok(Self { class: None, operator: Some(text.to_owned()) }),
                false => Err(unknown(text)),
            };
        };
        let class = Class::named(class).ok_or_else(|| unknown(class))?;
        Ok(Self { class: Some(class), operator: Some(operator.to_owned()) })
    }
}

fn unknown(name: &str) -> Box<Diagnostic> {
    let names: Vec<&str> = Class::ALL.into_iter().map(Class::name).collect();
    let error = Diagnostic::new(format!("unknown class of mutants `{name}`"));
    Box::new(error.help(format!("use one of {}", names.join(", "))))
}

/// The lines that a diff adds or changes, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines(BTreeMap<String, BTreeSet<u32>>);

impl ChangedLines {
    /// Parses a unified diff, as `git diff` prints it.
    ///
    /// # Errors
    /// The text is not a unified diff.
    pub fn parse(text: &str) -> Result<Self> {
        let mut changed: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let (mut file, mut line, mut left): (Option<String>, u32, (u32, u32)) = (None, 0, (0, 0));
        for (number, row) in (1..).zip(text.lines()) {
            let bad = || {
                let error = format!("invalid line {number} of the diff: `{row}`");
                Box::new(Diagnostic::new(error).help("give the output of `git diff`"))
            };
            if left != (0, 0) {
                match row.as_bytes().first() {
                    Some(b'+') => {
                        if let Some(file) = &file {
                            changed.entry(file.clone()).or_default().insert(line);
                        }
                        (line, left.1) = (line.saturating_add(1), left.1.saturating_sub(1));
                    }
                    Some(b'-') => left.0 = left.0.saturating_sub(1),
                    Some(b' ') | None => {
                        line = line.saturating_add(1);
                        left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                    }
                    Some(b'\\') => {}
                    Some(_) => return Err(bad()),
                }
            } else if let Some(path) = row.strip_prefix("+++ ") {
                let path = path.split('\t').next().unwrap_or(path).trim_matches('"');
                file = (path != "/dev/null")
                    .then(|| path.strip_prefix("b/").unwrap_or(path).to_owned());
                if let Some(file) = &file {
                    changed.entry(file.clone()).or_default();
                }
            } else if let Some(hunk) = row.strip_prefix("@@ -") {
                let mut words = hunk.split([' ', '+']).filter(|word| !word.is_empty());
                let mut range = || -> Option<(u32, u32)> {
                    let word = words.next()?;
                    let (start, count) = word.split_once(',').unwrap_or((word, "1"));
                    Some((start.parse().ok()?, count.parse().ok()?))
                };
                let (_, removed) = range().ok_or_else(bad)?;
                let (start, added) = range().ok_or_else(bad)?;
                (line, left) = (start, (removed, added));
            }
        }
        if changed.is_empty() && !text.trim().is_empty() {
            let error = Diagnostic::new("this is not a unified diff: no `+++` line names a file");
            return Err(Box::new(error.help("give the output of `git diff`")));
        }
        Ok(Self(changed))
    }

    /// Returns whether the diff changes a line of a mutant. Paths of a diff are relative to the repository, those of a
    /// run to any folder: they match if one ends with the other.
    pub fn has(&self, mutant: &Mutant) -> bool {
        let own = mutant.file.strip_prefix("./").unwrap_or(&mutant.file);
        let ends = |long: &str, short: &str| {
            long == short || long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
        };
        let mut files = self.0.iter().filter(|(file, _)| ends(file, own) || ends(own, file));
        files.any(|(_, lines)| {
            lines.range(mutant.line..=mutant.end_line.max(mutant.line)).next().is_some()
        })
    }
}

/// A selection of mutants. The default selects all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Selected classes and operators; empty for all.
    pub operators: Vec<Selector>,
    /// Excluded classes and operators.
    pub without: Vec<Selector>,
    /// Files, with optional lines: `kernel.wgsl`, `kernel.wgsl:12`, `kernel.wgsl:12-20`; empty for all.
    pub places: Vec<Place>,
    /// Functions; empty for all.
    pub functions: Vec<String>,
    /// Excluded functions.
    pub without_functions: Vec<String>,
    /// Ids of mutants; empty for all.
    pub ids: Vec<String>,
    /// The lines that a diff changed.
    pub changed: Option<ChangedLines>,
    /// A part of the mutants selected otherwise.
    pub shard: Option<Shard>,
}

/// A file, or lines of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The end of the path.
    file: String,
    /// The first and the last line.
    lines: Option<(u32, u32)>,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let lines = |text: &str| -> Option<(u32, u32)> {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            Some((first.parse().ok()?, last.parse().ok()?))
        };
        let parsed = text.rsplit_once(':').and_then(|(file, range)| Some((file, lines(range)?)));
        let (file, lines) = match parsed {
            Some((file, lines)) => (file, Some(lines)),
            None => (text, None),
        };
        match file.is_empty() {
            true => Err("expected FILE, FILE:LINE or FILE:FIRST-LAST".to_owned()),
            false => Ok(Self { file: file.trim_start_matches("./").to_owned(), lines }),
        }
    }
}

impl Place {
    fn has(&self, mutant: &Mutant) -> bool {
        let own = mutant.file.trim_start_matches("./");
        let is_file = own == self.file
            || own.strip_suffix(&self.file).is_some_and(|rest| rest.ends_with('/'));
        is_file && self.lines.is_none_or(|(first, last)| (first..=last).contains(&mutant.line))
    }
}

impl Selection {
    /// Returns whether a mutant is selected, apart from the shard.
    pub fn has(&self, mutant: &Mutant) -> bool {
        let among = |selectors: &[Selector]| selectors.iter().any(|one| one.matches(mutant));
        let inside = |names: &[String]| names.iter().any(|name| mutant.is_in(name));
        (self.operators.is_empty() || among(&self.operators))
            && !among(&self.without)
            && (self.places.is_empty() || self.places.iter().any(|place| place.has(mutant)))
            && (self.functions.is_empty() || inside(&self.functions))
            && !inside(&self.without_functions)
            && (self.ids.is_empty() || self.ids.contains(&mutant.id))
            && self.changed.as_ref().is_none_or(|changed| changed.has(mutant))
    }

    /// Checks that everything the selection names matches a mutant.
    ///
    /// # Errors
    /// A name or location matches no mutant.
    pub fn check<'m>(&self, mutants: impl Iterator<Item = &'m Mutant> + Clone) -> Result<()> {
        let none = |what: String| Err(Box::new(Diagnostic::new(format!("no mutant {what}"))));
        for selector in self.operators.iter().chain(&self.without) {
            if let Some(operator) = &selector.operator
                && !mutants.clone().any(|mutant| selector.matches(mutant))
            {
                let error = Diagnostic::new(format!("no mutant of operator `{operator}`"));
                return Err(Box::new(error.help("run `hirace mutate --list` to list the mutants")));
            }
        }
        for place in &self.places {
            if !mutants.clone().any(|mutant| place.has(mutant)) {
                let lines =
                    place.lines.map_or(String::new(), |(a, b)| format!(", lines {a} to {b}"));
                return none(format!("is in {}{lines}", place.file));
            }
        }
        for name in self.functions.iter().chain(&self.without_functions) {
            if !mutants.clone().any(|mutant| mutant.is_in(name)) {
                return none(format!("is in a function `{name}`"));
            }
        }
        for id in &self.ids {
            if !mutants.clone().any(|mutant| mutant.id == *id) {
                return none(format!("has the id {id}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::sample;
    use super::*;

    fn at(file: &str, line: u32) -> Mutant {
        Mutant { file: file.to_owned(), line, end_line: line, ..sample() }
    }

    #[test]
    fn selectors_name_classes_and_operators() {
        let means = |text: &str| Selector::parse(text).unwrap().matches(&sample());
        assert!(means("relational") && means("less-to-less-equal"));
        assert!(means("relational.less-to-less-equal"));
        assert!(!means("gpu") && !means("less-to-greater") && !means("gpu.less-to-less-equal"));
        assert!(Selector::parse("relatoinal").unwrap_err().help.unwrap().contains("loop-boundary"));
    }

    #[test]
    fn a_diff_says_which_lines_changed() {
        let diff = "diff --git a/src/k.wgsl b/src/k.wgsl\n--- a/src/k.wgsl\n+++ b/src/k.wgsl\n@@ -1,3 +1,4 @@ fn f\n a\n-b\n+c\n+--- d\n e\n@@ -9 +10,0 @@\n-x\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
        let changed = ChangedLines::parse(diff).unwrap();
        let lines: Vec<u32> =
            (1..12).filter(|line| changed.has(&at("src/k.wgsl", *line))).collect();
        assert_eq!(lines, [2, 3]);
        // The working folder may be below or above the repository root.
        assert!(changed.has(&at("k.wgsl", 2)) && changed.has(&at("./repo/src/k.wgsl", 2)));
        assert!(!changed.has(&at("nosrc/k.wgsl", 2)) && !changed.has(&at("other.wgsl", 2)));
        assert!(ChangedLines::parse("").unwrap().0.is_empty());
        assert!(ChangedLines::parse("what").is_err());
        assert!(ChangedLines::parse("+++ b/k\n@@ -1 +1 @@\n*").is_err());
    }

    #[test]
    fn selection_without_mutants_is_an_error() {
        let selection = |place: &str| Selection {
            places: vec![place.parse().unwrap()],
            ..Selection::default()
        };
        let all = [at("src/k.wgsl", 7)];
        for good in ["k.wgsl", "src/k.wgsl:7", "k.wgsl:1-9"] {
            assert!(
                selection(good).check(all.iter()).is_ok() && selection(good).has(&all[0]),
                "{good}"
            );
        }
        for bad in ["l.wgsl", "k.wgsl:8", "k.wgsl:1-6", "rc/k.wgsl"] {
            assert!(
                selection(bad).check(all.iter()).is_err() && !selection(bad).has(&all[0]),
                "{bad}"
            );
        }
        let operators = vec![Selector::parse("less-to-grater").unwrap()];
        assert!(Selection { operators, ..Selection::default() }.check(all.iter()).is_err());
    }
}
