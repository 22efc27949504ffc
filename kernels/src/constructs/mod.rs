//! What no kernel of the field happens to need: a kernel for each family of constructs.

pub mod atomics;
pub mod barriers;
pub mod builtin_values;
pub mod casts;
pub mod closures;
pub mod control_flow;
pub mod copies;
pub mod cubes;
pub mod defaults;
pub mod impls;
pub mod integers;
pub mod lengths;
pub mod math;
pub mod matrices;
pub mod memory;
pub mod names;
pub mod order;
pub mod packing;
pub mod patterns;
pub mod sizes;
pub mod std_atomics;
pub mod std_items;
pub mod subgroups;
pub mod subtle;
pub mod textures;
pub mod vectors;
