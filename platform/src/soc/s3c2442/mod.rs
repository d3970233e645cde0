//! Samsung S3C2442B: an S3C2440A with other memories in the package. Its loader-side
//! controllers are the same; Linux drives both with the same code.

pub use super::s3c2440::*;
