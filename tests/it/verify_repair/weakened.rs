//! Tests of correct models in which one or two orders or scopes are weakened at random: the repair verifies, and is minimal: no
//! part of it can be left out or weakened.

use super::models::model;
use super::{applies, json as parsed, repaired, verified, with_edits};
use hirace_core::random::Random;
use hirace_testing::{options, sample_size};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// An algorithm: its parameters, its body with a `$` at each order or scope that can be weakened, and the number of workgroups
/// in which it runs.
struct Algorithm {
    parameters: &'static str,
    body: &'static str,
    says: &'static [OrderKind],
    workgroups: &'static str,
}

/// The kind of order or scope at a `$`.
#[derive(Clone, Copy)]
enum OrderKind {
    /// The order of a load.
    Loads,
    /// The order of a store.
    Stores,
    /// The order of an update that has to acquire.
    Takes,
    /// The order of an update that has to release.
    Gives,
    /// A fence that has to acquire, or to release.
    FenceAfter,
    FenceBefore,
    /// The scope of an atomic, or nothing.
    Within,
}

impl OrderKind {
    /// Returns the sufficient texts.
    fn strong(self) -> &'static [&'static str] {
        match self {
            Self::Loads => &["Acquire", "SeqCst"],
            Self::Stores => &["Release", "SeqCst"],
            Self::Takes => &["Acquire", "AcqRel", "SeqCst"],
            Self::Gives => &["Release", "AcqRel", "SeqCst"],
            Self::FenceAfter => &["fence(Acquire)", "fence(AcqRel)"],
            Self::FenceBefore => &["fence(Release)", "hirace::fence(SeqCst, Scope::Device)"],
            Self::Within => &["", ".within(Scope::Device)", ".within(Scope::QueueFamily)"],
        }
    }

    /// Returns the insufficient texts.
    fn weak(self) -> &'static [&'static str] {
        match self {
            Self::Loads | Self::Stores => &["Relaxed"],
            Self::Takes => &["Relaxed", "Release"],
            Self::Gives => &["Relaxed", "Acquire"],
            Self::FenceAfter => &["fence(Release)", "hirace::fence(Acquire, Scope::Workgroup)"],
            Self::FenceBefore => &["fence(Acquire)", "hirace::fence(AcqRel, Scope::Workgroup)"],
            Self::Within => &[".within(Scope::Workgroup)", ".within(Scope::Subgroup)"],
        }
    }
}

const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        parameters: "lock: &AtomicU32, count: &mut u32",
        body: "
        while lock$.compare_exchange(0, 1, $, Relaxed).is_err() {}
        *count += 1;
        lock$.store(0, $);",
        says: &[OrderKind::Within, OrderKind::Takes, OrderKind::Within, OrderKind::Stores],
        workgroups: "3",
    },
    Algorithm {
        parameters: "lock: &AtomicU32, count: &mut u32",
        body: "
        while lock$.swap(1, Relaxed) == 1 {}
        $;
        *count += 1;
        $;
        lock$.store(0, Relaxed);",
        says: &[
            OrderKind::Within,
            OrderKind::FenceAfter,
            OrderKind::FenceBefore,
            OrderKind::Within,
        ],
        workgroups: "2",
    },
    Algorithm {
        parameters: "next: &AtomicU32, served: &AtomicU32, count: &mut u32",
        body: "
        let ticket = next$.fetch_add(1, Relaxed);
        while served$.load($) != ticket {}
        *count += 1;
        served$.fetch_add(1, $);",
        says: &[
            OrderKind::Within,
            OrderKind::Within,
            OrderKind::Loads,
            OrderKind::Within,
            OrderKind::Gives,
        ],
        workgroups: "3",
    },
    Algorithm {
        parameters: "first: &AtomicU32, second: &AtomicU32, data: &mut u32",
        body: "
        if group.x == 0 {
            *data = 1;
            first$.store(1, $);
        } else if group.x == 1 {
            if first$.load($) == 1 {
                second$.store(1, $);
            }
        } else if second$.load($) == 1 {
            assert!(*data == 1);
        }",
        says: &[
            OrderKind::Within,
            OrderKind::Stores,
            OrderKind::Within,
            OrderKind::Loads,
            OrderKind::Within,
            OrderKind::Stores,
            OrderKind::Within,
            OrderKind::Loads,
        ],
        workgroups: "3",
    },
];

pub fn what_was_weakened_is_repaired(folder: &Path) -> Result<(), Failed> {
    let mut random = Random::new(5 + options().seed);
    for number in 0..sample_size(12, 400) as usize {
        let Algorithm { parameters, body, says, workgroups } =
            ALGORITHMS[number % ALGORITHMS.len()];
        let weakened = [(); 2].map(|()| random.below(says.len()));
        let mut pieces = body.split('$');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for (index, (says, piece)) in says.iter().zip(pieces).enumerate() {
            let ways = if weakened.contains(&index) { says.weak() } else { says.strong() };
            text += ways[random.below(ways.len())];
            text += piece;
        }
        let text = model("Ordering::*, fence", parameters, &text);
        let flags = ["--model", "scoped-rc11", "--workgroups", workgroups];
        let repair = repaired(folder, "it.rs", &text, &flags)?;
        assert_eq!(repair["verified"].as_bool(), Some(true), "{text}{repair}");
        applies(folder, "it.rs", &text, &repair, &flags)?;
        let edits = repair["edits"].as_array().ok_or("edits")?;
        if weakened[0] == weakened[1] {
            assert_eq!(edits.len(), 1, "{text}{repair}");
        }
        for (at, edit) in edits.iter().enumerate() {
            for less in less(edit) {
                let mut edits = edits.clone();
                edits[at]["insert"] = less;
                let text = with_edits(&text, &json!({ "edits": edits }));
                fs::write(folder.join("it.rs"), &text)?;
                let json = parsed(&verified(folder, "it.rs", &flags))?;
                assert_ne!(json["verdict"].as_str(), Some("verified"), "{text}{repair}");
            }
        }
    }
    Ok(())
}

/// Returns the weaker replacements of an edit: the original text, and the orders between the two.
fn less(edit: &Value) -> Vec<Value> {
    let between: &[&str] = match ["remove", "insert"].map(|key| edit[key].as_str().unwrap_or("")) {
        ["Relaxed", "AcqRel"] => &["Acquire", "Release"],
        ["Relaxed", "SeqCst"] => &["Acquire", "Release", "AcqRel"],
        ["Acquire" | "Release", "SeqCst"] => &["AcqRel"],
        _ => &[],
    };
    between.iter().map(|order| json!(order)).chain([edit["remove"].clone()]).collect()
}
