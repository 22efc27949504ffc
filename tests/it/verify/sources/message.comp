// The first workgroup writes a message and sets a flag, the others wait for the flag and read the message.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#ifndef GIVE
#define GIVE gl_StorageSemanticsBuffer, gl_SemanticsRelease
#endif
#ifndef TAKE
#define TAKE gl_StorageSemanticsBuffer, gl_SemanticsAcquire
#endif
#ifndef BEFORE
#define BEFORE
#endif
#ifndef AFTER
#define AFTER
#endif
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Flag { uint flag; };
layout(std430, binding = 1) buffer Message { uint message; };
layout(std430, binding = 2) buffer Seen { uint seen[]; };

void main() {
    if (gl_WorkGroupID.x == 0u) {
        message = 7u;
        BEFORE;
        atomicStore(flag, 1u, gl_ScopeDevice, GIVE);
    } else {
        while (atomicLoad(flag, gl_ScopeDevice, TAKE) == 0u) {}
        AFTER;
        seen[gl_WorkGroupID.x] = message;
    }
}
