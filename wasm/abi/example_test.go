package abi_test

import (
	"fmt"
	"math"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// A hook returns the address and the length of its result in one number.
func ExamplePack() {
	r := abi.Pack(4096, 32)
	ptr, n := abi.Unpack(r)
	fmt.Printf("%#x %d %d\n", r, ptr, n)
	// Output: 0x100000000020 4096 32
}

// A detector writes its matches as records of SpanSize bytes.
func ExamplePutSpan() {
	b := make([]byte, abi.SpanSize)
	abi.PutSpan(b, abi.Span{Start: 2, End: 8, Label: 1, Score: math.Float32bits(0.5)})
	fmt.Printf("% x\n", b)
	s := abi.GetSpan(b)
	fmt.Println(s.Start, s.End, s.Label, math.Float32frombits(s.Score))
	// Output:
	// 02 00 00 00 08 00 00 00 01 00 00 00 00 00 00 3f
	// 2 8 1 0.5
}

// The flags of a call carry the source of its text.
func ExampleWithSource() {
	flags := abi.WithSource(abi.DetectBefore, abi.SourceToolArgs)
	fmt.Println(abi.SourceOf(flags) == abi.SourceToolArgs, flags&abi.DetectBefore != 0)
	// Output: true true
}

// Phases have names in configurations and logs.
func ExampleParsePhase() {
	p, ok := abi.ParsePhase("response")
	fmt.Println(p == abi.PhaseResponse, ok, abi.PhaseName(p))
	// Output: true true response
}

// A plugin asks for fields of the exchange by number; a manifest names them.
func ExampleParseField() {
	f, ok := abi.ParseField("model")
	fmt.Println(f == abi.FieldModel, ok)
	// Output: true true
}
