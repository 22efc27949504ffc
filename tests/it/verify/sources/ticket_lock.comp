// A lock: who comes takes a number and waits until it is served.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#ifndef TAKE
#define TAKE gl_StorageSemanticsBuffer, gl_SemanticsAcquire
#endif
#ifndef GIVE
#define GIVE gl_StorageSemanticsBuffer, gl_SemanticsRelease
#endif
#ifndef SCOPE
#define SCOPE gl_ScopeDevice
#endif
#ifndef SIZE
#define SIZE 1
#endif
#define RELAXED gl_StorageSemanticsNone, gl_SemanticsRelaxed
layout(local_size_x = SIZE) in;
layout(std430, binding = 0) buffer Lock { uint next; uint serving; };
layout(std430, binding = 1) buffer Count { uint count; };

void main() {
    uint mine = atomicAdd(next, 1u, SCOPE, RELAXED);
    while (atomicLoad(serving, SCOPE, TAKE) != mine) {}
    count += 1u;
    atomicStore(serving, mine + 1u, SCOPE, GIVE);
}
