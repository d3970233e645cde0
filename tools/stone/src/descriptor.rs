//! The flash descriptor that goes behind stage1 into block 0.

use crate::layout::{Layout, Placed};
use crate::part::Geometry;
use crate::recipe::{self, Source};
use crate::{Error, Result};
use boot::descriptor::{self, Content, Descriptor, Name, Partition};
use boot::nand::{ecc, part};
use std::collections::BTreeSet;

/// Adds both copies to what goes into block 0.
///
/// # Errors
/// Says what of the recipe the descriptor has no room for.
pub fn append(block: &mut Vec<u8>, source: &Source, layout: &Layout, bad: &BTreeSet<u32>) -> Result<()> {
    let descriptor = describe(source, layout, bad)?;
    let record = descriptor.to_bytes().map_err(|error| {
        Error::new(format!("the flash descriptor makes no sense: {error}")).file(&source.path)
    })?;
    for offset in descriptor::copies(&descriptor.geometry).map(|offset| offset as usize) {
        if block.len() > offset {
            return Err(Error::new("there is no room for the flash descriptor behind the first stage")
                .file(&source.recipe.stage1.file)
                .expected(format!("at most {offset} bytes"))
                .found(format!("{} bytes", block.len())));
        }
        block.resize(offset, 0xff);
        block.extend(record);
    }
    Ok(())
}

/// The descriptor of a recipe for a chip with these factory-bad blocks.
fn describe(source: &Source, layout: &Layout, bad: &BTreeSet<u32>) -> Result<Descriptor> {
    let wrong = |what: String| Error::new(what).file(&source.path);
    let recipe = &source.recipe;
    let name = |text: &str| {
        Name::from(text).map_err(|_| {
            wrong(format!("`{text}` is too long a name"))
                .expected(format!("at most {} bytes", descriptor::NAME))
        })
    };
    let part = recipe.part.get_ref();
    let mut id = [0; 5];
    let known = part::find(part).map_or(&[][..], |part| part.id);
    id.iter_mut().zip(known).for_each(|(id, known)| *id = *known);
    let mut descriptor = Descriptor {
        geometry: layout.geometry.into(),
        id,
        part: name(part)?,
        mtd: name(&recipe.mtd)?,
        partitions: Default::default(),
        bad: Default::default(),
    };
    for Placed { name: text, blocks, spare, content, ecc, .. } in &layout.partitions {
        let partition = Partition {
            name: name(text)?,
            ecc: name(ecc.name)?,
            // Geometries stay below 65536 blocks, and partitions inside the chip.
            start: blocks.start as u16,
            blocks: blocks.len() as u16,
            spare: *spare as u16,
            content: content.map_or(Content::Other, kind),
        };
        descriptor.partitions.try_push(partition).map_err(|_| {
            wrong("there are too many partitions".into())
                .expected(format!("at most {}", descriptor::PARTITIONS))
                .found(layout.partitions.len().to_string())
        })?;
    }
    // More than makers allow are a test's. The list is a copy; the marks on the chip are what counts.
    descriptor.bad.extend(bad.iter().take(descriptor::BAD).map(|block| *block as u16));
    Ok(descriptor)
}

/// The partitions of a descriptor.
#[must_use]
pub fn partitions(descriptor: &Descriptor, geometry: &Geometry) -> Vec<Placed> {
    let placed = |partition: &Partition| Placed {
        name: partition.name.to_string(),
        blocks: partition.start.into()..partition.end(),
        spare: partition.spare.into(),
        content: recipe_kind(partition.content),
        file: None,
        ecc: ecc::Layout::find(&partition.ecc).unwrap_or(geometry.ecc()),
    };
    descriptor.partitions.iter().map(placed).collect()
}

/// What the recipe calls content, as the descriptor has it.
const fn kind(content: recipe::Content) -> Content {
    match content {
        recipe::Content::Stage1 => Content::Stage1,
        recipe::Content::Stage2 => Content::Stage2,
        recipe::Content::Kernel => Content::Kernel,
        recipe::Content::Raw => Content::Raw,
        recipe::Content::Env => Content::Env,
        recipe::Content::Bbt => Content::Bbt,
    }
}

/// The other way round.
const fn recipe_kind(content: Content) -> Option<recipe::Content> {
    Some(match content {
        Content::Other => return None,
        Content::Stage1 => recipe::Content::Stage1,
        Content::Stage2 => recipe::Content::Stage2,
        Content::Kernel => recipe::Content::Kernel,
        Content::Raw => recipe::Content::Raw,
        Content::Env => recipe::Content::Env,
        Content::Bbt => recipe::Content::Bbt,
    })
}
