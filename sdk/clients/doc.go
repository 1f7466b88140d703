// Package clients holds tests alone: vendors' official client libraries talk to
// the built gateway, so that what those libraries expect is met. It is a module
// of its own, so that the gateway does not depend on them, and imports nothing
// of the gateway. Run it with: go test ./...
package clients
