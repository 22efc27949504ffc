// Updates a shadow word of ARRAY for an access at `site`. If `read_site` is another site, the update also covers an earlier read
// there. Returns the site of the access that made the word racy, which the word then contains, or HIRACE_NONE.
fn hirace_NAME_update(at: u32, stamp: WORD, action: u32, read_site: u32, site: u32) -> u32 {
    var racy_site = HIRACE_NONE;
    var old = atomicLoad(&ARRAY[at]);
    // A device that executes both sides of a branch counts one iteration of the loop even if the loop is skipped.
    hirace_iterations += 1u; // tally
    if !hirace_LAYOUT_is_unchanged(old, stamp, action) {
        if (u32(stamp) & 31u) != 0u { // clocks
            hirace_record_unchecked(HIRACE_UNCHECKED_LAYOUT); // clocks
            return HIRACE_NONE; // clocks
        } // clocks
        loop {
            var updated = hirace_LAYOUT_next(old, stamp, action);
            var cause = HIRACE_NONE;
            if hirace_LAYOUT_is_racy(updated) {
                cause = site;
                if read_site != site && hirace_LAYOUT_is_racy(hirace_LAYOUT_next(old, stamp, HIRACE_READ)) {
                    cause = read_site;
                }
                updated = WORD(HIRACE_RACE) | (WORD(cause) << 5u);
            }
            let exchange = atomicCompareExchangeWeak(&ARRAY[at], old, updated);
            if exchange.exchanged {
                racy_site = cause;
                break;
            }
            hirace_iterations += 1u; // tally
            old = exchange.old_value;
            if hirace_LAYOUT_is_unchanged(old, stamp, action) {
                break;
            }
        }
    }
    return racy_site;
}
