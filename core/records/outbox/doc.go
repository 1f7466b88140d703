// Package outbox notifies subscribers of events: denials, personal data, budgets, configuration changes. Types lists
// them all. An Emitter writes the events of traffic to the outbox in the store; changes of records write theirs in
// their own transaction. A Dispatcher sends them, each at least once.
//
// Nodes share one outbox. The node that sends a delivery leases it; when the lease expires, another node may take over.
// The package does not speak HTTP: the caller provides a Sender.
package outbox
