//! The texts of messages: every text that XML allows is returned as it was sent, and no other is accepted.

use super::{count, request, texts, with_queue};

fn escaped(text: &str) -> String {
    let plain = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    plain.replace('\r', "&#13;")
}

#[tokio::test]
async fn texts_are_returned_as_they_were_sent() {
    let server = with_queue().await;
    let full = "x".repeat(64 << 10);
    let wide = "狗".repeat((64 << 10) / 3);
    let marks = "&".repeat(64 << 10);
    for text in [
        "message content`~!@#$%^&*()-=_+[]{}\\|;':\",.<>/?",
        "<message1>\"&amp;\"</message1>",
        "  message1\n\t ",
        "a\r\nb\rc",
        "啊齄丂狛狜😀\u{85}\u{fffd}",
        "]]>",
        "aGVsbG8=",
        "",
        &full,
        &wide,
        &marks,
    ] {
        let document = format!(
            "<?xml version='1.0' encoding='utf-8'?>\n<QueueMessage><MessageText>{}</MessageText></QueueMessage>",
            escaped(text)
        );
        let put = request(&server, "POST", "/work/messages").body(document.clone()).send().await;
        assert_eq!(put.verdict(), "201", "{text:.60}: {}", put.text());
        let got = request(&server, "GET", "/work/messages").send().await;
        match text {
            "" => assert!(got.text().contains("<MessageText />"), "{}", got.text()),
            _ => assert_eq!(got.element("MessageText"), escaped(text), "{text:.60}"),
        }
        // Likewise after an update; an empty body keeps the text.
        let target =
            |receipt: &str| format!("/work/messages/{}?popreceipt={receipt}&visibilitytimeout=0", got.element("MessageId"));
        let kept = request(&server, "PUT", &target(got.element("PopReceipt"))).send().await;
        assert_eq!(kept.verdict(), "204");
        let again = request(&server, "PUT", &target(kept.header("x-ms-popreceipt"))).body(document).send().await;
        assert_eq!(again.verdict(), "204");
        let peeked = request(&server, "GET", "/work/messages?peekonly=true").send().await;
        assert_eq!(peeked.element("MessageText"), got.element("MessageText"));
        assert_eq!(request(&server, "DELETE", "/work/messages").send().await.verdict(), "204");
    }
}

#[tokio::test]
async fn a_malformed_message_is_refused_and_changes_nothing() {
    let server = with_queue().await;
    let put = request(&server, "POST", "/work/messages").body(super::document("kept")).send().await;
    let update =
        format!("/work/messages/{}?popreceipt={}&visibilitytimeout=60", put.element("MessageId"), put.element("PopReceipt"));
    let over = super::document(&"x".repeat((64 << 10) + 1));
    let far_over = super::document(&"x".repeat(1 << 20));
    let deep = "<a>".repeat(100_000);
    let (bad, large) = ("400 InvalidXmlDocument", "413 RequestBodyTooLarge");
    for (body, verdict, element) in [
        ("hello", bad, "Reason"),
        ("<QueueMessage/>", bad, "LineNumber"),
        ("<QueueMessage><MessageText>a</QueueMessage>", bad, "Reason"),
        ("<QueueMessage><MessageText>a</MessageText><MessageText>b</MessageText></QueueMessage>", bad, "Reason"),
        ("<QueueMessage><MessageText>a</MessageText><Other>b</Other></QueueMessage>", bad, "Reason"),
        ("<QueueMessage><Text>a</Text></QueueMessage>", bad, "Reason"),
        ("<Message><MessageText>a</MessageText></Message>", bad, "Reason"),
        ("<QueueMessage><MessageText>&#x1;</MessageText></QueueMessage>", bad, "Reason"),
        ("<QueueMessage><MessageText>\u{1f}</MessageText></QueueMessage>", bad, "Reason"),
        ("<QueueMessage><MessageText>a&b</MessageText></QueueMessage>", bad, "Reason"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><QueueMessage><MessageText>&b;</MessageText></QueueMessage>", bad, "Reason"),
        (&deep, bad, "Reason"),
        (&over, large, "MaxLimit"),
        (&far_over, large, "MaxLimit"),
    ] {
        for (method, target) in [("POST", "/work/messages"), ("PUT", &update)] {
            let refused = request(&server, method, target).body(body.to_owned()).send().await;
            assert_eq!(refused.verdict(), verdict, "{method} {body:.80}: {}", refused.text());
            let said = refused.element(element);
            let expected = ["Error parsing Xml content", "0", "65536"];
            assert!(expected.contains(&said), "{method} {body:.80}: {said:?}");
        }
    }
    let bytes = request(&server, "POST", "/work/messages")
        .body(&b"<QueueMessage><MessageText>\xff</MessageText></QueueMessage>"[..])
        .send()
        .await;
    assert_eq!(bytes.verdict(), bad);
    // Put Message requires a body, Update Message does not.
    assert_eq!(request(&server, "POST", "/work/messages").send().await.verdict(), bad);
    assert_eq!(count(&server).await, "1");
    assert_eq!(texts(&server, "numofmessages=32").await, ["kept"]);
}
