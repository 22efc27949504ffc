// The first of the words that say where the invocations of each workgroup came, or HIRACE_UNWATCHED.
override hirace_trail_base: u32;
// The barriers that this invocation came to, as a hash.
var<private> hirace_trail: u32;
// The calls that it is in, likewise.
var<private> hirace_calls: u32;

// The invocation comes to the barrier at `site`.
fn hirace_comes(site: u32) {
    hirace_trail = (hirace_trail + hirace_calls) * HIRACE_FACTOR + 2u * site + 1u;
}

// It calls at `site` what has barriers in it: to come to one by another call is to come to another.
fn hirace_calls_at(site: u32) {
    hirace_calls = hirace_calls * HIRACE_FACTOR + 2u * site + 1u;
}

// And is back.
fn hirace_is_back(site: u32) {
    hirace_calls = (hirace_calls - (2u * site + 1u)) * HIRACE_INVERSE;
}

// It is done.
fn hirace_ends() {
    if hirace_trail_base == HIRACE_UNWATCHED {
        return;
    }
    let at = hirace_trail_base + hirace_workgroup * HIRACE_TRAIL;
    if atomicLoad(&hirace_shadow[at + HIRACE_GREATEST]) < hirace_trail {
        atomicMax(&hirace_shadow[at + HIRACE_GREATEST], hirace_trail);
    }
    if atomicLoad(&hirace_shadow[at + HIRACE_LEAST]) < ~hirace_trail {
        atomicMax(&hirace_shadow[at + HIRACE_LEAST], ~hirace_trail);
    }
    atomicAdd(&hirace_shadow[at + HIRACE_ENDED], 1u);
}
