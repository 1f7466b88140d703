package route

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheCircuitsOfTwoModelsAreTwo(t *testing.T) {
	h := NewHealth(quick, newClock().now)
	calls(t, h, 3, Failed)
	assert.Equal(t, Open, stateOf(h))
	for _, model := range []string{"n", "", strings.Repeat("n", maxNameLength+1)} {
		c, ok := h.Allow(Ask{Provider: "p", Model: model, Caller: "k"})
		require.True(t, ok, model)
		c.Report(Served)
	}
	calls := 0
	for range 10 {
		c, ok := h.Allow(Ask{Provider: "p", Model: "n", Caller: "k"})
		if ok {
			calls++
			c.Report(NoAnswer)
		}
	}
	assert.Equal(t, 6, calls, "unanswered calls open the provider's circuit once they are half of its calls")
	_, ok := h.Allow(Ask{Provider: "p", Model: "o", Caller: "l"})
	assert.False(t, ok)
}

func TestAKeyWhoseTrialFailsLeavesTheNextOneToOthers(t *testing.T) {
	clock := newClock()
	s := quick
	s.Trials = 1
	h := NewHealth(s, clock.now)
	calls(t, h, 3, Failed)
	clock.pass(s.OpenFor)
	for range 3 { // it always fails, and costs the others nothing
		callsOf(t, h, "poisoned", 1, Failed)
		_, ok := h.Allow(ask("poisoned"))
		assert.False(t, ok)
		assert.Equal(t, HalfOpen, stateOf(h))
		clock.pass(s.OpenFor)
	}
	callsOf(t, h, "poisoned", 1, Failed)
	callsOf(t, h, "victim", 1, Served)
	assert.Equal(t, Closed, stateOf(h))

	calls(t, h, 3, Failed)
	clock.pass(s.OpenFor)
	callsOf(t, h, "a", 1, Failed)
	callsOf(t, h, "b", 1, Failed)
	state, left := h.ReadState("p", "m")
	assert.Equal(t, Open, state, "two keys saw it")
	assert.Equal(t, 2*s.OpenFor, left)
}

func TestATrialThatFailsForTheOnlyCallerOpensTheCircuitForLonger(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	callsOfOne(t, h, 6, Failed)
	clock.pass(quick.OpenFor)
	callsOfOne(t, h, 1, Silent)
	state, left := h.ReadState("p", "m")
	assert.Equal(t, Open, state)
	assert.Equal(t, 2*quick.OpenFor, left)
	clock.pass(left)
	callsOfOne(t, h, 2, Served)
	assert.Equal(t, Closed, stateOf(h))
	callsOfOne(t, h, 5, Failed)
	assert.Equal(t, Closed, stateOf(h), "the failures that opened it are cleared")
}

func TestATrialOfAModelEndsWhenItsProviderCannotBeCalled(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, Failed)
	clock.pass(quick.OpenFor / 2)
	for range 3 {
		c, ok := h.Allow(Ask{Provider: "p", Model: "n", Caller: "k"})
		require.True(t, ok)
		c.Report(NoAnswer)
	}
	clock.pass(quick.OpenFor / 2)
	_, ok := h.Allow(ask("k"))
	assert.False(t, ok, "the provider is not tried yet")
	clock.pass(quick.OpenFor / 2)
	calls(t, h, 2, Served)
	assert.Equal(t, Closed, stateOf(h))
}

func TestNamesThatClientsInventTakeNoRoomFromModels(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, Failed)
	models := func() int { return len(*h.findProvider("p").models.Load()) }
	invent := func(n int, r Blame) {
		for i := range n {
			c, ok := h.Allow(Ask{Provider: "p", Model: fmt.Sprintf("%d-%s", i, "invented"), Caller: "k"})
			require.True(t, ok)
			c.Report(r)
		}
	}
	invent(1000, Refused)
	invent(1000, Unknown)
	assert.Equal(t, 1, models(), "a name that the provider refuses has no breaker")
	invent(1000, Served)
	invent(1000, Failed)
	assert.LessOrEqual(t, models(), maxModels)
	assert.Equal(t, Open, stateOf(h), "open circuits are evicted last")
}

func TestAProvidersConditionIsThatOfItsModels(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	call := func(model, key string, r Blame) {
		c, ok := h.Allow(Ask{Provider: "p", Model: model, Caller: key})
		require.True(t, ok)
		c.Report(r)
	}
	fail := func(model string) {
		for _, key := range []string{"k", "l", "m", "k"} {
			if c, ok := h.Allow(Ask{Provider: "p", Model: model, Caller: key}); ok {
				c.Report(Failed)
			}
		}
	}
	is := func(want Condition) { t.Helper(); assert.Equal(t, want, h.ReadCondition("p")) }
	is(HealthUnknown)
	call("m", "k", Failed)
	is(HealthUnknown)
	call("m", "k", Served)
	call("n", "k", Served)
	is(Healthy)
	fail("m")
	is(Degraded)
	fail("n")
	is(Unhealthy)
	clock.pass(quick.OpenFor)
	is(Recovering)
	call("m", "k", Served)
	call("m", "k", Served)
	is(Degraded)
	call("n", "k", Served)
	call("n", "k", Served)
	is(Healthy)
	for range 7 {
		if c, ok := h.Allow(ask("k")); ok {
			c.Report(NoAnswer)
		}
	}
	is(Unhealthy)
	clock.pass(quick.OpenFor)
	is(Recovering)
}
