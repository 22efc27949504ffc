// Adds the sites that an invocation has reached to a word of the tally. Sites that the word already contains are added to the
// word for sites that two invocations have reached.
fn hirace_add_to_tally(at: u32, reached: u32) {
    let incomplete = reached & ~atomicLoad(&hirace_shadow[at + HIRACE_SITE_WORDS]);
    if incomplete != 0u {
        let reached_by_two = incomplete & atomicOr(&hirace_shadow[at], incomplete);
        if reached_by_two != 0u {
            atomicOr(&hirace_shadow[at + HIRACE_SITE_WORDS], reached_by_two);
        }
    }
}
