package snapshot

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// closing is a stage that counts how often it is closed.
type closing struct{ closed atomic.Int32 }

func (*closing) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}
func (c *closing) Close(context.Context) error { c.closed.Add(1); return nil }

func runtime(t *testing.T) (*Runtime, *closing) {
	t.Helper()
	st := new(closing)
	c, err := chain.New([]chain.Link{{Name: "a", Stage: st, Phases: core.NewPhaseSet(core.Request)}}, nil)
	require.NoError(t, err)
	return (&Runtime{Chain: c}).Start(), st
}

func awaitDrain(t *testing.T, r *Runtime) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(t, r.WaitUntilClosed(ctx))
}

func TestTheOldRuntimeClosesWhenItsLastExchangeEnds(t *testing.T) {
	var h Holder
	assert.Nil(t, h.Acquire())
	r1, s1 := runtime(t)
	h.Swap(New(r1, nil, 1))
	r1.Release()
	used := h.Acquire()
	r2, s2 := runtime(t)
	h.Swap(New(r2, nil, 2))
	r2.Release()
	assert.Zero(t, s1.closed.Load(), "an exchange still runs on it")
	used.Release()
	awaitDrain(t, r1)
	assert.EqualValues(t, 1, s1.closed.Load())
	assert.Zero(t, s2.closed.Load())
}

func TestNewKeysShareTheRuntime(t *testing.T) {
	var h Holder
	r, st := runtime(t)
	h.Swap(New(r, nil, 1))
	h.Swap(New(r, nil, 2))
	r.Release()
	assert.Zero(t, st.closed.Load())
	h.Swap(nil)
	awaitDrain(t, r)
	assert.EqualValues(t, 1, st.closed.Load())
}

func TestSwappingUnderLoadClosesEachRuntimeOnce(t *testing.T) {
	var h Holder
	r, st := runtime(t)
	h.Swap(New(r, nil, 0))
	r.Release()
	all, stages := []*Runtime{r}, []*closing{st}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := h.Acquire()
				d := s.Chain.RunRequest(context.Background(), new(core.Exchange))
				assert.Equal(t, core.Pass, d.Action)
				s.Release()
			}
		}()
	}
	for i := range 200 {
		r, st := runtime(t)
		all, stages = append(all, r), append(stages, st)
		h.Swap(New(r, nil, int64(i)))
		r.Release()
	}
	close(stop)
	wg.Wait()
	h.Swap(nil)
	for i := range all {
		awaitDrain(t, all[i])
		assert.EqualValues(t, 1, stages[i].closed.Load())
	}
}
