// A lock: a compare-exchange takes it, a store gives it back.
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
layout(std430, binding = 0) buffer Lock { uint taken; };
layout(std430, binding = 1) buffer Count { uint count; };

void main() {
    while (atomicCompSwap(taken, 0u, 1u, SCOPE, TAKE, RELAXED) != 0u) {}
    count += 1u;
    atomicStore(taken, 0u, SCOPE, GIVE);
}
