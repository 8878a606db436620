//! The outermost JSON of a trace: a bare array of events, or an object with `traceEvents`.

use super::text::Cursor;

/// Where the events of a file are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// First byte of the first event, or of the closing bracket.
    pub events: usize,
    /// Whether the array stands in an object.
    pub in_object: bool,
}

/// Finds the events. `Err` has the offset of the byte that no trace has there.
pub fn open(bytes: &[u8]) -> Result<Document, usize> {
    let mut cursor = Cursor::of_file(bytes);
    let in_object = cursor.peek() == b'{';
    if in_object {
        find_trace_events(&mut cursor).ok_or(cursor.at)?;
    }
    cursor.eat(b'[').ok_or(cursor.at)?;
    cursor.skip_space();
    Ok(Document { events: cursor.at, in_object })
}

/// Moves the cursor to the value of `traceEvents`.
fn find_trace_events(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(b'{')?;
    loop {
        cursor.skip_space();
        let key = cursor.string()?;
        cursor.skip_space();
        cursor.eat(b':')?;
        cursor.skip_space();
        if key.bytes == b"traceEvents" {
            return Some(());
        }
        cursor.skip_value()?;
        cursor.skip_space();
        cursor.eat(b',')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_in_an_array_and_in_an_object() {
        let at = |text: &str| open(text.as_bytes()).map(|d| d.events);
        assert_eq!(at(r#"[{"ph"#), Ok(1));
        assert_eq!(at("\u{feff}[ {"), Ok(5));
        assert_eq!(at(r#"{"schemaVersion": 1, "x": {"traceEvents": []}, "traceEvents": [{"#), Ok(63));
    }

    #[test]
    fn what_is_no_trace_is_refused_where_it_departs() {
        assert_eq!(open(b""), Err(0));
        assert_eq!(open(b"  x"), Err(2));
        assert_eq!(open(br#"{"a": 1}"#), Err(7));
    }
}
