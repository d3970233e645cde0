//! Image formats.

pub mod gzip;
pub mod load;
pub mod uimage;
