// Package replay runs captured exchanges through a chain again, without a network, and
// compares what two chains make of them: see docs/replay.md.
//
// The same records, chains and settings give the same report: time is that of the
// records, counters begin empty, and nothing depends on the order of a map.
package replay
