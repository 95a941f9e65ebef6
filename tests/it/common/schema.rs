//! JSON Schema, as much of it as our schemas use. An unknown keyword is a mistake of the schema, so nothing is passed
//! over in silence.

use serde_json::Value as Json;

/// Why a value does not fit a schema, with the place in the value; nothing if it fits.
pub fn flaw(schema: &Json, value: &Json) -> Option<String> {
    Schema { root: schema }.flaw(schema, value, "$")
}

struct Schema<'s> {
    root: &'s Json,
}

impl Schema<'_> {
    fn flaw(&self, schema: &Json, value: &Json, at: &str) -> Option<String> {
        let keywords = schema.as_object().expect("a schema is an object");
        keywords.iter().find_map(|(keyword, rule)| self.broken(keyword, rule, schema, value, at))
    }

    fn broken(&self, keyword: &str, rule: &Json, schema: &Json, value: &Json, at: &str) -> Option<String> {
        let number = || rule.as_u64().expect("a number") as usize;
        let any = |rule: &Json| rule.as_array().expect("a list").clone();
        let fits = |schema: &Json| self.flaw(schema, value, at).is_none();
        let holds = match keyword {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer = rule.as_str().and_then(|name| name.strip_prefix('#')).expect("a place in this schema");
                return self.flaw(self.root.pointer(pointer).expect("the place exists"), value, at);
            }
            "type" => match rule {
                Json::Array(kinds) => kinds.iter().any(|kind| is_of_type(value, kind)),
                kind => is_of_type(value, kind),
            },
            "const" => value == rule,
            "enum" => any(rule).contains(value),
            "minimum" => value.as_f64().is_none_or(|value| value >= rule.as_f64().expect("a number")),
            "minItems" => value.as_array().is_none_or(|items| items.len() >= number()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() <= number()),
            "oneOf" => any(rule).iter().filter(|schema| fits(schema)).count() == 1,
            "anyOf" => any(rule).iter().any(fits),
            "required" => {
                let missing = any(rule).into_iter().find(|name| value.get(name.as_str().expect("a name")).is_none());
                return missing.filter(|_| value.is_object()).map(|name| format!("{at}: no {name}"));
            }
            "items" => {
                let mut items = value.as_array().into_iter().flatten().enumerate();
                return items.find_map(|(index, item)| self.flaw(rule, item, &format!("{at}[{index}]")));
            }
            "properties" => {
                let mut rules = rule.as_object().expect("rules by name").iter();
                return rules.find_map(|(name, rule)| self.flaw(rule, value.get(name)?, &format!("{at}.{name}")));
            }
            "additionalProperties" => {
                let known = |name: &str| schema["properties"].get(name).is_some();
                let mut others = value.as_object().into_iter().flatten().filter(|(name, _)| !known(name));
                return others.find_map(|(name, value)| match rule {
                    Json::Bool(true) => None,
                    Json::Bool(false) => Some(format!("{at}: unknown field `{name}`")),
                    rule => self.flaw(rule, value, &format!("{at}.{name}")),
                });
            }
            other => panic!("the keyword `{other}` is not implemented"),
        };
        (!holds).then(|| format!("{at}: `{keyword}: {rule}` does not hold for {value}"))
    }
}

fn is_of_type(value: &Json, kind: &Json) -> bool {
    match kind.as_str().expect("a name") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type `{other}` does not exist"),
    }
}
