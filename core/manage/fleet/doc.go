// Package fleet implements the protocol between a control plane and its nodes: nodes fetch the configuration and send
// their records. Messages are sealed with the shared secret. docs/fleet.md describes the protocol.
//
// It may import core, core/records/store and what is below them.
package fleet
