// Checks an access to the granule `index`, and reports the granule if the access made it racy.
fn hirace_check_granule_NAME(
    base: u32, index: u32, action: u32, read_site: u32, site: u32, stamp: WORD,
) {
    let racy_site = hirace_NAME_update(base + index, stamp, action, read_site, site);
    if racy_site != HIRACE_NONE {
        REPORT;
    }
}

// Checks an access at `site` to `count` granules of LAYOUT memory, starting at `first`. The shadow words of the memory start at
// `base`. If `read_site` is another site, the check also covers an earlier read there.
fn hirace_check_NAME(
    base: u32, first: u32, count: u32, action: u32, read_site: u32, site: u32, stamp: WORD,
) {
    if count == 1u {
        hirace_iterations += 1u; // tally
        hirace_check_granule_NAME(base, first, action, read_site, site, stamp);
    } else {
        for (var i = 0u; i < count; i++) {
            hirace_iterations += 1u; // tally
            hirace_check_granule_NAME(base, first + i, action, read_site, site, stamp);
        }
    }
}
