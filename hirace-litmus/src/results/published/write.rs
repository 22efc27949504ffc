//! Writing of results in the published form, for the tools that read it.

use super::{Entry, PublishedResults};
use serde::ser::{Serialize, SerializeMap, Serializer};

impl PublishedResults {
    /// Returns the text of the file.
    pub fn text(&self) -> String {
        // Serialization cannot fail: keys are text and numbers are finite.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Serialize for PublishedResults {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for entry in &self.entries {
            map.serialize_entry(&entry.number.to_string(), entry)?;
        }
        if let Some(platform) = &self.platform {
            map.serialize_entry("platformInfo", platform)?;
        }
        if let Some(seed) = &self.random_seed {
            map.serialize_entry("randomSeed", seed)?;
        }
        if let Some(user) = &self.user {
            map.serialize_entry("userInfo", user)?;
        }
        map.end()
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (name, run) in &self.runs {
            map.serialize_entry(name, run)?;
        }
        if let Some(parameters) = &self.parameters {
            map.serialize_entry("params", parameters)?;
        }
        map.end()
    }
}
