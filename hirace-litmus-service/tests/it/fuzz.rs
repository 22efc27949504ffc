//! Random submissions: the service responds to each with a description of its error.

use crate::samples::{document, text};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use hirace_engine::random::Random;
use hirace_litmus_service::app::{App, Options};
use hirace_litmus_service::store::Store;
use hirace_testing::harness::Trial;
use hirace_testing::{Tier, options};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tower::ServiceExt as _;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("fuzz::no_submission_makes_the_service_fail", fuzz)]
}

/// Returns how many submissions this tier makes.
fn many() -> usize {
    match options().tier {
        Tier::Quick => 2_000,
        Tier::Ci => 10_000,
        Tier::Full => 100_000,
    }
}

const WORDS: &[&str] = &[
    "",
    "0",
    "-1",
    "1e308",
    "null",
    "<script>alert(1)</script>",
    "' OR 1=1 --",
    "\u{0}",
    "\u{202e}",
    "hirace.litmus/1",
    "mp-two-locations",
    "__proto__",
    "../../etc/passwd",
    "%s%n",
    "\u{10ffff}",
];

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 3 { 7usize } else { 9 }) {
        0 => Value::Null,
        1 => json!(random.below(2u32) == 1),
        2 => json!(random.below(10u32)),
        3 => json!(random.bits()),
        4 => json!(-(random.bits() as i64).abs()),
        5 => json!(random.unit() * 1e300),
        6 => json!(WORDS[random.below(WORDS.len())]),
        7 => (0..random.below(4usize)).map(|_| value(random, depth + 1)).collect(),
        _ => {
            let fields = (0..random.below(4usize))
                .map(|_| (WORDS[random.below(WORDS.len())].to_owned(), value(random, depth + 1)));
            Value::Object(fields.collect())
        }
    }
}

/// Returns a random position in a value.
fn place<'a>(random: &mut Random, of: &'a mut Value) -> &'a mut Value {
    let inside = match of {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    if inside == 0 || random.below(6u32) == 0 {
        return of;
    }
    let at = random.below(inside);
    let inner = match of {
        Value::Array(items) => items.get_mut(at),
        Value::Object(fields) => fields.values_mut().nth(at),
        _ => None,
    };
    place(random, inner.expect("it is inside"))
}

fn submission(random: &mut Random, known: &[Value]) -> Vec<u8> {
    let mut of = known[random.below(known.len())].clone();
    match random.below(10u32) {
        // A mutation of the bytes.
        0 | 1 => {
            let mut bytes = of.to_string().into_bytes();
            for _ in 0..=random.below(8usize) {
                let at = random.below(bytes.len());
                match random.below(4u32) {
                    0 => bytes[at] = random.bits() as u8,
                    1 => bytes.truncate(at.max(1)),
                    2 => _ = bytes.remove(at),
                    _ => bytes.insert(at, random.bits() as u8),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            bytes
        }
        2 => value(random, 0).to_string().into_bytes(),
        3 => {
            let name = WORDS[random.below(WORDS.len())];
            if let Value::Object(fields) = &mut of {
                fields.insert(name.to_owned(), value(random, 0));
            }
            of.to_string().into_bytes()
        }
        // A mutation of the values.
        _ => {
            for _ in 0..=random.below(3usize) {
                let new = match random.below(3u32) {
                    0 => value(random, 0),
                    1 => json!(random.below(100u32)),
                    _ => place(random, &mut of).clone(),
                };
                *place(random, &mut of) = new;
            }
            of.to_string().into_bytes()
        }
    }
}

fn fuzz() -> Result<(), Failed> {
    let folder = crate::running::folder();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let published = json!({
        "0": {"Message Passing Default": {"seq": 10, "interleaved": 2, "weak": 1, "durationSeconds": 0.5}},
        "platformInfo": {"gpu": {"vendor": "v", "device": "d"}}, "randomSeed": "s",
    });
    let small = json!({"schema": "hirace.litmus/1"});
    let known = [serde_json::from_str(&text(&document("fuzz")))?, published, small];
    runtime.block_on(async {
        let store = Store::open(&crate::running::database(folder.path()), None).unwrap();
        let router = App::new(store.clone(), Options { rate: 0, ..Options::default() }).router();
        let mut random = Random::new(1);
        let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
        for nth in 0..many() {
            let sent = submission(&mut random, &known);
            let request = Request::post("/api/submissions")
                .header("content-type", "application/json")
                .body(Body::from(sent.clone()))
                .unwrap();
            let answer = router.clone().oneshot(request).await.unwrap();
            let status = answer.status();
            let body = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
            let said = || format!("{nth}: {status}: {}", String::from_utf8_lossy(&sent));
            assert!(!status.is_server_error(), "{}", said());
            if !status.is_success() {
                let problem: Value = serde_json::from_slice(&body).unwrap();
                assert_eq!(problem["status"], status.as_u16(), "{}", said());
                assert_ne!(problem["detail"], "", "{}", said());
            }
            *statuses.entry(status.as_u16()).or_default() += 1;
        }
        // All kinds of responses occurred, and the stored submissions can be analyzed.
        let often = |status| statuses.get(&status).copied().unwrap_or_default();
        assert!(often(400) > 50 && often(422) > 50, "{statuses:?}");
        assert!(often(200) + often(201) > 10, "{statuses:?}");
        let request = Request::get("/api/analysis?format=html").body(Body::empty()).unwrap();
        let answer = router.oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let page = to_bytes(answer.into_body(), 64 << 20).await.unwrap();
        assert!(!String::from_utf8_lossy(&page).contains("<script"));
        store.close().await;
    });
    Ok(())
}
