package process

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

func TestEachWayToFailIsAFaultOfItsOwn(t *testing.T) {
	for act, want := range map[string]struct {
		outcome Outcome
		fault   core.Fault
		says    string
		ends    bool // the process ends too
	}{
		"exits":      {OutcomeCrash, core.FaultCrash, "the plugin's process ended", true},
		"ends":       {OutcomeCrash, core.FaultCrash, "the plugin ended the stream", true},
		"hangs":      {OutcomeTimeout, core.FaultTimeout, "the plugin did not answer in time", true},
		"unknown":    {OutcomeUnknown, core.FaultABI, "a call that was never made", true},
		"hello":      {OutcomeGarbage, core.FaultABI, "the plugin says Hello twice", true},
		"garbage":    {OutcomeGarbage, core.FaultABI, "something that is not a message", true},
		"empty":      {OutcomeGarbage, core.FaultABI, "something that is not an answer", true},
		"oversized":  {OutcomeOversized, core.FaultABI, "a message of more than 16777216 bytes", true},
		"stateflood": {OutcomeGarbage, core.FaultABI, "the plugin keeps asking for state", true},
		"wrong":      {OutcomeVerdict, core.FaultVerdict, "something that is not a verdict", false},
		"undecided":  {OutcomeVerdict, core.FaultVerdict, "no action", false},
		"outside":    {OutcomeVerdict, core.FaultVerdict, "edit 0 lies outside", false},
		"fails":      {OutcomeFailed, core.FaultError, "the plugin reports a failure", false},
	} {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			p := plug(t, act, func(s *Spec) {
				if s.Timeout = 20 * time.Second; act == "hangs" {
					s.Timeout = 300 * time.Millisecond
				}
			})
			st := p.stage(t)
			pid := st.Stats().PID
			require.NotZero(t, pid)
			_, err := st.Check(context.Background(), request(t, user("canary-7f")), core.Request, nil)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, want.outcome, e.Outcome)
			assert.Equal(t, want.fault, e.Fault())
			assert.Contains(t, err.Error(), want.says)
			assert.NotContains(t, err.Error(), "canary")
			assert.NotContains(t, err.Error(), "luck", "the plugin's own words are for the log")
			if want.ends {
				awaitExit(t, pid)
				_, err = st.Check(context.Background(), request(t, user("x")), core.Request, nil)
				require.ErrorAs(t, err, &e)
				if act == "hangs" {
					assert.Equal(t, OutcomeDown, e.Outcome, "it does not answer its canary either")
					return
				}
				assert.Equal(t, want.outcome, e.Outcome, "it is called in a separate process")
				require.Eventually(t, func() bool { return st.Stats().State == "running" }, timeToWait, tick, "others are served")
			} else {
				assert.Equal(t, pid, st.Stats().PID)
			}
			assert.NotEmpty(t, st.Stats().Faults[want.outcome])
		})
	}
}

func TestAFaultBlocksOrPassesAsTheLinkSays(t *testing.T) {
	st := plug(t, "fails").stage(t)
	c := chainOf(t, st, chain.FaultBlocks)
	x := request(t, user("x"))
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	assert.Equal(t, core.CodeGuardUnavailable, d.Err.Code)
	x = request(t, user("x"))
	assert.Equal(t, core.Pass, chainOf(t, st, chain.FaultPasses).RunRequest(context.Background(), x).Action)
	require.Len(t, x.Visits, 1)
	assert.Equal(t, core.FaultError, x.Visits[0].Fault)
}

func TestAProcessThatEndsIsStartedAgainAndAnswersEveryCallMeanwhile(t *testing.T) {
	p := plug(t, "words")
	st := p.stage(t)
	st.p.pause = 50 * time.Millisecond // before it has failed once
	for range 3 {
		pid := st.Stats().PID
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 200 {
					v, err := st.Check(context.Background(), request(t, user("PROJECT-APOLLO")), core.Request, nil)
					if err == nil {
						assert.Equal(t, core.Rewrite, v.Action)
						continue
					}
					var e *Error
					if assert.ErrorAs(t, err, &e) {
						assert.Contains(t, []Outcome{OutcomeCrash, OutcomeDown}, e.Outcome)
					}
				}
			})
		}
		killGroup(pid)
		all.Wait()
		awaitExit(t, pid)
		require.Eventually(t, func() bool { return st.Stats().State == "running" && st.Stats().PID != pid }, timeToWait, tick)
		require.Eventually(t, func() bool {
			_, err := st.Check(context.Background(), request(t, user("x")), core.Request, nil)
			return err == nil
		}, timeToWait, 20*tick)
	}
	assert.EqualValues(t, 3, st.Stats().Restarts)
}

func TestPausesBetweenStartsDoubleUpToAMinute(t *testing.T) {
	p := plug(t, "pass")
	st := p.stage(t)
	assert.Equal(t, time.Second, st.p.pause)
	st.p.pause = tick
	for want := range uint64(4) {
		require.Eventually(t, func() bool { return st.Stats().State == "running" && st.Stats().Restarts == want }, timeToWait, tick)
		killGroup(st.Stats().PID) // during no call
	}
	require.Eventually(t, func() bool {
		return strings.Contains(strings.Join(p.log.copyLines(), "\n"), "restarts in 8ms")
	}, timeToWait, tick)
	assert.Contains(t, strings.Join(p.log.copyLines(), "\n"), "the plugin is not running: the plugin's process ended; it restarts in 1ms")
}

func TestAStreamThatLosesItsProcessIsAFault(t *testing.T) {
	st := plug(t, "words").stage(t)
	f, err := st.Stream(context.Background(), request(t, user("x")), nil)
	require.NoError(t, err)
	w := core.Window{Part: core.Part{Kind: core.KindText}, Text: "hello"}
	_, _, err = f.Check(context.Background(), w)
	require.NoError(t, err)
	pid := st.Stats().PID
	killGroup(pid)
	for err == nil { // until the end of the process is noticed: text in flight may still be answered
		_, _, err = f.Check(context.Background(), w)
	}
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultCrash, e.Fault())
	require.NoError(t, f.Close(context.Background()))
}

// The process that replaces it does not know the stream.
func TestAStreamGoesOnInNoOtherProcess(t *testing.T) {
	st := plug(t, "words").stage(t)
	st.p.pause = tick
	f, err := st.Stream(context.Background(), request(t, user("x")), nil)
	require.NoError(t, err)
	pid := st.Stats().PID
	killGroup(pid)
	require.Eventually(t, func() bool { return st.Stats().State == "running" && st.Stats().PID != pid }, timeToWait, tick)
	_, _, err = f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "hello"})
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultCrash, e.Fault())
	require.NoError(t, f.Close(context.Background()))
}

func TestOneCallThatHangsIsTimedOutAndThenTheProcessIsReplaced(t *testing.T) {
	st := plug(t, "hangsonce", func(s *Spec) { s.Timeout = 300 * time.Millisecond }).stage(t)
	st.p.pause = tick
	pid := st.Stats().PID
	_, err := st.Check(context.Background(), request(t, user("hang")), core.Request, nil)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, OutcomeTimeout, e.Outcome)
	_, err = st.Check(context.Background(), request(t, user("fine")), core.Request, nil)
	require.NoError(t, err, "a slow process still serves others")
	awaitExit(t, pid)
	require.Eventually(t, func() bool { return st.Stats().State == "running" }, timeToWait, tick)
	assert.EqualValues(t, 1, st.Stats().Faults[OutcomeHang])
}

func TestAClientThatLeavesIsNoFaultOfThePlugin(t *testing.T) {
	st := plug(t, "hangsonce").stage(t)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*tick, cancel)
	_, err := st.Check(ctx, request(t, user("hang")), core.Request, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, st.Stats().Faults)
}

func TestAPluginThatFailsItsCanaryTooIsOutOfServiceUntilItPasses(t *testing.T) {
	st := plug(t, "fails").stage(t)
	pid := st.Stats().PID
	check := func() *Error {
		_, err := st.Check(context.Background(), request(t, user("x")), core.Request, nil)
		var e *Error
		require.ErrorAs(t, err, &e)
		return e
	}
	for range tripAfter {
		require.Equal(t, OutcomeFailed, check().Outcome)
	}
	awaitExit(t, pid)
	require.Eventually(t, func() bool { return check().Outcome == OutcomeDown }, timeToWait, tick)
	assert.Contains(t, check().Error(), "the plugin fails its canary")
	assert.Equal(t, "restarting", st.Stats().State)
	require.Eventually(t, func() bool { return st.Stats().Restarts > 0 }, timeToWait, tick)
	assert.Equal(t, OutcomeDown, check().Outcome, "the next process does not pass it either")
}

func TestMoreCallsThanTheLinkAllowsAreTurnedAway(t *testing.T) {
	st := plug(t, "hangsonce", func(s *Spec) { s.Calls = 1 }).stage(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	outcomes := map[Outcome]int{}
	for range 12 {
		all.Go(func() {
			_, err := st.Check(ctx, request(t, user("hang")), core.Request, nil)
			var e *Error
			if assert.ErrorAs(t, err, &e) {
				mu.Lock()
				outcomes[e.Outcome]++
				if outcomes[OutcomeOverload] == 12-1-int(st.slots.MaxWaiting()) {
					cancel() // all others are in flight or wait
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	assert.GreaterOrEqual(t, outcomes[OutcomeOverload], 12-1-int(st.slots.MaxWaiting()))
}

func TestOutputIsLimitedAndFreeOfControlCharacters(t *testing.T) {
	p := plug(t, "loud")
	p.stage(t)
	all := p.log.copyLines()
	assert.NotEmpty(t, all)
	assert.Less(t, len(all), 1000)
	for _, line := range all {
		assert.LessOrEqual(t, len(line), maxLogLine)
		assert.NotContains(t, line, "\x1b")
		assert.NotContains(t, line, "\u202e")
	}
}

func TestOutputThatGoPluginCannotTakeApartHarmsNobody(t *testing.T) {
	p := plug(t, "panicjson")
	st := p.stage(t)
	_, err := st.Check(context.Background(), request(t, user("x")), core.Request, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(p.log.copyLines()) >= 1 }, timeToWait, tick)
	assert.Contains(t, p.log.copyLines()[0], `{"@message": 1`)
}

func TestWhatAPluginHasStartedEndsWithIt(t *testing.T) {
	p := plug(t, "orphan")
	st, err := p.host.OpenStage(context.Background(), p.spec)
	require.NoError(t, err)
	_, err = st.Check(context.Background(), request(t, user("x")), core.Request, nil)
	require.NoError(t, err)
	var orphan int
	require.Eventually(t, func() bool {
		for _, line := range p.log.copyLines() {
			if n, _ := fmt.Sscanf(line, "orphan %d", &orphan); n == 1 {
				return true
			}
		}
		return false
	}, timeToWait, tick)
	pid := st.Stats().PID
	require.NoError(t, st.Close(context.Background()))
	awaitExit(t, pid)
	awaitExit(t, orphan)
}
