//! Checks JSON against the checked-in schemas, which have to describe all of it.

use crate::support::root;
use libtest_mimic::Failed;
use serde_json::Value;

/// Fails with the differences if results do not match the schema of this name: `hirace.mutate-1`.
pub fn is_of_schema(name: &str, results: &Value) -> Result<(), Failed> {
    let schema = read(&format!("{name}.schema.json"))?;
    Ok(holds(&schema, &schema, results, "results")?)
}

fn read(file: &str) -> Result<Value, String> {
    let text = std::fs::read_to_string(root().join("schema").join(file));
    let text = text.map_err(|error| format!("{file}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))
}

fn holds(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let words = schema.as_object().ok_or_else(|| format!("{at}: not a schema: {schema}"))?;
    let wrong = |what: &str| Err(format!("{at}: {what}: {value}"));
    let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
    for (word, says) in words {
        match word.as_str() {
            "$ref" => {
                let says = says.as_str().unwrap_or_default();
                let (file, path) = says.split_once('#').unwrap_or((says, ""));
                let other = if file.is_empty() { None } else { Some(read(file)?) };
                let root = other.as_ref().unwrap_or(root);
                let named = root.pointer(path).ok_or_else(|| format!("no {path}"))?;
                holds(root, named, value, at)?;
            }
            "type" => {
                let is = |name: &Value| match name.as_str() {
                    Some("object") => value.is_object(),
                    Some("array") => value.is_array(),
                    Some("string") => value.is_string(),
                    Some("integer") => value.is_i64() || value.is_u64(),
                    Some("number") => value.is_number(),
                    Some("boolean") => value.is_boolean(),
                    Some("null") => value.is_null(),
                    _ => false,
                };
                let names = says.as_array().cloned().unwrap_or_else(|| vec![says.clone()]);
                if !names.iter().any(is) {
                    return wrong(&format!("no {says}"));
                }
            }
            "required" => {
                for key in list(says) {
                    if value.get(key.as_str().unwrap_or_default()).is_none() {
                        return wrong(&format!("no {key}"));
                    }
                }
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    let at = format!("{at}.{key}");
                    let known = says.get(key).ok_or_else(|| format!("{at} is unknown"))?;
                    holds(root, known, value, &at)?;
                }
            }
            "items" if says.is_object() => {
                for (index, item) in list(value).iter().enumerate() {
                    holds(root, says, item, &format!("{at}[{index}]"))?;
                }
            }
            "prefixItems" => {
                for (index, (says, item)) in list(says).iter().zip(list(value)).enumerate() {
                    holds(root, says, &item, &format!("{at}[{index}]"))?;
                }
            }
            "anyOf" | "oneOf" => {
                let holding =
                    list(says).iter().filter(|one| holds(root, one, value, at).is_ok()).count();
                if holding == 0 || (word == "oneOf" && holding > 1) {
                    return wrong(&format!("{holding} of {word}"));
                }
            }
            "const" if value != says => return wrong(&format!("not {says}")),
            "enum" if !list(says).contains(value) => return wrong("not one of them"),
            // These keywords apply only to numbers.
            "minimum" | "maximum" if !value.is_number() => {}
            "minimum" if value.as_f64() < says.as_f64() => return wrong("too little"),
            "maximum" if value.as_f64() > says.as_f64() => return wrong("too much"),
            "minItems" if (list(value).len() as u64) < says.as_u64().unwrap_or(0) => {
                return wrong("too few");
            }
            "maxItems" if (list(value).len() as u64) > says.as_u64().unwrap_or(u64::MAX) => {
                return wrong("too many");
            }
            "const" | "enum" | "minimum" | "maximum" | "minItems" | "maxItems" | "items" => {}
            "$schema" | "$defs" | "title" | "description" | "format" | "default" => {}
            other => return Err(format!("unknown keyword in the schema: {other}")),
        }
    }
    Ok(())
}
