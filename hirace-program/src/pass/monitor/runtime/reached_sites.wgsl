// The sites that this invocation has reached, as the bits of word INDEX of the tally.
var<private> hirace_INDEX_reached: u32;
// The sites that it has already added to the tally.
var<private> hirace_INDEX_recorded: u32;

// Marks sites of word INDEX as reached by this invocation.
fn hirace_INDEX_mark_reached(sites: u32) {
    hirace_INDEX_reached |= sites;
}

// Adds the reached sites of word INDEX to the tally, each only once, because a site that is added twice counts as reached by two
// invocations.
fn hirace_INDEX_record_reached() {
    hirace_add_to_tally(hirace_tally_start + INDEXu, hirace_INDEX_reached & ~hirace_INDEX_recorded);
    hirace_INDEX_recorded = hirace_INDEX_reached;
}
