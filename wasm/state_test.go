package wasm

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// stores runs a test with each kind of store that a gateway may have.
func stores(t *testing.T, run func(t *testing.T, s core.State)) {
	t.Run("memory", func(t *testing.T) { run(t, state.NewMemory(state.Options{})) })
	t.Run("redis", func(t *testing.T) {
		s, err := state.Open(context.Background(), statetest.StartRedis(t).URL, nil)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
		run(t, s)
	})
}

// checkTenant calls a stage about the request of a tenant, and returns its value of x-out.
func checkTenant(t *testing.T, st *FullStage, tenant string) (out string, kept any) {
	t.Helper()
	x := newConversation(t)
	x.Principal = &core.Principal{Tenant: tenant}
	v, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	require.Len(t, v.Header, 1)
	return v.Header[0].Value, v.Keep
}

func TestLimitsAreTakenAndSettled(t *testing.T) {
	stores(t, func(t *testing.T, s core.State) {
		st := script{steps: "1 t 3 money 30 100 0;1 o;5 s 1 12;5 s 1 12;", options: Options{State: s}}.stage(t)
		out, kept := checkTenant(t, st, "acme")
		assert.Equal(t, "1/70/0", out)
		out, _ = checkTenant(t, st, "acme")
		assert.Equal(t, "1/40/0", out, "the units of the first hold are not available")
		st.Finish(context.Background(), newConversation(t), kept)
		out, _ = checkTenant(t, st, "acme")
		assert.Equal(t, "1/28/0", out, "12 were spent and twice 30 are held")
		out, _ = checkTenant(t, st, "acme")
		assert.Equal(t, "0/28/0", out, "there is no room for 30 more")
		out, _ = checkTenant(t, st, "other")
		assert.Equal(t, "1/70/0", out, "another tenant has a separate budget")
		assert.Empty(t, st.Version().Stats().Faults)
	})
}

func TestARateTellsHowLongToWait(t *testing.T) {
	st := script{steps: "1 t 1 rate 1 2 60000;1 t 1 rate 5 2 60000;1 o;", options: Options{State: state.NewMemory(state.Options{})}}.stage(t)
	out, _ := checkTenant(t, st, "acme")
	assert.Equal(t, "1/1/0 0/1/-1", out, "five can never be taken from two")
	out, _ = checkTenant(t, st, "acme")
	assert.Equal(t, "1/0/0 0/0/-1", out)
	out, _ = checkTenant(t, st, "acme")
	assert.Regexp(t, `^0/0/(29|30)\d\d\d 0/0/-1$`, out, "half a minute for the next")
}

func TestWhatIsNotSettledIsReleasedAtTheEnd(t *testing.T) {
	stores(t, func(t *testing.T, s core.State) {
		st := script{steps: "1 t 2 slots 1 2 0;1 t 3 money 60 100 0;1 t 1 rate 1 10 3600000;1 o;", options: Options{State: s}}.stage(t)
		out, kept := checkTenant(t, st, "acme")
		assert.Equal(t, "1/1/0 2/40/0 3/9/0", out)
		st.Finish(context.Background(), newConversation(t), kept)
		out, _ = checkTenant(t, st, "acme")
		assert.Equal(t, "1/1/0 2/40/0 3/8/0", out, "a slot and the money are free again; a rate stays taken")
	})
}

func TestWhatAFailedCallHoldsIsReleasedAtOnce(t *testing.T) {
	s := state.NewMemory(state.Options{})
	failing := script{steps: "1 t 2 slots 1 1 0;1 z;", options: Options{State: s}}.stage(t)
	_, err := failing.Check(context.Background(), newConversation(t), core.Request, nil)
	require.Error(t, err)
	st := script{steps: "1 t 2 slots 1 1 0;1 o;", options: Options{State: s}}.stage(t)
	out, _ := checkTenant(t, st, "acme")
	assert.Equal(t, "1/0/0", out)
}

func TestAHoldEndsWithItsPeriod(t *testing.T) {
	s := state.NewMemory(state.Options{})
	st := script{steps: "1 t 2 slots 1 1 20;1 o;", options: Options{State: s}}.stage(t)
	out, kept := checkTenant(t, st, "acme")
	assert.Equal(t, "1/0/0", out)
	assert.Eventually(t, func() bool {
		ok, err := s.Take(
			context.Background(),
			[]core.Limit{
				{
					Kind: core.Concurrent,
					Key:  st.store.formatKey(&core.Exchange{Principal: &core.Principal{Tenant: "acme"}}, "c", []byte("slots")),
					Cost: 1,
					Max:  1,
				},
			},
		)
		return ok && err == nil
	}, 5*time.Second, 10*time.Millisecond)
	st.Finish(context.Background(), newConversation(t), kept)
}

func TestAHoldThatIsSettledOrUnknownHasNoValue(t *testing.T) {
	st := script{steps: "1 t 2 a 1 9 0;1 s 1 0;1 s 1 0;1 s 2 0;1 s 0 0;1 s -1 0;1 o;"}.stage(t)
	out, _ := checkTenant(t, st, "acme")
	assert.Equal(t, "1/9/0 0 4294967295 4294967295 4294967295 4294967295", out)
}

func TestValuesAreKeptForTheirTime(t *testing.T) {
	stores(t, func(t *testing.T, s core.State) {
		put := script{steps: "1 u key text 50;1 g key;1 u gone x 9000;1 g gone;1 u gone x 0;1 g gone;1 o;", options: Options{State: s}}.stage(t)
		out, _ := checkTenant(t, put, "acme")
		assert.Equal(t, "0 text 0 x 0 !1", out)
		get := script{steps: "1 g key;1 o;", options: Options{State: s}}.stage(t)
		assert.Eventually(t, func() bool { out, _ := checkTenant(t, get, "acme"); return out == "!1" }, 5*time.Second, 10*time.Millisecond)
	})
}

func TestNoGuestReachesTheKeysOfAnother(t *testing.T) {
	stores(t, func(t *testing.T, s core.State) {
		put := func(name string) *FullStage {
			return script{steps: "1 g a;1 u a " + name + " 90000;1 t 2 a 1 1 0;1 o;", options: Options{State: s, Link: name}}.stage(t)
		}
		for _, c := range []struct{ name, tenant string }{{"one", "acme"}, {"two", "acme"}, {"one", "other"}, {"one", ""}, {"one", "*"}, {"one", "acme}:one:v:"}, {"one", "acme%7D"}} {
			out, _ := checkTenant(t, put(c.name), c.tenant)
			assert.Equal(t, "!1 0 1/0/0", out, "%q of %q sees a value", c.name, c.tenant)
		}
		for _, key := range []string{"../a", "a:v", "}:two:v:a", "two:v:a"} {
			out, _ := checkTenant(t, script{steps: "1 g " + key + ";1 o;", options: Options{State: s, Link: "one"}}.stage(t), "acme")
			assert.Equal(t, "!1", out, key)
		}
		m := allManifest()
		m.Name = "one"
		again := script{manifest: m, steps: "1 g a;1 o;", options: Options{State: s, Link: "three"}}
		out, _ := checkTenant(t, again.stage(t), "acme")
		assert.Equal(t, "!1", out, "the name in a manifest gives no access")
		again.options.Link = "one"
		out, _ = checkTenant(t, again.stage(t), "acme")
		assert.Equal(t, "one", out, "another version under the same link goes on")
		out, _ = checkTenant(t, script{manifest: m, steps: "1 g a;1 o;", options: Options{State: s, Shadow: true, Link: "one"}}.stage(t), "acme")
		assert.Equal(t, "!1", out, "a link in shadow mode has separate keys")
		for _, shadow := range []bool{false, true} {
			served := script{manifest: m, steps: "1 u b hello 60000;1 o;", options: Options{State: s, Shadow: shadow, Link: "one"}}.stage(t)
			_, _ = checkTenant(t, served, "acme")
			out, _ = checkTenant(
				t,
				script{manifest: m, steps: "1 g b;1 o;", options: Options{State: s, Shadow: shadow, Candidate: true, Link: "one"}}.stage(t),
				"acme",
			)
			assert.Equal(t, "!1", out, "and so has a candidate, also of a link in shadow")
		}
	})
}

func TestKeysOfDifferentTenantsPluginsAndKindsDiffer(t *testing.T) {
	seen := map[string][4]string{}
	for _, tenant := range []string{"", "*", "a", "a:", "a}", "a}:b:v:", "a%7D", "{a", "A", "a:b"} {
		for _, plugin := range []string{"a", "b", "a.b", "b~", "b:", "b*", "b!", "b%3A"} {
			for _, kind := range []string{"v", "r", "c", "s"} {
				for _, key := range []string{"a", ":", "v:a", "b:v:a", "}"} {
					s := newStore(nil, plugin, false, false)
					k := s.formatKey(&core.Exchange{Principal: &core.Principal{Tenant: tenant}}, kind, []byte(key))
					is := [4]string{tenant, plugin, kind, key}
					other, twice := seen[k]
					require.False(t, twice, "%q is the key of %q and of %q", k, is, other)
					seen[k] = is
				}
			}
		}
	}
}

// lost is a store that does not answer.
type lost struct{ noState }

var errLost = errors.New("lost")

func (lost) Get(context.Context, string) ([]byte, bool, error)        { return nil, false, errLost }
func (lost) Set(context.Context, string, []byte, time.Duration) error { return errLost }
func (lost) Take(context.Context, []core.Limit) (bool, error)         { return false, errLost }

func TestAGuestIsToldThatTheStoreDoesNotAnswer(t *testing.T) {
	st := script{steps: "1 g a;1 u a b 5;1 t 2 a 1 1 0;1 o;", options: Options{State: lost{}}}.stage(t)
	out, _ := checkTenant(t, st, "acme")
	assert.Equal(t, "!3 4294967293 -1/0/0", out)
}

// slow is a store that answers after a delay.
type slow struct{ noState }

func (slow) Get(ctx context.Context, _ string) ([]byte, bool, error) {
	<-ctx.Done()
	return nil, false, ctx.Err()
}

func TestAStoreThatHangsTakesNoLongerThanTheGuestMay(t *testing.T) {
	st := script{steps: "1 g a;", timeout: 30 * time.Millisecond, options: Options{State: slow{}}}.stage(t)
	_, err := st.Check(context.Background(), newConversation(t), core.Request, nil)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultTimeout, e.Fault())
}

func TestManyCallersTakeNoMoreThanThereIs(t *testing.T) {
	s := state.NewMemory(state.Options{})
	st := script{steps: "1 t 2 slots 1 3 0;1 k held;", options: Options{State: s}}.stage(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	var keeps []any
	for range 8 {
		all.Go(func() {
			x := newConversation(t)
			v, err := st.Check(context.Background(), x, core.Request, nil)
			if assert.NoError(t, err) {
				mu.Lock()
				keeps = append(keeps, v.Keep)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	holds := 0
	for _, k := range keeps {
		holds += len(k.(*exchangeState).holds)
		st.Finish(context.Background(), newConversation(t), k)
	}
	assert.Equal(t, 3, holds)
	check := script{steps: "1 t 2 slots 0 3 0;1 o;", options: Options{State: s}}.stage(t)
	out, _ := checkTenant(t, check, "acme")
	assert.Equal(t, "1/3/0", out, "all is free again")
}
