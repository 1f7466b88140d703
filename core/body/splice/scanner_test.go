package splice

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// check scans a whole document by Skip.
func check(doc string) error {
	var s Scanner
	s.Reset([]byte(doc))
	s.Skip()
	s.End()
	return s.Err()
}

func TestScannerAcceptsTheCorpus(t *testing.T) {
	for _, doc := range corpus {
		assert.NoError(t, check(doc), doc)
	}
}

func TestScannerRefuses(t *testing.T) {
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			var syntax *SyntaxError
			require.ErrorAs(t, check(c.doc), &syntax)
			assert.Equal(t, c.why, syntax.Reason)
			assert.Equal(t, c.at, syntax.Offset)
			assert.NotEmpty(t, syntax.Error())
		})
	}
}

func TestScannerRefusesEveryTruncation(t *testing.T) {
	for _, doc := range corpus {
		doc = strings.TrimRight(doc, " \n")
		for n := range len(doc) {
			err := check(doc[:n])
			if err == nil {
				// A shorter number is a number too; nothing else is whole early.
				assert.Equal(t, Number, kinds[doc[0]], "cut to %d bytes: %s", n, doc)
				continue
			}
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, ReasonTruncated, syntax.Reason, "cut to %d bytes: %s", n, doc)
		}
	}
}

func TestScannerHandsOutTheValuesAsked(t *testing.T) {
	doc := ` { "s" : "a\nb" , "pl\u0061in":"x","num":-1.0e0,"yes":true,"no":false,"nil":null,"arr":[1,[2],{}],"obj":{"s":[{}]}} `
	var s Scanner
	s.Reset([]byte(doc))
	var keys []string
	text := func(at Span) string { return doc[at.Start:at.End] }
	require.Equal(t, Object, s.Kind())
	require.True(t, s.Enter())
	for s.Next() {
		key := string(s.Key())
		keys = append(keys, key)
		switch key {
		case "s":
			at, escaped := s.String()
			assert.Equal(t, `a\nb`, text(at))
			assert.True(t, escaped)
		case "plain":
			at, escaped := s.String()
			assert.Equal(t, "x", text(at))
			assert.False(t, escaped)
		case "num":
			assert.Equal(t, "-1.0e0", text(s.Number()))
		case "yes", "no":
			assert.Equal(t, key == "yes", s.Bool())
		case "nil":
			assert.Equal(t, Null, s.Kind())
			s.Null()
		case "arr":
			assert.Equal(t, Array, s.Kind())
			require.True(t, s.Enter())
			n := 0
			for ; s.Next(); n++ {
				assert.Equal(t, []string{`1`, `[2]`, `{}`}[n], text(s.Skip()))
			}
			assert.Equal(t, 3, n)
		default:
			assert.Equal(t, `{"s":[{}]}`, text(s.Skip()))
		}
	}
	assert.True(t, s.End())
	require.NoError(t, s.Err())
	assert.Equal(t, len(doc), s.Pos())
	assert.Equal(t, []string{"s", "plain", "num", "yes", "no", "nil", "arr", "obj"}, keys)
}

func TestScannerTellsAWrongType(t *testing.T) {
	for name, call := range map[string]func(*Scanner){
		"String": func(s *Scanner) { s.String() },
		"Number": func(s *Scanner) { s.Number() },
		"Bool":   func(s *Scanner) { s.Bool() },
		"Null":   func(s *Scanner) { s.Null() },
		"Enter":  func(s *Scanner) { s.Enter() },
	} {
		var s Scanner
		doc := ` "text"`
		if name == "String" {
			doc = " 1"
		}
		s.Reset([]byte(doc))
		call(&s)
		assert.Equal(t, &SyntaxError{Offset: 1, Reason: ReasonWrongType}, s.Err(), name)
	}
}

func TestScannerRefusesCallsOutOfOrder(t *testing.T) {
	for name, call := range map[string]func(*Scanner){
		"Key where a value is due":      func(s *Scanner) { s.Key() },
		"Next where a value is due":     func(s *Scanner) { s.Next() },
		"End before the value":          func(s *Scanner) { s.End() },
		"Skip before Next":              func(s *Scanner) { s.Enter(); s.Skip() },
		"Skip where a key is due":       func(s *Scanner) { s.Enter(); s.Next(); s.Skip() },
		"Next where a key is due":       func(s *Scanner) { s.Enter(); s.Next(); s.Next() },
		"End inside an object":          func(s *Scanner) { s.Enter(); s.End() },
		"a second value":                func(s *Scanner) { s.Skip(); s.Skip() },
		"Next after the document ended": func(s *Scanner) { s.Skip(); s.Next() },
	} {
		var s Scanner
		s.Reset([]byte(`{"a":1}`))
		call(&s)
		var syntax *SyntaxError
		if assert.ErrorAs(t, s.Err(), &syntax, name) {
			assert.Equal(t, ReasonOrder, syntax.Reason, name)
		}
	}
	var unset Scanner
	assert.Zero(t, unset.Kind())
	assert.Error(t, unset.Err())
}

func TestScannerKeepsItsFirstError(t *testing.T) {
	var s Scanner
	s.Reset([]byte(`["\x",1]`))
	require.True(t, s.Enter())
	require.True(t, s.Next())
	s.String()
	first := s.Err()
	require.Error(t, first)
	assert.False(t, s.Next())
	assert.Nil(t, s.Key())
	assert.Zero(t, s.Kind())
	assert.Zero(t, s.Skip())
	assert.False(t, s.Bool())
	assert.False(t, s.End())
	assert.Same(t, first, s.Err())
}

func TestScannerKeepsDecodedKeysUntilTheObjectEnds(t *testing.T) {
	var s Scanner
	s.Reset([]byte(`{"\u0061b":{` + strings.TrimPrefix(strings.ReplaceAll(manyKeys(50), "key", `\u006bey`), "{") + `,"\u0063":1}`))
	require.True(t, s.Enter())
	require.True(t, s.Next())
	first := s.Key()
	s.Skip()
	require.True(t, s.Next())
	assert.Equal(t, "c", string(s.Key()))
	assert.Equal(t, "ab", string(first))
	s.Skip()
	assert.False(t, s.Next())
	assert.True(t, s.End())
}

func TestScannerAllocatesNothingInSteadyState(t *testing.T) {
	var s Scanner
	for _, doc := range corpus {
		doc := []byte(doc)
		scan := func() { s.Reset(doc); s.Skip(); s.End() }
		scan()
		assert.Zero(t, testing.AllocsPerRun(10, scan), string(doc))
	}
}
