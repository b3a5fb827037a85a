//! Values of expressions, including nulls and errors.

use super::*;
use crate::rules::blob::query::parse;
use crate::rules::blob::query::sql::Select;

fn worth(text: &str) -> Result<Value, &'static str> {
    let row = serde_json::json!({ "n": 7, "f": 2.5, "t": "Text", "yes": true, "nil": null, "list": [1, { "in": "x" }], "digits": "12" });
    let query = parse(&format!("SELECT {text} FROM BlobStorage")).unwrap_or_else(|why| panic!("{text}: {why}"));
    let Select::Columns(columns) = query.select else { panic!("{text}") };
    evaluate(&columns[0].value, &row, Timestamp::from_unix(0, 0)).map_err(|error| error.name)
}

#[test]
fn computes() {
    for (text, wanted) in [
        ("n + 2 * 3", "13"),
        ("(n + 2) * 3", "27"),
        ("10 - 2 - 3", "5"),
        ("n / 2", "3"),
        ("n % 4", "3"),
        ("n / 2.0", "3.5"),
        ("-n", "-7"),
        ("digits + 1", "13"),
        ("N", "7"),
        ("\"N\"", ""),
        ("list[0]", "1"),
        ("list[1].in", "unexpected"),
        ("list[9]", ""),
        ("CAST(f AS INT)", "2"),
        ("CAST(digits AS FLOAT)", "12"),
        ("CAST('TRUE' AS BOOLEAN)", "true"),
        ("CAST('2017-01-02T03:04:05Z' AS TIMESTAMP)", "2017-01-02T03:04:05.0000000Z"),
        ("TO_TIMESTAMP('2017-01-02') < UTCNOW()", "false"),
        ("TO_TIMESTAMP('2007T')", "2007-01-01T00:00:00.0000000Z"),
        ("UTCNOW()", "1970-01-01T00:00:00.0000000Z"),
        ("DATE_ADD('minute', 1, CAST('2017-01-02T03:04:05.006Z' AS TIMESTAMP))", "2017-01-02T03:05:05.0060000Z"),
        ("DATE_ADD(year, -digits, '2017-01-02')", "2005-01-02T00:00:00.0000000Z"),
        ("TO_TIMESTAMP('2017-01-31') + 1", "2017-02-01T00:00:00.0000000Z"),
        ("-1 + UTCNOW()", "1969-12-31T00:00:00.0000000Z"),
        ("DATE_DIFF('hour', '2018-11-09T00:00+05:30', '2018-11-09T01:00:23-08:00')", "14"),
        ("EXTRACT(YEAR FROM '2010-01-01T')", "2010"),
        ("EXTRACT('timezone_minute' FROM '2010-01-01T00:00-05:30')", "-30"),
        ("TO_STRING(CAST('1969-07-20T20:18Z' AS TIMESTAMP), 'MMMM d, y')", "July 20, 1969"),
        ("TO_TIMESTAMP('2018-11-09T00:00+05:30') = '2018-11-08T18:30Z'", "true"),
        ("DATE_ADD('day', nil, UTCNOW())", ""),
        ("DATE_DIFF('day', nil, UTCNOW())", ""),
        ("EXTRACT(day FROM nil)", ""),
        ("TO_STRING(UTCNOW(), nil)", ""),
        ("CHARACTER_LENGTH('abcdefg')", "7"),
        ("CHAR_LENGTH('é')", "1"),
        ("LOWER('AbCdEfG')", "abcdefg"),
        ("UPPER(t)", "TEXT"),
        ("SUBSTRING('123456789', 1, 5)", "23456"),
        ("SUBSTRING('123', 2)", "3"),
        ("TRIM('  a ')", "a"),
        ("TRIM(BOTH '123' FROM '1112211Microsoft22211122')", "Microsoft"),
        ("TRIM(LEADING '1' FROM '1a1')", "a1"),
        ("TRIM(TRAILING FROM ' a ')", " a"),
        ("NULLIF(n, 7)", ""),
        ("NULLIF(n, 8)", "7"),
        ("COALESCE(nil, none, t)", "Text"),
    ] {
        if wanted == "unexpected" {
            assert!(parse(&format!("SELECT {text} FROM BlobStorage")).is_err(), "{text}: IN is a keyword");
            continue;
        }
        assert_eq!(worth(text).map(|value| value.into_text()).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn decides_with_three_values() {
    for (text, wanted) in [
        ("n = 7", Some(true)),
        ("n <> 7 OR n != 7", Some(false)),
        ("n >= 7 AND n <= 7.0 AND f < n AND n > f", Some(true)),
        ("digits > n", Some(true)),
        ("'12' > '7'", Some(false)),
        ("t = 'text'", Some(false)),
        ("yes = 'true' AND yes = 1", Some(true)),
        ("nil = nil", None),
        ("none = 1", None),
        ("NOT nil = 1", None),
        ("nil = 1 AND n = 8", Some(false)),
        ("nil = 1 OR n = 7", Some(true)),
        ("nil = 1 OR n = 8", None),
        ("n BETWEEN 7 AND 8", Some(true)),
        ("n NOT BETWEEN 7 AND 8", Some(false)),
        ("n BETWEEN 8 AND nil", Some(false)),
        ("n IN (1, 7)", Some(true)),
        ("n IN (1, nil)", None),
        ("nil IS NULL AND none IS NULL AND n IS NOT NULL", Some(true)),
        ("none IS MISSING AND nil IS NOT MISSING", Some(true)),
        ("t LIKE 'T%t'", Some(true)),
        ("t LIKE 'T_t'", Some(false)),
        ("t LIKE '%x%'", Some(true)),
        ("'' LIKE '%'", Some(true)),
        ("'' LIKE '_'", Some(false)),
        ("'a%b' LIKE 'a!%b' ESCAPE '!'", Some(true)),
        ("'acb' LIKE 'a!%b' ESCAPE '!'", Some(false)),
        ("'aaab' LIKE '%aab'", Some(true)),
        ("nil LIKE '%'", None),
    ] {
        assert_eq!(worth(text).map(|value| value.truth()), Ok(Ok(wanted)), "{text}");
    }
}

#[test]
fn says_what_is_wrong() {
    for (text, wanted) in [
        ("n / 0", "ArithmeticError"),
        ("n % 0", "ArithmeticError"),
        ("9223372036854775807 + 1", "ArithmeticError"),
        ("1e308 * 10", "ArithmeticError"),
        ("CAST(t AS INT)", "InvalidTypeConversion"),
        ("CAST(1e300 AS INT)", "InvalidTypeConversion"),
        ("CAST('NaN' AS FLOAT)", "InvalidTypeConversion"),
        ("CAST(n AS TIMESTAMP)", "InvalidTypeConversion"),
        ("t + 1", "InvalidTypeConversion"),
        ("t = 1", "InvalidTypeConversion"),
        ("EXTRACT(day FROM t)", "InvalidTypeConversion"),
        ("DATE_ADD('day', t, UTCNOW())", "InvalidTypeConversion"),
        ("DATE_ADD('year', 9999, UTCNOW())", "ArithmeticError"),
        ("UTCNOW() - 1", "InvalidTypeConversion"),
        ("TO_STRING(UTCNOW(), 'Q')", "InvalidDateFormat"),
        ("list = 1", "InvalidTypeConversion"),
        ("NOT t", "InvalidTypeConversion"),
    ] {
        assert_eq!(worth(text), Err(wanted), "{text}");
    }
    assert!(!like(&"a".repeat(2_000), &format!("{}b", "%a".repeat(500)), None));
}
