package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scan runs a scan command on the lines.
func scan(t *testing.T, lines string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := newRootCommand()
	c.SetIn(strings.NewReader(lines))
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(append([]string{"scan", "pii"}, args...))
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func TestScanPIIAnswersLineByLineWithByteOffsets(t *testing.T) {
	out, err := scan(
		t,
		`{"id":"a","text":"é a@b.example"}`+"\n\n"+`{"id":7,"text":"nothing"}`+"\n"+`{"id":"c","text":"030 901820","hint":{"region":"DE"},"more":1}`,
	)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3)
	assert.JSONEq(t, `{"id":"a","spans":[{"start":3,"end":14,"type":"EMAIL","score":0.95}]}`, lines[0])
	assert.JSONEq(t, `{"id":7,"spans":[]}`, lines[1])
	assert.JSONEq(t, `{"id":"c","spans":[{"start":0,"end":10,"type":"PHONE","score":0.7}]}`, lines[2])
}

func TestScanPIILooksForWhatItIsAskedFor(t *testing.T) {
	const line = `{"id":1,"text":"a@b.example 85.07.30-033 28 AKIAIOSFODNN7EXAMPLQ"}`
	types := func(args ...string) (names []string) {
		out, err := scan(t, line, args...)
		require.NoError(t, err, out)
		var a piiAnswer
		require.NoError(t, json.Unmarshal([]byte(out), &a))
		for _, s := range a.Spans {
			names = append(names, s.Type)
		}
		return names
	}
	assert.Equal(t, []string{"EMAIL", "API_KEY"}, types())
	assert.Equal(t, []string{"API_KEY"}, types("--packs", "secrets"))
	assert.Equal(t, []string{"BE_NN", "API_KEY"}, types("--packs", "secrets", "--types", "BE_NN"))
	assert.Contains(t, types("--types", "all"), "BE_NN")
	assert.Contains(t, types("--packs", "all"), "EMAIL")

	const both = `{"id":1,"text":"id 17291716060"}`
	out, err := scan(t, both, "--packs", "all")
	require.NoError(t, err)
	taken, err := scan(t, both, "--packs", "all", "--taken")
	require.NoError(t, err)
	assert.Contains(t, out, "TR_TCKN")
	assert.Equal(t, 1, strings.Count(taken, `"type"`))

	dir := t.TempDir()
	file := filepath.Join(dir, "gateway.yaml")
	require.NoError(
		t,
		os.WriteFile(
			file,
			[]byte("providers: {m: {type: mock}}\nchain:\n  - stage: pii\n    config: {types: [EMAIL], custom: [{name: DOT, regex: 'b\\.e'}]}\n"),
			0o600,
		),
	)
	assert.Equal(t, []string{"EMAIL"}, types("--config", file))
}

func TestScanPIINamesTheLineThatIsBad(t *testing.T) {
	const good = `{"id":"a","text":"x"}` + "\n"
	for name, c := range map[string]struct {
		in, says string
		args     []string
	}{
		"broken JSON":       {good + `{"id":`, "line 2", nil},
		"no text":           {good + good + `{"id":"secret-id"}`, `line 3: the field "text"`, nil},
		"no id":             {`{"text":"secret text"}`, `line 1: the field "id"`, nil},
		"text of no string": {`{"id":1,"text":5}`, `"text"`, nil},
		"no such region":    {`{"id":1,"text":"x","hint":{"region":"XX"}}`, `line 1: region "XX"`, nil},
		"no such type":      {good, `"SHOE"`, []string{"--types", "SHOE"}},
		"no such pack":      {good, "secrets", []string{"--packs", "moon"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scan(t, c.in, c.args...)
			require.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "secret text")
		})
	}
}
