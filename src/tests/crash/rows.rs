//! Entities that are inserted, replaced, merged and deleted, one by one and in transactions.

use super::{Model, text};
use crate::operation::ServiceKind;
use crate::tests::support::batch::{change, changeset, insert, send};
use crate::tests::support::rng::Rng;
use crate::tests::support::server::{Answer, TestServer};
use std::collections::BTreeMap;

const ROWS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];
const PROPERTIES: [&str; 2] = ["a", "b"];

/// An entity: the values of its properties by name.
type Entity = BTreeMap<&'static str, String>;

#[derive(Clone, Default)]
pub struct Rows {
    made: bool,
    all: BTreeMap<&'static str, Entity>,
}

impl Model for Rows {
    async fn one(&mut self, server: &TestServer, rng: &mut Rng, step: usize) -> (Answer, &'static str) {
        let request = |method: &str, target: &str| server.request(method, target).of(ServiceKind::Table);
        if step == 0 {
            self.made = true;
            return (request("POST", "/Tables").body(r#"{"TableName":"people"}"#).send().await, "201");
        }
        let at = rng.roll(ROWS.len());
        let (row, name, text) = (ROWS[at], rng.pick(&PROPERTIES), text(rng, step));
        let body = format!(r#"{{"PartitionKey":"p","RowKey":"{row}","{name}":"{text}"}}"#);
        let entity = Entity::from([(name, text)]);
        let target = format!("/people(PartitionKey='p',RowKey='{row}')");
        let there = self.all.contains_key(row);
        match rng.roll(12) {
            0..=2 if there => (request("POST", "/people").body(body).send().await, "409 EntityAlreadyExists"),
            0..=2 => {
                self.all.insert(row, entity);
                (request("POST", "/people").body(body).send().await, "201")
            }
            3 | 4 => {
                self.all.insert(row, entity);
                (request("PUT", &target).body(body).send().await, "204")
            }
            5 | 6 => {
                self.all.entry(row).or_default().extend(entity);
                (request("MERGE", &target).body(body).send().await, "204")
            }
            7 | 8 => {
                let wanted = if self.all.remove(row).is_some() { "204" } else { "404 ResourceNotFound" };
                (request("DELETE", &target).header("if-match", "*").send().await, wanted)
            }
            _ => {
                // If the entity of the third operation exists, it is refused, and with it the transaction.
                let (second, third) = (ROWS[(at + 1) % ROWS.len()], ROWS[(at + 2) % ROWS.len()]);
                let json = "Content-Type: application/json\r\n";
                let small = format!(r#"{{"b":"{step}"}}"#);
                let requests = [change("PUT", row, json, &body), change("MERGE", second, json, &small), insert("p", third)];
                if !self.all.contains_key(third) {
                    self.all.insert(row, entity);
                    self.all.entry(second).or_default().insert("b", step.to_string());
                    self.all.insert(third, Entity::new());
                }
                (send(server, &changeset(&requests)).await, "202")
            }
        }
    }

    fn expected(&self, _: usize) -> Vec<String> {
        if !self.made {
            return vec!["404 TableNotFound".to_owned()];
        }
        let value = |entity: &Entity, name| entity.get(name).map_or("-", String::as_str).to_owned();
        self.all.iter().map(|(row, entity)| format!("{row} {:?}", PROPERTIES.map(|name| value(entity, name)))).collect()
    }

    async fn observed(server: &TestServer) -> Vec<String> {
        let got = server.request("GET", "/people()").of(ServiceKind::Table).send().await;
        if got.status != 200 {
            return vec![got.verdict()];
        }
        let json: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
        let state = json["value"].as_array().unwrap().iter().map(|entity| {
            let value = |name| entity[name].as_str().unwrap_or("-").to_owned();
            format!("{} {:?}", value("RowKey"), PROPERTIES.map(value))
        });
        state.collect()
    }
}
