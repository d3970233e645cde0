//! Systems on chip, one folder each, one file a controller.

pub mod at91sam9;
pub mod s3c2410;
pub mod s3c2440;
pub mod s3c2442;
