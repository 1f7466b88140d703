package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// replies is a stage that replies with events.
func replies(events ...string) chain.Link {
	return link("the-stage", streams{acts{check: runInPhase(core.Request, func() (core.Verdict, error) {
		return core.Verdict{Action: core.Answer, Reply: &core.Payload{
			Status: 200, Raw: []byte(strings.Join(events, "")), Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
		}}, nil
	})}}, core.Request, core.Response)
}

func TestAStagesStreamIsReadAsAProvidersIs(t *testing.T) {
	failed := "data: {\"error\":{\"message\":\"x\",\"code\":\"y\"}}\n\n"
	for _, c := range []struct {
		name     string
		whole    bool
		events   []string
		status   int
		code     string // of the error, as an answer or in the stream
		heard    heard
		outcome  string
		complete bool
	}{
		{name: "a valid one", events: []string{roleEvent, textEvent("a "), textEvent("word"), stopEvent, doneEvent}, status: 200, heard: heard{content: "a WORD", finish: "stop", done: true}, outcome: "answered", complete: true},
		{name: "one with usage that was not requested", events: []string{roleEvent, textEvent("x"), stopEvent, usageEvent, doneEvent}, status: 200, heard: heard{content: "x", finish: "stop", done: true}, outcome: "answered", complete: true},
		{name: "one that the previous link rejects", events: []string{roleEvent, textEvent("good "), textEvent("bad"), stopEvent, doneEvent}, status: 200, heard: heard{content: "good ", finish: "content_filter", done: true}, outcome: "blocked"},
		{name: "one that the previous link rejects at once", events: []string{textEvent("bad"), stopEvent, doneEvent}, status: 400, code: "content_filter", outcome: "blocked"},
		{name: "one for a client that wants a whole answer", whole: true, events: []string{roleEvent, doneEvent}, status: 503, code: "guard_unavailable", outcome: "faulted"},
		{name: "one that is not a stream", events: []string{"<html>\n\n"}, status: 503, code: "guard_unavailable", outcome: "faulted"},
		{name: "an empty one", status: 503, code: "guard_unavailable", outcome: "faulted"},
		{name: "one that is an error", events: []string{failed}, status: 503, code: "guard_unavailable", outcome: "faulted"},
		{name: "one that breaks off", events: []string{roleEvent, textEvent("one")}, status: 200, code: "guard_unavailable", heard: heard{content: "one"}, outcome: "faulted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(200, "application/json", completion("never"))))
			before := link("before", streams{acts{window: func(w core.Window) (core.Verdict, int, error) {
				at := strings.Index(w.Text, "word")
				switch {
				case strings.Contains(w.Text, "bad"):
					return objection(), 0, nil
				case at >= w.Sent:
					return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Start: at, End: at + 4, With: "WORD"}}}, 0, nil
				}
				return pass, 0, nil
			}}}, core.Response)
			behind := link(
				"behind",
				streams{acts{window: func(core.Window) (core.Verdict, int, error) { return objection(), 0, nil }}},
				core.Response,
			)
			g := open(t, setup{url: up.url, links: []chain.Link{before, replies(c.events...), behind}})
			a := g.post("dev", chatBody("hi", !c.whole))
			require.Equal(t, c.status, a.status, a.body)
			assert.Empty(t, up.requests())
			if c.status == 200 {
				h := listen(t, a.body)
				if c.code != "" {
					assert.Equal(t, c.code, h.err["code"])
					h.err = nil
				}
				assert.Equal(t, c.heard, h)
				assert.Equal(t, "text/event-stream; charset=utf-8", a.header.Get("Content-Type"))
			} else {
				assert.Equal(t, c.code, errorOf(t, a)["code"])
			}
			res := g.outcome()
			assert.Equal(t, c.outcome, res["outcome"])
			if c.status == 200 { // a refusal is delivered whole
				assert.Equal(t, c.complete, res["complete"])
			}
			assert.Nil(t, res["tokens_total"])
			by := "the-stage"
			if c.outcome == "blocked" {
				by = "before"
			}
			assert.Equal(t, by, res["by"])
			assert.Zero(t, g.usage().Counted)
		})
	}
}

func TestALongStreamIsReplayedWhole(t *testing.T) {
	events := []string{roleEvent}
	for range 3000 {
		events = append(events, textEvent("some words "))
	}
	events = append(events, stopEvent, doneEvent)
	for _, links := range [][]chain.Link{{replies(events...)}, {link("before", streams{}, core.Response), replies(events...)}} {
		a := open(t, setup{links: links}).post("dev", chatStream("hi"))
		assert.Equal(t, strings.Join(events, ""), a.body)
	}
}
