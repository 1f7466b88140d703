package circuit_test

import (
	"fmt"

	"github.com/headgate-dev/headgate/core/circuit"
)

// Three faults in a row of one key raise the question whether the callee works; other keys' successes do not hide them.
func ExampleFaults() {
	var faults circuit.Faults
	faults.Init(3)
	for range 2 {
		fmt.Println(faults.CountFault("mallory"))
	}
	fmt.Println(faults.CountFault("mallory"))
	// Output:
	// false
	// false
	// true
}
