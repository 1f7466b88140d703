package audit

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPayloadsAreJSON(t *testing.T) {
	const empty = "{" + "}"
	var p Payload
	assert.Equal(t, empty, string(p.Bytes()), "the zero value is an empty object")
	p.AddStr("model", "a\"b\\c\nd\x01é\xff")
	p.AddOptionalStr("provider", "")
	p.AddOptionalStr("region", "eu")
	p.AddInt("status", -5)
	p.AddBool("streamed", true)
	p.AddStrs("types", []string{"EMAIL", "x\ty"})
	p.AddStrs("none", nil)
	p.AddRaw("raw", []byte(`[1,2]`))
	want := `{"model":"a\"b\\c\nd\u0001é` + "\ufffd" + `","region":"eu","status":-5,"streamed":true,` +
		`"types":["EMAIL","x\u0009y"],"none":[],"raw":[1,2]}`
	assert.Equal(t, want, string(p.Bytes()))
	assert.Equal(t, want, string(p.Bytes()), "asking twice changes nothing")
	p.AddInt("more", 1)
	assert.Equal(t, want[:len(want)-1]+`,"more":1}`, string(p.Bytes()), "it may be added to afterwards")
	p.Reset()
	assert.Equal(t, empty, string(p.Bytes()))
}

func TestAPayloadAllocatesNothingOnceGrown(t *testing.T) {
	var p Payload
	build := func() {
		p.Reset()
		p.AddStr("model", "gpt-4o-mini")
		p.AddInt("status", 200)
		p.AddBool("streamed", true)
		_ = p.Bytes()
	}
	build()
	assert.Zero(t, testing.AllocsPerRun(100, build))
}

func FuzzPayloadText(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\x00\x1f", "é\u2028😀", "\xff\xfe", "\xe2\x82", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var p Payload
		p.AddStr("v", s)
		p.AddStr("w", s)
		require.True(t, utf8.Valid(p.Bytes()))
		var got map[string]string
		require.NoError(t, json.Unmarshal(p.Bytes(), &got))
		want := strings.ToValidUTF8("", "")
		for _, r := range s { // one replacement for each byte that is wrong
			want += string(r)
		}
		assert.Equal(t, map[string]string{"v": want, "w": want}, got)
	})
}
