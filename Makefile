# What you can do here: make help. The two that matter: make run, make test.

GO      ?= go
BIN     := bin
LDFLAGS := -s -w
# A CPU profile of make bench: the compiler inlines what it shows to be hot. See docs/rationale.md.
PGO     := cmd/headgate/headgate.pgo
# grpcnotrace leaves golang.org/x/net/trace out, whose templates keep every exported method of the program in it: 15 MB.
TAGS    := nomsgpack,grpcnotrace
RACE    :=
# What runs the tests. CI sets .ci/gotest, which runs failed tests once more and says so.
TEST    := $(GO) test
# The race detector needs cgo, as SQLite does.
export CGO_ENABLED := 1

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the gateway into bin/
	$(GO) build -trimpath -pgo=$(PGO) -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(BIN)/headgate ./cmd/headgate

.PHONY: run
run: build plugins/employee-id.wasm ## Build, and serve the sample on 127.0.0.1:8080; ARGS="--set console.listen=127.0.0.1:9090" adds flags
	$(BIN)/headgate serve --config configs/gateway.yaml $(ARGS)

# The sample detector is kept beside its source; its digest is checked before it is put where it runs.
plugins/employee-id.wasm: sdk/samples/employee-id/employee-id.wasm
	cd sdk/samples/employee-id && sha256sum --check --quiet employee-id.wasm.sha256
	cp $< $@

# Compilers from npm for the samples in AssemblyScript and Zig. npm install, not npm ci: npm ci requires the packages of every
# platform in the lock file. Versions still come from the lock file.
NPM := .ci/guests/node_modules/.package-lock.json
$(NPM): .ci/guests/package-lock.json
	@if command -v npm >/dev/null; then \
		{ cd .ci/guests && npm install --no-save --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json; } || \
		{ echo "npm failed: samples in AssemblyScript and Zig are skipped, unless their compilers are in the path" >&2; [ "$$CI" != true ]; }; \
	elif [ "$$CI" = true ]; then echo "npm is not installed: samples in AssemblyScript and Zig cannot be built" >&2; exit 1; \
	else echo "npm is not installed: samples in AssemblyScript and Zig are skipped, unless their compilers are in the path" >&2; fi

.PHONY: guests
guests: $(NPM) ## Install the compilers of sample plugins that come by npm

# What drives a browser in the tests of the console.
BROWSER := cmd/headgate/consoletest/node_modules/.package-lock.json
$(BROWSER): cmd/headgate/consoletest/package-lock.json
	@if command -v npm >/dev/null; then \
		{ cd cmd/headgate/consoletest && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json; } || \
		{ echo "npm failed: the console is not tested" >&2; [ "$$CI" != true ]; }; \
	elif [ "$$CI" = true ]; then echo "npm is not installed: the console cannot be tested" >&2; exit 1; \
	else echo "npm is not installed: the console is not tested" >&2; fi

.PHONY: browser
browser: $(BROWSER) ## Install what drives a browser in the tests of the console

.PHONY: pictures
pictures: build browser ## Take pictures of all console pages into bin/pictures/, and retake those of docs/console.md
	rm -rf $(BIN)/pictures
	CONSOLE_PROGRAM=$(CURDIR)/$(BIN)/headgate PICTURES_DIR=$(CURDIR)/$(BIN)/pictures $(GO) test -tags $(TAGS) -count=1 -timeout 30m -run Browser ./cmd/headgate/consoletest
	for p in docs/console/*.webp; do cp $(BIN)/pictures/$${p##*/} $$p || exit 1; done
	$(GO) test -tags $(TAGS) -run Picture ./cmd/headgate/consoletest -update

.PHONY: plugins
plugins: build guests ## Build the sample plugins into bin/plugins/, with the toolchains that are installed
	PATH="$(CURDIR)/.ci/guests/node_modules/.bin:$$PATH" $(BIN)/headgate plugin build \
		$(if $(filter true,$(CI)),,--skip-missing) --out $(BIN)/plugins $(sort $(dir $(wildcard sdk/samples/*/manifest.*)))

.PHONY: plugins-conform
plugins-conform: plugins ## Hold all sample plugins, in all languages, against the ABI
	$(BIN)/headgate plugin conform --cases sdk/samples $(BIN)/plugins/*.wasm sdk/samples/codenames/codenames.wasm sdk/samples/model-access/model-access.wasm

# sdk/clients runs other people's clients against a gateway in a process of its own: the race detector would look at the
# clients. It and .ci/charts import nothing of the gateway, so that Go's cache of results would not notice a change.
.PHONY: test
test: $(if $(filter true,$(CI)),guests browser) ## Run all tests, those that need services included
	$(TEST) $(RACE) -tags $(TAGS) -timeout 30m ./...
	cd sdk/clients && $(TEST) -count=1 -timeout 20m ./...
	cd .ci/charts && $(TEST) -count=1 ./...
	cd .ci/measure && $(TEST) ./...

.PHONY: quick
quick: ## The quick tier, under ten minutes: lint, limits of the tree, tests without -race and without other servers
	.ci/quick

.PHONY: house
house: ## Measure the source tree against its limits
	.ci/house

.PHONY: release
release: ## Build a release into dist/: make release VERSION=v1.2.3 (RELEASE_KEY=file signs it)
	.ci/release $(VERSION)

.PHONY: check
check: ## The full tier, all that CI demands: format, lint, tidy, tests with -race, a release, a clean tree
	.ci/check

.PHONY: proto
proto: ## Regenerate the Go code of the plugin protocol; needs protoc (Debian: protobuf-compiler)
	$(GO) build -o $(BIN)/protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go
	PATH=$(CURDIR)/$(BIN):$$PATH protoc --go_out=. --go_opt=paths=source_relative plugins/process/pb/process.proto
	cp plugins/process/pb/process.proto sdk/process/node/process.proto

.PHONY: guard-model
guard-model: ## Train the learned part of the attack detectors from the files in stages/guardrail/learned/data
	$(GO) run -tags $(TAGS) ./stages/guardrail/learned/train

.PHONY: quality
quality: ## Print what the detectors find, and how often they are wrong on text that is not learned from
	$(GO) run -tags $(TAGS) ./stages/guardrail/learned/train -quality
	$(GO) run -tags $(TAGS) ./stages/guardrail/learned/train -report
	$(GO) run -tags $(TAGS) ./stages/pii/quality

.PHONY: quality-figures
quality-figures: ## Write the figures of the detectors that a test compares
	$(GO) run -tags $(TAGS) ./stages/guardrail/learned/train -figures
	$(GO) run -tags $(TAGS) ./stages/pii/quality -figures

.PHONY: bench
bench: build ## Measure against a tuned reverse proxy; writes bench-report.json
	$(GO) build -trimpath -o $(BIN)/bench ./cmd/bench
	$(BIN)/bench run -headgate $(BIN)/headgate

.PHONY: trial
trial: build ## Try the gateway on loopback: slow readers, restarts, contention; one table (TRIALS=name,name for some, SOAK=2m)
	$(GO) build -trimpath -tags $(TAGS) -o $(BIN)/trial ./cmd/bench/trial
	$(BIN)/trial -headgate $(BIN)/headgate -only "$(TRIALS)" -soak "$(or $(SOAK),20m)"

.PHONY: microbench
microbench: ## Time single steps, in benchstat's form
	$(GO) test -tags $(TAGS) -run '^$$' -bench . -benchmem -count 6 ./core/... ./stages/... ./wasm/...

.PHONY: bench-admin
bench-admin: ## Time the control plane on 100,000 keys; HEADGATE_BENCH_COSTS=10000000 for as many cost records
	$(GO) test -tags $(TAGS) -run '^$$' -bench '^BenchmarkAdmin' -timeout 60m ./core/... ./cmd/...

# The official conformance suite of MCP, with a Node.js that it runs on, and the sample programs of the Go SDK that it is run with.
CONFORMANCE := .ci/conformance/node_modules/.package-lock.json
MCP_SDK     := github.com/modelcontextprotocol/go-sdk/conformance
$(CONFORMANCE): .ci/conformance/package-lock.json
	cd .ci/conformance && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json

.PHONY: conformance-mcp
conformance-mcp: build $(CONFORMANCE) ## Run the official conformance suite of MCP through a gateway with every stage (LEGS=name,name for some)
	GOBIN=$(CURDIR)/$(BIN)/conformance $(GO) install $(MCP_SDK)/everything-server@v1.8.0 $(MCP_SDK)/everything-client@v1.8.0
	cd .ci/conformance && $(GO) build -o $(CURDIR)/$(BIN)/conformance/conformance .
	$(BIN)/conformance/conformance -legs "$(LEGS)"

# The compliance program of Open Responses is in no package. OPENRESPONSES is a clone of its repository that holds the revision that
# .ci/conformance/responses.go names; Bun, which it runs on, comes from npm.
RESPONSES_SUITE := .ci/conformance/openresponses/node_modules/.package-lock.json
$(RESPONSES_SUITE): .ci/conformance/openresponses/package-lock.json
	cd $(dir $<) && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json

.PHONY: conformance-responses
conformance-responses: ## Run the compliance program of Open Responses through a gateway with every stage (OPENRESPONSES=clone of its repository)
	@test -n "$(OPENRESPONSES)" || { echo "conformance-responses needs OPENRESPONSES=DIR, a clone of https://github.com/openresponses/openresponses" >&2; exit 2; }
	$(MAKE) build $(RESPONSES_SUITE)
	cd .ci/conformance && $(GO) build -o $(CURDIR)/$(BIN)/conformance/conformance .
	$(BIN)/conformance/conformance -responses "$(OPENRESPONSES)"

.PHONY: fuzz
fuzz: ## Fuzz every target for ten seconds
	.ci/fuzz 10s

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(BIN) dist bench-report.json
