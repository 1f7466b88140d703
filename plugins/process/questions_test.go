package process

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func init() {
	acts["asksandstops"] = func() {
		h := hello()
		h.GetHello().Fields = []string{"key_tags"}
		rawServe(h, asksAndStops)
	}
}

// asksAndStops asks for a field many times, and reads nothing more. It answers calls about other texts.
func asksAndStops(s grpc.ServerStream, m *pb.FromHost) bool {
	if c := m.GetCheck(); c == nil || !strings.Contains(c.Segments[0].Text, "ask") {
		return say(s, m.Id, pass())
	}
	for i := range uint32(300) {
		q := &pb.StateCall{Number: i + 1, Body: &pb.StateCall_Field{Field: "key_tags"}}
		if !say(s, m.Id, &pb.FromPlugin{Body: &pb.FromPlugin_State{State: q}}) {
			return false
		}
	}
	select {}
}

func TestAPluginThatAsksAndDoesNotReadIsTimedOutAndKilled(t *testing.T) {
	t.Parallel()
	st := plug(t, "asksandstops", func(s *Spec) { s.Timeout = 300 * time.Millisecond }).stage(t)
	pid := st.Stats().PID
	x := request(t, user("ask"))
	x.Principal.Tags = []string{strings.Repeat("t", 100_000)}
	done := make(chan error, 1)
	go func() {
		_, err := st.Check(context.Background(), x, core.Request, nil)
		done <- err
	}()
	select {
	case err := <-done:
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, OutcomeTimeout, e.Outcome)
	case <-time.After(timeToWait):
		killGroup(pid)
		require.Fail(t, "the exchange hangs")
	}
	awaitExit(t, pid)
	require.Eventually(t, func() bool { return st.Stats().Faults[OutcomeHang] == 1 }, timeToWait, tick)
}

func TestQuestionsAreAnsweredWhileSomebodyWaitsForTheCall(t *testing.T) {
	for name, end := range map[string]func(s *session, c *call, cancel func()){
		"the time is up":    func(_ *session, _ *call, cancel func()) { cancel() },
		"it was answered":   func(_ *session, c *call, _ func()) { c.reply <- pass() },
		"the session ended": func(s *session, _ *call, _ func()) { close(s.ended) },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		s, c := &session{ended: make(chan struct{})}, &call{reply: make(chan *pb.FromPlugin, 1)}
		ran := 0
		work := func(context.Context) {
			if ran++; ran == 2 {
				end(s, c, cancel)
			}
		}
		c.work = []func(context.Context){work, work, work, work}
		s.answerQuestions(ctx, c)
		assert.Equal(t, 2, ran, name)
		cancel()
	}
}

// amounts counts how often budgets are looked up.
type amounts struct{ asked int }

func (a *amounts) FindAmounts(context.Context, *core.Exchange) ([]spending.Amount, error) {
	a.asked++
	return nil, nil
}

func TestACallReadsAFieldOnce(t *testing.T) {
	budgets := new(amounts)
	s := &Stage{p: &process{agreed: agreed{fields: []string{"budgets", "digest"}}}, spec: Spec{Services: foreign.Services{Budgets: budgets}}}
	f := &facts{s: s, x: request(t, user("x")), own: new(own), phase: abi.PhaseRequest}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	late := new(pb.StateResult)
	f.readField(ended, "digest", late)
	assert.NotEmpty(t, late.Error)
	var first string
	for range 5 {
		for _, name := range f.s.p.agreed.fields {
			r := new(pb.StateResult)
			f.readField(context.Background(), name, r)
			require.Empty(t, r.Error)
			require.True(t, r.Ok, name)
			if name == "digest" {
				if first == "" {
					first = string(r.Value)
				}
				assert.Equal(t, first, string(r.Value), "nothing is kept of the reading whose time was up")
			}
		}
	}
	assert.Equal(t, 1, budgets.asked)
}
