//! Campaigns that many work on: by name, with all that they need written out, so that whoever works on one runs the same.

use super::Campaign;
use crate::environment::{Permutation, Recipe};
use crate::results::{Environment, Settings, Verb};
use crate::test::{self, Specification, Test};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;

/// A campaign that somebody proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Proposed {
    /// What it is to be called: lower-case letters, digits and hyphens.
    pub name: String,
    /// What its results say was done.
    #[serde(default = "tune")]
    pub verb: Verb,
    /// Its tests by name; all, conformance, mutants and observations are all of a kind.
    pub tests: Vec<String>,
    /// Its environments.
    pub environments: Environments,
    /// How much of each is run.
    pub settings: HowMuch,
    /// The version of the specification that judges.
    #[serde(default)]
    pub specification: Specification,
    /// How many seconds each device may run in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
}

fn tune() -> Verb {
    Verb::Tune
}

/// How much of each test in each environment is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HowMuch {
    /// What differs between dispatches is drawn by this.
    pub seed: String,
    /// The most dispatches.
    pub iterations: u32,
    /// The most seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// Environments that are drawn, or a list of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Environments {
    /// By what they are drawn from.
    Drawn(Recipe),
    /// As they are.
    Listed(Vec<Environment>),
}

impl<'de> Deserialize<'de> for Environments {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Either)
    }
}

/// Reads either, so that what is wrong in it is named.
struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Environments;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of environments, or what they are drawn from")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Environments, A::Error> {
        Recipe::deserialize(MapAccessDeserializer::new(map)).map(Environments::Drawn)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Environments, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Environments::Listed)
    }
}

/// A campaign that was announced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Announced {
    /// What it is called.
    pub name: String,
    /// What its results say was done.
    pub verb: Verb,
    /// Its tests by name.
    pub tests: Vec<String>,
    /// Its environments.
    pub environments: Vec<Environment>,
    /// How much of each is run.
    pub settings: Settings,
    /// The version of the specification that judges.
    pub specification: Specification,
    /// How many seconds each device may run in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
}

/// Why there can be no such campaign.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{at}: {why}")]
pub struct NotAnnounced {
    /// Where.
    pub at: &'static str,
    /// What is wrong.
    pub why: String,
}

/// The most pieces of a campaign.
const MOST_PIECES: usize = 100_000;

/// The most environments of a campaign: all are written out.
const MOST_ENVIRONMENTS: usize = 10_000;

/// The most seconds of a piece.
const MOST_SECONDS: f64 = 86_400.0;

/// The most dispatches of a piece.
const MOST_ITERATIONS: u32 = 1_000_000;

/// The longest name.
const MOST_NAME: usize = 64;

fn refused<T>(at: &'static str, why: impl Into<String>) -> Result<T, NotAnnounced> {
    Err(NotAnnounced { at, why: why.into() })
}

fn is_name(name: &str) -> bool {
    let is_letter =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    (1..=MOST_NAME).contains(&name.len()) && name.chars().all(is_letter)
}

impl Proposed {
    /// With all that it means written out.
    ///
    /// # Errors
    /// Some of it cannot be.
    pub fn announced(self) -> Result<Announced, NotAnnounced> {
        if !is_name(&self.name) {
            let why =
                format!("it has to be up to {MOST_NAME} lower-case letters, digits and hyphens");
            return refused("name", why);
        }
        let tests = tests_of(&self.tests, self.specification)?;
        let environments: Vec<Environment> = match self.environments {
            Environments::Listed(environments) => environments,
            Environments::Drawn(recipe) => match recipe.out_of_range() {
                Some(wrong) => {
                    let why = format!("`{}`: {wrong}", wrong.name);
                    return refused("environments", why);
                }
                None => recipe.environments().collect(),
            },
        };
        if environments.len() > MOST_ENVIRONMENTS {
            let why = format!("they are {}: {MOST_ENVIRONMENTS} at most", environments.len());
            return refused("environments", why);
        }
        match tests.len().saturating_mul(environments.len()) {
            0 => return refused("environments", "there are none"),
            1..=MOST_PIECES => {}
            more => {
                let why = format!("with the tests they are {more} pieces: {MOST_PIECES} at most");
                return refused("environments", why);
            }
        }
        for (at, environment) in environments.iter().enumerate() {
            if let Err(unsuitable) = environment.parameters.check(u32::MAX, u32::MAX) {
                return refused("environments", format!("the one of number {at}: {unsuitable}"));
            }
        }
        let HowMuch { seed, iterations, seconds } = self.settings;
        if seed.len() > MOST_NAME {
            return refused("settings.seed", format!("it is over {MOST_NAME} bytes long"));
        }
        if !(1..=MOST_ITERATIONS).contains(&iterations) {
            let why = format!("it has to be from 1 to {MOST_ITERATIONS}");
            return refused("settings.iterations", why);
        }
        if !seconds.is_none_or(|seconds| seconds > 0.0 && seconds <= MOST_SECONDS) {
            return refused("settings.seconds", "it has to be above 0, up to a day");
        }
        if !self.budget.is_none_or(|budget| budget > 0.0 && budget.is_finite()) {
            return refused("budget", "it has to be above 0");
        }
        Ok(Announced {
            name: self.name,
            verb: self.verb,
            tests: tests.into_iter().map(|test| test.name).collect(),
            environments,
            settings: Settings { seed, iterations, seconds, permutation: Permutation::DEFAULT },
            specification: self.specification,
            budget: self.budget,
        })
    }
}

fn tests_of(names: &[String], judge: Specification) -> Result<Vec<Test>, NotAnnounced> {
    let all = test::all();
    let mut seen = BTreeSet::new();
    let mut tests = Vec::new();
    for name in names {
        let meant = test::named(name, &all, judge);
        if meant.is_empty() {
            return refused("tests", format!("no test is called `{name}`"));
        }
        tests.extend(meant.into_iter().filter(|test| seen.insert(test.name.clone())));
    }
    if tests.is_empty() { refused("tests", "there are none") } else { Ok(tests) }
}

impl Announced {
    /// How many pieces it has: piece `n` is test `n % tests` in environment `n / tests`.
    pub fn pieces(&self) -> usize {
        self.tests.len() * self.environments.len()
    }

    /// What is to be run; nothing if it is of tests that are not known here.
    pub fn campaign(&self) -> Option<Campaign> {
        let all = test::all();
        let known = |name: &String| all.iter().find(|test| test.name == *name).cloned();
        let tests: Vec<Test> = self.tests.iter().map(known).collect::<Option<_>>()?;
        Some(Campaign {
            verb: self.verb,
            pieces: Campaign::product(tests.len(), self.environments.len()),
            tests,
            environments: self.environments.clone(),
            settings: self.settings.clone(),
            specification: self.specification,
            shard: None,
            budget: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn proposal() -> Value {
        json!({
            "name": "first-round",
            "tests": ["mutants", "rr", "rr-reversed"],
            "environments": {"seed": "rbjnMzXroA", "number": 3, "maxWorkgroups": 32, "maxWorkgroupSize": 32},
            "settings": {"seed": "hirace", "iterations": 50},
        })
    }

    fn announced(proposal: Value) -> Result<Announced, NotAnnounced> {
        serde_json::from_value::<Proposed>(proposal).unwrap().announced()
    }

    #[test]
    fn what_is_proposed_is_written_out() {
        let announced = announced(proposal()).unwrap();
        assert_eq!((announced.tests.len(), announced.environments.len()), (33, 3));
        assert_eq!(announced.environments[0].parameters.testing_workgroups, 18);
        let campaign = announced.campaign().unwrap();
        assert_eq!(campaign.pieces.len(), announced.pieces());
        let written = serde_json::to_string(&announced).unwrap();
        assert_eq!(serde_json::from_str::<Announced>(&written).unwrap(), announced);
    }

    #[test]
    fn environments_may_be_listed() {
        let listed = announced(proposal()).unwrap().environments;
        let mut proposal = proposal();
        proposal["environments"] = serde_json::to_value(&listed).unwrap();
        assert_eq!(announced(proposal).unwrap().environments, listed);
    }

    #[test]
    fn what_cannot_be_is_refused_where_it_stands() {
        let changes = [
            ("name", json!("First Round"), "name"),
            ("name", json!(""), "name"),
            ("tests", json!([]), "tests"),
            ("tests", json!(["no-such-test"]), "tests"),
            ("environments", json!([]), "environments"),
            ("environments", json!({"seed": "s", "number": 100_001}), "environments"),
            ("environments", json!({"seed": "s", "number": 10_001}), "environments"),
            ("environments", json!({"seed": "s", "number": 9_000}), "environments"),
            ("environments", json!({"seed": "s", "maxWorkgroups": 1}), "environments"),
            ("settings", json!({"seed": "s", "iterations": 0}), "settings.iterations"),
            ("settings", json!({"seed": "s", "iterations": 1, "seconds": 0}), "settings.seconds"),
            (
                "settings",
                json!({"seed": "s", "iterations": 1, "seconds": 1e300}),
                "settings.seconds",
            ),
            ("budget", json!(-1), "budget"),
        ];
        for (key, value, at) in changes {
            let mut changed = proposal();
            changed[key] = value.clone();
            let refused = announced(changed).map_err(|refused| refused.at);
            assert_eq!(refused.map(|_| ()), Err(at), "{key}: {value}");
        }
    }
}
