//! A Rust test suite with a storage server in its own process: `cargo run --example in_process`.
//!
//! Each test starts its own [`Emulator`]: on free ports, in memory, with a clock that the test moves instead of waiting.

#![allow(clippy::print_stdout, reason = "it shows what happens")]

use azure_core::http::Url;
use azure_storage_queue::models::{QueueClientReceiveMessagesOptions, QueueMessage};
use azure_storage_queue::{QueueClient, QueueServiceClient};
use lazuli::{Clock, Emulator, ServiceKind};
use std::error::Error;
use std::time::{Duration, SystemTime};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    #[expect(clippy::disallowed_methods, reason = "the clock starts now: SDKs sign their requests with the machine's date")]
    let start = SystemTime::now();
    let emulator = Emulator::builder().clock(Clock::Manual(start)).start().await?;

    // The crates of the official SDK have no account keys: they get a URL with a SAS. Others get `emulator.connection_string()`.
    let url = Url::parse(&emulator.sas_url(ServiceKind::Queue).ok_or("the Queue service runs")?)?;
    let queue = QueueServiceClient::new(url, None, None)?.queue_client("jobs")?;
    queue.create(None).await?;
    let message = QueueMessage { message_text: Some("resize image 7".to_owned()) };
    queue.send_message(message.try_into()?, None).await?;

    // A worker receives the message, which hides it for 30 seconds, and crashes.
    println!("a worker received {:?}", receive(&queue).await?);
    println!("another worker received {:?}", receive(&queue).await?);
    emulator.advance(Duration::from_secs(30));
    println!("30 seconds later, it received {:?}", receive(&queue).await?);

    emulator.stop().await;
    Ok(())
}

/// The texts of the messages that a worker receives.
async fn receive(queue: &QueueClient) -> Result<Vec<String>, Box<dyn Error>> {
    let options = QueueClientReceiveMessagesOptions { visibility_timeout: Some(30), ..Default::default() };
    let received = queue.receive_messages(Some(options)).await?.into_model()?.items.unwrap_or_default();
    Ok(received.into_iter().filter_map(|message| message.message_text).collect())
}
