//! Selection of litmus tests by name.

use hirace_core::bounded::CONFIGURATION;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::launch::spec::find_nearest;
use hirace_litmus::test::{self, Specification, Test, definition};
use std::path::Path;

/// Returns the tests with these names, in this order. `all`, `conformance`, `mutants` and `observations` select all
/// tests of a kind, by a version of the specification; a name that ends in `.json` is a file with a definition.
pub fn tests(names: &[String], specification: Specification) -> Result<Vec<Test>> {
    let known_tests = test::all();
    let mut chosen: Vec<Test> = Vec::new();
    for name in names {
        let path = Path::new(name);
        let selected = match path.extension().is_some_and(|extension| extension == "json") {
            true => vec![definition::read(name, CONFIGURATION.text(path)?.as_bytes())?],
            false => test::named(name, &known_tests, specification),
        };
        if selected.is_empty() {
            return Err(unknown_test(name, &known_tests));
        }
        for test in selected {
            match chosen.iter().find(|earlier| earlier.name == test.name) {
                None => chosen.push(test),
                Some(earlier) if *earlier == test => {}
                Some(_) => {
                    let error = Diagnostic::new(format!("two tests are called `{}`", test.name));
                    return Err(Box::new(
                        error.help("change `testName` in one of the definitions"),
                    ));
                }
            }
        }
    }
    Ok(chosen)
}

fn unknown_test(name: &str, known_tests: &[Test]) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("no test is called `{name}`"));
    Box::new(match find_nearest(name, known_tests.iter().map(|test| test.name.as_str())) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("run `hirace litmus list` to list all tests"),
    })
}
