//! The server as a browser meets it.

mod across;
mod damaged;
mod refused;
mod served;
mod tables;
mod timeline;
