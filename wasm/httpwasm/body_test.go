package httpwasm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
)

// bodyWith returns a body in which the texts between « and » are segments. Those between ‹ and › are JSON text inside a string.
func bodyWith(marked string) *core.Payload {
	p := new(core.Payload)
	type place struct{ at, depth int }
	var open place
	for _, r := range marked {
		switch r {
		case '«', '‹':
			open = place{len(p.Raw), map[rune]int{'«': 1, '‹': 0}[r]}
		case '»':
			s := core.Segment{Kind: core.KindText, Depth: 1, Part: -1, Span: splice.Span{Start: open.at, End: len(p.Raw)}}
			p.Segments = append(p.Segments, s)
		case '›':
			raw := p.Raw // AddJSON reads the body
			p.AddJSON(core.Segment{Kind: core.KindToolArgs, Depth: 1, Part: -1, Span: splice.Span{Start: open.at, End: len(raw)}})
		default:
			p.Raw = append(p.Raw, string(r)...)
		}
	}
	return p
}

func TestABodyIsComparedByItsTexts(t *testing.T) {
	const body = `{"model":"gpt","n":1,"messages":[{"role":"user","content":"«say \"héllo\"»"},{"role":"assistant",` +
		`"tool_calls":[{"function":{"name":"f","arguments":"‹{\"city\":\"Bern\",\"n\":12345678,\"l\":[\"a\",true]}›"}}]}]}`
	plain := strings.NewReplacer("«", "", "»", "", "‹", "", "›", "").Replace(body)
	for name, c := range map[string]struct {
		written string
		want    []string // the edited texts
		model   string
		err     error
	}{
		"the same bytes": {written: plain},
		"the same with other white space, order and escapes": {
			written: ` { "messages": [ {"content":"say \u0022h\u00e9llo\u0022", "role":"user"}, {"tool_calls":[{"function":{"arguments":` +
				`"{\"l\":[\"a\",true], \"city\":\"Bern\",\"n\":12345678}","name":"f"}}],"role":"assistant"}], "n":1, "model":"gpt"}`,
		},
		"another text":                   {written: strings.Replace(plain, `say \"héllo\"`, "héy", 1), want: []string{"héy"}},
		"an empty text":                  {written: strings.Replace(plain, `say \"héllo\"`, "", 1), want: []string{""}},
		"a text inside a tool's input":   {written: strings.Replace(plain, "Bern", "Basel", 1), want: []string{"Basel"}},
		"a number in a tool's input":     {written: strings.Replace(plain, "12345678", `\"***\"`, 1), want: []string{"***"}},
		"two texts":                      {written: strings.NewReplacer("say", "cry", "Bern", "Bonn").Replace(plain), want: []string{`cry "héllo"`, "Bonn"}},
		"another model":                  {written: strings.Replace(plain, "gpt", "claude", 1), model: "claude"},
		"another number":                 {written: strings.Replace(plain, `"n":1,`, `"n":2,`, 1), err: httpwasm.ErrStructure},
		"another spelling of a number":   {written: strings.Replace(plain, `"n":1,`, `"n":1.0,`, 1)},
		"another role":                   {written: strings.Replace(plain, `"user"`, `"system"`, 1), err: httpwasm.ErrStructure},
		"a member more":                  {written: strings.Replace(plain, `"n":1,`, `"n":1,"m":1,`, 1), err: httpwasm.ErrStructure},
		"a member less":                  {written: strings.Replace(plain, `"n":1,`, ``, 1), err: httpwasm.ErrStructure},
		"a member twice":                 {written: strings.Replace(plain, `"n":1,`, `"n":2,"n":1,`, 1), err: httpwasm.ErrStructure},
		"a message less":                 {written: plain[:strings.Index(plain, `,{"role":"assistant"`)] + "]}", err: httpwasm.ErrStructure},
		"a value of another type":        {written: strings.Replace(plain, `"n":1,`, `"n":null,`, 1), err: httpwasm.ErrStructure},
		"a text that becomes a list":     {written: strings.Replace(plain, `"say \"héllo\""`, `[]`, 1), err: httpwasm.ErrStructure},
		"a member in a tool's input":     {written: strings.Replace(plain, "city", "town", 1), err: httpwasm.ErrStructure},
		"a truth in a tool's input":      {written: strings.Replace(plain, "true", "false", 1), err: httpwasm.ErrStructure},
		"a tool's input that is no JSON": {written: strings.Replace(plain, `{\"city\"`, `\"city\"`, 1), err: httpwasm.ErrStructure},
		"nothing":                        {written: "", err: httpwasm.ErrNotJSON},
		"no JSON":                        {written: "hello", err: httpwasm.ErrNotJSON},
		"a list":                         {written: "[]", err: httpwasm.ErrStructure},
	} {
		t.Run(name, func(t *testing.T) {
			p := bodyWith(body)
			require.Equal(t, plain, string(p.Raw))
			require.Len(t, p.Segments, 7)
			got, err := httpwasm.FindChange(p, []byte(c.written))
			require.ErrorIs(t, err, c.err)
			assert.Equal(t, c.model, got.Model)
			var texts []string
			for _, e := range got.Edits {
				text := p.ReadText(e.Segment)
				texts = append(texts, text[:e.Start]+e.With+text[e.End:])
			}
			assert.Equal(t, c.want, texts)
			p.Apply(got.Edits)
			require.NoError(t, p.Flush(), "the edits can be carried out")
		})
	}
}

func FuzzTheChangeOfABodyCanBeCarriedOut(f *testing.F) {
	const body = `{"model":"gpt","messages":[{"content":"«say \"héllo\"»"},{"arguments":"‹{\"city\":\"Bern\",\"n\":12345678}›"}]}`
	plain := strings.NewReplacer("«", "", "»", "", "‹", "", "›", "").Replace(body)
	f.Add(plain)
	f.Add(strings.Replace(plain, "héllo", "h\u00e8", 1))
	f.Add(strings.Replace(plain, "Bern", `\\u00e8\\n`, 1))
	f.Fuzz(func(t *testing.T, written string) {
		p := bodyWith(body)
		got, err := httpwasm.FindChange(p, []byte(written))
		if err != nil {
			return
		}
		p.Apply(got.Edits)
		require.NoError(t, p.Flush())
		again, err := httpwasm.FindChange(bodyWith(body), p.Raw)
		require.NoError(t, err)
		assert.Len(t, again.Edits, len(got.Edits), "the body says what was written")
	})
}

func TestAnEditCoversOnlyWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		was, now string
		want     core.Edit
	}{
		{"abc", "abc", core.Edit{Start: 3, End: 3}},
		{"abc", "axc", core.Edit{Start: 1, End: 2, With: "x"}},
		{"aé", "aè", core.Edit{Start: 1, End: 3, With: "è"}},
		{"éa", "ĩa", core.Edit{Start: 0, End: 2, With: "ĩ"}},
		{"aa", "a", core.Edit{Start: 1, End: 2}},
		{"a", "aa", core.Edit{Start: 1, End: 1, With: "a"}},
		{"", "x", core.Edit{With: "x"}},
	} {
		assert.Equal(t, c.want, httpwasm.TrimEdit(c.was, c.now), "%q", c)
	}
}
