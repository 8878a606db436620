//! What a configuration will record, where and how much.
