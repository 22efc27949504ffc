//! Access to parameters by name.

use super::Parameters;
use serde_json::{Map, Value};

impl Parameters {
    /// Returns the names of all parameters.
    pub fn names() -> Vec<String> {
        let all = super::Preset::Basic.parameters();
        all.by_name().into_iter().map(|(name, _)| name).chain(["iterations".to_owned()]).collect()
    }

    /// Returns the parameters with one value changed, or `None` if there is no parameter of this name.
    pub fn with(&self, name: &str, value: u32) -> Option<Self> {
        let mut all = self.by_name();
        all.insert(name.to_owned(), value.into());
        serde_json::from_value(all.into()).ok()
    }

    fn by_name(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(all)) => all,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Preset;

    #[test]
    fn each_is_changed_by_its_name_alone() {
        let basic = Preset::Basic.parameters();
        assert_eq!(Parameters::names().len(), 19);
        for name in Parameters::names() {
            let changed = basic.with(&name, 77).unwrap();
            let values = |of: &Parameters| of.by_name();
            let (before, after) = (values(&basic), values(&changed));
            let differ = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
            assert_eq!(differ.map(|(key, _)| key.as_str()).collect::<Vec<_>>(), [&name]);
        }
        assert_eq!(basic.with("stride", 1), None);
    }
}
