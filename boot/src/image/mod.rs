//! Image formats.

pub mod digest;
pub mod error;
pub mod fit;
pub mod gzip;
pub mod load;
pub mod lz4;
pub mod place;
pub mod region;
pub mod uimage;
pub mod zimage;
