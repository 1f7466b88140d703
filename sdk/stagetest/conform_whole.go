package stagetest

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/splice"
)

func repeats(t testing.TB, s *Suite) {
	st := s.made(t)
	for _, p := range s.Phases {
		for _, text := range s.all() {
			in := Text{Phase: p, Text: text}
			first := Whole(t, st, in)
			require.Equal(t, first, Whole(t, st, in))
		}
	}
}

// seen is what a stage can see of an exchange, written out.
func seen(t testing.TB, x *core.Exchange) string {
	t.Helper()
	var b strings.Builder
	for _, body := range []*core.Payload{&x.Request, &x.Response} {
		b.Write(body.Raw)
		for i := range body.Segments {
			seg := &body.Segments[i]
			b.WriteString("\x00" + body.Text(i) + seg.Path())
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

func readsOnly(t testing.TB, s *Suite) {
	st := s.made(t)
	for _, p := range s.Phases {
		for _, text := range s.all() {
			x := full(Text{Phase: p, Text: text})
			before := seen(t, full(Text{Phase: p, Text: text}))
			_, err := st.Check(context.Background(), x, p, nil)
			require.NoError(t, err)
			require.Equal(t, before, seen(t, x), "the exchange is as it was")
		}
	}
}

// full is an exchange in which every field that a stage may read holds something.
func full(text Text) *core.Exchange {
	x := text.Exchange()
	x.Principal = &core.Principal{Tenant: "tenant", KeyID: "key-id", KeyName: "key", Lineage: "key-id", Scopes: []string{"scope"}, Tags: []string{"tag"}, Metadata: map[string]any{"a": "b"}}
	x.Head = core.Head{Model: "model", Tools: []string{"tool"}, User: "user", Messages: 1}
	x.Target = core.TargetRef{Provider: "provider", Model: "model"}
	x.Request.Header = map[string][]string{"X-A": {"b"}}
	return x
}

// keepsNothing has the memory of one exchange used again for the next, as the gateway does.
func keepsNothing(t testing.TB, s *Suite) {
	st, fresh, ctx := s.made(t), s.made(t), context.Background()
	p := s.Phases[0]
	for _, text := range s.short() {
		if text == "" {
			continue
		}
		other := strings.Repeat(".", len(text))
		want := Whole(t, fresh, Text{Phase: p, Text: other})
		x := Text{Phase: p, Text: text}.Exchange()
		body := bodyOf(x, p)
		v, err := st.Check(ctx, x, p, nil)
		require.NoError(t, err)
		require.NoError(t, st.finish(ctx, x, v.Keep))
		raw, segments := body.Raw, body.Segments
		body.Reset()
		copy(raw, other)
		body.Raw = raw
		body.Segments = append(body.Segments, core.Segment{Role: segments[:1][0].Role, Kind: core.KindText, Part: -1, Span: splice.Span{End: len(raw)}})
		if body.Segments[0].Role == 0 {
			body.Segments[0].Role = core.RoleUser
		}
		v, err = st.Check(ctx, x, p, nil)
		require.NoError(t, err)
		require.Equal(t, want.Action, v.Action, "the memory of an exchange is used for the next one")
		require.Equal(t, want.Labels, labels(v.Findings), "the memory of an exchange is used for the next one")
	}
}

func bodyOf(x *core.Exchange, p core.Phase) *core.Payload {
	if p == core.Response {
		return &x.Response
	}
	return &x.Request
}

// keepsApart takes two exchanges through the phases side by side.
func keepsApart(t testing.TB, s *Suite) {
	ctx := context.Background()
	run := func(st *tried, text string, between func()) (out []core.Verdict) {
		x := Text{Phase: core.Request, Text: text}.Exchange()
		answer := Text{Phase: core.Response, Text: text}.Exchange()
		x.Response = answer.Response
		var kept any
		for _, p := range s.Phases {
			v, err := st.Check(ctx, x, p, kept)
			require.NoError(t, err)
			if v.Keep != nil {
				kept = v.Keep
			}
			v.Keep = nil
			out = append(out, v)
			between()
		}
		require.NoError(t, st.finish(ctx, x, kept))
		return out
	}
	st, undisturbed := s.made(t), s.made(t)
	for _, text := range s.short() {
		alone := run(undisturbed, text, func() {})
		others := s.Texts
		k := 0
		got := run(st, text, func() {
			run(st, others[k%len(others)], func() {})
			k++
		})
		require.Len(t, got, len(alone))
		for i := range got {
			require.Equal(t, alone[i].Action, got[i].Action, "phase %s", s.Phases[i])
			require.Equal(t, alone[i].Edits, got[i].Edits, "phase %s", s.Phases[i])
			require.Equal(t, labels(alone[i].Findings), labels(got[i].Findings), "phase %s", s.Phases[i])
		}
	}
}

func many(t testing.TB, s *Suite) {
	st, texts := s.made(t), s.all()
	p := s.Phases[0]
	want := make([]core.Verdict, len(texts))
	for k, text := range texts {
		var err error
		want[k], err = st.Check(context.Background(), Text{Phase: p, Text: text}.Exchange(), p, nil)
		require.NoError(t, err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for k := range texts {
				k = (k + g) % len(texts)
				got, err := st.Check(context.Background(), Text{Phase: p, Text: texts[k]}.Exchange(), p, nil)
				if assert.NoError(t, err) {
					assert.Equal(t, want[k].Action, got.Action)
					assert.Equal(t, want[k].Edits, got.Edits)
					assert.Equal(t, want[k].Findings, got.Findings)
				}
			}
		})
	}
	all.Wait()
}

func left(t testing.TB, s *Suite) {
	st := s.made(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range s.Phases {
		for _, text := range s.all() {
			var v core.Verdict
			var err error
			s.within(t, "a check whose caller has left", func() { v, err = st.Check(ctx, Text{Phase: p, Text: text}.Exchange(), p, nil) })
			if err == nil {
				checkVerdict(t, v)
			}
		}
	}
}

func empty(t testing.TB, s *Suite) {
	st := s.made(t)
	for _, p := range s.Phases {
		v, err := st.Check(context.Background(), &core.Exchange{}, p, nil)
		require.NoError(t, err)
		assert.Equal(t, core.Pass, v.Action)
	}
}

// several gives the stage bodies of several texts, some of which are read as one.
func several(t testing.TB, s *Suite) {
	st := s.made(t)
	for _, p := range s.Phases {
		for _, text := range s.short() {
			parts := []string{"x", text, text, ""}
			x := Text{Phase: p}.Exchange()
			body := bodyOf(x, p)
			body.Raw = []byte(strings.Join(parts, ""))
			like := body.Segments[0]
			body.Segments = body.Segments[:0]
			for i, at := 0, 0; i < len(parts); i++ {
				seg := like
				seg.Message, seg.Joined, seg.Span = int32(i/2), i%2 == 1, splice.Span{Start: at, End: at + len(parts[i])} //nolint:gosec // a few
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
					room += len(parts[k]) // a finding may go on in the texts that are read as one with its own
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
				apply(t, parts[i], edits, 0, len(parts[i]))
			}
		}
	}
}

// shortLeak is the length in bytes of the shortest text that counts as told: less is found in any sentence.
const shortLeak = 6

func silent(t testing.TB, s *Suite) {
	st := s.made(t)
	for _, p := range s.Phases {
		for _, text := range s.short() {
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

func finished(t testing.TB, s *Suite) {
	st, ctx := s.made(t), context.Background()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	in := Text{Phase: s.Phases[0], Text: s.Texts[0]}
	want := Whole(t, st, in)
	for _, text := range s.short() {
		for _, p := range s.Phases {
			for _, c := range []context.Context{ctx, gone} {
				x := Text{Phase: p, Text: text}.Exchange()
				v, _ := st.Check(c, x, p, nil) // a fault: then it has kept nothing
				kind := map[core.Action]core.OutcomeKind{core.Block: core.Blocked, core.Answer: core.Answered}[v.Action]
				if kind == 0 {
					kind = core.Served
				}
				x.Outcome = core.Outcome{Kind: kind}
				require.NoError(t, st.finish(ctx, x, v.Keep))
				x.Outcome.Kind = core.ClientGone
				require.NoError(t, st.finish(ctx, x, nil), "of an exchange for which nothing was kept")
			}
		}
	}
	require.Equal(t, want, Whole(t, st, in), "a stage goes on as before")
}

func closed(t testing.TB, s *Suite) {
	st := s.made(t)
	p := s.Phases[0]
	for _, text := range s.short() {
		Whole(t, st, Text{Phase: p, Text: text})
	}
	c, ok := st.Stage.(core.Closer)
	if !ok {
		return
	}
	st.shut = true
	s.within(t, "closing the stage", func() {
		var err error
		func() {
			defer caught(t, &err)
			err = c.Close(context.Background())
		}()
		assert.NoError(t, err)
	})
}
