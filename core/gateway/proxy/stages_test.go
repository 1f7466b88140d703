package proxy_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// acts is a stage made of functions; a nil function lets everything pass.
type acts struct {
	check  func(x *core.Exchange, p core.Phase) (core.Verdict, error)
	window func(w core.Window) (core.Verdict, int, error)
}

var pass = core.Verdict{Action: core.Pass}

func (a acts) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	if a.check == nil {
		return pass, nil
	}
	return a.check(x, p)
}

// judge inspects a window of a stream.
func (a acts) judge(w core.Window) (core.Verdict, int, error) {
	if a.window == nil {
		return pass, 0, nil
	}
	return a.window(w)
}

// streams makes a StreamStage of acts: a filter's Check has another signature.
type streams struct{ a acts }

func (s streams) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	return s.a.Check(ctx, x, p, kept)
}

func (s streams) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return judge(s), nil
}

type judge struct{ a acts }

func (j judge) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	return j.a.judge(w)
}
func (judge) Close(context.Context) error { return nil }

func objection() core.Verdict {
	return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "no"}}
}

func TestStagesDecideOverWholeAnswers(t *testing.T) {
	for _, c := range []struct {
		name    string
		check   func(x *core.Exchange, p core.Phase) (core.Verdict, error)
		status  int
		code    string
		outcome string
		asked   bool // the provider
	}{
		{"one that objects to the request", func(*core.Exchange, core.Phase) (core.Verdict, error) { return objection(), nil }, 400, "content_filter", "blocked", false},
		{"one that objects to the answer", runInPhase(core.Response, func() (core.Verdict, error) { return objection(), nil }), 400, "content_filter", "blocked", true},
		{"one that fails at the request", func(*core.Exchange, core.Phase) (core.Verdict, error) { return pass, errors.New("canary") }, 503, "guard_unavailable", "faulted", false},
		{"one that fails at the answer", runInPhase(core.Response, func() (core.Verdict, error) { return pass, errors.New("canary") }), 503, "guard_unavailable", "faulted", true},
		{"one that panics at the request", func(*core.Exchange, core.Phase) (core.Verdict, error) { panic("canary") }, 503, "guard_unavailable", "faulted", false},
		{"one that panics at the answer", runInPhase(core.Response, func() (core.Verdict, error) { panic("canary") }), 503, "guard_unavailable", "faulted", true},
		{"one without a verdict", func(*core.Exchange, core.Phase) (core.Verdict, error) { return core.Verdict{}, nil }, 503, "guard_unavailable", "faulted", false},
		{"one that replies", reply(200, completion("from the stage")), 200, "", "answered", false},
		{"one that replies without a status", reply(0, completion("from the stage")), 200, "", "answered", false},
		{"one that replies with invalid data", reply(200, "rubbish"), 503, "guard_unavailable", "faulted", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(200, "application/json", completion("fine"))))
			g := open(t, setup{url: up.url, links: []chain.Link{link("the-stage", streams{acts{check: c.check}}, core.Request, core.Response)}})
			a := g.post("dev", chat("hi"))
			assert.Equal(t, c.status, a.status, a.body)
			assert.Equal(t, c.asked, len(up.requests()) > 0)
			if c.code != "" {
				assert.Equal(t, c.code, errorOf(t, a)["code"])
				assert.NotContains(t, a.body, "canary")
				assert.NotContains(t, a.body, "fine")
			}
			res := g.outcome()
			assert.Equal(t, c.outcome, res["outcome"])
			assert.Equal(t, "the-stage", res["by"])
			used, _, err := g.db.Fleet().ListUsageAfter(t.Context(), 0, 10)
			require.NoError(t, err)
			require.Len(t, used, 1)
			if c.outcome == "blocked" {
				assert.Equal(t, "the-stage", used[0].BlockedBy)
			} else {
				assert.Empty(t, used[0].BlockedBy, "a fault is not a verdict")
			}
		})
	}
}

func runInPhase(phase core.Phase, f func() (core.Verdict, error)) func(*core.Exchange, core.Phase) (core.Verdict, error) {
	return func(_ *core.Exchange, p core.Phase) (core.Verdict, error) {
		if p == phase {
			return f()
		}
		return pass, nil
	}
}

func reply(status int, body string) func(*core.Exchange, core.Phase) (core.Verdict, error) {
	return runInPhase(core.Request, func() (core.Verdict, error) {
		return core.Verdict{Action: core.Answer, Reply: &core.Payload{Status: status, Raw: []byte(body)}}, nil
	})
}

func TestStagesDecideOverStreams(t *testing.T) {
	bad := func(f func() (core.Verdict, int, error)) func(core.Window) (core.Verdict, int, error) {
		return func(w core.Window) (core.Verdict, int, error) {
			if strings.Contains(w.Text, "bad") {
				return f()
			}
			return pass, 0, nil
		}
	}
	block := func() (core.Verdict, int, error) { return objection(), 0, nil }
	early := []string{textEvent("bad"), stopEvent, doneEvent}
	late := []string{roleEvent, textEvent("good "), textEvent("bad"), textEvent("more"), stopEvent, doneEvent}
	for _, c := range []struct {
		name    string
		events  []string
		window  func(core.Window) (core.Verdict, int, error)
		status  int
		code    string
		finish  string
		done    bool
		outcome string
	}{
		{"an objection before output is a status", early, bad(block), 400, "content_filter", "", false, "blocked"},
		{"an objection after output ends the stream properly", late, bad(block), 200, "", "content_filter", true, "blocked"},
		{"a failure before output is a status", early, bad(func() (core.Verdict, int, error) { return pass, 0, errors.New("x") }), 503, "guard_unavailable", "", false, "faulted"},
		{"a failure after output is an error event", late, bad(func() (core.Verdict, int, error) { return pass, 0, errors.New("x") }), 200, "guard_unavailable", "", false, "faulted"},
		{"a panic after output is an error event", late, bad(func() (core.Verdict, int, error) { panic("canary") }), 200, "guard_unavailable", "", false, "faulted"},
		{"a link that holds too much fails", late, bad(func() (core.Verdict, int, error) { return pass, 1 << 20, nil }), 200, "guard_unavailable", "", false, "faulted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := &pieces{contentType: "text/event-stream", next: func(string) []string { return append([]string(nil), c.events...) }}
			g := open(t, setup{client: client, links: []chain.Link{link("the-stage", streams{acts{window: c.window}}, core.Response)}})
			a := g.post("dev", chatStream("hi"))
			require.Equal(t, c.status, a.status, a.body)
			assert.NotContains(t, a.body, "bad")
			assert.NotContains(t, a.body, "more")
			assert.NotContains(t, a.body, "canary")
			if c.status != 200 {
				assert.Equal(t, c.code, errorOf(t, a)["code"])
			} else {
				h := listen(t, a.body)
				assert.Equal(t, "good ", h.content)
				assert.Equal(t, c.finish, h.finish)
				assert.Equal(t, c.done, h.done)
				if c.code != "" {
					require.NotNil(t, h.err, a.body)
					assert.Equal(t, c.code, h.err["code"])
				}
			}
			res := g.outcome()
			assert.Equal(t, c.outcome, res["outcome"])
			assert.Equal(t, "the-stage", res["by"])
			assert.False(t, res["complete"] == true && c.status == 200)
		})
	}
}

func TestALinkThatCannotSeeStreamsBlocksThem(t *testing.T) {
	up := newFake(t, says(stream(roleEvent, textEvent("x"), doneEvent)))
	g := open(t, setup{url: up.url, links: []chain.Link{link("whole-only", finds{"zzz", "X"}, core.Response)}})
	a := g.post("dev", chatStream("hi"))
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "guard_unavailable", errorOf(t, a)["code"])
	assert.Equal(t, "whole-only", g.outcome()["by"])
}

// A client cannot bypass a link for some models by naming the provider in the request.
func TestALinkForAModelIsAskedHoweverTheModelIsSpelled(t *testing.T) {
	for _, model := range []string{"gpt-test", "openai/gpt-test"} {
		up := newFake(t, says(buildWhole(200, "application/json", completion("fine"))))
		l := link("the-stage", streams{acts{check: runInPhase(core.Request, func() (core.Verdict, error) { return objection(), nil })}}, core.Request)
		l.For.Models = []string{"gpt-*"}
		g := open(t, setup{url: up.url, links: []chain.Link{l}})
		assert.Equal(t, 400, g.post("dev", strings.Replace(chat("hi"), "gpt-test", model, 1)).status, model)
		assert.Empty(t, up.requests(), model)
	}
}
