// How many barriers that order CLASS memory this invocation has passed.
var<private> hirace_CLASS_stamp: u32;

fn hirace_CLASS_barrier() {
    hirace_CLASS_stamp += 1u;
}
