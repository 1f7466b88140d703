package stagetest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

func checkRepeats(t testing.TB, s *Suite) {
	st := s.makeStage(t)
	for _, p := range s.Phases {
		for _, text := range s.listTexts() {
			in := Text{Phase: p, Text: text}
			first := Whole(t, st, in)
			require.Equal(t, first, Whole(t, st, in))
		}
	}
}

// describeExchange returns all that a stage can see of an exchange, as text.
func describeExchange(t testing.TB, x *core.Exchange) string {
	t.Helper()
	var b strings.Builder
	for _, body := range []*core.Payload{&x.Request, &x.Response} {
		b.Write(body.Raw)
		for i := range body.Segments {
			seg := &body.Segments[i]
			b.WriteString("\x00" + body.ReadText(i) + seg.Path())
		}
	}
	rest, err := json.Marshal([]any{
		x.ID, x.Dialect, x.Principal, x.Head, x.Target, x.Findings, x.Header, x.Request.Header, x.Outcome.Kind, x.Visits, x.Usage,
		len(x.Request.Segments), len(x.Response.Segments), x.Model(), x.TokenCap(),
	})
	require.NoError(t, err)
	b.Write(rest)
	return b.String()
}

func checkReadsOnly(t testing.TB, s *Suite) {
	st := s.makeStage(t)
	for _, p := range s.Phases {
		for _, text := range s.listTexts() {
			x := fillExchange(Text{Phase: p, Text: text})
			before := describeExchange(t, fillExchange(Text{Phase: p, Text: text}))
			_, err := st.Check(context.Background(), x, p, nil)
			require.NoError(t, err)
			require.Equal(t, before, describeExchange(t, x), "the exchange is as it was")
		}
	}
}

// fillExchange returns an exchange in which every readable field is set.
func fillExchange(text Text) *core.Exchange {
	x := text.Exchange()
	x.Principal = &core.Principal{
		Tenant:   "tenant",
		KeyID:    "key-id",
		KeyName:  "key",
		Lineage:  "key-id",
		Scopes:   []string{"scope"},
		Tags:     []string{"tag"},
		Metadata: map[string]any{"a": "b"},
	}
	x.Head = core.Head{Model: "model", Tools: []string{"tool"}, User: "user", Messages: 1}
	x.Target = core.TargetRef{Provider: "provider", Model: "model"}
	x.Request.Header = map[string][]string{"X-A": {"b"}}
	return x
}

func testLeftBehind(t testing.TB, s *Suite) {
	st := s.makeStage(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range s.Phases {
		for _, text := range s.listTexts() {
			var v core.Verdict
			var err error
			s.requireReturn(t, "a check whose caller has left", func() { v, err = st.Check(ctx, Text{Phase: p, Text: text}.Exchange(), p, nil) })
			if err == nil {
				checkVerdict(t, v)
			}
		}
	}
}

func checkEmpty(t testing.TB, s *Suite) {
	st := s.makeStage(t)
	for _, p := range s.Phases {
		v, err := st.Check(context.Background(), &core.Exchange{}, p, nil)
		require.NoError(t, err)
		assert.Equal(t, core.Pass, v.Action)
	}
}

// checkSeveralTexts checks the stage on bodies of several texts, some of which are read as one.
func checkSeveralTexts(t testing.TB, s *Suite) {
	st := s.makeStage(t)
	for _, p := range s.Phases {
		for _, text := range s.listShortTexts() {
			parts := []string{"x", text, text, ""}
			x := Text{Phase: p}.Exchange()
			body := findBody(x, p)
			body.Raw = []byte(strings.Join(parts, ""))
			like := body.Segments[0]
			body.Segments = body.Segments[:0]
			for i, at := 0, 0; i < len(parts); i++ {
				seg := like
				seg.Message, seg.Joined, seg.Span = int32(i/2), i%2 == 1, splice.Span{Start: at, End: at + len(parts[i])} // a few
				body.Segments, at = append(body.Segments, seg), at+len(parts[i])
			}
			v, err := st.Check(context.Background(), x, p, nil)
			require.NoError(t, err)
			checkVerdict(t, v)
			for _, f := range v.Findings {
				if f.Segment == -1 { // of the exchange as a whole
					continue
				}
				require.True(t, 0 <= f.Segment && f.Segment < len(parts), "a finding names a text of the body")
				room := len(parts[f.Segment])
				for k := f.Segment + 1; k < len(parts) && body.Segments[k].Joined; k++ {
					room += len(parts[k]) // a finding may extend into texts that are read as one with its own
				}
				require.True(t, 0 <= f.Start && f.Start <= f.End && f.End <= room, "a finding lies in its text")
			}
			for i := range parts {
				var edits []core.Edit
				for _, e := range v.Edits {
					require.True(t, 0 <= e.Segment && e.Segment < len(parts), "an edit names a text of the body")
					if e.Segment == i {
						edits = append(edits, e)
					}
				}
				applyEdits(t, parts[i], edits, 0, len(parts[i]))
			}
		}
	}
}

// shortLeak is the length in bytes of the shortest text that counts as leaked: shorter texts occur in any sentence.
const shortLeak = 6

func checkSilence(t testing.TB, s *Suite) {
	st := s.makeStage(t)
	for _, p := range s.Phases {
		for _, text := range s.listShortTexts() {
			v, err := st.Check(context.Background(), Text{Phase: p, Text: text}.Exchange(), p, nil)
			require.NoError(t, err)
			for _, f := range v.Findings {
				found := text[max(0, f.Start):min(len(text), max(f.Start, f.End))]
				if len(found) < shortLeak {
					continue
				}
				require.NotContains(t, f.Label, found, "a label holds no text of the exchange")
				if v.Err != nil {
					require.NotContains(t, v.Err.Public+v.Err.Code+v.Err.Param, found, "a refusal holds nothing of what was found")
				}
				for _, h := range v.Header {
					require.NotContains(t, h.Value, found, "a header holds nothing of what was found")
				}
			}
		}
	}
}

func testClose(t testing.TB, s *Suite) {
	st := s.makeStage(t)
	p := s.Phases[0]
	for _, text := range s.listShortTexts() {
		Whole(t, st, Text{Phase: p, Text: text})
	}
	c, ok := st.Stage.(core.Closer)
	if !ok {
		return
	}
	st.shut = true
	s.requireReturn(t, "closing the stage", func() {
		var err error
		func() {
			defer recoverPanic(t, &err)
			err = c.Close(context.Background())
		}()
		assert.NoError(t, err)
	})
}
