// Package stagetest tests stages. Cases runs a stage on texts and compares the results. Conform tests any stage against the
// contract of the chain, whatever it looks for and however it is built: in Go, as a WebAssembly module, as a process, or
// behind a webhook.
package stagetest
