package chain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// tapper is a stage that looks at events.
type tapper struct {
	guard
	seen []string
	open func() (core.Tap, error)
}

func (t *tapper) Tap(context.Context, *core.Exchange, any) (core.Tap, error) {
	if t.open != nil {
		return t.open()
	}
	return t, nil
}

func (t *tapper) AddEvent(raw []byte) { t.seen = append(t.seen, string(raw)) }

func (t *tapper) joinSeen() string { return strings.Join(t.seen, "") }

type tapFunc func(raw []byte)

func (f tapFunc) AddEvent(raw []byte) { f(raw) }

// changes is a filter's function that replaces a word.
func changes(from, to string) filterFunc {
	return func(w core.Window) (core.Verdict, int, error) {
		v := core.Verdict{Action: core.Rewrite}
		hold := 0
		at := w.Sent
		for {
			n := strings.Index(w.Text[at:], from)
			if n < 0 {
				break
			}
			v.Edits = append(v.Edits, core.Edit{Start: at + n, End: at + n + len(from), With: to})
			at += n + len(from)
		}
		if !w.Last {
			for n := min(len(from)-1, len(w.Text)-at); n > 0; n-- {
				if strings.HasSuffix(w.Text, from[:n]) {
					hold = n
					break
				}
			}
		}
		return v, hold, nil
	}
}

func changing(from, to string) *guard {
	return &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return changes(from, to), nil }}
}

// flow takes events through the chain.
func flow(t *testing.T, c *chain.Chain, events ...string) (string, *core.Error) {
	t.Helper()
	ctx := context.Background()
	x := newRequest(t, strings.Replace(helloRequest, "{", `{"stream":true,`, 1))
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	s, e := c.Stream(ctx, x, openai.Chat{})
	defer s.Close(ctx)
	if e != nil {
		return "", e
	}
	var out []byte
	for _, raw := range events {
		ev := new(core.Event)
		ev.Reset([]byte(raw))
		require.NoError(t, openai.Chat{}.ScanEvent(x, ev))
		if out, e = s.RunEvent(ctx, ev, out); e != nil {
			return string(out), e
		}
	}
	out, e = s.End(ctx, out)
	return string(out), e
}

func formatChunk(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

const (
	ends  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	over  = "data: [DONE]\n\n"
	usage = `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}` + "\n\n"
)

func TestATapSeesWhatTheLinksBehindItHaveMade(t *testing.T) {
	tap := new(tapper)
	c := newChain(t, nil, link("before", changing("two", "three")), link("tap", tap), link("behind", changing("one", "two")))
	out, e := flow(t, c, formatChunk("a on"), formatChunk("e, t"), formatChunk("wo"), ends, usage, over)
	require.Nil(t, e)
	assert.Equal(t, "a two, two", joinStreamText(t, tap.joinSeen()))
	assert.Equal(t, "a three, three", joinStreamText(t, out))
	assert.NotContains(t, tap.joinSeen(), "usage", "what the client did not ask for is not part of the answer")
	assert.True(t, strings.HasSuffix(tap.joinSeen(), over))
	assert.True(t, strings.HasSuffix(out, over))
}

func TestATapBehindAllLinksSeesTheProvidersBytes(t *testing.T) {
	tap := new(tapper)
	c := newChain(t, nil, link("before", changing("one", "two")), link("tap", tap))
	events := []string{": ping\n\n", formatChunk("a on"), formatChunk("e"), strings.ReplaceAll(formatChunk("x"), "\n", "\r\n"), ends, over}
	out, e := flow(t, c, events...)
	require.Nil(t, e)
	assert.Equal(t, strings.Join(events, ""), tap.joinSeen())
	assert.Equal(t, "a twox", joinStreamText(t, out))
}

func TestAStreamWithTapsAloneLeavesByteForByte(t *testing.T) {
	a, b := new(tapper), new(tapper)
	events := []string{": ping\n\n", "data: " + "{ \"choices\" : [] }" + "\r\n\r\n", formatChunk(`caf\u00e9`), ends, over}
	out, e := flow(t, newChain(t, nil, link("a", a), link("b", b)), append(events, usage)...)
	require.Nil(t, e)
	assert.Equal(t, strings.Join(events, ""), out)
	assert.Equal(t, out, a.joinSeen())
	assert.Equal(t, out, b.joinSeen())
}

func TestTextThatIsHeldToTheEndReachesTheTap(t *testing.T) {
	tap := new(tapper)
	c := newChain(t, nil, link("tap", tap), link("behind", changing("one!", "x")))
	out, e := flow(t, c, formatChunk("one"))
	require.Nil(t, e)
	assert.Equal(t, "one", joinStreamText(t, out))
	assert.Equal(t, out, tap.joinSeen())
}

func TestAnObjectionBehindATapEndsTheStream(t *testing.T) {
	tap := new(tapper)
	block := &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) {
		return filterFunc(func(w core.Window) (core.Verdict, int, error) {
			if strings.Contains(w.Text, "bad") {
				return core.Verdict{Action: core.Block, Err: &core.Error{Code: "x"}}, 0, nil
			}
			return core.Verdict{Action: core.Pass}, 0, nil
		}), nil
	}}
	out, e := flow(t, newChain(t, nil, link("tap", tap), link("block", block)), formatChunk("good"), formatChunk("bad"))
	require.NotNil(t, e)
	assert.Equal(t, "block", e.Link)
	assert.Equal(t, formatChunk("good"), out)
	assert.Equal(t, out, tap.joinSeen())
}

func TestATapThatFailsFollowsItsLinksRule(t *testing.T) {
	for name, open := range map[string]func() (core.Tap, error){
		"when it is opened":         func() (core.Tap, error) { return nil, errors.New("x") },
		"by a panic when opened":    func() (core.Tap, error) { panic("x") },
		"by a panic at an event":    func() (core.Tap, error) { return tapFunc(func([]byte) { panic("x") }), nil },
		"or it does not want to":    func() (core.Tap, error) { return nil, nil },
		"or it sees all and passes": func() (core.Tap, error) { return tapFunc(func([]byte) {}), nil },
	} {
		t.Run(name, func(t *testing.T) {
			l := link("tap", &tapper{open: open})
			l.OnFault = chain.FaultPasses
			out, e := flow(t, newChain(t, nil, l), formatChunk("a"), over)
			require.Nil(t, e)
			assert.Equal(t, formatChunk("a")+over, out)
			l.OnFault = chain.FaultBlocks
			_, e = flow(t, newChain(t, nil, l), formatChunk("a"), over)
			if strings.HasPrefix(name, "or") {
				assert.Nil(t, e)
				return
			}
			require.NotNil(t, e)
			assert.Equal(t, core.CodeGuardUnavailable, e.Code)
			assert.Equal(t, "tap", e.Link)
		})
	}
}

func TestATapLeavesItsVisit(t *testing.T) {
	ctx := context.Background()
	c := newChain(t, nil, link("a", changing("x", "y")), link("tap", new(tapper)), link("b", changing("x", "y")))
	x := newRequest(t, strings.Replace(helloRequest, "{", `{"stream":true,`, 1))
	c.RunRequest(ctx, x)
	s, e := c.Stream(ctx, x, openai.Chat{})
	require.Nil(t, e)
	x.Visits = x.Visits[:0]
	s.Close(ctx)
	var names []string
	for _, v := range x.Visits {
		names = append(names, v.Link)
		assert.Equal(t, core.Response, v.Phase)
	}
	assert.Equal(t, []string{"b", "tap", "a"}, names)
}

func TestAStageThatTapsHasNoShadow(t *testing.T) {
	l := link("tap", new(tapper))
	l.Mode = chain.Shadow
	_, err := chain.New([]chain.Link{l}, nil)
	require.ErrorContains(t, err, `"tap"`)
}

// FuzzATapChangesNothing holds a chain with a tap in its middle against one without,
// however the text is cut into events.
func FuzzATapChangesNothing(f *testing.F) {
	f.Add("one two ononetwotw", uint8(3))
	f.Add("onetwo", uint8(1))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if strings.ToValidUTF8(text, "") != text || strings.ContainsAny(text, "\"\\") || size == 0 {
			return
		}
		for _, r := range text {
			if r < ' ' {
				return
			}
		}
		var events []string
		for rest := []rune(text); len(rest) > 0; {
			n := min(int(size), len(rest))
			events = append(events, formatChunk(string(rest[:n])))
			rest = rest[n:]
		}
		events = append(events, ends, over)
		tap := new(tapper)
		with, e := flow(t, newChain(t, nil, link("a", changing("two", "3")), link("tap", tap), link("b", changing("one", "tw"))), events...)
		require.Nil(t, e)
		without, e := flow(t, newChain(t, nil, link("a", changing("two", "3")), link("b", changing("one", "tw"))), events...)
		require.Nil(t, e)
		require.Equal(t, joinStreamText(t, without), joinStreamText(t, with))
		require.Equal(t, strings.ReplaceAll(text, "one", "tw"), joinStreamText(t, tap.joinSeen()))
	})
}

// joinStreamText is the text of a stream.
func joinStreamText(t *testing.T, out string) string {
	t.Helper()
	parts, _ := read(t, out)
	var b strings.Builder
	for _, text := range parts {
		b.WriteString(text)
	}
	return b.String()
}
