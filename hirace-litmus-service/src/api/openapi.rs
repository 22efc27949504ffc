//! The OpenAPI description of the API.

use axum::http::header;
use axum::response::IntoResponse;

/// The description, in OpenAPI 3.1.
pub const TEXT: &str = include_str!("../../openapi.json");

/// Returns the description.
pub async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], TEXT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api;
    use serde_json::{Map, Value};
    use std::collections::BTreeSet;
    use std::fs;

    const SCHEMAS: [&str; 4] = [
        "hirace.litmus-1",
        "hirace.litmus-tests-1",
        "hirace.litmus-analysis-1",
        "hirace.litmus-service-1",
    ];

    /// Returns the hand-written part with the schemas of the types.
    fn whole() -> String {
        let base = include_str!("../../openapi.base.json");
        let mut whole: Value = serde_json::from_str(base).unwrap();
        let mut schemas = Map::new();
        for name in SCHEMAS {
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema");
            let text = fs::read_to_string(format!("{root}/{name}.schema.json")).unwrap();
            for (name, part) in parts(&text, &schemas) {
                let known = schemas.insert(name.clone(), part.clone());
                assert!(known.is_none_or(|known| known == part), "two types are named {name}");
            }
        }
        schemas.remove("Messages");
        schemas.sort_keys();
        whole["components"]["schemas"] = schemas.into();
        serde_json::to_string_pretty(&whole).unwrap() + "\n"
    }

    /// Returns the types of a schema by name. If another type has the same name, the name is qualified.
    fn parts(text: &str, known: &Map<String, Value>) -> Vec<(String, Value)> {
        let place = |name: &str| format!("\"#/components/schemas/{name}\"");
        let schema: Value = serde_json::from_str(text).unwrap();
        let title = schema["title"].as_str().unwrap().to_owned();
        let mut text = text.to_owned();
        let mut names = Vec::new();
        for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
            let is_another =
                known.get(name).is_some_and(|known| known["properties"] != part["properties"]);
            let own = if is_another { format!("{title}{name}") } else { name.clone() };
            text = text.replace(&format!("\"#/$defs/{name}\""), &place(&own));
            names.push((name.clone(), own));
        }
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        let fields = schema.as_object_mut().unwrap();
        fields.remove("$schema");
        let mut defined = fields.remove("$defs").unwrap_or_default();
        let named = names.into_iter().map(|(name, own)| (own, defined[&name].take()));
        let mut all: Vec<_> = named.collect();
        all.push((title, schema));
        all
    }

    #[test]
    fn the_description_that_is_checked_in_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        hirace_testing::assert_up_to_date(path, &whole());
    }

    #[test]
    fn it_describes_what_is_answered_and_nothing_else() {
        let described: Value = serde_json::from_str(TEXT).unwrap();
        let methods = ["get", "post", "put", "delete", "patch"];
        let described: BTreeSet<(String, String)> = described["paths"]
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(path, of)| {
                let of = of.as_object().unwrap();
                let named = of.keys().filter(|key| methods.contains(&key.as_str()));
                named.map(|method| (path.clone(), method.clone())).collect::<Vec<_>>()
            })
            .collect();
        let routes = api::routes();
        let answered: BTreeSet<(String, String)> = routes
            .iter()
            .flat_map(|route| {
                route.methods.iter().map(|method| (route.path.to_owned(), (*method).to_owned()))
            })
            .collect();
        assert_eq!(described, answered);
    }

    /// All references resolve.
    #[test]
    fn references_lead_somewhere() {
        fn references<'a>(of: &'a Value, found: &mut Vec<&'a str>) {
            match of {
                Value::Object(fields) => {
                    found.extend(fields.get("$ref").and_then(Value::as_str));
                    fields.values().for_each(|value| references(value, found));
                }
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                _ => {}
            }
        }
        let described: Value = serde_json::from_str(TEXT).unwrap();
        let mut found = Vec::new();
        references(&described, &mut found);
        assert!(found.len() > 20);
        for reference in found {
            let place = reference.strip_prefix('#').unwrap();
            assert!(described.pointer(place).is_some(), "{reference}");
        }
    }
}
