# Build products stay outside the clone, so that a fresh clone on a warm machine builds in minutes.
export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/npuscope/target

.PHONY: test
test:
	cargo test --workspace --locked
