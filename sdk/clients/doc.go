// Package clients holds tests alone: vendors' official client libraries talk to
// the built gateway, so that what those libraries expect is met, in every shape
// that it serves and with providers of every shape behind it. It is a module of
// its own, so that the gateway does not depend on them, and imports nothing of
// the gateway. Run it with: go test ./...
package clients
