use super::*;
use crate::mock::{Board, Random};
use std::format;
use std::string::String;

/// Runs a text; what it prints, and `$?` after that.
fn run_text(text: &str) -> (String, u8) {
    let mut board = Board::new();
    board.state.env.set("nested", "echo in; false; echo out").unwrap();
    let output = board.run(text);
    assert_eq!(board.state.level, 0);
    assert_eq!(board.state.scripts.text.len(), 0);
    (output, board.state.status)
}

#[track_caller]
fn check(text: &str, output: &str, status: u8) {
    assert_eq!(run_text(text), (output.into(), status), "{text}");
}

#[test]
fn runs_one_after_the_other() {
    check("", "", 0);
    check("echo a; echo b\necho c", "a\nb\nc\n", 0);
    check(";;echo a;; # b", "a\n", 0);
    check("false; echo $?; true; echo $?", "1\n0\n", 0);
    check("true; false", "", 1);
    check("echo 'a b'   \"c  d\"", "a b c  d\n", 0);
}

#[test]
fn and_or() {
    check("true && echo a", "a\n", 0);
    check("false && echo a", "", 1);
    check("false || echo a", "a\n", 0);
    check("true || echo a && echo b", "b\n", 0);
    check("false && echo a || echo b", "b\n", 0);
    check("false ||\n\n false || echo a", "a\n", 0);
    check("frob || echo a", "Unknown command 'frob' - try 'help'\na\n", 0);
}

#[test]
fn conditions() {
    check("if true; then echo a; fi", "a\n", 0);
    check("if false; then echo a; fi", "", 0);
    check("if false; then echo a; else echo b; fi", "b\n", 0);
    check("if false\nthen echo a\nelif true\nthen echo b; elif true; then echo c; else echo d; fi", "b\n", 0);
    check("if false; then echo a; elif false; then echo b; else echo c; fi", "c\n", 0);
    check("if true; then false; else echo a; fi", "", 1);
    check("if true; false; then echo a; fi; echo b", "b\n", 0);
    check("if true; then if false; then echo a; else echo b; fi; else echo c; fi", "b\n", 0);
    check("if false; then if true; then echo a; else echo b; fi; else echo c; fi", "c\n", 0);
    check("if true && false || true; then echo a; fi && echo b", "a\nb\n", 0);
    // Words with a meaning have it only at the start of a command, and without quotes.
    check("echo if fi then", "if fi then\n", 0);
    check("'if'", "Unknown command 'if' - try 'help'\n", 1);
}

#[test]
fn loops() {
    check("for i in 1 2 '3 4'; do echo $i; done", "1\n2\n3 4\n", 0);
    check("for i in; do echo $i; done; echo $?", "0\n", 0);
    check("for i in a b; do for j in 1 2; do echo $i$j; done; done", "a1\na2\nb1\nb2\n", 0);
    check("for i in a=b; do echo $i; done", "a=b\n", 0);
    check("for i in 1\ndo\nfalse\ndone", "", 1);
    check("x=1; while test $x != 1111; do echo $x; x=1$x; done; echo $x", "1\n11\n111\n1111\n", 0);
    check("x=; until test \"$x\" = aa; do x=a$x; done; echo $x", "aa\n", 0);
    check("while false; do echo a; done; echo $?", "0\n", 0);
    check("if false; then while true; do echo a; done; for i in 1; do echo $i; done; fi", "", 0);
    check("true && for i in 1 2; do echo $i; done && echo x", "1\n2\nx\n", 0);
}

#[test]
fn variables() {
    check("a=1; b=$a$a; echo ${b}3", "113\n", 0);
    check("a='x  y'; b=$a; echo \"$b\" $b", "x  y x y\n", 0);
    check("a=1 echo b; echo $a", "b\n1\n", 0);
    check("echo a=1", "a=1\n", 0);
    check("c='echo x'; $c y", "x y\n", 0);
    check("$none; echo $?", "0\n", 0);
    check("c='echo a; echo b'; $c", "a; echo b\n", 0);
}

#[test]
fn says_where_a_mistake_is_before_anything_runs() {
    let check = |text: &str, place: &str, wrong: &str| {
        check(text, &format!("ERROR: syntax error in {place}: {wrong}\n"), 1);
    };
    check("echo a; if true", "line 1, column 16", "'then' is missing before this");
    check("echo a\nif true; fi", "line 2, column 10", "'then' is missing before this");
    check("if true; then done", "line 1, column 15", "a command is missing before this");
    check("if true; then true; done", "line 1, column 21", "'fi' is missing before this");
    check("if ; then true; fi", "line 1, column 6", "a command is missing before this");
    check("while true; do true", "line 1, column 20", "'done' is missing before this");
    check("for 1 in 2; do true; done", "line 1, column 5", "the name of a variable is missing before this");
    check("for i of 2; do true; done", "line 1, column 7", "'in' is missing before this");
    check("for i in 2; true; done", "line 1, column 13", "'do' is missing before this");
    check("echo a; fi", "line 1, column 9", "'fi' does not belong here");
    check("if true; then true; else true; else true; fi", "line 1, column 32", "'fi' is missing before this");
    check("if true; then true; fi echo", "line 1, column 24", "';' is missing before this");
    check("&& true", "line 1, column 1", "a command is missing before this");
    check("true && ;", "line 1, column 10", "a command is missing before this");
    check("true || fi", "line 1, column 9", "a command is missing before this");
    check("true & true", "line 1, column 6", "a single & means nothing here: write &&, or quote it");
    check("echo 'a", "line 1, column 6", "this ' is not closed");
    check("echo\necho \"${a", "line 2, column 8", "this { is not closed");
    check("echo ${}", "line 1, column 6", "no variable: write ${name}, or quote the $");
}

#[test]
fn knows_what_is_unfinished() {
    let mut board = Board::new();
    let mut check = |text: &str, expected| {
        assert_eq!(board.with(|ctx| is_unfinished(ctx, text)), expected, "{text}");
    };
    for text in
        ["if true", "if true; then\n", "echo 'a", "true &&", "for", "for i in", "while true; do a\n", "a ${b"]
    {
        check(text, true);
    }
    for text in ["", "fi", "true", "if true; fi", "true &", "for 1", "if true; then true; fi"] {
        check(text, false);
    }
}

#[test]
fn levels_are_bounded() {
    let nested = |n: usize| format!("{}echo a{}", "if true; then ".repeat(n), "; fi".repeat(n));
    let most = usize::from(LEVELS) - 1;
    check(&nested(most), "a\n", 0);
    let error =
        "ERROR: more than 24 scripts, loops and conditions in one another; does a script run itself?\n";
    check(&nested(most + 1), error, 1);
    // Whatever a script does after it has failed to run itself, it all ends.
    let mut board = Board::new();
    board.state.env.set("r", "run r; run r; echo x").unwrap();
    assert_eq!(board.run("run r; echo y"), error);
    assert_eq!(board.state.level, 0);
}

#[test]
fn the_text_of_scripts_is_bounded() {
    let mut board = Board::new();
    board.state.env.set("r", &format!("{}run r", "#\n".repeat(4000))).unwrap();
    let output = board.run("run r");
    let error = "ERROR: no room for a script of 8005 bytes: those that run may have 32768 together\n";
    assert_eq!(output, error);
    assert_eq!(board.state.status, 1);
    assert_eq!(board.run("echo a"), "a\n");
}

#[test]
fn commands_that_are_too_long_fail_and_scripts_go_on() {
    let mut board = Board::new();
    board.state.env.set("long", &"x ".repeat(WORDS + 1)).unwrap();
    board.state.env.set("big", &"x".repeat(BYTES)).unwrap();
    let many = "ERROR: a command may have 64 words; use fewer, or quotes\n";
    assert_eq!(board.run("echo $long; echo $?"), format!("{many}1\n"));
    let bytes = "ERROR: the words of a command may have 2048 bytes together; use fewer\n";
    assert_eq!(board.run("echo $big"), bytes);
    assert_eq!(board.run("x=$big$big; echo $?"), format!("{bytes}1\n"));
    assert!(board.run("for x in $long; do echo a; done").starts_with(many));
    let room =
        "ERROR: no room: the variable takes 2051 bytes, 2045 are free; delete others, see 'printenv'\n";
    assert_eq!(board.run("x=$big; y=$big; echo $?"), format!("{room}1\n"));
}

#[test]
fn ctrl_c_ends_everything() {
    for text in
        ["while true; do true; done; echo a", "for i in 1 2; do run l; done; echo a", "run l || echo a"]
    {
        let mut board = Board::new();
        board.state.env.set("l", "while true; do x=; done").unwrap();
        board.serial.input.push_back(3);
        assert_eq!(board.run(text), "<INTERRUPT>\n");
        assert_eq!((board.state.level, board.state.status), (0, 1));
    }
}

/// Made of pieces that mean something: nothing panics, all is given back, and what is no script does
/// nothing.
#[test]
fn any_text_is_harmless() {
    const PIECES: [&str; 30] = [
        "if ", "then ", "elif ", "else ", "fi ", "for ", "i ", "in ", "do ", "done ", "while ", "; ", "\n",
        "&& ", "|| ", "true ", "false ", "echo ", "'", "\"", "$", "{", "}", "\\", "#", "x=", "$i ", "&",
        "a\u{e4}", ":-",
    ];
    let mut random = Random::new(5);
    let mut board = Board::new();
    for _ in 0..20_000 {
        let count = random.below(20);
        let text: String = (0..count).map(|_| PIECES[random.below(30) as usize]).collect();
        // Ends what would not end.
        board.serial.input.clear();
        board.serial.input.extend([3; 64]);
        let output = board.run(&text);
        assert_eq!((board.state.level, board.state.scripts.text.len()), (0, 0), "{text}");
        if output.contains("syntax error") {
            assert_eq!(output.lines().count(), 1, "{text}");
        }
    }
}
