# npuscope 的中文文案，语法见 Project Fluent。每条消息一个条目；用法见 crates/messages/src/lib.rs。

# crates/messages 的示例。
example = { $steps } 个 step 的耗时是之前的 { $times } 倍
