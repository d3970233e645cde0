//! `--set KEY=VALUE`: a recipe with one value changed.

use crate::{Error, Result};
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

/// Applies settings such as `kernel.load=0x32000000` or `partition.rootfs.file=a.img`
/// to the text of a recipe that parses.
///
/// The value is TOML, or a text as it stands if it is not.
///
/// # Errors
/// Names the setting that does not fit.
pub fn apply(text: &str, settings: &[String]) -> Result<String> {
    let mut document: DocumentMut = text.parse().map_err(|e| Error::new(format!("not TOML: {e}")))?;
    for setting in settings {
        one(document.as_table_mut(), setting)?;
    }
    Ok(document.to_string())
}

fn one(root: &mut Table, setting: &str) -> Result<()> {
    let wrong = |what: String| Error::new(what).found(format!("--set {setting}"));
    let (key, text) = setting
        .split_once('=')
        .ok_or_else(|| wrong("a setting is key=value, such as kernel.load=0x32000000".into()))?;
    let mut path: Vec<&str> = key.split('.').collect();
    let last = path.pop().unwrap_or_default();
    let mut table: &mut dyn TableLike = root;
    let mut names = path.into_iter();
    while let Some(name) = names.next() {
        let item = table.entry(name).or_insert(Item::Table(Table::new()));
        table = if let Item::ArrayOfTables(list) = item {
            // A partition goes by its name.
            let wanted = names.next().unwrap_or_default();
            let found = list.iter_mut().find(|t| t.get("name").and_then(Item::as_str) == Some(wanted));
            found.ok_or_else(|| wrong(format!("there is no {name} `{wanted}`")))?
        } else {
            item.as_table_like_mut().ok_or_else(|| wrong(format!("`{name}` is not a table")))?
        };
    }
    let value = text.parse::<Value>().unwrap_or_else(|_| Value::from(text));
    table.insert(last, Item::Value(value));
    Ok(())
}
