//! The tests of the model checker.

mod brute;
mod counts;
mod differential;
mod script;
mod shapes;
