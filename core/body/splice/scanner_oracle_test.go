package splice

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tokens reads a document through the pulling calls, as a dialect does, and
// spells out each token: strings and keys decoded, numbers as written.
func tokens(doc []byte) ([]string, error) {
	s := Scanner{MaxDepth: 10_000}
	s.Reset(doc)
	var out []string
	var value func()
	value = func() {
		switch kind := s.Kind(); kind {
		case Object, Array:
			out = append(out, string(doc[s.Pos()]))
			s.Enter()
			for s.Next() {
				if kind == Object {
					out = append(out, `"`+string(s.Key()))
				}
				value()
			}
			if s.Err() == nil {
				out = append(out, string(doc[s.Pos()-1]))
			}
		case String:
			at, escaped := s.String()
			text, aliased := ReadText(doc, at, 1, nil)
			if s.Err() == nil && escaped == aliased {
				s.fail(0, "escaped and aliased disagree")
			}
			out = append(out, `"`+string(text))
		case Number:
			at := s.Number()
			out = append(out, string(doc[at.Start:at.End]))
		case True, False:
			if s.Bool() {
				out = append(out, "true")
			} else {
				out = append(out, "false")
			}
		case Null:
			s.Null()
			out = append(out, "null")
		}
	}
	value()
	s.End()
	return out, s.Err()
}

// oracle spells out the same tokens as jsontext sees them.
func oracle(doc []byte) ([]string, error) {
	d := jsontext.NewDecoder(bytes.NewReader(doc))
	var out []string
	for {
		tok, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if tok.Kind() == '"' {
			out = append(out, `"`+tok.String())
		} else {
			out = append(out, tok.String())
		}
	}
}

func agree(t *testing.T, doc []byte) {
	t.Helper()
	var s Scanner
	s.MaxDepth = 10_000 // as many as jsontext allows
	s.Reset(doc)
	at := s.Skip()
	s.End()
	valid := jsontext.Value(doc).IsValid()
	require.Equal(t, valid, s.Err() == nil, "jsontext says valid=%v, we say %v", valid, s.Err())

	got, err := tokens(doc)
	require.Equal(t, valid, err == nil, "pulling: %v", err)
	if !valid {
		var one, two *SyntaxError
		require.ErrorAs(t, s.Err(), &one)
		require.ErrorAs(t, err, &two)
		assert.Equal(t, one, two, "skipping and pulling find the same error")
		assert.LessOrEqual(t, one.Offset, len(doc))
		return
	}
	assert.Equal(t, bytes.TrimSpace(doc), doc[at.Start:at.End])
	want, err := oracle(doc)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestScannerAgreesWithJSONText(t *testing.T) {
	for _, doc := range corpus {
		agree(t, []byte(doc))
	}
	for _, c := range broken {
		agree(t, []byte(c.doc))
	}
}

// Every byte value at every place of a small document with every construct.
func TestScannerAgreesWithJSONTextOnEveryByte(t *testing.T) {
	doc := []byte(`{"a":[1.5e1,true,"x\u00e9\ud83d\ude00é日"],"b":null}`)
	for i := range doc {
		for c := range 256 {
			changed := bytes.Clone(doc)
			changed[i] = byte(c)
			valid := jsontext.Value(changed).IsValid()
			require.Equal(t, valid, check(string(changed)) == nil, "%q", changed)
		}
	}
}

// A stop of every kind at every distance from the start and end of a block.
func TestScannerFindsAStopAtEveryPlace(t *testing.T) {
	for _, stop := range []string{`"`, `\n`, `\`, "\x00", "\x1f", " !#[]\x7f", "é", "\x80", "\xff", "😀"} {
		for before := range 80 {
			for _, after := range []int{0, 1, 7, 40} {
				doc := `"` + string(bytes.Repeat([]byte("~"), before)) + stop + string(bytes.Repeat([]byte(" "), after)) + `"`
				require.Equal(t, jsontext.Value(doc).IsValid(), check(doc) == nil, "%q", doc)
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, doc := range corpus {
		f.Add([]byte(doc))
	}
	for _, c := range broken {
		f.Add([]byte(c.doc))
	}
	f.Fuzz(agree)
}
