//! `env import -t` and `env export -t`.

use boot::env::{Environment, Imported, text};

/// Text that is imported; the first byte says whether lines end as in DOS.
pub fn check(data: &[u8]) {
    let Some((first, data)) = data.split_first() else { return };
    let variables = import(data, first & 1 == 1);
    // A backslash before what needs one doubles it at most.
    let mut out = vec![0xff; 2 * variables.as_bytes().len() + 2];
    let len = text::write(&mut out, variables.iter()).expect("it fits");
    assert_eq!(import(&out[..len], false), variables);
}

fn import(data: &[u8], crlf: bool) -> Environment {
    let mut variables = Environment::new();
    let mut imported = Imported::default();
    // Without room, those before stay.
    let _ = text::read(data, crlf, |name, value| variables.take(name, value, &mut imported));
    variables
}
