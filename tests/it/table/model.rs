//! A seeded simulation: random operations on one table, including transactions and queries, on the server and on a simple model.
//!
//! `LAZULI_SEED=7 cargo test --test it table::model` repeats the run that failed with seed 7.

use super::{encoded, json, request, with_table};
use crate::rng::{Rng, seeds};
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;
use std::collections::{BTreeMap, HashSet};

/// The operations of a run.
const STEPS: usize = 400;
const PARTITIONS: [&str; 2] = ["a", "b"];
const ROWS: [&str; 5] = ["1", "10", "2", "it's", "é"];
const PROPERTIES: [&str; 2] = ["x", "y"];

type Key = (String, String);

/// An entity of the model: its properties, and the last tag that the server reported.
#[derive(Clone, Debug, Default)]
struct Entity {
    properties: BTreeMap<String, i64>,
    tag: String,
}

type Table = BTreeMap<Key, Entity>;

/// A change of one entity.
#[derive(Clone, Debug)]
struct Change {
    method: &'static str,
    key: Key,
    condition: Option<String>,
    properties: BTreeMap<String, i64>,
}

impl Change {
    fn any(rng: &mut Rng, table: &Table) -> Change {
        let key = (rng.pick(&PARTITIONS).to_owned(), rng.pick(&ROWS).to_owned());
        let method = rng.pick(&["POST", "PUT", "PUT", "MERGE", "PATCH", "DELETE"]);
        let right = table.get(&key).map(|entity| entity.tag.clone());
        let wrong = "W/\"datetime'2012-06-15T22%3A51%3A44.9662825Z'\"".to_owned();
        let condition = match rng.roll(5) {
            _ if method == "POST" => None,
            0 => Some(wrong),
            1 | 2 => Some("*".to_owned()),
            3 => right.or(Some("*".to_owned())),
            _ if method == "DELETE" => Some("*".to_owned()),
            _ => None,
        };
        let properties = PROPERTIES.iter().filter(|_| rng.roll(3) > 0).map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let properties = properties.into_iter().map(|name| (name, rng.roll(5) as i64)).collect();
        Change { method, key, condition, properties }
    }

    /// Applies it to the model, or returns its refusal.
    fn apply(&self, table: &mut Table) -> Result<(), &'static str> {
        match (self.method, table.get(&self.key), &self.condition) {
            ("POST", Some(_), _) => return Err("409 EntityAlreadyExists"),
            (_, None, Some(_)) => return Err("404 ResourceNotFound"),
            (_, Some(there), Some(tag)) if tag != "*" && *tag != there.tag => return Err("412 UpdateConditionNotSatisfied"),
            _ => {}
        }
        if self.method == "DELETE" {
            table.remove(&self.key);
            return Ok(());
        }
        let entity = table.entry(self.key.clone()).or_default();
        if matches!(self.method, "POST" | "PUT") {
            entity.properties.clear();
        }
        entity.properties.extend(self.properties.clone());
        // The new tag is read later.
        entity.tag.clear();
        Ok(())
    }

    fn target(&self) -> String {
        let (partition, row) = &self.key;
        match self.method {
            "POST" => "/people".to_owned(),
            _ => format!("/people(PartitionKey='{partition}',RowKey='{}')", encoded(&row.replace('\'', "''"))),
        }
    }

    fn body(&self) -> String {
        let mut members: serde_json::Map<String, serde_json::Value> =
            self.properties.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
        if self.method == "POST" {
            members.insert("PartitionKey".to_owned(), self.key.0.clone().into());
            members.insert("RowKey".to_owned(), self.key.1.clone().into());
        }
        if self.method == "DELETE" { String::new() } else { serde_json::Value::Object(members).to_string() }
    }

    async fn send(&self, server: &TestServer) -> Answer {
        let request = server.request(self.method, &self.target()).of(ServiceKind::Table).header("prefer", "return-no-content");
        let request = self.condition.iter().fold(request, |request, tag| request.header("if-match", tag));
        request.body(self.body()).send().await
    }

    /// The change as a part of a transaction.
    fn part(&self) -> String {
        let condition = self.condition.iter().map(|tag| format!("If-Match: {tag}\n")).collect::<String>();
        let head = format!("{} /devstoreaccount1{} HTTP/1.1\nPrefer: return-no-content\n{condition}", self.method, self.target());
        format!("--c\nContent-Type: application/http\n\n{head}\n{}\n", self.body())
    }
}

/// Applies a transaction to the model, or returns the first change that fails and its refusal.
fn transaction(changes: &[Change], table: &mut Table) -> Result<(), (usize, &'static str)> {
    let partition = &changes[0].key.0;
    if let Some(at) = changes.iter().position(|change| change.key.0 != *partition) {
        return Err((at, "400 CommandsInBatchActOnDifferentPartitions"));
    }
    let mut seen = HashSet::new();
    if let Some(at) = changes.iter().position(|change| !seen.insert(&change.key.1)) {
        return Err((at, "400 InvalidDuplicateRow"));
    }
    let mut draft = table.clone();
    for (at, change) in changes.iter().enumerate() {
        change.apply(&mut draft).map_err(|refusal| (at, refusal))?;
    }
    *table = draft;
    Ok(())
}

async fn send_transaction(server: &TestServer, changes: &[Change]) -> Result<(), (usize, String)> {
    let parts: String = changes.iter().map(Change::part).collect();
    let body = format!("--b\nContent-Type: multipart/mixed; boundary=c\n\n{parts}--c--\n--b--");
    let request = server.request("POST", "/$batch").of(ServiceKind::Table).header("content-type", "multipart/mixed; boundary=b");
    let answer = request.body(body).send().await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let text = answer.text();
    let Some(error) = text.lines().find(|line| line.starts_with("{\"odata.error\"")) else {
        assert_eq!(text.matches("HTTP/1.1 204 No Content").count(), changes.len(), "{text}");
        return Ok(());
    };
    assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{text}");
    let status = &text.split("HTTP/1.1 ").nth(1).unwrap()[..3];
    let error: serde_json::Value = serde_json::from_str(error).unwrap();
    let error = &error["odata.error"];
    // The index of the change is omitted if it is the only one.
    let said = error["message"]["value"].as_str().unwrap();
    let place = if changes.len() == 1 { 0 } else { said.split(':').next().unwrap().parse().unwrap() };
    Err((place, format!("{status} {}", error["code"].as_str().unwrap())))
}

/// The text of a filter, and its meaning.
type Filter = (String, Box<dyn Fn(&Key, &Entity) -> bool>);

fn filter(rng: &mut Rng) -> Filter {
    let (partition, row, number) = (rng.pick(&PARTITIONS), rng.pick(&ROWS), rng.roll(5) as i64);
    let quoted = row.replace('\'', "''");
    match rng.roll(6) {
        0 => (String::new(), Box::new(|_, _| true)),
        1 => (format!("PartitionKey eq '{partition}'"), Box::new(move |key, _| key.0 == partition)),
        2 => (
            format!("PartitionKey eq '{partition}' and RowKey ge '{quoted}'"),
            Box::new(move |key, _| key.0 == partition && *key.1 >= *row),
        ),
        3 => (
            format!("x eq {number} or RowKey lt '{quoted}'"),
            Box::new(move |key, entity| entity.properties.get("x") == Some(&number) || *key.1 < *row),
        ),
        4 => (
            format!("not (y lt {number}) and PartitionKey ge '{partition}'"),
            Box::new(move |key, entity| entity.properties.get("y").is_none_or(|y| *y >= number) && *key.0 >= *partition),
        ),
        _ => (format!("x ne {number}"), Box::new(move |_, entity| entity.properties.get("x").is_some_and(|x| *x != number))),
    }
}

/// All results of a query, in pages of `top`: keys, properties and tags.
async fn found(server: &TestServer, filter: &str, top: usize) -> Vec<(Key, Entity)> {
    let mut query = format!("$top={top}");
    if !filter.is_empty() {
        query += &format!("&$filter={}", encoded(filter));
    }
    let (mut found, mut from) = (Vec::new(), String::new());
    loop {
        let page = request(server, "GET", &format!("/people()?{query}{from}"), "").await;
        assert_eq!(page.verdict(), "200", "{}", page.text());
        for entity in json(&page)["value"].as_array().unwrap() {
            let text = |name: &str| entity[name].as_str().unwrap().to_owned();
            let numbers = PROPERTIES.iter().filter_map(|name| Some(((*name).to_owned(), entity.get(*name)?.as_i64()?)));
            let shown = Entity { properties: numbers.collect(), tag: text("odata.etag") };
            found.push(((text("PartitionKey"), text("RowKey")), shown));
        }
        let [partition, row] =
            ["partition", "row"].map(|name| page.header(&format!("x-ms-continuation-next{name}key")).to_owned());
        if partition.is_empty() {
            return found;
        }
        from = format!("&NextPartitionKey={}&NextRowKey={}", encoded(&partition), encoded(&row));
    }
}

/// Compares the server with the model, and updates the tags of the model.
async fn compare(server: &TestServer, table: &mut Table, at: &str) {
    let mut tags = HashSet::new();
    let seen = found(server, "", 1000).await;
    assert_eq!(seen.len(), table.len(), "{at}");
    for ((key, shown), (known, entity)) in seen.into_iter().zip(table.iter_mut()) {
        assert_eq!((&key, &shown.properties), (known, &entity.properties), "{at}");
        assert!(entity.tag.is_empty() || entity.tag == shown.tag, "{at}: {key:?} was not written");
        assert!(tags.insert(shown.tag.clone()), "{at}: two share a tag");
        entity.tag = shown.tag;
    }
}

#[tokio::test]
async fn the_server_agrees_with_the_model() {
    for seed in seeds() {
        let server = with_table().await;
        let (mut rng, mut table, mut refused) = (Rng::new(seed), Table::new(), HashSet::new());
        for step in 0..STEPS {
            let at = format!("LAZULI_SEED={seed}, step {step}");
            match rng.roll(4) {
                0 => {
                    let many = 1 + rng.roll(4);
                    let mut changes: Vec<Change> = (0..many).map(|_| Change::any(&mut rng, &table)).collect();
                    // Mostly in one partition.
                    if rng.roll(6) > 0 {
                        changes.retain({
                            let first = changes[0].key.0.clone();
                            move |change| change.key.0 == first
                        });
                    }
                    let expected = transaction(&changes, &mut table).map_err(|(place, refusal)| (place, refusal.to_owned()));
                    refused.extend(expected.clone().err().map(|(_, refusal)| refusal));
                    assert_eq!(send_transaction(&server, &changes).await, expected, "{at}: {changes:?}");
                }
                1 => {
                    let (text, holds) = filter(&mut rng);
                    let seen: Vec<Key> = found(&server, &text, 1 + rng.roll(4)).await.into_iter().map(|(key, _)| key).collect();
                    let expected: Vec<Key> =
                        table.iter().filter(|(key, entity)| holds(key, entity)).map(|(key, _)| key.clone()).collect();
                    assert_eq!(seen, expected, "{at}: {text}");
                    continue;
                }
                _ => {
                    let change = Change::any(&mut rng, &table);
                    let expected = change.apply(&mut table).err().unwrap_or("204").to_owned();
                    refused.insert(expected.clone());
                    assert_eq!(change.send(&server).await.verdict(), expected, "{at}: {change:?}");
                }
            }
            compare(&server, &mut table, &at).await;
            server.wait(rng.roll(2) as u64);
        }
        assert!(refused.len() >= 5, "every kind of refusal comes up: {refused:?}");
    }
}
