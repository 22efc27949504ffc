// The same within a workgroup: the message is in shared memory, the flag in a buffer.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#ifndef CLASSES
#define CLASSES gl_StorageSemanticsBuffer | gl_StorageSemanticsShared
#endif
#ifndef SCOPE
#define SCOPE gl_ScopeWorkgroup
#endif
layout(local_size_x = 2) in;
layout(std430, binding = 0) buffer Flag { uint flag; };
layout(std430, binding = 1) buffer Seen { uint seen; };
shared uint message;

void main() {
    if (gl_LocalInvocationIndex == 0u) {
        message = 7u;
        atomicStore(flag, 1u, SCOPE, CLASSES, gl_SemanticsRelease);
    } else {
        while (atomicLoad(flag, SCOPE, CLASSES, gl_SemanticsAcquire) == 0u) {}
        seen = message;
    }
}
