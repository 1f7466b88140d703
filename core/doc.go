// Package core is the vocabulary of the gateway and its contracts: an Exchange, the Payloads
// and Segments in it, the Stage that judges it, the Verdict of a stage, the Dialect that reads
// it, the Error that a client sees.
//
// It imports only core/body, core/llm and the standard library, so that every other package
// can import it. The engine that runs stages is core/chain; the order in which things happen
// is in core/gateway/proxy; docs/architecture.md explains the words.
package core
