package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// scanEvent scans an event of the answer to a tool's call and returns its texts.
func scanEvent(era Era, raw string) ([]string, *core.Event, error) {
	c, x, ev := &Call{Era: era}, &core.Exchange{}, &core.Event{}
	ev.Reset([]byte(raw))
	err := c.ScanEvent(x, ev)
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	var out []string
	for i := range ev.Deltas {
		at := ev.Deltas[i].Span
		out = append(out, string(doc[at.Start:at.End]))
	}
	return out, ev, err
}

func TestWhatComesBeforeAResponseIsText(t *testing.T) {
	for name, c := range map[string]struct {
		era  Era
		raw  string
		want []string
	}{
		"progress": {
			Modern, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"t-1\",\"progress\":1,\"message\":\"half done\"}}\n\n",
			[]string{`"half done"`},
		},
		"logs of any JSON, in several lines": {
			Modern, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\ndata: \"params\":{\"level\":\"info\",\"data\":{\"card\":4111111111111111}}}\n\n",
			[]string{`{"card":4111111111111111}`},
		},
		"logs that are a string": {
			Legacy, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"two words\"}}\n\n",
			[]string{`"two words"`},
		},
		"a question in the legacy era": {
			Legacy, "data: {\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"your name?\",\"x y\":1}}\n\n",
			[]string{`"your name?"`, `"x y"`},
		},
		"an unknown method": {
			Modern, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/of tomorrow\",\"params\":\"some words\",\"x\":\"more of it\"}\n\n",
			[]string{`"notifications/of tomorrow"`, `"some words"`, `"more of it"`},
		},
		"an id for a resumption": {Legacy, "id: 1\ndata:\n\n", nil},
		"a comment":              {Modern, ": keep\n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, ev, err := scanEvent(c.era, c.raw)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			assert.False(t, ev.Done)
			for _, d := range ev.Deltas {
				assert.True(t, d.JSON, "nothing of it is held back")
			}
		})
	}
}

func TestAnEventThatIsNoMessageBeforeAResponseIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		era  Era
		data string
	}{
		"a result":                     {Legacy, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"an error":                     {Modern, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`},
		"no JSON":                      {Legacy, `{`},
		"a list":                       {Legacy, `[]`},
		"no version":                   {Legacy, `{"method":"notifications/message"}`},
		"no method":                    {Legacy, `{"jsonrpc":"2.0"}`},
		"a member twice":               {Legacy, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a","data":"b"}}`},
		"a question in the modern era": {Modern, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`},
		"a method of clients":          {Legacy, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := scanEvent(c.era, "data: "+c.data+"\n\n")
			assert.Error(t, err)
		})
	}
}

func TestTheFormOfAMessageIsFoundWithoutItsTexts(t *testing.T) {
	c, x := &Call{}, &core.Exchange{}
	for data, want := range map[string]Form{
		`{"jsonrpc":"2.0","id":1,"result":{}}`: Result, `{"id":1,"error":{}}`: Failure, `{"method":"x","id":1}`: Request, `{"method":"x"}`: Notification,
	} {
		got, err := c.ReadForm(x, []byte(data))
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, want == Result || want == Failure, got.IsResponse())
	}
	for _, data := range []string{`{}`, `{"id":1}`, `{"result":1,"error":2}`, `{"method":"x","result":1}`, `[]`, `{"result":1`, `{"result":1,"result":2}`, ``} {
		_, err := c.ReadForm(x, []byte(data))
		assert.Error(t, err, data)
	}
}
