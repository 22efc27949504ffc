//! Programs for `hirace verify`: reimplementations of the programs on which GPUMC was evaluated (Chatterjee and others: GPUMC, a
//! stateless model checker for GPU weak memory concurrency, CAV 2025). The paper only shows their sources in figures; these
//! programs have the same algorithms, orderings, scopes, grids and faults.
//!
//! A mark states the expected result of the next kernel: `// verify: NAME GRID MODEL EXPECTED`, followed by `long` if it takes
//! long, and by `repaired` if it is in `docs/evaluation/verify-repair.md`. `4x2` is 4 workgroups of 2; EXPECTED is `verified`
//! or the kind of the first finding. `tests/it/verify/programs.rs` checks each; `docs/evaluation/verify-programs.md` lists all.

pub mod cas_lock;
pub mod convolution;
pub mod counters;
pub mod gklee;
pub mod graph_coloring;
pub mod graph_connectivity;
pub mod histogram;
pub mod load_buffers;
pub mod matrix_product;
pub mod select_matches;
pub mod store_buffers;
pub mod ticket_lock;
pub mod ttas_lock;
pub mod warp_reduce;
pub mod xf_barrier;
