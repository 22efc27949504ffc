//! Tests of programs in every language. They are in a binary of their own because the front end for kernels in Rust depends on
//! this crate.

mod arms;
mod derived;

use hirace_program::front::{self, Kind};
use hirace_program::program::Program;
use std::collections::BTreeMap;

/// Returns the program of a source in any language.
fn program(name: &str, bytes: &[u8]) -> Program {
    let parsed = match Kind::of(name, bytes) {
        Kind::Rust => {
            let text = std::str::from_utf8(bytes).expect("UTF-8");
            hirace_rust::parse_file(name, text).expect("it is read").items.remove(0)
        }
        _ => front::parse_bytes(name, bytes, &|_| None),
    };
    Program::new(&parsed.expect("it is taken"), &BTreeMap::new()).expect("it is valid")
}
