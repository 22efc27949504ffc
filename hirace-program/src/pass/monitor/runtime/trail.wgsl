// The first word of the trail records, one for each workgroup, or HIRACE_NONE.
override hirace_trails_start: u32;
// The trail of this invocation: a hash of the barriers that it has reached.
var<private> hirace_trail: u32;
// A hash of the calls that this invocation is in.
var<private> hirace_calls: u32;

// Adds the barrier at `site` to the trail, before the invocation waits there.
fn hirace_enter_barrier(site: u32) {
    hirace_trail = (hirace_trail + hirace_calls) * HIRACE_TRAIL_FACTOR + 2u * site + 1u;
}

// Adds the call at `site`, of a function that contains barriers, to the current calls. The same barrier in different calls counts
// as different barriers.
fn hirace_enter_call(site: u32) {
    hirace_calls = hirace_calls * HIRACE_TRAIL_FACTOR + 2u * site + 1u;
}

// Removes the call at `site` from the current calls.
fn hirace_leave_call(site: u32) {
    hirace_calls = (hirace_calls - (2u * site + 1u)) * HIRACE_TRAIL_INVERSE;
}

// Merges the trail into the record of the workgroup when the invocation ends.
fn hirace_record_trail() {
    if hirace_trails_start == HIRACE_NONE {
        return;
    }
    let at = hirace_trails_start + hirace_workgroup * HIRACE_TRAIL_SIZE;
    if atomicLoad(&hirace_shadow[at + HIRACE_MAX_TRAIL]) < hirace_trail {
        atomicMax(&hirace_shadow[at + HIRACE_MAX_TRAIL], hirace_trail);
    }
    if atomicLoad(&hirace_shadow[at + HIRACE_INVERTED_MIN_TRAIL]) < ~hirace_trail {
        atomicMax(&hirace_shadow[at + HIRACE_INVERTED_MIN_TRAIL], ~hirace_trail);
    }
    atomicAdd(&hirace_shadow[at + HIRACE_ENDED], 1u);
}
