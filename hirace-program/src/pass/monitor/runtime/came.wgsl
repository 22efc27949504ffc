// The sites of word INDEX that this invocation came to, a bit each; and those of them that are noted.
var<private> hirace_INDEX_came: u32;
var<private> hirace_INDEX_noted: u32;

// It comes to these.
fn hirace_INDEX_ran(sites: u32) {
    hirace_INDEX_came |= sites;
}

// Notes them. That is done once for each of them, as what comes twice is taken for two invocations.
fn hirace_INDEX_notes() {
    hirace_note(hirace_tally_base + INDEXu, hirace_INDEX_came & ~hirace_INDEX_noted);
    hirace_INDEX_noted = hirace_INDEX_came;
}
