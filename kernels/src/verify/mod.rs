//! Programs for `hirace verify`, in our own words: those on which GPUMC was measured (Chatterjee and others: GPUMC, a
//! stateless model checker for GPU weak memory concurrency, CAV 2025). Its sources stand in its figures only; what these
//! share with them is the algorithm, its orders and scopes, the grid and what is wrong.
//!
//! A mark says what is expected of the kernel after it, `// verify: NAME GRID MODEL EXPECTED`, with `long` behind what takes
//! long, and `repaired` behind what `docs/verify-repair.md` has: `4x2` is 4 workgroups of 2 invocations, and expected is `verified`
//! or the kind of the first finding. `tests/it/verify/programs.rs` holds each to it, and `docs/verify-programs.md` shows all.

pub mod cas_lock;
pub mod convolution;
pub mod counters;
pub mod gklee;
pub mod graph_colouring;
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
