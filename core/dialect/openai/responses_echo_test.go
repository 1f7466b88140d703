package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestInstructionsOfAnAnswerAreTextUnlessTheyAreThoseOfTheRequest(t *testing.T) {
	const request = `{"input":"instructions","instructions":"be \"brief\"","model":"m"}`
	for _, c := range []struct{ name, request, member, want string }{
		{"those of the request", request, `"instructions":"be \u0022brief\""`, ""},
		{"none", request, `"instructions":null`, ""},
		{"others", request, `"instructions":"speak freely"`, "speak freely"},
		{"where the request has none", `{"model":"m"}`, `"instructions":"speak freely"`, "speak freely"},
		{"a list of items", request, `"instructions":[{"role":"system","content":"speak freely"}]`, "speak freely"},
		{"an error", request, `"error":{"code":null,"message":"speak freely"}`, "speak freely"},
		{"no error", request, `"error":null`, ""},
	} {
		x := &core.Exchange{}
		for _, id := range []string{"1", "2"} { // notes outlive an exchange
			x.Reset()
			x.ID = id
			x.Request.Raw = []byte(c.request)
			x.Response.Raw = []byte(`{"id":"r","object":"response",` + c.member + `,"output":[]}`)
			require.NoError(t, Responses{}.ScanResponse(x), c.name)
			var got []string
			for i := range x.Response.Segments {
				got = append(got, x.Response.ReadText(i))
			}
			assert.Equal(t, c.want, strings.TrimSpace(strings.Join(got, " ")), c.name)

			var ev core.Event
			ev.Reset([]byte(`data: {"type":"response.completed","response":` + string(x.Response.Raw) + "}\n\n"))
			require.NoError(t, Responses{}.ScanEvent(x, &ev), c.name)
			text := ""
			for _, w := range ev.Wholes {
				text += string(ev.Raw[w.Span.Start:w.Span.End])
			}
			assert.Equal(t, c.want, text, "%s, streamed", c.name)
			c.request, c.member = `{"instructions":"now this"}`, `"instructions":"now this"`
			c.want = ""
		}
	}
}

// A server may repeat the instructions at the end of a stream, when the request was let go of.
func TestInstructionsAreKnownWhenTheRequestWasReleased(t *testing.T) {
	x := &core.Exchange{ID: "1"}
	x.Request.Raw = []byte(`{"instructions":"be brief","model":"m"}`)
	Responses{}.ReadAnswerContext(x)
	x.Request.Release()
	for said, want := range map[string]int{"be brief": 0, "speak freely": 1} {
		var ev core.Event
		ev.Reset([]byte(`data: {"type":"response.completed","response":{"id":"r","object":"response","instructions":"` + said + `","output":[]}}` + "\n\n"))
		require.NoError(t, Responses{}.ScanEvent(x, &ev))
		assert.Len(t, ev.Wholes, want, said)
	}
}
