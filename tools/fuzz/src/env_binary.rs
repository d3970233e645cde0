//! Stored copies of the environment, and `env import -b` and `-c`.

use boot::crc::crc32;
use boot::env::Environment;
use boot::env::image::{self, Form, Image};

/// A copy; its CRC is put right.
pub fn check(data: &[u8]) {
    for form in [Form::Plain, Form::Redundant] {
        if let Ok(image) = Image::parse(data, form, crc32) {
            import(image.data);
        }
        let Some((_, variables)) = data.split_at_checked(form.header()) else { continue };
        let mut copy = data.to_vec();
        copy[..4].copy_from_slice(&crc32(variables).to_le_bytes());
        let image = Image::parse(&copy, form, crc32).expect("the CRC is right");
        assert_eq!(image.data, variables);
        let variables = import(image.data);
        let flags = image.flags.unwrap_or_default();
        // What was in a copy fits one of the same size, but for the NUL that it may have lacked.
        let mut written = vec![0xff; data.len() + 2];
        image::write(&mut written, form, flags, variables.iter(), crc32).expect("it fits");
        let again = Image::parse(&written, form, crc32).expect("what was written is a copy");
        assert_eq!((again.flags, import(again.data)), (image.flags, variables));
    }
}

/// The variables in binary data, as far as there is room.
fn import(data: &[u8]) -> Environment {
    let mut variables = Environment::new();
    // Without room, those before stay.
    let _ = variables.import(image::entries(data));
    let names: Vec<_> = variables.iter().map(|(name, _)| name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    for (name, value) in variables.iter() {
        assert_eq!(variables.get(name), Some(value));
    }
    variables
}
