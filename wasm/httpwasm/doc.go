// Package httpwasm contains the parts of an http-wasm host that need no runtime: the names and numbers of the HTTP handler ABI, and the
// changes of a body that a guest has written. It does not handle instances; package wasm runs the guests.
//
// A guest exports handle_request, which returns ctx<<32 | next, and handle_response, which receives ctx. It reads and changes the messages
// through functions of the module http_handler: https://http-wasm.io/http-handler-abi/.
package httpwasm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// Module is the module name of the host functions.
const Module = "http_handler"

// Exports of a guest.
const (
	ExportRequest  = "handle_request"
	ExportResponse = "handle_response"
	exportMemory   = "memory"
)

// Features that a guest enables. This host has no trailers.
const (
	BufferRequest  uint32 = 1
	BufferResponse uint32 = 2
	Supported             = BufferRequest | BufferResponse
)

// Messages, as the first parameter of functions for headers and bodies. The numbers of trailers follow them.
const (
	Request uint32 = iota
	Response
	RequestTrailers
	ResponseTrailers
)

var signatures = map[string]meter.Signature{
	ExportRequest:  {Results: []meter.ValType{meter.I64}},
	ExportResponse: {Params: []meter.ValType{meter.I32, meter.I32}},
}

// Speaks reports whether a module is made for this ABI: it imports from the module http_handler, or exports both hooks.
func Speaks(imports, exports []meter.Extern) bool {
	if slices.ContainsFunc(imports, func(e meter.Extern) bool { return e.Module == Module }) {
		return true
	}
	found := 0
	for _, e := range exports {
		if s, ok := signatures[e.Name]; ok && s.Fits(e) {
			found++
		}
	}
	return found == len(signatures)
}

// CheckExports checks that a module exports a memory and both hooks.
func CheckExports(exports []meter.Extern) error {
	have := map[string]bool{}
	for _, e := range exports {
		if want, ok := signatures[e.Name]; ok && !want.Fits(e) {
			return fmt.Errorf("the export %s must be a function %s", e.Name, want)
		}
		have[e.Name] = have[e.Name] || e.Name != exportMemory || e.Kind == meter.KindMemory
	}
	for _, name := range []string{exportMemory, ExportRequest, ExportResponse} {
		if !have[name] {
			return fmt.Errorf("the module does not export %s, which a module of kind http-wasm must", name)
		}
	}
	return nil
}

// unmapped are the functions that change what the gateway decides itself.
var unmapped = map[string]error{
	"set_uri":    errors.New("the gateway routes a request by its model, not by its path, so a guest cannot change the path"),
	"set_method": errors.New("the gateway calls providers by their own methods, so a guest cannot change the method"),
}

// ExplainUnmapped returns why the host does not offer a function of the ABI, or nil.
func ExplainUnmapped(function string) error { return unmapped[function] }

// SplitResult splits the result of handle_request.
func SplitResult(result uint64) (next, ctx uint32) { return uint32(result), uint32(result >> 32) }

// PackCount returns the result of functions that write several texts: their number, and the bytes that they take.
func PackCount(count, size int) uint64 { return uint64(uint32(count))<<32 | uint64(uint32(size)) }

// PackRead returns the result of read_body.
func PackRead(size int, end bool) uint64 {
	if end {
		return 1<<32 | uint64(uint32(size))
	}
	return uint64(uint32(size))
}
