//! Texts that look like a move and are none.

use crate::external::moves::rewritten;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A number that no game has cells for.
const FAR: i64 = 1_000_003;

/// Returns moves that are nearly `mv` and not in the list: `true` for 1, 1.0 for 1, and the like.
pub(super) fn misses(mv: &str, legal: &[String]) -> Vec<String> {
    let listed: BTreeSet<String> = legal.iter().filter_map(|mv| rewritten(mv).ok()).collect();
    let value: Value = serde_json::from_str(mv).unwrap_or_default();
    let mut near = vec![
        json!([value]),
        json!({ "move": value }),
        Value::Null,
        json!(""),
    ];
    match &value {
        Value::Array(items) => {
            near.push(json!([&items[..], &[json!(0)]].concat()));
            near.push(json!(items.split_last().map_or(&[][..], |(_, rest)| rest)));
        }
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("no_such_key".to_owned(), json!(1));
            near.push(Value::Object(more));
        }
        _ => {}
    }
    leaves(&value, &mut |changed| near.push(changed));
    let near = near
        .into_iter()
        .filter_map(|one| rewritten(&one.to_string()).ok());
    near.filter(|one| !listed.contains(one)).collect()
}

/// Passes on copies of a value, each with one leaf changed.
fn leaves(value: &Value, pass: &mut dyn FnMut(Value)) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                leaves(item, &mut |changed| {
                    let mut copy = items.clone();
                    copy[at] = changed;
                    pass(Value::Array(copy));
                });
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                leaves(field, &mut |changed| {
                    let mut copy = fields.clone();
                    copy.insert(key.clone(), changed);
                    pass(Value::Object(copy));
                });
            }
        }
        leaf => others(leaf).into_iter().for_each(pass),
    }
}

/// Returns values that careless code takes for this one, and values far from it.
fn others(leaf: &Value) -> Vec<Value> {
    let mut all = vec![Value::Null];
    match leaf {
        Value::Number(number) => {
            let (whole, float) = (number.as_i64(), number.as_f64());
            all.extend([json!(float), json!(number.to_string())]);
            all.extend(float.map(|float| json!(float + 0.5)));
            all.extend(whole.map(|n| json!(-1 - n)));
            all.extend(whole.and_then(|n| n.checked_add(FAR)).map(Value::from));
            all.extend(whole.filter(|n| (0..2).contains(n)).map(|n| json!(n == 1)));
        }
        Value::String(text) => {
            all.extend([json!(format!("{text} ")), json!([text])]);
            all.extend([text.to_uppercase(), text.to_lowercase()].map(Value::from));
            all.extend(text.parse::<i64>().ok().map(Value::from));
        }
        Value::Bool(is) => all.extend([json!(i32::from(*is)), json!(is.to_string())]),
        _ => all.push(json!(0)),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_has_neighbours_that_are_not_in_the_list() {
        let legal = ["1", "0", "[1,\"a\"]"].map(str::to_owned);
        let near = misses("1", &legal);
        for one in ["true", "1.0", "\"1\"", "-2", "[1]"] {
            assert!(near.iter().any(|near| near == one), "{one}: {near:?}");
        }
        assert!(near.iter().all(|near| near != "1" && near != "0"));
        let near = misses("[1,\"a\"]", &legal);
        for one in ["[true,\"a\"]", "[1,\"A\"]", "[1]", "[1,\"a\",0]"] {
            assert!(near.iter().any(|near| near == one), "{one}: {near:?}");
        }
    }
}
