package cache

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestOrderAndWhiteSpaceAreNoDifference(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"members are put in order", `{"b":1,"a":{"d":2,"c":[{"z":1,"y":2}]}}`, `{"a":{"c":[{"y":2,"z":1}],"d":2},"b":1}`},
		{"members in order stay", `{"a":1,"b":2}`, `{"a":1,"b":2}`},
		{"white space goes", " {\n\t\"a\" : [ 1 , true,null , \"x y\" ] \r\n} ", `{"a":[1,true,null,"x y"]}`},
		{"nothing stays nothing", `{"a":{ },"b":[ ]}`, `{"a":{},"b":[]}`},
		{"numbers stay as they are spelled", `{"a":1.0e0,"b":-0}`, `{"a":1.0e0,"b":-0}`},
		{"texts stay as they are spelled", `{"a":"\u0041\"\\","b":"{,]:"}`, `{"a":"\u0041\"\\","b":"{,]:"}`},
		{"properties keep their order", `{"z":1,"properties":{"b":{"type":"x","a":1},"a":{}}}`, `{"properties":{"b":{"a":1,"type":"x"},"a":{}},"z":1}`},
		{"skipped members are skipped at the top only", `{"user":"u","a":{"user":"v"},"stream":true}`, `{"a":{"user":"v"}}`},
		{"all may be skipped", `{"user":"u"}`, `{}`},
		{"a value that is not an object", ` [2, 1] `, `[2,1]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w canonical
			require.NoError(t, w.write([]byte(c.doc), []string{"user", "stream"}))
			assert.Equal(t, c.want, string(w.out))
		})
	}
}

func TestTheWayToAnswerIsRead(t *testing.T) {
	for _, c := range []struct{ doc, temperature, count string }{
		{`{"temperature":0.5,"n":2}`, "0.5", "2"},
		{`{"generationConfig":{"candidateCount":3,"temperature":0,"x":{"temperature":9}}}`, "0", "3"},
		{`{"generationConfig":{"x":{"n":1},"temperature":1}}`, "1", ""},
		{`{"x":{"temperature":1,"n":5}}`, "", ""},
		{`{"best_of":4}`, "", "4"},
		{`{"messages":[{"n":1}]}`, "", ""},
	} {
		var w canonical
		require.NoError(t, w.write([]byte(c.doc), nil))
		assert.Equal(t, c.temperature, string(w.temperature), c.doc)
		assert.Equal(t, c.count, string(w.count), c.doc)
	}
}

func TestWhatIsNoJSONIsAnError(t *testing.T) {
	for _, doc := range []string{"", " ", "{", "[", `{"a"`, `{"a":`, `{"a":1`, `"x`, `"x\`, `{1}`, `{"a" 1}`, `,`, `[:]`} {
		assert.Error(t, new(canonical).write([]byte(doc), nil), doc)
	}
}

// meaning returns the decoded document, with numbers as spelled.
func meaning(t *testing.T, doc []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), string(doc))
	return v
}

// FuzzCanonical compares the canonical form with the standard library: it has the same meaning, and documents that
// differ only in order and white space have the same form.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":[1,{"d":"\"","c":null}],"a":"\\"}`, `{"a":{"properties":{"b":1,"a":2}}}`, `[[],{}, "\u00e9"]`, `{"":1}`} {
		f.Add([]byte(s))
	}
	var s splice.Scanner
	f.Fuzz(func(t *testing.T, doc []byte) {
		s.Reset(doc)
		s.Skip()
		if s.End(); s.Err() != nil {
			return // the scan of a request refuses it
		}
		var w canonical
		require.NoError(t, w.write(doc, nil))
		require.Equal(t, meaning(t, doc), meaning(t, w.out))
		once := bytes.Clone(w.out)
		var wide bytes.Buffer
		require.NoError(t, json.Indent(&wide, doc, " ", "\t"))
		require.NoError(t, w.write(wide.Bytes(), nil))
		require.Equal(t, string(once), string(w.out), "white space")
		require.NoError(t, w.write(once, nil))
		require.Equal(t, string(once), string(w.out), "twice")
	})
}
