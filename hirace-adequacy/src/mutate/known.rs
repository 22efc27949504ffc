//! Findings that a test has without a mutant. They must not make it fail with one.
//!
//! A finding of a mutant is known if the original has a finding of the same rule, kernel and variable at the same sites.
//! Sites are compared by their places in the original's source. What a mutation inserts is at the place that it replaces.
//! A race is also between the same lines, as races are grouped.
//!
//! A race that only clamping explains is on a few words, so it hides no race on more words at the same sites.
//!
//! A warning fails no test, so warnings of a mutant are ignored. A warning of the original hides no error of a mutant at the same
//! sites, unless it is a race that was not explained: whether it is only a warning is not known then.

use super::judge::MutantText;
use hirace_core::edit::locate_edits;
use hirace_core::finding::identity::FindingIdentity;
use hirace_core::source_map::{LineColumn, SourceMap, Span};
use std::collections::BTreeSet;
use std::path::Path;

/// The findings of a run with a mutant, compared with those of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The findings of the mutant that are not known.
    pub new: Vec<FindingIdentity>,
    /// The findings of the original that occur more often with the mutant, so that they may hide what the mutant causes.
    pub hiding: Vec<FindingIdentity>,
}

/// Compares the findings of a mutant with those of the original.
pub fn compare(
    found: &[FindingIdentity],
    known: &[FindingIdentity],
    mutant: MutantText<'_>,
) -> Comparison {
    let mut comparison = Comparison::default();
    let errors = found.iter().filter(|finding| !finding.is_warning);
    if known.is_empty() {
        comparison.new = errors.cloned().collect();
        return comparison;
    }
    let places = Places::of(mutant);
    for finding in errors {
        let own = known.iter().filter(|known| {
            (!known.is_warning || finding.is_one_sided)
                && (&known.rule, &known.kernel, &known.variable, &known.file)
                    == (&finding.rule, &finding.kernel, &finding.variable, &finding.file)
                && places.has_sites_of(finding, known)
        });
        let same: Vec<&FindingIdentity> = own.collect();
        let most = same.iter().map(|known| known.count).max().unwrap_or(0);
        let only_by_clamping = same.iter().all(|known| known.only_by_clamping);
        if only_by_clamping && !(finding.only_by_clamping && finding.count <= most) {
            comparison.new.push(finding.clone());
        } else if finding.count > most {
            comparison.hiding.extend(same.into_iter().cloned());
        }
    }
    comparison
}

/// Adds findings of another run of the original. The larger count of the same finding is kept.
pub fn add_known(known: &mut Vec<FindingIdentity>, more: Vec<FindingIdentity>) {
    for finding in more {
        let key = |of: &FindingIdentity| FindingIdentity {
            count: 0,
            only_by_clamping: false,
            is_possible: false,
            is_warning: false,
            ..of.clone()
        };
        match known.iter_mut().find(|known| key(known) == key(&finding)) {
            Some(known) => {
                known.count = known.count.max(finding.count);
                known.only_by_clamping &= finding.only_by_clamping;
                known.is_warning &= finding.is_warning;
            }
            None => known.push(finding),
        }
    }
}

/// Maps places in the mutated text to the original.
struct Places<'a> {
    /// The mutated file.
    file: &'a str,
    original: SourceMap,
    mutated: SourceMap,
    /// What each edit replaces in the original, and the replacement in the mutated text.
    edits: Vec<(Span, Span)>,
}

/// Returns whether a file with findings is the mutated file. Either path may be relative to a folder of the other.
fn mutant_is_in(mutated: &str, file: &str) -> bool {
    let [mutated, file] = [mutated, file].map(|path| Path::new(path.trim_start_matches("./")));
    mutated.ends_with(file) || file.ends_with(mutated)
}

impl<'a> Places<'a> {
    fn of(mutant: MutantText<'a>) -> Self {
        let (text, edits) = locate_edits(mutant.original_text, mutant.edits);
        let original = SourceMap::new("original", mutant.original_text);
        Self { file: mutant.file, original, mutated: SourceMap::new("mutant", text), edits }
    }

    /// Returns whether the sites of a finding of the mutant are those of a finding of the original.
    fn has_sites_of(&self, finding: &FindingIdentity, known: &FindingIdentity) -> bool {
        // Edits do not move sites in other files.
        if !mutant_is_in(self.file, &finding.file) && finding.places == known.places {
            return true;
        }
        let mut matched = BTreeSet::new();
        for &(line, column) in &finding.places {
            let at = self.mutated.offset(LineColumn { line, column });
            let span = self.in_original(at);
            let (first, last) =
                (self.original.position(span.start), self.original.position(span.end));
            let is_here = |&&(line, column): &&(u32, u32)| {
                (first..=last).contains(&LineColumn { line, column })
            };
            let here: Vec<_> = known.places.iter().filter(is_here).collect();
            if here.is_empty() {
                return false;
            }
            matched.extend(here.iter().map(|(line, _)| *line));
        }
        let lines: BTreeSet<u32> = known.places.iter().map(|&(line, _)| line).collect();
        finding.is_one_sided || known.is_one_sided || matched == lines
    }

    /// Returns the place of an offset in the original: a position, or all that an edit replaces.
    fn in_original(&self, at: u32) -> Span {
        let before = self.edits.iter().rev().find(|(_, inserted)| inserted.start <= at);
        match before {
            None => Span::new(at, at),
            Some((replaced, inserted)) if at < inserted.end => *replaced,
            Some((replaced, inserted)) => {
                let same = replaced.end + (at - inserted.end);
                Span::new(same, same)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::edit::Edit;

    const TEXT: &str = "a[i] = 1;\nb[i] = a[j];\n";

    fn race(places: &[(u32, u32)], variable: &str, count: u64) -> FindingIdentity {
        FindingIdentity {
            file: "k.wgsl".to_owned(),
            places: places.to_vec(),
            rule: "HR001".to_owned(),
            kernel: "main".to_owned(),
            variable: Some(variable.to_owned()),
            count,
            only_by_clamping: false,
            is_possible: false,
            is_warning: false,
            is_one_sided: false,
        }
    }

    fn compared(found: FindingIdentity, known: FindingIdentity, edits: &[Edit]) -> (usize, usize) {
        let mutant =
            MutantText { file: "k.wgsl", original: "", original_text: TEXT, text: "", edits };
        let Comparison { new, hiding } = compare(&[found], &[known], mutant);
        (new.len(), hiding.len())
    }

    #[test]
    fn the_same_sites_are_known_wherever_an_edit_moves_them() {
        let known = || race(&[(1, 1), (2, 8)], "a", 4);
        let insertion =
            [Edit::new(Span::new(0, 0), "x = 1;\n"), Edit::new(Span::new(12, 13), "i + 1")];
        assert_eq!(compared(race(&[(2, 1), (3, 12)], "a", 4), known(), &insertion), (0, 0));
        // A race of two writes is not the race of a write and a read.
        let write = race(&[(1, 1)], "a", 4);
        assert_eq!(compared(write.clone(), known(), &[]), (1, 0));
        let one_sided = FindingIdentity { is_one_sided: true, ..write };
        assert_eq!(compared(one_sided, known(), &[]), (0, 0));
        assert_eq!(compared(race(&[(1, 1), (2, 1)], "a", 4), known(), &[]), (1, 0));
        assert_eq!(compared(race(&[(1, 1)], "b", 4), known(), &[]), (1, 0));
        let other = FindingIdentity { kernel: "other".to_owned(), ..known() };
        assert_eq!(compared(other, known(), &[]), (1, 0));
    }

    #[test]
    fn edits_do_not_move_sites_in_other_files() {
        let at = |file: &str| FindingIdentity { file: file.to_owned(), ..race(&[(50, 1)], "a", 4) };
        let edits = [Edit::new(Span::new(0, 0), "x = 1;\n")];
        assert_eq!(compared(at("b.wgsl"), at("b.wgsl"), &edits), (0, 0));
        assert_eq!(compared(at("src/k.wgsl"), at("src/k.wgsl"), &edits), (1, 0));
    }

    #[test]
    fn both_sites_of_a_race_may_be_in_one_replaced_span() {
        let known = race(&[(1, 1), (2, 8)], "a", 4);
        let replaced = [Edit::new(Span::new(0, 20), "a[i] = a[j];")];
        assert_eq!(compared(race(&[(1, 1), (1, 8)], "a", 4), known, &replaced), (0, 0));
    }

    #[test]
    fn what_replaces_a_site_is_at_that_site() {
        let known = race(&[(1, 1)], "a", 4);
        let replaced = [Edit::new(Span::new(0, 8), "if x { a[i] = 1 }")];
        assert_eq!(compared(race(&[(1, 8)], "a", 4), known.clone(), &replaced), (0, 0));
        // What follows is not.
        assert_eq!(compared(race(&[(1, 18)], "a", 4), known, &replaced), (1, 0));
    }

    #[test]
    fn a_known_finding_on_more_words_hides_something() {
        let known = race(&[(1, 1)], "a", 4);
        assert_eq!(compared(race(&[(1, 1)], "a", 5), known, &[]), (0, 1));
    }

    #[test]
    fn a_race_by_clamping_hides_no_other_race() {
        let clamped =
            |count| FindingIdentity { only_by_clamping: true, ..race(&[(1, 1)], "a", count) };
        assert_eq!(compared(clamped(1), clamped(1), &[]), (0, 0));
        assert_eq!(compared(clamped(2), clamped(1), &[]), (1, 0));
        assert_eq!(compared(race(&[(1, 1)], "a", 1), clamped(1), &[]), (1, 0));
        assert_eq!(compared(clamped(1), race(&[(1, 1)], "a", 1), &[]), (0, 0));
    }

    #[test]
    fn runs_of_the_original_are_joined() {
        let mut known = vec![race(&[(1, 1)], "a", 4)];
        add_known(&mut known, vec![race(&[(1, 1)], "a", 7), race(&[(2, 1)], "b", 1)]);
        assert_eq!(known.iter().map(|of| of.count).collect::<Vec<_>>(), [7, 1]);
    }
}
