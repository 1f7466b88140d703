package proxy_test

import (
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// agentVersion spells the events of a stream as a version does.
type agentVersion struct{ stream, follow, task, working, chunk, done string }

var agentVersions = map[string]agentVersion{
	"0.3": {
		stream03, "tasks/resubscribe", `{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"submitted"}}`,
		`{"kind":"status-update","taskId":"t-1","contextId":"c-1","status":{"state":"working","message":{"role":"agent","parts":[{"kind":"text","text":"TEXT"}]}},"final":false}`,
		`{"kind":"artifact-update","taskId":"t-1","contextId":"c-1","artifact":{"artifactId":"a-1","parts":[{"kind":"text","text":"TEXT"}]},"append":APPEND}`,
		`{"kind":"status-update","taskId":"t-1","contextId":"c-1","status":{"state":"completed"},"final":true}`,
	},
	"1.0": {
		stream10, "SubscribeToTask", `{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_SUBMITTED"}}}`,
		`{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_WORKING","message":{"role":"ROLE_AGENT","parts":[{"text":"TEXT"}]}}}}`,
		`{"artifactUpdate":{"taskId":"t-1","contextId":"c-1","artifact":{"artifactId":"a-1","parts":[{"text":"TEXT"}]},"append":APPEND}}`,
		`{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}}`,
	},
}

// says returns a stream of a task with a message of its status and the chunks of one artifact.
func (v agentVersion) says(status string, chunks ...string) string {
	messages := []string{agentResult(v.task)}
	if status != "" {
		messages = append(messages, agentResult(strings.Replace(v.working, "TEXT", status, 1)))
	}
	for i, text := range chunks {
		messages = append(messages, agentResult(strings.NewReplacer("TEXT", text, "APPEND", map[bool]string{true: "true", false: "false"}[i > 0]).Replace(v.chunk)))
	}
	return toolEvents(append(messages, agentResult(v.done))...)
}

// streamTexts returns what a client makes of a stream: the text of its artifact, and the messages of its status. It checks each
// response.
func streamTexts(t *testing.T, body string) (artifact, status string) {
	t.Helper()
	type part struct{ Text string }
	type update struct {
		TaskID   string
		Artifact struct {
			ArtifactID string
			Parts      []part
		}
		Append bool
		Status struct{ Message struct{ Parts []part } }
	}
	for line := range strings.SplitSeq(body, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var m struct {
			ID     int
			Result *struct {
				update
				ArtifactUpdate, StatusUpdate *update
			}
		}
		require.NoError(t, json.Unmarshal([]byte(data), &m), data)
		require.Equal(t, 7, m.ID)
		if m.Result == nil {
			continue
		}
		for _, u := range []*update{&m.Result.update, m.Result.ArtifactUpdate, m.Result.StatusUpdate} {
			if u == nil {
				continue
			}
			if len(u.Artifact.Parts) > 0 {
				assert.Equal(t, "a-1", u.Artifact.ArtifactID)
				assert.True(t, strings.HasPrefix(u.TaskID, "t-1."), u.TaskID)
				assert.Equal(t, artifact != "", u.Append && artifact != "", data)
			}
			for _, p := range u.Artifact.Parts {
				artifact += p.Text
			}
			for _, p := range u.Status.Message.Parts {
				status += p.Text
			}
		}
	}
	return artifact, status
}

func TestTheTextOfAStreamedArtifactIsJudgedAcrossItsPieces(t *testing.T) {
	const address = "jane.doe@example.com"
	for name, v := range agentVersions {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, func(c net.Conn, r sent) {
				at := strings.Index(r.body, "{{")
				placeholder := r.body[at : at+strings.Index(r.body[at:], "}}")+2]
				_, _ = io.WriteString(c, v.says("writing to "+placeholder, "Dear "+placeholder[:9], placeholder[9:20], placeholder[20:]+", hello."))
			})
			g := openAgent(t, up.url, setup{chain: redacting(t, "")}, nil)
			a := g.toAgent("dev", agentBody(v.stream, "write to "+address))
			require.Equal(t, 200, a.status, a.body)
			assert.Equal(t, eventStream, a.header.Get("Content-Type"))
			artifact, status := streamTexts(t, a.body)
			assert.Equal(t, "Dear "+address+", hello.", artifact)
			assert.Equal(t, "writing to "+address, status)
			assert.NotContains(t, up.last(t).body, address)
			out := g.outcome()
			assert.Equal(t, "served", out["outcome"])
			assert.Equal(t, true, out["complete"])
		})
	}
}

const eventStream = "text/event-stream"

func TestAGuardEndsTheStreamOfAnAgent(t *testing.T) {
	const word = "zanzibar77"
	for name, v := range agentVersions {
		for place, reply := range map[string]string{
			"in pieces":           v.says("", "about zanzi", "bar77 and more"),
			"in a status":         v.says("about "+word, "x"),
			"in the last piece":   v.says("", "about zanzi", "bar77"),
			"in a task":           toolEvents(agentResult(strings.Replace(v.task, `"contextId"`, `"metadata":{"note":"`+word+`"},"contextId"`, 1))),
			"in an error":         toolEvents(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"about ` + word + `"}}`),
			"in an error at once": toolJSON(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"about ` + word + `"}}`),
		} {
			t.Run(name+" "+place, func(t *testing.T) {
				up := newFake(t, says(reply))
				g := openAgent(t, up.url, setup{chain: keyword("block", word)(t)}, nil)
				a := g.toAgent("dev", agentBody(v.stream, "x"))
				assert.Contains(t, a.body, core.CodeContentFilter)
				assert.NotContains(t, strings.ReplaceAll(a.body, "zanzi", ""), "bar77")
				assert.Equal(t, "blocked", g.outcome()["outcome"])
			})
		}
	}
}

func TestAStreamEndsWhereItsTaskEndsOrWaits(t *testing.T) {
	v := agentVersions["0.3"]
	waits := agentResult(`{"kind":"status-update","taskId":"t-1","contextId":"c-1","status":{"state":"input-required"},"final":false}`)
	for name, c := range map[string]struct {
		reply    string
		events   int
		complete bool
	}{
		"to its end":             {v.says("", "a", "b"), 4, true},
		"with a message":         {toolEvents(agentSays("done"), agentSays("again")), 1, true},
		"with an error":          {toolEvents(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broken"}}`, agentSays("again")), 1, true},
		"waiting for the client": {toolEvents(agentResult(v.task), waits), 2, true},
		"in the middle":          {toolEvents(agentResult(v.task)), 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range []setup{{}, {chain: redacting(t, "")}} {
				g := openAgent(t, newFake(t, says(c.reply)).url, s, nil)
				a := g.toAgent("dev", agentBody(stream03, "x"))
				assert.Equal(t, 200, a.status)
				assert.Equal(t, c.events, strings.Count(a.body, "data: "), a.body)
				assert.Equal(t, c.complete, g.outcome()["complete"])
				assert.Equal(t, !c.complete, strings.Contains(a.body, "upstream_error"), a.body)
			}
		})
	}
}

func TestAFileInAStreamIsRefusedUnlessItIsAPicture(t *testing.T) {
	v := agentVersions["1.0"]
	for media, ok := range map[string]bool{"image/png": true, "application/pdf": false, "text/plain": false} {
		chunk := strings.NewReplacer(`"text":"TEXT"`, `"raw":"JVBERi0xLjQ=","mediaType":"`+media+`"`, "APPEND", "false").Replace(v.chunk)
		g := openAgent(t, newFake(t, says(toolEvents(agentResult(v.task), agentResult(chunk), agentResult(v.done)))).url, setup{}, nil)
		a := g.toAgent("dev", agentBody(stream10, "x"))
		assert.Equal(t, ok, strings.Contains(a.body, "JVBERi0xLjQ="), "%s: %s", media, a.body)
		assert.Equal(t, !ok, strings.Contains(a.body, core.CodeContentFilter), media)
	}
}

func TestATaskIsFollowedByTheKeyThatMadeIt(t *testing.T) {
	for name, v := range agentVersions {
		up := newFake(t, says(v.says("", "a")))
		g := openAgent(t, up.url, setup{chain: redacting(t, "")}, nil)
		a := g.toAgent("dev", agentBody(v.stream, "x"))
		from := strings.Index(a.body, `"id":"t-1.`) + len(`"id":"`)
		id := a.body[from : from+strings.Index(a.body[from:], `"`)]
		a = g.toAgent("dev", agentTask(v.follow, id))
		artifact, _ := streamTexts(t, a.body)
		assert.Equal(t, "a", artifact, name)
		assert.Contains(t, up.last(t).body, `"id":"t-1"`)
		assert.Contains(t, g.toAgent("foreign", agentTask(v.follow, id)).body, `"code":-32001`, name)
		assert.Len(t, up.requests(), 2)
	}
}

func TestAGuardWithoutStreamsRefusesStreamsAndNotMessages(t *testing.T) {
	up := newFake(t, says(toolJSON(agentSays("done"))))
	g := openAgent(t, up.url, setup{links: []chain.Link{link("whole", wholeOnly{}, core.Request, core.Response)}}, nil)
	a := g.toAgent("dev", agentBody(stream03, "x"))
	assert.Contains(t, a.body, `"code":-32004`)
	assert.Empty(t, up.requests())
	assert.Contains(t, g.toAgent("dev", agentBody(send03, "x")).body, "done")
}
