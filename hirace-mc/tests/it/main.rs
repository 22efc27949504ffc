//! The tests of the model checker.

mod axioms;
mod brute;
mod classics;
mod coherence;
mod counts;
mod differential;
mod kernels;
mod postconditions;
mod reductions;
mod relation;
mod script;
mod shapes;
mod textbook;
