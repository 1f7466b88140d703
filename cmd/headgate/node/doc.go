// Package node is the running gateway: it turns a configuration into a runtime, keeps the runtime current, opens the
// listeners and shuts down in order. Package main is its command line.
//
//	--config, --set, HEADGATE_… ─┐
//	chain layout of the database ─┼─ Options.Load ─ *config.Config
//	fleet: replica of the site ───┘                      │
//	                                                     │ gateway.reload      SIGHUP, a changed file, a changed plugin
//	       plugins folder, processes ────────────┐       ▼
//	       records: policies, guards, schemas ───┴─ buildRuntime: providers, router, chain
//	                                                     │
//	                                                     │ gateway.swap        with the keys of the database
//	                                                     ▼
//	       records that changed ── gateway.refresh ─ snapshot in force
//	                                                     │
//	          ┌──────────────────┬───────────────────────┼───────────────────┐
//	       proxy :8080     admin API, console        /status, /metrics    internal API of a control plane
//	          └──────────────────┴───────────┬───────────┴───────────────────┘
//	                                         ▼
//	       SIGTERM ─ stop listening ─ drain the exchanges ─ release the runtime ─ flush records ─ close the store
//
// A request holds the snapshot with which it began, so a reload never changes a chain during an exchange; the old
// runtime is closed when its last exchange has ended. A configuration that cannot be built is refused as a whole, and
// the one in force stays.
//
// Start reading here: serve.go starts and stops, run.go waits for events, gateway.go reloads, runtime.go and
// runtime_chain.go build, changes.go follows the database, replica.go follows a control plane, and control_plane.go is
// one. offline.go gives commands the administrative operations without a running gateway.
package node
