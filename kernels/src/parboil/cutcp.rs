//! `cutcp` of Parboil: the electric potential of atoms at lattice points within a cut-off distance.

/// Atoms are sorted into bins of 4×4×4 points. A workgroup computes the points of a bin from the 27 bins around it.
/// Atoms that do not fit into their bin are kept separately.
#[hirace::monitor]
pub mod cutcp {
    use hirace::prelude::*;

    const SIDE: u32 = 4;
    const ROOM: usize = 4;
    const CUTOFF: f32 = 3.5;

    /// Atoms that did not fit into their bins.
    pub struct Spilled {
        /// Number of atoms.
        pub count: Atomic<u32>,
        /// The atoms.
        pub atoms: [Vec4],
    }

    /// Returns the index of a bin.
    fn number(bin: UVec3, bins: UVec3) -> u32 {
        (bin.z * bins.y + bin.y) * bins.x + bin.x
    }

    /// First dispatch: sorts atoms into bins. The fourth component of an atom is its charge.
    #[kernel(workgroup_size(32))]
    pub fn sort(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] bins: UVec3,
        atoms: &[Vec4],
        filled: &[Atomic<u32>],
        slots: &mut [Vec4],
        spilled: &mut Spilled,
    ) {
        if id.x >= atoms.len() {
            return;
        }
        let atom = atoms[id.x];
        let bin = number((atom.xyz() / SIDE as f32).as_uvec3(), bins);
        let place = filled[bin].fetch_add(1);
        if place < ROOM as u32 {
            slots[bin * ROOM as u32 + place] = atom;
        } else {
            let place = spilled.count.fetch_add(1);
            spilled.atoms[place] = atom;
        }
    }

    /// Returns the potential of an atom, which decreases to 0 at the cut-off distance.
    fn potential(atom: Vec4, place: Vec3) -> f32 {
        let away = atom.xyz() - place;
        let squared = dot(away, away);
        if squared >= CUTOFF * CUTOFF {
            return 0.0;
        }
        let left = 1.0 - squared / (CUTOFF * CUTOFF);
        atom.w * inverse_sqrt(squared) * left * left
    }

    /// Second dispatch: computes the potentials, with one workgroup per bin.
    #[kernel(workgroup_size(SIDE, SIDE, SIDE))]
    pub fn potentials(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        filled: &[Atomic<u32>],
        slots: &mut [Vec4],
        spilled: &mut Spilled,
        lattice: &mut [f32],
        #[workgroup] tile: &mut [Vec4; ROOM],
    ) {
        let place = id.as_vec3();
        let low = max(group, UVec3::ONE) - 1;
        let high = min(group + 2, groups);
        let mut sum = 0.0;
        for z in low.z..high.z {
            for y in low.y..high.y {
                for x in low.x..high.x {
                    let bin = number(uvec3(x, y, z), groups);
                    if lane < ROOM as u32 {
                        tile[lane] = slots[bin * ROOM as u32 + lane];
                    }
                    workgroup_barrier();
                    for i in 0..min(filled[bin].load(), ROOM as u32) {
                        sum += potential(tile[i], place);
                    }
                    workgroup_barrier();
                }
            }
        }
        for i in 0..spilled.count.load() {
            sum += potential(spilled.atoms[i], place);
        }
        lattice[number(id, groups * SIDE)] = sum;
    }

    /// Loads the next bin while slow invocations still read the previous one.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE, SIDE, SIDE))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        filled: &[Atomic<u32>],
        slots: &mut [Vec4],
        lattice: &mut [f32],
        #[workgroup] tile: &mut [Vec4; ROOM],
    ) {
        let place = id.as_vec3();
        let low = max(group, UVec3::ONE) - 1;
        let high = min(group + 2, groups);
        let mut sum = 0.0;
        for z in low.z..high.z {
            for y in low.y..high.y {
                for x in low.x..high.x {
                    let bin = number(uvec3(x, y, z), groups);
                    if lane < ROOM as u32 {
                        tile[lane] = slots[bin * ROOM as u32 + lane];
//                      ^^^^^^^^^^ race: write/read on tile[..].x
                    }
                    workgroup_barrier();
                    for i in 0..min(filled[bin].load(), ROOM as u32) {
                        sum += potential(tile[i], place);
//                                       ^^^^^^^ race: read/write on tile[..].x
                    }
                }
            }
        }
        lattice[number(id, groups * SIDE)] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::cutcp;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::{UVec3, Vec3, Vec4};

    /// Returns atoms at random positions in `extent`, with charges from -1 to 1.
    fn atoms(count: usize, extent: Vec3) -> Vec<Vec4> {
        let atom = |c: &[f32]| ((Vec3::new(c[0], c[1], c[2]) + 1.0) * 0.499 * extent).extend(c[3]);
        floats(4 * count, 55).chunks(4).map(atom).collect()
    }

    fn extent(bins: UVec3) -> Vec3 {
        bins.as_vec3() * 4.0
    }

    fn launch(atoms: &[Vec4], bins: UVec3) -> Launch {
        let count = bins.element_product() as usize;
        Launch::new()
            .buffer("bins", &bins)
            .buffer("atoms", atoms)
            .zeros("filled", count)
            .zeros("slots", 4 * count)
            .buffer("spilled", &(0u32, vec![Vec4::ZERO; atoms.len()]))
            .zeros("lattice", 64 * count)
    }

    fn holds(atoms: &[Vec4], bins: UVec3) {
        let launch = launch(atoms, bins)
            .dispatch("sort", atoms.len().div_ceil(32) as u32)
            .dispatch("potentials", bins.to_array());
        let run = clean(&cutcp::potentials::kernel(), launch);
        let size = bins * 4;
        let potential = |i: u32| -> f32 {
            let place = UVec3::new(i % size.x, i / size.x % size.y, i / size.x / size.y);
            let of = |atom: &Vec4| -> f32 {
                let distance = atom.truncate().distance(place.as_vec3());
                atom.w / distance * (1.0 - (distance / 3.5).powi(2)).max(0.0).powi(2)
            };
            atoms.iter().map(of).sum()
        };
        let expected: Vec<f32> = (0..size.element_product()).map(potential).collect();
        assert_close(&run.read::<f32>("lattice"), &expected, 1e-4);
    }

    #[test]
    fn potentials_are_those_of_all_atoms_near() {
        let bins = UVec3::new(3, 2, 2);
        holds(&atoms(40, extent(bins)), bins);
    }

    #[test]
    fn a_bin_may_be_too_full() {
        holds(&atoms(11, Vec3::splat(3.9)), UVec3::new(2, 1, 1));
    }

    #[test]
    fn a_single_bin_spills_a_single_atom() {
        holds(&atoms(5, Vec3::splat(3.9)), UVec3::ONE);
    }

    #[test]
    fn a_lone_atom_is_felt_nearby() {
        holds(&[Vec4::new(5.5, 1.5, 2.5, -1.0)], UVec3::new(4, 1, 1));
    }

    #[test]
    fn a_bin_must_not_be_fetched_over_one_in_use() {
        let full = vec![4u32; 2];
        let slots = atoms(8, extent(UVec3::new(2, 1, 1)));
        let launch = Launch::new()
            .workgroups([2, 1, 1])
            .buffer("filled", &full)
            .buffer("slots", &slots)
            .zeros("lattice", 128);
        racy(&cutcp::racy::kernel(), launch, include_str!("cutcp.rs"));
    }
}
