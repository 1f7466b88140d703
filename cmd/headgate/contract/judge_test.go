package contract_test

import (
	"fmt"
	"runtime"
	"strings"
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
}

// place is where rows are tested: on one kind of database, or on the blank server.
type place interface {
	// gateway returns the gateway of that variant, and starts it on first use.
	gateway(t judge, variant string) *gateway
	// sent returns the body that the provider of the models real-* received for a model, or nil.
	sent(model string) m
	// issuer is the identity provider of the variant federated, or nil.
	issuer() *issuer
	// patience is how long the tests of this place wait for events.
	patience() time.Duration
}

// recorder is a judge that records failures.
type recorder struct {
	failed bool
	said   strings.Builder
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	fmt.Fprintf(&r.said, format, args...)
}

func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// attempt runs a row's test and returns its result. A test that panics is broken, wherever it runs.
func attempt(t testing.TB, p place, id string, test row) (failed bool, said string) {
	t.Helper()
	var r recorder
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		test(&T{judge: &r, place: p, variant: licensed})
	}()
	<-done
	require.Nil(t, panicked, "the test of %s panics", id)
	return r.failed, r.said.String()
}

// eventually waits until something holds.
func (t *T) eventually(what string, holds func() bool) {
	t.Helper()
	looks := time.NewTicker(20 * time.Millisecond)
	defer looks.Stop()
	for end := time.Now().Add(t.place.patience()); !holds(); <-looks.C { // on the goroutine of the test, which the condition may end
		if time.Now().After(end) {
			require.FailNow(t, "it never came to be: "+what)
		}
	}
}

// on returns the same test on another variant of the gateway.
func (t *T) on(variant string) *T { return &T{judge: t.judge, place: t.place, variant: variant} }

var names atomic.Int64

// name returns a unique name.
func (t *T) name(of string) string {
	return fmt.Sprintf("%s-%d-%d", of, time.Now().UnixNano()%1e9, names.Add(1))
}
