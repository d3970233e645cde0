use super::*;
use crate::mock::MockSerial;
use std::string::{String, ToString};
use std::vec::Vec;

const BACKSPACE: u8 = 0x08;
const BELL: u8 = 0x07;

/// What a terminal shows after some output: its last line, and the cursor's column.
fn screen(output: &[u8]) -> (String, usize) {
    let (mut line, mut column) = (Vec::new(), 0);
    for &byte in output {
        match byte {
            b'\r' => column = 0,
            b'\n' => line.clear(),
            BACKSPACE => column -= 1,
            BELL => {}
            _ => {
                line.resize(line.len().max(column + 1), b' ');
                line[column] = byte;
                column += 1;
            }
        }
    }
    (String::from_utf8(line).unwrap().trim_end().to_string(), column)
}

/// Types keys, with a history that what was entered gets into; the screen, and the editor.
fn play(keys: &str) -> (Vec<u8>, Editor) {
    let (mut serial, mut editor, mut history) = (MockSerial::default(), Editor::new(), History::new());
    for key in keys.bytes() {
        match editor.key(
            &mut Console::new(&mut serial, &mut crate::console::keys::Keys::new()),
            &history,
            key,
        ) {
            Some(Event::Line) => history.add(editor.line().as_bytes()),
            Some(Event::Interrupt) => {
                Console::new(&mut serial, &mut crate::console::keys::Keys::new()).put(b'\n')
            }
            _ => {}
        }
    }
    (serial.output, editor)
}

/// Types keys; the line, and the screen, must be as expected, with `|` the cursor.
#[track_caller]
fn check(keys: &str, expected: &str) {
    let (output, editor) = play(keys);
    let cursor = expected.find('|').unwrap();
    let text = expected.replace('|', "");
    assert_eq!(editor.line(), text, "{keys:?}");
    assert_eq!(editor.before(), &text[..cursor], "{keys:?}");
    assert_eq!(screen(&output), (text.trim_end().to_string(), cursor), "{keys:?}");
}

#[test]
fn edits() {
    check("", "|");
    check("help", "help|");
    check("helo\x08\x7flp", "help|");
    check("\x08\x7fx", "x|");
    check("hlp\x1b[D\x1b[De", "he|lp");
    check("elp\x01h", "h|elp");
    check("elp\x1b[1~h\x05!", "help!|");
    check("abc\x02\x02\x7f", "|bc");
    check("abc\x02\x02\x04", "a|c");
    check("abc\x1b[H\x1b[3~", "|bc");
    check("abc\x1bOD\x1bOD\x1bOC\x0b", "ab|");
    check("abc\x02\x15", "|c");
    check("abc\x1b[D\x1b[D\x15x", "x|bc");
    check("abc\x06\x06\x1b[C", "abc|");
    check("a\x00\x1b[5~\x1bzb\u{1}", "|ab");
}

#[test]
fn moves_by_words() {
    check("md.b ${addr} 10\x1bb", "md.b ${addr} |10");
    check("md.b ${addr} 10\x1bb\x1bb", "md.b ${|addr} 10");
    check("md.b ${addr} 10\x1b[1;5D\x1b[1;5D\x1b[1;5D", "md.|b ${addr} 10");
    check("md.b ${addr}\x1bb\x1bb\x1bb\x1bb", "|md.b ${addr}");
    check("ab cd\x01\x1bf", "ab| cd");
    check("ab cd\x01\x1bf\x1b[1;5C\x1bf", "ab cd|");
}

#[test]
fn kills_and_yanks() {
    check("ab cd\x17", "ab |");
    check("ab cd\x17\x19\x19", "ab cdcd|");
    check("ab cd\x1b\x7fx\x19", "ab xcd|");
    check("ab cd\x01\x1bd", "| cd");
    check("ab cd\x01\x1bd\x05\x19", " cdab|");
    check("ab cd\x02\x02\x0b\x01\x19", "cd|ab ");
    check("ab cd\x02\x02\x15\x05\x19", "cdab |");
    // Nothing killed leaves what was killed before.
    check("ab\x15\x15\x0b\x19", "ab|");
    // And it outlives the line.
    check("ab\x15x\r\x19", "ab|");
}

#[test]
fn bytes_that_are_no_text_stay_out() {
    let (mut serial, mut editor, history) = (MockSerial::default(), Editor::new(), History::new());
    for key in 0x80..=0xff {
        assert_eq!(
            editor.key(&mut Console::new(&mut serial, &mut crate::console::keys::Keys::new()), &history, key),
            None
        );
    }
    assert_eq!((editor.line(), serial.output.len()), ("", 0));
}

#[test]
fn a_full_line_rings() {
    let (output, editor) = play(&"x".repeat(MAX + 1));
    assert_eq!(editor.line().len(), MAX);
    assert_eq!(output.last(), Some(&BELL));
    check(&("ab\x15".to_string() + &"x".repeat(MAX - 1) + "\x19"), &("x".repeat(MAX - 1) + "a|"));
}

#[test]
fn remembers_lines() {
    check("one\rtwo\r\x10", "two|");
    check("one\rtwo\r\x10\x10", "one|");
    check("one\rtwo\r\x10\x10\x10\x0e", "two|");
    check("one\rtwo\r\x1b[A\x1b[A\x1b[B\x1b[B", "|");
    check("one\rone\r\r\x10\x10\x10", "one|");
    check("one\rtw\x03\x10", "one|");
    check("one\r\x10x\x10", "onex|");
    check("one\r\x0e", "|");
}

#[test]
fn searches_lines() {
    let lines = "md 1\rnand info\rmd 2\r";
    let check = |keys: &str, expected: &str| check(&(lines.to_string() + keys), expected);
    check("\x12md\x05", "md 2|");
    check("\x12md\x12\x05", "md 1|");
    check("\x12md\x12\x12\x05", "md 1|");
    check("\x12in\x1b[D", "nand inf|o");
    check("\x12na\x7f\x7fd 1\x05", "md 1|");
    check("\x12inxyz\x05", "nand info|");
    check("x\x12\x05", "x|");
    check("abc\x02\x12md\x07", "ab|c");
    check("\x12md\x17", "md |");
}

#[test]
fn shows_what_it_searches() {
    let (output, _) = play("md 1\rnand info\rab\x12an");
    assert_eq!(screen(&output).0, "(reverse-i-search)`an': nand info");
    let (output, editor) = play("md 1\rnand info\rab\x12md\r");
    assert_eq!((screen(&output).0, editor.line()), (String::new(), "md 1"));
    assert!(String::from_utf8(output).unwrap().ends_with("md 1\r\n"));
    let (output, editor) = play("md 1\r\x12xyz");
    assert_eq!((screen(&output).0.as_str(), editor.line()), ("(reverse-i-search)`xyz':", ""));
    assert_eq!(output.iter().filter(|&&byte| byte == BELL).count(), 3);
}

#[test]
fn says_what_a_key_completes() {
    let events = |keys: &[u8]| {
        let (mut serial, mut editor, history) = (MockSerial::default(), Editor::new(), History::new());
        let event = |&key| {
            editor.key(&mut Console::new(&mut serial, &mut crate::console::keys::Keys::new()), &history, key)
        };
        keys.iter().filter_map(event).collect::<Vec<_>>()
    };
    assert_eq!(events(b"a\rb\nc\r\n"), [Event::Line; 3]);
    assert_eq!(events(b"ab\x03\t\x0c"), [Event::Interrupt, Event::Complete, Event::Redraw]);
}

/// Whatever is typed: the screen shows the line, and nothing panics.
#[test]
fn any_keys_are_harmless() {
    const KEYS: [&str; 22] = [
        "a", "b ", "\x01", "\x02", "\x04", "\x05", "\x06", "\x07", "\x08", "\x0b", "\x0e", "\x10", "\x12",
        "\x15", "\x17", "\x19", "\x1bb", "\x1bf", "\x1bd", "\r", "\x1b[A", "\x1b[",
    ];
    let mut random = crate::mock::Random::new(6);
    for _ in 0..2000 {
        let keys: String = (0..random.below(60)).map(|_| KEYS[random.below(22) as usize]).collect();
        // A search, and half a sequence, are left.
        let (output, editor) = play(&(keys.clone() + "x\x7f\x05\x1b[C"));
        let (line, column) = screen(&output);
        assert_eq!((line.as_str(), column), (editor.line().trim_end(), editor.line().len()), "{keys:?}");
    }
}
