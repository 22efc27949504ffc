// The sites of word INDEX that this invocation came to, a bit each; and those of them that are noted.
var<private> hirace_came_INDEX: u32;
var<private> hirace_noted_INDEX: u32;

// It comes to these.
fn hirace_ran_INDEX(sites: u32) {
    hirace_came_INDEX |= sites;
}

// Notes them. That is done once for each of them, as what comes twice is taken for two invocations.
fn hirace_notes_INDEX() {
    hirace_note(hirace_tally_base + INDEXu, hirace_came_INDEX & ~hirace_noted_INDEX);
    hirace_noted_INDEX = hirace_came_INDEX;
}
