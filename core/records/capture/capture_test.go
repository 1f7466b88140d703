package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

var testKey = bytes.Repeat([]byte{7}, 32)

// redactor takes the word secret out of everything.
type redactor struct{ fails bool }

func (r redactor) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (v core.Verdict, err error) {
	if r.fails {
		return v, errors.New("broken")
	}
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	v.Action = core.Pass
	for i := range body.Segments {
		if at := strings.Index(body.ReadText(i), "secret"); at >= 0 {
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + 6, With: "…"})
		}
	}
	return v, nil
}

func redacting(t *testing.T, fails bool) *chain.Chain {
	c, err := chain.New(
		[]chain.Link{
			{Name: "r", Stage: redactor{fails}, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce, OnFault: chain.FaultBlocks},
		},
		nil,
	)
	require.NoError(t, err)
	return c
}

func options(t *testing.T) Options {
	return Options{Dir: filepath.Join(t.TempDir(), "kept"), Key: testKey, Share: 1, Redact: redacting(t, false)}
}

func exchange(id, text string) *core.Exchange {
	x := &core.Exchange{ID: id, Dialect: "openai.chat", Received: time.Now(), Principal: &core.Principal{Tenant: "acme", KeyID: "k"}}
	x.Request.Raw = []byte(`{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`)
	return x
}

const answer = `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a secret"},"finish_reason":"stop"}]}`

func keep(r *Recorder, x *core.Exchange) {
	d := r.Begin(x, openai.Chat{})
	d.AddBody([]byte(answer))
	x.Outcome.Kind, x.Outcome.Status = core.Served, 200
	d.Finish(x)
}

func readAll(t *testing.T, dir string, q Query) (out []Record, bad []Unreadable) {
	t.Helper()
	bad, err := Read(dir, testKey, q, func(r *Record) error { out = append(out, *r); return nil })
	require.NoError(t, err)
	return out, bad
}

func TestWhatIsKeptIsRedactedSealedAndReadInOrder(t *testing.T) {
	o := options(t)
	r, err := Open(o)
	require.NoError(t, err)
	for i := range 50 {
		keep(r, exchange(fmt.Sprintf("x%02d", 49-i), "a secret word"))
	}
	require.NoError(t, r.Close(context.Background()))
	got, bad := readAll(t, o.Dir, Query{})
	assert.Empty(t, bad)
	require.Len(t, got, 50)
	for i := range got {
		assert.Equal(t, `{"model":"m","messages":[{"role":"user","content":"a … word"}]}`, string(got[i].Request))
		assert.NotContains(t, string(got[i].Response), "secret")
		assert.Equal(
			t,
			[]any{"acme", "served", 200, "openai.chat"},
			[]any{got[i].Principal.Tenant, got[i].Outcome, got[i].Status, got[i].Dialect},
		)
		if i > 0 {
			assert.False(t, got[i].At.Before(got[i-1].At))
		}
	}
	kept, dropped := r.Counts()
	assert.Equal(t, []int64{50, 0}, []int64{kept, dropped})
	files, err := os.ReadDir(o.Dir)
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(o.Dir, f.Name()))
		require.NoError(t, err)
		assert.NotContains(t, string(b), "word")
	}
	for q, n := range map[Query]int{
		{Tenant: "acme"}: 50, {Tenant: "beta"}: 0, {From: time.Now()}: 0, {To: time.Now()}: 50, {From: time.Now().Add(-time.Hour)}: 50, {To: time.Now().Add(-time.Hour)}: 0,
	} {
		got, _ := readAll(t, o.Dir, q)
		assert.Len(t, got, n)
	}
}

func TestABodyThatCannotBeRedactedIsNotWritten(t *testing.T) {
	o := options(t)
	o.Redact = redacting(t, true)
	r, err := Open(o)
	require.NoError(t, err)
	keep(r, exchange("a", "a secret word"))
	broken := exchange("b", "x")
	d := r.Begin(broken, openai.Chat{})
	d.AddBody([]byte("no JSON, and a secret"))
	d.Finish(broken)
	large := exchange("c", strings.Repeat("a", maxBody))
	keep(r, large)
	require.NoError(t, r.Close(context.Background()))
	got, _ := readAll(t, o.Dir, Query{})
	require.Len(t, got, 3)
	for i, why := range []string{LeftFault, LeftFault, LeftSize} {
		assert.Equal(t, why, got[i].Left)
		assert.Empty(t, got[i].Request)
		assert.Empty(t, got[i].Response)
	}
}

func TestAStreamedAnswerIsRedactedHoweverItWasCut(t *testing.T) {
	o := options(t)
	r, err := Open(o)
	require.NoError(t, err)
	x := exchange("a", "hello")
	x.Head.Stream = true
	x.Request.Raw = []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	d := r.Begin(x, openai.Chat{})
	d.AddEvent([]byte("lost, as another answer is asked for"))
	d.DiscardAnswer()
	for _, ev := range []string{`{"id":"1","choices":[{"index":0,"delta":{"content":"hello"}}]}`, `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]"} {
		d.AddEvent([]byte("data: " + ev + "\n\n"))
	}
	d.Finish(x)
	require.NoError(t, r.Close(context.Background()))
	got, _ := readAll(t, o.Dir, Query{})
	require.Len(t, got, 1)
	assert.Equal(t, LeftFault, got[0].Left, "this redactor cannot look at streams, so nothing may be written")
}

func TestASegmentThatWasTamperedWithIsToldAndTheRestIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(b []byte) []byte
		left  int
		says  string
	}{
		"cut off in the last record": {func(b []byte) []byte { return b[:len(b)-3] }, 2, "not whole"},
		"cut off in a length":        {func(b []byte) []byte { return append(b, 0, 0) }, 3, "not whole"},
		"a bit flipped":              {func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, 2, "was changed"},
		"a record taken out":         {cutFirstRecord, 0, "was changed"},
		"a length that is none":      {func(b []byte) []byte { return append(b, 0xff, 0xff, 0xff, 0xff) }, 3, "was changed"},
		"something else altogether":  {func([]byte) []byte { return []byte("hello\n") }, 0, "not a capture of this version"},
		"nothing":                    {func([]byte) []byte { return nil }, 0, "not a capture of this version"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			r, err := Open(o)
			require.NoError(t, err)
			for i := range 3 {
				keep(r, exchange(fmt.Sprint(i), "x"))
			}
			require.NoError(t, r.Close(context.Background()))
			other, err := Open(o)
			require.NoError(t, err)
			keep(other, exchange("other", "x"))
			require.NoError(t, other.Close(context.Background()))

			files, err := filepath.Glob(filepath.Join(o.Dir, "*"+r.files.own+"*"))
			require.NoError(t, err)
			require.Len(t, files, 1)
			b, err := os.ReadFile(files[0])
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(files[0], c.spoil(b), 0o600))
			got, bad := readAll(t, o.Dir, Query{})
			assert.Len(t, got, c.left+1)
			require.Len(t, bad, 1)
			assert.Contains(t, bad[0].String(), c.says)
			assert.NotContains(t, bad[0].String(), o.Dir)
		})
	}
}

// cutFirstRecord takes the first record of a segment out.
func cutFirstRecord(b []byte) []byte {
	at := len(firstLine)
	n := int(b[at])<<24 | int(b[at+1])<<16 | int(b[at+2])<<8 | int(b[at+3])
	return append(b[:at:at], b[at+4+n:]...)
}

func TestAnotherKeyOpensNothing(t *testing.T) {
	o := options(t)
	r, err := Open(o)
	require.NoError(t, err)
	keep(r, exchange("a", "x"))
	require.NoError(t, r.Close(context.Background()))
	bad, err := Read(o.Dir, bytes.Repeat([]byte{8}, 32), Query{}, func(*Record) error { return errors.New("never") })
	require.NoError(t, err)
	require.Len(t, bad, 1)
	assert.Contains(t, bad[0].String(), "another master password")
	_, err = Read(o.Dir, []byte("short"), Query{}, nil)
	require.ErrorContains(t, err, "32 bytes")
	_, err = Read(filepath.Join(o.Dir, "none"), testKey, Query{}, nil)
	require.ErrorContains(t, err, "write capture: {enabled: true}")
	assert.NotContains(t, err.Error(), o.Dir)
}

func TestAShareOfTheExchangesIsChosenByTheirIDs(t *testing.T) {
	r := &Recorder{o: Options{Share: 0.25, Tenants: []string{"acme"}}}
	n := 0
	for i := range 4000 {
		x := exchange(fmt.Sprint("exchange-", i), "x")
		first := r.wants(x)
		assert.Equal(t, first, r.wants(x))
		if first {
			n++
		}
		x.Principal.Tenant = "beta"
		assert.False(t, r.wants(x))
	}
	assert.InDelta(t, 1000, n, 150)
	var none *Recorder
	d := none.Begin(exchange("a", "x"), openai.Chat{})
	d.AddBody(nil)
	d.AddEvent(nil)
	d.DiscardAnswer()
	d.Finish(nil)
	require.NoError(t, none.Close(context.Background()))
}

func TestOldSegmentsAndTooManyGo(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 21, 22, 10, 0, 0, time.UTC)
	for k := range 5 {
		name := fmt.Sprintf("%s%s-0123456700%s", prefix, now.Add(-time.Duration(k)*time.Hour).Format(hour), suffix)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), make([]byte, 100), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), nil, 0o600))
	s, err := openSegments(Options{Dir: dir, Key: testKey, Keep: 3*time.Hour + 30*time.Minute, MaxSize: 250})
	require.NoError(t, err)
	require.NoError(t, s.tidy(now))
	left, err := listSegments(dir)
	require.NoError(t, err)
	assert.Len(t, left, 2, "250 bytes hold two of 100")
	s.o.MaxSize, s.o.Keep = 0, 30*time.Minute
	require.NoError(t, s.tidy(now.Add(time.Hour)))
	left, err = listSegments(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
	_, err = os.Stat(filepath.Join(dir, "README"))
	require.NoError(t, err, "what is not a segment stays")
}

func TestTrafficDoesNotWaitForItsRecorder(t *testing.T) {
	r := &Recorder{o: Options{Share: 1}, queue: make(chan *Draft, 2)}
	for i := range 5 {
		keep(r, exchange(fmt.Sprint(i), "x"))
	}
	_, dropped := r.Counts()
	assert.Equal(t, int64(3), dropped)
}

// A provider may give a whole answer where a streamed one was asked for.
func TestAWholeAnswerToAStreamedRequestIsRedactedToo(t *testing.T) {
	o := options(t)
	r, err := Open(o)
	require.NoError(t, err)
	for k, body := range []string{answer, strings.ReplaceAll(answer, `,"`, ",\n\n\""), ": a secret\n\n" + "a secret\n\n"} {
		x := exchange(fmt.Sprint(k), "hi")
		x.Request.Raw = []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
		x.Head.Stream = true
		d := r.Begin(x, openai.Chat{})
		if k < 2 {
			d.AddBody([]byte(body))
		} else {
			d.AddEvent([]byte(body))
		}
		x.Outcome.Kind = core.Served
		d.Finish(x)
	}
	require.NoError(t, r.Close(context.Background()))
	got, _ := readAll(t, o.Dir, Query{})
	require.Len(t, got, 3)
	for i := range got {
		assert.NotContains(t, string(got[i].Response), "secret", got[i].ID)
	}
}

// A gateway that ends does not wait for exchanges for ever, so some may end after it.
func TestAnExchangeThatEndsAfterTheRecorderIsDropped(t *testing.T) {
	r, err := Open(options(t))
	require.NoError(t, err)
	d := r.Begin(exchange("a", "b"), openai.Chat{})
	require.NoError(t, r.Close(context.Background()))
	d.Finish(exchange("a", "b"))
	_, dropped := r.Counts()
	assert.EqualValues(t, 1, dropped)
}
