//! The names of the tests in the published results of MC Mutants and GPUHarbor.

/// A test and one of its published names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedName {
    /// The published name.
    pub published: String,
    /// The name in this crate.
    pub name: String,
    /// Whether the published name means that a dispatch ran a single instance.
    pub single_instance: bool,
}

/// The names of the tests with four events: in the results of MC Mutants, in those of GPUHarbor, and in this crate. The
/// flag is set for tests that have read-modify-writes because their fences would not synchronize otherwise.
const FOUR: [(&str, &str, &str, bool); 6] = [
    ("Message Passing", "messagePassing", "mp", false),
    ("Load Buffer", "loadBuffer", "lb", false),
    ("Store", "store", "s", false),
    ("Read", "read", "r", true),
    ("Store Buffer", "storeBuffer", "sb", true),
    ("2+2 Write", "twoPlusTwoWrite", "2+2w", true),
];

/// The number in published names, and the suffix of this crate's name. Published names number the fences from the
/// second thread, and this crate's name has the number of the thread that keeps its fence.
const FENCES: [(&str, &str); 2] = [("1", "fence-1"), ("2", "fence-0")];

/// Returns all published names.
pub fn all() -> Vec<PublishedName> {
    let entry = |published: String, name: String, single_instance| PublishedName {
        published,
        name,
        single_instance,
    };
    let mut all = Vec::new();
    for (artifact, harbor, ours, updates) in FOUR {
        let (update, rmw) = if updates { (" RMW", "RMW") } else { ("", "") };
        let fenced = if updates { format!("{ours}-rmw") } else { ours.to_owned() };
        let plain = if updates { " RMW" } else { " Default" };
        let variant = if updates { " Barrier" } else { " Barrier Variant" };
        all.extend([
            entry(format!("{artifact}{plain}"), format!("{fenced}-no-fence"), false),
            entry(format!("{artifact}{update}{variant}"), format!("{fenced}-fences"), false),
            entry(format!("{artifact} Coherency"), format!("{ours}-two-locations"), false),
            entry(format!("{artifact} Coherency One-Loc"), format!("{ours}-one-location"), false),
            entry(
                format!("{artifact} Single Instance{update}"),
                format!("{fenced}-no-fence"),
                true,
            ),
            entry(
                format!("{artifact} Single Instance Coherency"),
                format!("{ours}-two-locations"),
                true,
            ),
            entry(format!("{harbor}{rmw}"), format!("{fenced}-no-fence"), false),
            entry(format!("{harbor}{rmw}Barrier"), format!("{fenced}-fences"), false),
            entry(format!("{harbor}Coherency"), format!("{ours}-one-location"), false),
            entry(format!("{harbor}CoherencyTuning"), format!("{ours}-two-locations"), false),
        ]);
        if updates {
            // Published for Vulkan, without read-modify-writes.
            all.push(entry(format!("{artifact} Default"), format!("{ours}-two-locations"), false));
        }
        for (number, fence) in FENCES {
            let name = format!("{fenced}-{fence}");
            all.extend([
                entry(format!("{artifact}{update}{variant} {number}"), name.clone(), false),
                entry(
                    format!("{artifact} Single Instance{update} Barrier {number}"),
                    name.clone(),
                    true,
                ),
                entry(format!("{harbor}{rmw}Barrier{number}"), name, false),
            ]);
        }
    }
    for two in ["rr", "rw", "wr", "ww"] {
        let artifact = format!("{} Mutations", two.to_uppercase());
        for (rmw, ending, suffix) in [("", " Default", ""), ("-rmw", " RMW", "RMW")] {
            let (conformance, mutant) = (format!("{two}{rmw}"), format!("{two}{rmw}-reversed"));
            let single = if rmw.is_empty() { "" } else { ending };
            all.extend([
                entry(format!("Co{}{ending}", two.to_uppercase()), conformance.clone(), false),
                entry(format!("{artifact}{ending}"), mutant.clone(), false),
                entry(format!("{artifact} Single Instance{single}"), mutant.clone(), true),
                entry(format!("{two}{suffix}"), conformance, false),
                entry(format!("{two}{suffix}Mutant"), mutant, false),
            ]);
        }
    }
    all
}

/// Finds a test by its published name.
pub fn find(published: &str) -> Option<PublishedName> {
    all().into_iter().find(|test| test.published == published)
}

/// Returns the published names of a test.
pub fn of(name: &str) -> Vec<PublishedName> {
    all().into_iter().filter(|test| test.name == name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{Kind, Test};
    use std::collections::BTreeSet;

    /// All test names in the results of MC Mutants.
    const RESULTS: [&str; 67] = [
        "2+2 Write Coherency",
        "2+2 Write RMW",
        "2+2 Write RMW Barrier 1",
        "2+2 Write RMW Barrier 2",
        "2+2 Write Single Instance Coherency",
        "2+2 Write Single Instance RMW",
        "2+2 Write Single Instance RMW Barrier 1",
        "2+2 Write Single Instance RMW Barrier 2",
        "CoRR Default",
        "Load Buffer Barrier Variant 1",
        "Load Buffer Barrier Variant 2",
        "Load Buffer Coherency",
        "Load Buffer Default",
        "Load Buffer Single Instance",
        "Load Buffer Single Instance Barrier 1",
        "Load Buffer Single Instance Barrier 2",
        "Load Buffer Single Instance Coherency",
        "Message Passing Barrier Variant",
        "Message Passing Barrier Variant 1",
        "Message Passing Barrier Variant 2",
        "Message Passing Coherency",
        "Message Passing Coherency One-Loc",
        "Message Passing Default",
        "Message Passing Single Instance",
        "Message Passing Single Instance Barrier 1",
        "Message Passing Single Instance Barrier 2",
        "Message Passing Single Instance Coherency",
        "RR Mutations Default",
        "RR Mutations RMW",
        "RR Mutations Single Instance",
        "RR Mutations Single Instance RMW",
        "RW Mutations Default",
        "RW Mutations RMW",
        "RW Mutations Single Instance",
        "RW Mutations Single Instance RMW",
        "Read Coherency",
        "Read RMW",
        "Read RMW Barrier 1",
        "Read RMW Barrier 2",
        "Read Single Instance Coherency",
        "Read Single Instance RMW",
        "Read Single Instance RMW Barrier 1",
        "Read Single Instance RMW Barrier 2",
        "Store Barrier Variant 1",
        "Store Barrier Variant 2",
        "Store Buffer Coherency",
        "Store Buffer RMW",
        "Store Buffer RMW Barrier 1",
        "Store Buffer RMW Barrier 2",
        "Store Buffer Single Instance Coherency",
        "Store Buffer Single Instance RMW",
        "Store Buffer Single Instance RMW Barrier 1",
        "Store Buffer Single Instance RMW Barrier 2",
        "Store Coherency",
        "Store Default",
        "Store Single Instance",
        "Store Single Instance Barrier 1",
        "Store Single Instance Barrier 2",
        "Store Single Instance Coherency",
        "WR Mutations Default",
        "WR Mutations RMW",
        "WR Mutations Single Instance",
        "WR Mutations Single Instance RMW",
        "WW Mutations Default",
        "WW Mutations RMW",
        "WW Mutations Single Instance",
        "WW Mutations Single Instance RMW",
    ];

    fn find_test(name: &str) -> Test {
        crate::test::all().into_iter().find(|test| test.name == name).expect(name)
    }

    #[test]
    fn each_name_in_the_results_maps_to_a_test_and_back() {
        let mut mutants = BTreeSet::new();
        for published in RESULTS {
            let found = find(published).unwrap_or_else(|| panic!("no test {published}"));
            assert_eq!(found.single_instance, published.contains("Single Instance"));
            let test = find_test(&found.name);
            assert!(of(&found.name).contains(&found), "{published}");
            match test.kind {
                Kind::Mutant { .. } => drop(mutants.insert((found.name, found.single_instance))),
                _ => assert!(
                    [
                        "CoRR Default",
                        "Message Passing Barrier Variant",
                        "Message Passing Coherency One-Loc"
                    ]
                    .contains(&published),
                    "{published}"
                ),
            }
        }
        assert_eq!(mutants.len(), 64, "each of the 32 mutants has results in both layouts");
    }

    #[test]
    fn each_published_name_maps_to_one_test() {
        let all = all();
        let names: BTreeSet<&str> = all.iter().map(|test| test.published.as_str()).collect();
        assert_eq!(names.len(), all.len());
        for test in &all {
            assert_eq!(find_test(&test.name).name, test.name);
        }
    }

    #[test]
    fn each_of_the_52_tests_has_a_name_in_gpuharbor() {
        let camel = |test: &PublishedName| !test.published.contains(' ');
        let names: BTreeSet<String> =
            all().into_iter().filter(camel).map(|test| test.name).collect();
        let generated = crate::test::all().into_iter().filter(|test| test.mutator.is_some());
        assert_eq!(names, generated.map(|test| test.name).collect());
    }

    #[test]
    fn the_published_number_selects_the_thread_with_a_fence() {
        let tests =
            [("messagePassingBarrier1", [false, true]), ("messagePassingBarrier2", [true, false])];
        for (published, fences) in tests {
            let test = find_test(&find(published).expect(published).name);
            let is_fence = |action: &crate::test::Action| *action == crate::test::Action::Fence;
            let has_fence: Vec<bool> =
                test.threads.iter().map(|actions| actions.iter().any(is_fence)).collect();
            assert_eq!(has_fence, fences, "{published}");
        }
    }
}
