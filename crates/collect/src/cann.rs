//! What an NPU and its libraries record.
