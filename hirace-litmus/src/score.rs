//! Scores: how well environments detect bugs (MC Mutants), and how devices compare (GPUHarbor).
//!
//! Each is a function of tables of [results](crate::results::table). Undefined values, such as a rate without time or a
//! correlation with a constant, are represented in the result type; no value is NaN.

pub mod budget;
pub mod clusters;
pub mod correlation;
pub mod death_rate;
pub mod interval;
pub mod merge;
pub mod mutation;
pub mod reproducibility;
pub mod similarity;
pub mod weak_rates;
