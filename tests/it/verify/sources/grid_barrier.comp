// A barrier of the whole grid (Xiao and Feng, «Inter-block GPU communication via fast barrier synchronization», 2010):
// the first of each workgroup says that it has arrived, workgroup 0 waits for all of them and lets them go.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#ifndef GIVE
#define GIVE gl_StorageSemanticsBuffer, gl_SemanticsRelease
#endif
#ifndef TAKE
#define TAKE gl_StorageSemanticsBuffer, gl_SemanticsAcquire
#endif
#ifndef GATHER
#define GATHER memoryBarrierBuffer(); barrier()
#endif
#ifndef BETWEEN
#define BETWEEN GATHER
#endif
#ifndef SIZE
#define SIZE 2
#endif
layout(local_size_x = SIZE) in;
layout(std430, binding = 0) buffer Arrived { uint arrived[]; };
layout(std430, binding = 1) buffer Go { uint go[]; };
layout(std430, binding = 2) buffer Data { uint data[]; };
layout(std430, binding = 3) buffer Seen { uint seen[]; };

void main() {
    uint workgroup = gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
    data[gl_GlobalInvocationID.x] = 1u;

    GATHER;
    if (lane == 0u) {
        atomicStore(arrived[workgroup], 1u, gl_ScopeDevice, GIVE);
    }
    if (workgroup == 0u) {
        for (uint i = lane; i < gl_NumWorkGroups.x; i += SIZE) {
            while (atomicLoad(arrived[i], gl_ScopeDevice, TAKE) == 0u) {}
        }
        BETWEEN;
        for (uint i = lane; i < gl_NumWorkGroups.x; i += SIZE) {
            atomicStore(go[i], 1u, gl_ScopeDevice, GIVE);
        }
    }
    if (lane == 0u) {
        while (atomicLoad(go[workgroup], gl_ScopeDevice, TAKE) == 0u) {}
    }
    GATHER;

    // What the next workgroup wrote.
    uint next = (gl_GlobalInvocationID.x + SIZE) % (gl_NumWorkGroups.x * SIZE);
    seen[gl_GlobalInvocationID.x] = data[next];
}
