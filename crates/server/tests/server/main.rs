//! The server as a browser meets it.

mod across;
mod refused;
mod served;
mod tables;
mod timeline;
