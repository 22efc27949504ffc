//! Each vertex follows its parents to the last one, and makes that its parent.
#[hirace::monitor]
pub mod path_compression {
    use hirace::prelude::*;

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] grid: UVec3, //~ persistent
        #[uniform] vertices: u32,
        data1: &mut [Data],
        data2: &mut [Data], //~ traverse
    ) {
        for i in (id.x..vertices).step_by(64 * grid.x) { //~ persistent
        let i = id.x; //~ !persistent
        if i < vertices { //~ !persistent
            let mut vertex = i as Data;
            let mut parent = atomic_load(&mut data1[i]); //~ !raceBug,!traverse
            let mut parent = data1[i]; //~ raceBug
            let mut parent = data1[i]; //~ traverse
            while vertex > parent {
                vertex = parent;
                parent = atomic_load(&mut data1[vertex as u32]); //~ !raceBug,!traverse
                parent = data1[vertex as u32]; //~ raceBug
                parent = data1[vertex as u32]; //~ traverse
            }
            atomic_store(&mut data1[i], vertex); //~ !raceBug,!traverse
            data1[i] = vertex; //~ raceBug
            data2[i] = vertex; //~ traverse
        }
    }
}
