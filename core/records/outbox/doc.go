// Package outbox tells subscribers of events: denials, personal data, budgets, changes of the configuration. Types names
// them all. An Emitter puts those of the traffic into the outbox in the store, where changes of records put theirs
// within their own transaction; a Dispatcher takes them out and has them sent, each at least once.
//
// Nodes share one outbox: a delivery is leased by the node that sends it, and taken over by another when the lease is
// over. The package does not speak HTTP: it is given a Sender.
package outbox
