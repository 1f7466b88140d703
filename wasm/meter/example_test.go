package meter_test

import (
	"fmt"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// tiny is a module with one function, "run", that does nothing.
var tiny = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x04\x01\x60\x00\x00" + // types: one, of a function without parameters and results
	"\x03\x02\x01\x00" + // functions: one, of type 0
	"\x07\x07\x01\x03run\x00\x00" + // exports: function 0 as "run"
	"\x0a\x04\x01\x02\x00\x0b") // code: no locals, end

// Rewrite checks a module and adds the counter through which it can be stopped.
func ExampleRewrite() {
	m, err := meter.Rewrite(tiny, meter.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Functions, m.Exports[0].Name, len(m.Bytes) > len(tiny))
	// Output: 1 run true
}

// A module that exceeds a limit, or is malformed, is refused with a reason that a program can read.
func ExampleIsRefused() {
	_, err := meter.Rewrite([]byte("\x00asm\x01\x00\x00"), meter.Limits{})
	reason, ok := meter.IsRefused(err)
	fmt.Println(ok, reason)
	// Output: true malformed module
}

// Limits that are zero take their defaults.
func ExampleNewDefaultLimits() {
	fmt.Println(meter.NewDefaultLimits().MemoryPages*64>>10, "MiB")
	// Output: 16 MiB
}
