// Package stagetest tests stages. Cases runs a stage on texts and compares what
// it says; Conform holds any stage against what the chain expects of one,
// whatever it looks for and however it is made: in Go, in a WebAssembly module,
// in its own process, behind a webhook.
package stagetest
