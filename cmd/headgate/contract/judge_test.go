package contract_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait for an event on a real gateway. Nothing waits longer than necessary.
const patience = 30 * time.Second

// judge receives the failures of a row's test.
type judge interface {
	Helper()
	Errorf(format string, args ...any)
	FailNow()
}

var _ judge = testing.TB(nil)

// T is passed to a row's test: it fails like a *testing.T, and sends requests to the gateways of one place.
type T struct {
	judge
	place   place
	variant string
	lie     *lie // replaces answers of the gateway; nil: none
}

// place is where rows are tested: on one kind of database, or on the blank server.
type place interface {
	// gateway returns the gateway of that variant, and starts it on first use.
	gateway(t judge, variant string) *gateway
	// sent returns the body that the provider of the models real-* received for a model, or nil.
	findSent(model string) m
	// issuer is the identity provider of the variant federated, or nil.
	issuer() *issuer
	// patience is how long the tests of this place wait for events.
	patience() time.Duration
}

// recorder is a judge that records failures.
type recorder struct {
	failed bool
	brief  bool // the first failure ends the test: the rest would prove no more
	said   strings.Builder
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	fmt.Fprintf(&r.said, format, args...)
	if r.brief {
		runtime.Goexit()
	}
}

func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// attempt runs a row's test in place of as, and returns its result. A test that panics is broken, wherever it runs.
func attempt(t testing.TB, as *T, id string, test row) (failed bool, said string) {
	t.Helper()
	r := recorder{brief: as.lie != nil}
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		as.judge = &r
		test(as)
	}()
	<-done
	require.Nil(t, panicked, "the test of %s panics", id)
	return r.failed, r.said.String()
}

// eventually waits until something holds. It waits for the truth, so that no test waits in vain for what a lie denies.
func (t *T) eventually(what string, holds func() bool) {
	t.Helper()
	looks := time.NewTicker(20 * time.Millisecond)
	defer looks.Stop()
	truly := t.honest()
	defer truly()
	for end := time.Now().Add(t.place.patience()); !holds(); <-looks.C { // on the goroutine of the test, which the condition may end
		if time.Now().After(end) {
			require.FailNow(t, "it never came to be: "+what)
		}
	}
	truly()
	if t.lie != nil && t.lie.paused == 0 && !holds() {
		require.FailNow(t, "the replaced answers deny it: "+what)
	}
}

// honest stops altering answers until the returned function is called.
func (t *T) honest() (again func()) {
	if t.lie == nil {
		return func() {}
	}
	t.lie.paused++
	return sync.OnceFunc(func() { t.lie.paused-- })
}

// useVariant returns the same test on another variant of the gateway.
func (t *T) useVariant(variant string) *T {
	return &T{judge: t.judge, place: t.place, variant: variant, lie: t.lie}
}

var names atomic.Int64

// name returns a unique name.
func (t *T) name(of string) string {
	return fmt.Sprintf("%s-%d-%d", of, time.Now().UnixNano()%1e9, names.Add(1))
}
