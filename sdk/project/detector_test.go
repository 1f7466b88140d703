package project

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

var digits = regexp.MustCompile(`[0-9]+`)

// cards is what the template detectors must find, said in another way.
func cards(text string, flags uint32) []wasm.Match {
	var out []wasm.Match
	inWord := regexp.MustCompile(`^[0-9A-Za-z_]$`).MatchString
	for _, at := range digits.FindAllStringIndex(text, -1) {
		start, end := at[0], at[1]
		sum := 0
		for i, c := range text[start:end] {
			d := int(c-'0') * (2 - i%2)
			sum += d/10 + d%10
		}
		switch {
		case end-start != 16 || sum%10 != 0:
		case start == 0 && flags&abi.DetectBefore != 0 || end == len(text) && flags&abi.DetectAfter != 0:
		case start > 0 && inWord(text[start-1:start]) || end < len(text) && inWord(text[end:end+1]):
		default:
			out = append(out, wasm.Match{Start: start, End: end, Score: 1})
		}
	}
	return out
}

// cardTexts are texts with and without card numbers, some from a fixed seed.
func cardTexts() []string {
	texts := []string{
		"4111111111111111",
		"pay 4111111111111111, 5500005555555559.",
		"4111111111111112",
		"x4111111111111111 4111111111111111_",
		"41111111111111111",
		"é4111111111111111é",
		"411111111111111",
		"4111 1111 1111 1111",
		strings.Repeat("4111111111111111 ", 40),
		strings.Repeat("9", 300),
	}
	r := rand.New(rand.NewPCG(1, 2)) // a test's own randomness
	pieces := []string{
		"4111111111111111",
		"5500005555555559",
		"378282246310005",
		"4222222222222",
		"0",
		"7",
		" ",
		",",
		"\n",
		"a",
		"_",
		"é",
		"東",
		"Z",
	}
	for range 300 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		texts = append(texts, b.String())
	}
	return texts
}

func TestANewDetectorFindsTheSameInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			v := template(t, lang, "detector").load(t, "")
			defer v.Release(context.Background())
			found := 0
			for _, text := range cardTexts() {
				if !utf8.ValidString(text) || text == "" {
					continue
				}
				for flags := range abi.DetectCode { // none, before, after, both
					got, err := v.Detect(context.Background(), nil, text, flags)
					require.NoError(t, err)
					require.Equal(t, cards(text, flags), got, "%q, flags %d", text, flags)
					found += len(got)
				}
			}
			assert.Greater(t, found, 200)
		})
	}
}

func TestANewDetectorConformsInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) { conform(t, template(t, lang, "detector"), "", cardTexts()[:20]) })
	}
}

// conform holds a detector as a stage against what the chain expects of one.
func conform(t *testing.T, p plugin, config string, texts []string) {
	t.Helper()
	stagetest.Conform(t, stagetest.Suite{
		New: func(t testing.TB) core.Stage {
			st, err := wasm.NewStage(p.load(t, config), "link", wasm.Settings{Action: "redact"})
			require.NoError(t, err)
			return st
		},
		Texts: texts, Phases: []core.Phase{core.Request, core.Response},
	})
}

func TestMoreThanCanBeReportedIsAnErrorInEveryLanguage(t *testing.T) {
	const card = "4111111111111111 "
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			v := template(t, lang, "detector").load(t, "")
			defer v.Release(context.Background())
			got, err := v.Detect(context.Background(), nil, strings.Repeat(card, abi.MaxSpans), 0)
			require.NoError(t, err)
			require.Len(t, got, abi.MaxSpans)
			_, err = v.Detect(context.Background(), nil, strings.Repeat(card, abi.MaxSpans+1), 0)
			require.ErrorContains(t, err, "more than it can report")
			got, err = v.Detect(context.Background(), nil, card, 0)
			require.NoError(t, err)
			require.Len(t, got, 1, "it serves on")
		})
	}
}

func TestSettingsAreRefusedByADetectorThatTakesNone(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			p := template(t, lang, "detector")
			cache, err := compiled()
			require.NoError(t, err)
			_, err = wasm.Load(context.Background(), wasm.LoadOptions{Source: p.source, Name: "x.wasm", Config: []byte(`{"a":1}`), Cache: cache})
			require.Error(t, err)
		})
	}
}
