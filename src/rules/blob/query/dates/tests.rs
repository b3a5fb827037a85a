//! Parsing, arithmetic and formatting of timestamps, with the examples of the reference.

use super::*;
use proptest::prelude::*;

fn moment(text: &str) -> DateTime {
    DateTime::parse(text).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn reads_iso_8601() {
    for (text, iso) in [
        ("2007", "2007-01-01T00:00:00.0000000Z"),
        ("2007T", "2007-01-01T00:00:00.0000000Z"),
        ("2007-02", "2007-02-01T00:00:00.0000000Z"),
        ("2007-02T", "2007-02-01T00:00:00.0000000Z"),
        ("2010-01-02", "2010-01-02T00:00:00.0000000Z"),
        ("2010-01-01T", "2010-01-01T00:00:00.0000000Z"),
        ("1969-07-20T20:18Z", "1969-07-20T20:18:00.0000000Z"),
        ("1969-07-20t20:18z", "1969-07-20T20:18:00.0000000Z"),
        ("1969-07-20T20:18", "1969-07-20T20:18:00.0000000Z"),
        ("2017-01-02T03:04:05.006Z", "2017-01-02T03:04:05.0060000Z"),
        ("2017-01-02T03:04:05.123456789012Z", "2017-01-02T03:04:05.1234567Z"),
        ("2018-11-09T00:00+05:30", "2018-11-08T18:30:00.0000000Z"),
        ("2018-11-09T01:00:23-08:00", "2018-11-09T09:00:23.0000000Z"),
        ("0001-01-01", "0001-01-01T00:00:00.0000000Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.0000000Z"),
    ] {
        assert_eq!(moment(text).at.iso(), iso, "{text}");
    }
    for text in [
        "",
        "T",
        "x",
        "207",
        "20070",
        "2007-1",
        "2007-13",
        "2007-02-30",
        "2007T01:00",
        "2007-02T01:00",
        "2007-02-03T01",
        "2007-02-03T24:00",
        "2007-02-03T01:60",
        "2007-02-03T01:02:60Z",
        "2007-02-03T01:02:03.Z",
        "2007-02-03T01:02:03.x",
        "2007-02-03T01:02+5",
        "2007-02-03T01:02+24:00",
        "2007-02-03T01:02é",
        "2007-02-03T+1:02",
        "2007-02-03-04",
        "0000-01-01",
        "0001-01-01T00:00+01:00",
        "9999-12-31T23:59-00:01",
        "+007-01-01",
    ] {
        assert_eq!(DateTime::parse(text), None, "{text}");
    }
}

#[test]
fn adds() {
    for (part, quantity, from, to) in [
        (Part::Minute, 1, "2017-01-02T03:04:05.006Z", "2017-01-02T03:05:05.006Z"),
        (Part::Year, 1, "2016-02-29", "2017-02-28"),
        (Part::Year, -1, "2016-02-29", "2015-02-28"),
        (Part::Month, 1, "2017-01-31", "2017-02-28"),
        (Part::Month, -13, "2017-01-31", "2015-12-31"),
        (Part::Day, 1, "2016-12-31", "2017-01-01"),
        (Part::Day, -1, "2016-03-01", "2016-02-29"),
        (Part::Hour, -1, "2017-01-01", "2016-12-31T23:00Z"),
        (Part::Second, 86_400, "2017-01-01", "2017-01-02"),
        (Part::Day, 1, "2017-01-01T23:00-08:00", "2017-01-02T23:00-08:00"),
    ] {
        assert_eq!(moment(from).add(part, quantity), Some(moment(to)), "{from} {quantity} {part:?}");
    }
    for part in [Part::Year, Part::Month, Part::Day, Part::Hour, Part::Minute, Part::Second] {
        for quantity in [i64::MAX, i64::MIN, 400_000_000_000] {
            assert_eq!(moment("2017-01-01").add(part, quantity), None, "{quantity} {part:?}");
        }
    }
    assert_eq!(moment("9999-12-31").add(Part::Day, 1), None);
    assert_eq!(moment("0001-01-01").add(Part::Second, -1), None);
}

#[test]
fn counts_whole_parts_between() {
    for (part, from, to, wanted) in [
        (Part::Hour, "2018-11-09T00:00+05:30", "2018-11-09T01:00:23-08:00", 14),
        (Part::Year, "2010-01-01", "2011-01-01", 1),
        (Part::Year, "2010-12", "2011-05", 0),
        (Part::Month, "2010-01-01", "2010-05", 4),
        (Part::Month, "2010-01-31", "2010-02-28", 0),
        (Part::Month, "2011T", "2010T", -12),
        (Part::Day, "2010-01-01T23:00Z", "2010-01-02T01:00Z", 0),
        (Part::Day, "2010-01-02T23:00Z", "2010-01-01T01:00Z", -1),
        (Part::Minute, "2010-01-01T00:00:59Z", "2010-01-01T00:02:00Z", 1),
        (Part::Second, "0001-01-01", "9999-12-31", 315_537_811_200),
    ] {
        assert_eq!(moment(from).until(moment(to), part), wanted, "{part:?} {from} {to}");
    }
}

#[test]
fn parts_are_extracted() {
    let at = moment("2010-02-03T04:05:06.7-05:30");
    for (part, wanted) in [
        (Part::Year, 2010),
        (Part::Month, 2),
        (Part::Day, 3),
        (Part::Hour, 4),
        (Part::Minute, 5),
        (Part::Second, 6),
        (Part::TimezoneHour, -5),
        (Part::TimezoneMinute, -30),
    ] {
        assert_eq!(at.part(part), wanted, "{part:?}");
    }
    assert_eq!(moment("2010-01-01T").part(Part::Year), 2010);
}

#[test]
fn writes_by_a_pattern() {
    let at = "2009-05-03T16:07:08.025+04:30";
    for (from, pattern, wanted) in [
        ("1969-07-20T20:18Z", "MMMM d, y", Some("July 20, 1969")),
        (at, "yy y yyyy", Some("09 2009 2009")),
        (at, "M MM MMM MMMM", Some("5 05 MAY May")),
        (at, "d dd a", Some("3 03 PM")),
        (at, "h hh H HH", Some("4 04 16 16")),
        (at, "m mm s ss", Some("7 07 8 08")),
        (at, "S SS SSS", Some("0 02 025")),
        (at, "X XX XXX XXXX XXXXX", Some("+04 +0430 +04:30 +0430 +04:30")),
        (at, "x xx xxx xxxx xxxxx", Some("+04 +0430 +04:30 +0430 +04:30")),
        ("2009-05-03T00:07Z", "h a X XXX x xxx", Some("12 AM Z Z +00 +00:00")),
        ("2009-05-03T12:07-00:30", "h a XXX", Some("12 PM -00:30")),
        (at, "yyyy-MM-dd'T'HH:mm:ss", Some("2009-05-03T16:07:08")),
        (at, "d. M. é 'o''clock' ''", Some("3. 5. é oclock '")),
        (at, "", Some("")),
        (at, "yyy", None),
        (at, "SSSS", None),
        (at, "Q", None),
        (at, "d 'open", None),
    ] {
        assert_eq!(moment(from).write(pattern).as_deref(), wanted, "{pattern}");
    }
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_back(ticks in 600_000_000_000_000_000u64..640_000_000_000_000_000, offset in -1000..1000i32) {
        let at = DateTime { at: Timestamp::from_ticks(ticks - ticks % 10_000), offset };
        let text = at.write("yyyy-MM-dd'T'HH:mm:ss.SSSxxx").unwrap();
        prop_assert_eq!(DateTime::parse(&text), Some(at));
    }

    #[test]
    fn adding_and_counting_agree(ticks in 600_000_000_000_000_000u64..640_000_000_000_000_000, quantity in -100_000..100_000i64) {
        let at = DateTime::utc(Timestamp::from_ticks(ticks));
        for part in [Part::Day, Part::Hour, Part::Minute, Part::Second] {
            prop_assert_eq!(at.add(part, quantity).map(|later| at.until(later, part)), Some(quantity));
        }
    }

    #[test]
    fn any_text_is_read_or_not(text in "[0-9TZ:+.é -]{0,30}", pattern in "[A-Za-z'é -]{0,20}") {
        let read = DateTime::parse(&text);
        prop_assert!(read.is_none_or(|at| at.at <= Timestamp::NEVER));
        let _ = moment("2007").write(&pattern);
    }
}
