//! Files appear whole or not at all.

use crate::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes a file next to its place and renames it when it is complete, so that a
/// failure leaves what was there before. Creates the directory.
///
/// # Errors
/// Names the file and what the system said.
pub fn write(path: &Path, contents: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<()> {
    let path = &target(path)?;
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory).map_err(|e| Error::io("create the directory", directory, &e))?;
    let failed = |e: io::Error| Error::io("write", path, &e);
    let temporary = tempfile::Builder::new()
        .prefix(".stone-")
        // What a plain create would ask for; the umask takes its part away.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
        .map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 20, temporary.as_file());
    contents(&mut out).and_then(|()| out.flush()).map_err(failed)?;
    drop(out);
    temporary.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Prints to the standard output. That nobody reads it any more is no error.
///
/// # Errors
/// What the system said.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(format!("cannot write to the standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// The file behind a symbolic link, which the rename would replace otherwise.
fn target(path: &Path) -> Result<PathBuf> {
    let Ok(found) = fs::canonicalize(path) else { return Ok(path.to_owned()) };
    if !found.is_file() {
        return Err(Error::new("is not a regular file").file(path).hint("give the name of a file to write"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_failure_leaves_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        write(&path, |out| out.write_all(b"old")).unwrap();
        let error = write(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("disk on fire"))
        });
        assert!(error.unwrap_err().to_string().contains("disk on fire"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["image"]);
    }

    #[test]
    fn follows_links_and_spares_devices() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(write(Path::new("/dev/null"), |_| Ok(())).is_err());
    }
}
