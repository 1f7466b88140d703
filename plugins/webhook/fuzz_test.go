package webhook

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// inside handles calls within the process.
type inside struct{ h http.Handler }

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	i.h.ServeHTTP(w, r)
	return w.Result(), nil
}

// newInnerStage returns a link whose receiver is called without a network.
func newInnerStage(t testing.TB, judge webhook.Judge, s Settings) *remote.Stage {
	o := Options{Link: "the-guard", URL: "https://guard.example.com", Secret: secret, Settings: s}
	a, err := newAsker(o)
	require.NoError(t, err)
	a.client.Transport = inside{webhook.Handler(&webhook.Verifier{Secrets: []string{secret}}, judge)}
	return remote.New(o.buildRemoteOptions(), a)
}

// Runs of letters are longer than overlaps and windows, and extend over placeholders.
var letters = regexp.MustCompile(`A+|B+[A-Z{}_]*|C`)

func judgesLetters(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
	v := &webhook.Verdict{Action: webhook.Pass}
	star := "*"
	for i, s := range r.Segments {
		for _, at := range letters.FindAllStringIndex(s.Text, 100) {
			f := webhook.Finding{Segment: i, Start: at[0], End: at[1], Label: strings.ToLower(s.Text[at[0] : at[0]+1])}
			if f.Label == "c" {
				f.With = &star
			}
			v.Action = webhook.Redact
			v.Findings = append(v.Findings, f)
		}
	}
	return v, nil
}

// textOf assembles a text from relevant pieces.
func textOf(recipe []byte) string {
	var b strings.Builder
	for _, c := range recipe {
		n := int(c>>3) + 1
		b.WriteString(strings.Repeat([]string{"A", "B", "C ", "é", "😀", "x ", "{{PII_EMAIL_0123456789abcdef}}", "{{PII_"}[c&7], n))
	}
	return b.String()
}

func FuzzAnyCuttingOfAStreamGivesTheResultOfTheWhole(f *testing.F) {
	for _, s := range []string{"\x00", "AAAA", "\xf8\xf8\xf8\xf8", "xyz~}|{\x06\x07\x0e\x0f\xfe\xff", "\x06\x01\x06\x01\xf9\xf9\xf9\xf9\xf9\x06"} {
		f.Add([]byte(s), uint64(1), uint8(9))
	}
	st := newInnerStage(f, judgesLetters, Settings{Window: 60, Overlap: 20})
	f.Fuzz(func(t *testing.T, recipe []byte, seed uint64, size uint8) {
		text := stagetest.Text{Phase: core.Response, Role: core.RoleAssistant, Text: textOf(recipe[:min(len(recipe), 60)])}
		want := stagetest.Whole(t, st, text)
		got := stagetest.Streamed(t, st, text, stagetest.Chop(rand.New(rand.NewPCG(seed, 1)), text.Text, int(size%40)+1))
		require.Equal(t, want, got)
		require.NotContains(
			t,
			strings.NewReplacer("<A>", "", "<B>", "", "{{PII_EMAIL_0123456789abcdef}}", "", "{{PII_", "").Replace(want.Text),
			"A",
		)
	})
}

func FuzzAReplyIsAVerdictOrRefused(f *testing.F) {
	f.Add(
		[]byte(`{"version":1,"action":"redact","unit":"utf16","findings":[{"segment":0,"start":0,"end":2,"label":"a","score":0.5,"with":"x"}]}`),
		"a😀é",
	)
	f.Add([]byte(`{"version":1,"action":"block","message":"no","findings":[{"segment":1,"start":1,"end":3,"label":"a"}]}`), "a😀é")
	f.Add([]byte(`{"version":1e0,"action":"pass"}`), "")
	f.Fuzz(func(t *testing.T, reply []byte, text string) {
		text = strings.ToValidUTF8(text, "?")
		v, err := readVerdict(reply, []string{text, text})
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		for _, spans := range v.Spans {
			for _, s := range spans {
				require.True(t, 0 <= s.Start && s.Start < s.End && s.End <= len(text))
				require.True(t, utf8.ValidString(text[s.Start:s.End]), "a span contains whole characters")
				require.True(t, s.Score >= 0 && s.Score <= 1)
				require.True(t, remote.IsLabel(s.Label))
			}
		}
	})
}
