//! Scores: how well environments would notice bugs (MC Mutants), and how devices compare (GPUHarbor).
//!
//! Each is a function of tables of [results](crate::results::table). What is not defined, as a rate that took no time or a
//! correlation with what never varies, is a value of its type; none is NaN.

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
