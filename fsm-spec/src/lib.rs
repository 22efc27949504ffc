//! The race automaton.
#![no_std]
