package proxy_test

import (
	"sync"
	"sync/atomic"
	"testing"
)

// maxGates is how many gateways a test may hold open. Each looks at its database twice a second over a new connection: with the race
// detector, 150 of them took all of a busy machine, and the test was ended after half an hour.
const maxGates = 40

// gates count the open gateways by the test's name.
var gates sync.Map

// countGate counts a gateway until its test ends. A loop over many gives each a subtest.
func countGate(t testing.TB) {
	t.Helper()
	v, _ := gates.LoadOrStore(t.Name(), new(atomic.Int32))
	n := v.(*atomic.Int32)
	if n.Add(1) > maxGates {
		t.Errorf("%s holds more than %d gateways open: run each in a subtest", t.Name(), maxGates)
	}
	t.Cleanup(func() { n.Add(-1) })
}
