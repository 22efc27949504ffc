// What there is to be said when the invocation is done: flags, and how many words it made racy that say so by themselves.
var<private> hirace_flags: u32;
var<private> hirace_unlogged: u32;

fn hirace_late() {
SCAN    if hirace_unlogged != 0u {
        atomicAdd(&hirace_shadow[HIRACE_UNLOGGED], hirace_unlogged);
    }
    if hirace_flags != 0u {
        atomicOr(&hirace_shadow[HIRACE_STOPPED], hirace_flags);
    }
}
