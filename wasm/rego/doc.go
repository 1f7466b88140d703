// Package rego holds what a host of Rego policies needs besides a runtime: the names of OPA's ABI,
// the built-in functions that OPA leaves to the host, and the forms of a decision. It knows no
// instances; package wasm runs the policies.
//
// A policy that OPA has compiled speaks OPA's own ABI, version 1.2 and above: one call, opa_eval,
// takes the input as JSON and returns the result as JSON. The layout is that of
// https://www.openpolicyagent.org/docs/wasm.
package rego
