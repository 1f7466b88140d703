// Package rego implements the parts of a Rego host that need no runtime: the names of OPA's ABI, the built-in functions that OPA leaves
// to the host, and the forms of a decision. It does not handle instances; package wasm runs the policies.
//
// A policy compiled by OPA uses OPA's ABI, version 1.2 or later: one call, opa_eval, takes the input as JSON and returns the result as
// JSON. The layout is described at https://www.openpolicyagent.org/docs/wasm.
package rego
