//! The `hirace` command.
fn main() {}
