//! Determines which tests reach a mutant: those that ran its line, according to their coverage.

use super::results::Mutant;
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::File;

/// The coverage of a source by each test.
#[derive(Clone, Debug)]
pub struct TestReach<'a> {
    /// The source in the coverage of each test, by number; `None` if a test does not run it.
    tests: Vec<Option<&'a File>>,
}

impl<'a> TestReach<'a> {
    /// Creates the reachability of the text with this hash, from the coverage of each test.
    pub fn of(hash: &str, tests: impl Iterator<Item = &'a Coverage>) -> Self {
        let is_it = |file: &&File| file.text.as_deref() == Some(hash);
        Self { tests: tests.map(|coverage| coverage.files.iter().find(is_it)).collect() }
    }

    /// Returns the numbers of the tests that reach a mutant, those that cover most of its function first.
    pub fn of_mutant(&self, mutant: &Mutant) -> Vec<usize> {
        let tests = self.tests.iter().enumerate();
        let reached = tests.filter_map(|(test, file)| {
            let file = (*file)?;
            let is_own =
                |known: &str| mutant.function.as_ref().is_none_or(|own| is_named(known, own));
            let ran = file.lines.iter().filter(|line| line.count > 0 && is_own(&line.function));
            reaches(file, mutant).then(|| (test, ran.count()))
        });
        let mut reached: Vec<(usize, usize)> = reached.collect();
        reached.sort_by_key(|&(test, lines)| (std::cmp::Reverse(lines), test));
        reached.into_iter().map(|(test, _)| test).collect()
    }
}

fn reaches(file: &File, mutant: &Mutant) -> bool {
    let is_launched = file.kernels.iter().any(|kernel| kernel.dispatches > 0);
    // Code outside of functions affects all kernels.
    let Some(function) = &mutant.function else { return is_launched };
    let mut functions = file.functions.iter().filter(|known| is_named(&known.name, function));
    if !functions.any(|known| known.count > 0) {
        return false;
    }
    // Some lines have no counter. If none of the mutant's lines has one, the function's count decides.
    let lines = mutant.line..=mutant.end_line.max(mutant.line);
    let own = || file.lines.iter().filter(|line| lines.contains(&line.line));
    own().next().is_none() || own().any(|line| line.count > 0)
}

/// Returns whether a function of the coverage has this name in the source. An entry point whose name several shaders of a file have is
/// called `shader.main`.
fn is_named(known: &str, name: &str) -> bool {
    known == name || known.rsplit_once('.').is_some_and(|(_, own)| own == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::cover::coverage::{Function, Kernel, Line};

    #[test]
    fn a_mutant_is_reached_where_its_line_runs() {
        let line = |line, count| Line { line, count, function: "f".to_owned() };
        let kernel = Kernel {
            name: "main".to_owned(),
            dispatches: 1,
            functions: vec!["main".to_owned(), "f".to_owned()],
        };
        let file = File {
            file: "k.wgsl".to_owned(),
            text: Some("h".to_owned()),
            kernels: vec![kernel],
            lines: vec![line(3, 8), line(5, 0)],
            functions: vec![Function { name: "f".to_owned(), line: 2, count: 8 }],
            ..File::default()
        };
        let ran = Coverage { files: vec![file], ..Coverage::default() };
        let none = Coverage::default();
        let reach = TestReach::of("h", [&none, &ran].into_iter());
        let at = |line, function: Option<&str>| Mutant {
            line,
            end_line: line,
            function: function.map(str::to_owned),
            ..super::super::results::sample()
        };
        assert_eq!(reach.of_mutant(&at(3, Some("f"))), [1]);
        assert_eq!(reach.of_mutant(&at(4, Some("f"))), [1]);
        assert!(reach.of_mutant(&at(5, Some("f"))).is_empty());
        assert!(reach.of_mutant(&at(9, Some("g"))).is_empty());
        assert!(is_named("sum.main", "main") && !is_named("domain", "main"));
        assert_eq!(reach.of_mutant(&at(1, None)), [1]);
        assert!(TestReach::of("x", [&ran].into_iter()).of_mutant(&at(3, Some("f"))).is_empty());
    }
}
