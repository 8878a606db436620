//! What the host did, recorded.
