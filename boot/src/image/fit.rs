//! FIT images ("flattened image tree"): a device tree whose nodes hold images, hashes of them, and
//! configurations that name which belong together.
//!
//! Format: U-Boot `doc/usage/fit/source_file_format.rst`.

use super::digest::Algorithm;
use super::region::Region;
use crate::fdt::{Fdt, FdtError, Node, PROP_HEAD};
use arrayvec::ArrayString;
use core::fmt;
use platform::hal::Memory;

/// A name as far as it is shown.
pub type Name = ArrayString<24>;

/// As much of a name as is shown.
pub fn name(text: &str) -> Name {
    let mut name = Name::new();
    // Too long a name is shown as far as it fits.
    let _ = text.chars().try_for_each(|c| name.try_push(c));
    name
}

/// Why a FIT image cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitError {
    /// The tree.
    Tree(FdtError),
    /// There is no such node.
    NoNode {
        /// The node above it.
        of: &'static str,
        /// Its name.
        name: Name,
    },
    /// A node lacks a property, or has nonsense in it.
    Property {
        /// The node.
        node: Name,
        /// The property.
        property: &'static str,
    },
    /// An image's data is not all in RAM.
    Data(Name),
    /// An image has no hash.
    NoHash(Name),
    /// An image has a hash of an unknown kind.
    Algorithm(Name),
    /// An image's data does not have the hash that it should.
    Hash(Name),
    /// A configuration with device tree overlays.
    Overlays(Name),
    /// The image's type, compression, architecture or system is not what is needed.
    Unfit {
        /// The node.
        node: Name,
        /// The property.
        property: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tree(error) => write!(f, "bad FIT image: {error}; load it anew"),
            Self::NoNode { of, name } => write!(f, "the FIT has no '{name}' in {of}; 'iminfo' lists them"),
            Self::Property { node, property } => {
                write!(f, "'{node}' of the FIT lacks a sound '{property}'; make it anew with mkimage")
            }
            Self::Data(node) => write!(f, "the data of '{node}' is not all in RAM; load all of the FIT"),
            Self::NoHash(node) => {
                write!(f, "'{node}' of the FIT has no hash; add a node 'hash-1' with algo = \"sha256\"")
            }
            Self::Algorithm(node) => {
                write!(f, "'{node}' of the FIT has an unsupported hash; use crc32, sha1 or sha256")
            }
            Self::Hash(node) => write!(f, "Bad hash value for '{node}' of the FIT; load it anew"),
            Self::Overlays(node) => {
                write!(f, "'{node}' of the FIT has device tree overlays; apply them with fdtoverlay first")
            }
            Self::Unfit { node, property, wanted } => {
                write!(f, "'{property}' of '{node}' of the FIT is not what boots; it must be {wanted}")
            }
        }
    }
}

impl From<FdtError> for FitError {
    fn from(error: FdtError) -> Self {
        Self::Tree(error)
    }
}

/// A FIT image in RAM.
#[derive(Clone, Copy)]
pub struct Fit<'a> {
    memory: &'a dyn Memory,
    /// Where it starts.
    pub address: u32,
    tree: Fdt<'a>,
}

impl<'a> Fit<'a> {
    /// The FIT at `address`, of which `bytes` are the tree.
    ///
    /// # Errors
    /// It is no sound tree, or has no images.
    pub fn new(memory: &'a dyn Memory, address: u32, bytes: &'a [u8]) -> Result<Self, FitError> {
        let tree = Fdt::new(bytes)?;
        let fit = Self { memory, address, tree };
        fit.parent("/images")?;
        Ok(fit)
    }

    /// Bytes of its tree.
    #[must_use]
    pub fn tree_len(self) -> u32 {
        // What was in RAM fits.
        self.tree.len() as u32
    }

    /// What it says it is.
    #[must_use]
    pub fn description(self) -> &'a str {
        self.tree.root().text("description").unwrap_or("unavailable")
    }

    /// Seconds since 1970.
    #[must_use]
    pub fn timestamp(self) -> Option<u32> {
        self.tree.root().number("timestamp")
    }

    fn parent(self, path: &'static str) -> Result<Node<'a>, FitError> {
        self.tree.node(path).ok_or(FitError::NoNode { of: "its root", name: name(path) })
    }

    /// All images.
    pub fn images(self) -> impl Iterator<Item = Image<'a>> {
        let node = self.tree.node("/images");
        node.into_iter().flat_map(Node::children).map(move |node| Image { fit: self, node })
    }

    /// All configurations.
    pub fn configurations(self) -> impl Iterator<Item = Node<'a>> {
        self.tree.node("/configurations").into_iter().flat_map(Node::children)
    }

    /// The name of the default configuration.
    #[must_use]
    pub fn default(self) -> Option<&'a str> {
        self.tree.node("/configurations")?.text("default")
    }

    /// The configuration of that name, or else the default one, or else the first.
    ///
    /// # Errors
    /// There is none.
    pub fn configuration(self, wanted: Option<&str>) -> Result<Node<'a>, FitError> {
        let all = self.parent("/configurations")?;
        let first = || all.children().next().map(|node| node.name);
        let wanted = wanted.or(self.default()).or_else(first).unwrap_or("");
        all.children()
            .find(|node| node.name == wanted)
            .ok_or(FitError::NoNode { of: "/configurations", name: name(wanted) })
    }

    /// The image of that name.
    ///
    /// # Errors
    /// There is none.
    pub fn image(self, wanted: &str) -> Result<Image<'a>, FitError> {
        self.images()
            .find(|image| image.node.name == wanted)
            .ok_or(FitError::NoNode { of: "/images", name: name(wanted) })
    }

    /// The image that a configuration has for a purpose: `kernel`, `ramdisk`, `fdt`.
    ///
    /// # Errors
    /// It names one that is not there, or several.
    pub fn part(self, configuration: Node<'a>, purpose: &str) -> Result<Option<Image<'a>>, FitError> {
        let Some(value) = configuration.prop(purpose) else { return Ok(None) };
        // A list of zero-terminated names.
        if value.iter().filter(|&&byte| byte == 0).count() > 1 {
            return Err(FitError::Overlays(name(configuration.name)));
        }
        self.image(configuration.text(purpose).unwrap_or("")).map(Some)
    }
}

/// An image of a FIT.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    fit: Fit<'a>,
    node: Node<'a>,
}

impl<'a> Image<'a> {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'a str {
        self.node.name
    }

    /// A property that is text.
    #[must_use]
    pub fn text(self, property: &str) -> Option<&'a str> {
        self.node.text(property)
    }

    /// A property that is a number, if it is there.
    ///
    /// # Errors
    /// It is no number of 32 bits.
    pub fn number(self, property: &'static str) -> Result<Option<u32>, FitError> {
        match (self.node.number(property), self.node.prop(property)) {
            (None, Some(_)) => Err(FitError::Property { node: name(self.node.name), property }),
            (number, _) => Ok(number),
        }
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// It is not.
    pub fn required(self, property: &'static str) -> Result<u32, FitError> {
        self.number(property)?.ok_or(FitError::Property { node: name(self.node.name), property })
    }

    /// Where its data is: inside the tree, or behind it.
    ///
    /// # Errors
    /// It is nowhere, or not all in RAM.
    pub fn region(self) -> Result<Region, FitError> {
        let tree = self.fit.tree;
        let node = name(self.node.name);
        if let Some((at, data)) = self.node.place("data") {
            let offset = (at + PROP_HEAD) as u32;
            return Ok(Region::new(self.fit.address.wrapping_add(offset), data.len() as u32));
        }
        // Relative to the FIT, or to what follows its tree.
        let offset = match (self.number("data-position")?, self.number("data-offset")?) {
            (Some(position), _) => position,
            (None, Some(offset)) => {
                let behind = (tree.len() as u32).next_multiple_of(4);
                offset.checked_add(behind).ok_or(FitError::Data(node))?
            }
            (None, None) => return Err(FitError::Property { node, property: "data" }),
        };
        let len = self.required("data-size")?;
        let start = self.fit.address.checked_add(offset).ok_or(FitError::Data(node))?;
        self.fit.memory.ram(start, len).map(|_| Region::new(start, len)).ok_or(FitError::Data(node))
    }

    /// Its data.
    ///
    /// # Errors
    /// It is not all in RAM.
    pub fn data(self) -> Result<&'a [u8], FitError> {
        let Region { start, len } = self.region()?;
        self.fit.memory.ram(start, len).ok_or(FitError::Data(name(self.node.name)))
    }

    /// Its hashes: the name of the algorithm and the value.
    pub fn hashes(self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let nodes = self.node.children().filter(|node| node.name.starts_with("hash"));
        nodes.map(|node| (node.text("algo").unwrap_or("?"), node.prop("value").unwrap_or_default()))
    }

    /// Verifies the hashes up to the first that is wrong, and tells `judged` the algorithm of each
    /// and whether it is right.
    ///
    /// # Errors
    /// One is wrong or of an unknown kind, or there is none.
    pub fn verify(self, mut judged: impl FnMut(&str, bool)) -> Result<(), FitError> {
        let data = self.data()?;
        let node = name(self.node.name);
        let mut any = false;
        for (algorithm, value) in self.hashes() {
            let known = Algorithm::named(algorithm).ok_or(FitError::Algorithm(node))?;
            let good = known.matches(data, value);
            judged(algorithm, good);
            if !good {
                return Err(FitError::Hash(node));
            }
            any = true;
        }
        if any { Ok(()) } else { Err(FitError::NoHash(node)) }
    }

    /// Is a property one of these? Names the first in an error.
    ///
    /// # Errors
    /// It is not, or not there.
    pub fn must_be(self, property: &'static str, wanted: &'static str) -> Result<(), FitError> {
        match self.text(property) {
            Some(found) if found == wanted => Ok(()),
            _ => Err(FitError::Unfit { node: name(self.node.name), property, wanted }),
        }
    }
}
