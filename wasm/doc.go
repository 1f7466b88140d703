// Package wasm runs guests, WebAssembly modules that implement Headgate ABI 1, as stages of the chain. It checks and meters a module when
// it is loaded, keeps a bounded pool of its instances, cuts each call at its deadline, checks its results, and classifies its faults.
//
// Only this package imports wazero.
//
// It never trusts a guest: neither its sizes nor its results, nor that it returns at all. An instance that failed in any way is closed
// and never called again. It does not use wazero's WithCloseOnContextDone, which makes loops ten times slower and does not stop a tree of
// calls; the meter stops both.
package wasm
