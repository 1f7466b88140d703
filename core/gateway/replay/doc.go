// Package replay runs captured exchanges through a chain again, without a network, and compares the outcomes of two
// chains: see docs/replay.md.
//
// The same records, chains and settings give the same report: time is that of the records, counters start empty, and
// nothing depends on the order of a map.
package replay
