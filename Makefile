# SPDX-License-Identifier: Apache-2.0
#
# Everything here needs Go, make and sh; race also needs a C compiler.

GO        ?= go
FUZZTIME  ?= 30s
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# What "dragoman version" names; empty outside of a checkout.
COMMIT = $(shell git describe --always --abbrev=12 --dirty --exclude '*' 2>/dev/null)

# Modules of their own: their dependencies never reach users of the library.
NESTED := $(patsubst %/go.mod,%,$(wildcard bench/go.mod interop/go.mod browser/go.mod examples/tutorial/teller/go.mod))

.DEFAULT_GOAL := help
.PHONY: help build run test race lint bench interop fuzz prove generate screenshots

help: ## print this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-11s %s\n", $$1, $$2 }'

build: ## build bin/dragoman
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X github.com/dragoman-a2a/dragoman/internal/cli.stamp=$(COMMIT)" -o bin/dragoman ./cmd/dragoman

run: build ## build, then serve sample agents, a host and the console on 127.0.0.1:12000 until Ctrl-C
	@sh scripts/run.sh

test: ## run all tests, those of nested modules too (installs a browser and PostgreSQL, if it may)
	@sh scripts/postgres.sh
	$(GO) test ./...
	@sh scripts/browser.sh
	@set -e; for m in $(NESTED); do echo "== module $$m"; (cd $$m && $(GO) test ./...); done

race: ## run all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race ./...

lint: ## gofmt, vet, staticcheck; build and vet for every platform without cgo
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l $$(find . -name '*.go' -not -path './.*')); \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@set -e; for m in $(NESTED); do echo "== module $$m"; (cd $$m && $(GO) vet ./...); done
	@if command -v npm >/dev/null; then sh internal/kit/vendored/check.sh; else echo "lint: scripts of pages are NOT checked; that needs Node.js"; fi
	@set -e; for p in $(PLATFORMS); do echo "== $$p: build, vet"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build ./...; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) vet ./...; done

bench: ## measure against peers and print a table of ratios
	@[ -f bench/go.mod ] || { echo "bench: there is no bench/ module yet"; exit 1; }
	cd bench && $(GO) run .

interop: ## talk to other implementations, both ways (needs Python and Node.js)
	cd interop && $(GO) run .

fuzz: ## run every fuzz target, FUZZTIME each (30s)
	@FUZZTIME=$(FUZZTIME) sh scripts/fuzz.sh

prove: ## run the long proofs of chaos and size
	DRAGOMAN_PROVE=1 $(GO) test -count=1 -timeout 2h ./...

generate: ## write generated code again
	$(GO) generate ./...

screenshots: ## draw the console's pages again into docs/img (needs a browser)
	@sh scripts/browser.sh
	cd browser && DRAGOMAN_PICTURES=$(CURDIR)/docs/img $(GO) test -count=1 -run TestPagesFit .
