package stages_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// dataFolders hold the texts that detectors are measured with: those of the repository and, where it lies beside it, a larger
// collection.
var dataFolders = []string{"guardrail/testdata", "pii/testdata", "guardrail/learned/data", "../../shared/data"}

// dataTexts returns the texts of all data files, each once, in the order of their names.
func dataTexts(t *testing.T) (texts []string) {
	seen := map[string]bool{}
	for _, folder := range dataFolders {
		files, err := filepath.Glob(folder + "/*")
		require.NoError(t, err)
		for _, name := range files {
			for _, text := range fileTexts(t, name) {
				if !seen[text] {
					seen[text] = true
					texts = append(texts, text)
				}
			}
		}
	}
	return texts
}

// fileTexts returns the texts of a file: each line, or what its lines of JSON hold under the names that stand for texts.
func fileTexts(t *testing.T, name string) (texts []string) {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	isJSON, isText := strings.Contains(name, ".json"), strings.HasSuffix(name, ".txt")
	lines := bufio.NewScanner(r)
	for lines.Buffer(nil, 64<<20); (isJSON || isText) && lines.Scan(); {
		var v any
		if !isJSON {
			texts = append(texts, lines.Text())
		} else if json.Unmarshal(lines.Bytes(), &v) == nil { // some files hold one document of many lines
			texts = appendTexts(texts, v, false)
		}
	}
	require.NoError(t, lines.Err())
	return texts
}

// appendTexts appends the strings of a value that stand for texts.
func appendTexts(texts []string, v any, isText bool) []string {
	switch v := v.(type) {
	case string:
		if isText && v != "" {
			texts = append(texts, strings.ToValidUTF8(v, "?"))
		}
	case []any:
		for _, w := range v {
			texts = appendTexts(texts, w, isText)
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			known := slices.Contains([]string{"text", "content", "prompt", "value", "messages", "input", "answer"}, name)
			texts = appendTexts(texts, v[name], isText || known)
		}
	}
	return texts
}

// dataTurns is how many texts a conversation has, and dataStep how many each turn adds.
const dataTurns, dataStep = 12, 4

// Each text is sent in a conversation that grows, so that it is judged once, recalled alone and recalled as part of the
// conversation's beginning: the result equals that of a chain that remembers nothing, to the byte.
func TestAMemoryChangesNothingOfWhatLinksSayAboutTheDataOfDetectors(t *testing.T) {
	texts := dataTexts(t)
	require.Greater(t, len(texts), 3000, "the repository's own")
	if testing.Short() || raceDetector {
		texts = everyNth(texts, max(1, len(texts)/1200))
	}
	memory := chain.NewMemory(64 << 20)
	rules := []int{0, 3}
	var a, b core.Exchange
	compared := 0
	for _, rule := range rules {
		plain, with := guards(t, rule, nil), guards(t, rule, memory)
		for chunk := range slices.Chunk(texts, dataTurns) {
			var said []map[string]any
			for i, text := range chunk {
				said = append(said, map[string]any{"role": []string{"user", "assistant", "user", "system"}[i%4], "content": text})
				if (i+1)%dataStep != 0 && i+1 != len(chunk) {
					continue
				}
				body := conversationBody(t, said, nil)
				want, got := judge(t, plain, &a, body, "acme", nil), judge(t, with, &b, body, "acme", memory)
				if !bytes.Equal([]byte(want), []byte(got)) {
					require.Equal(t, want, got)
				}
				compared++
			}
		}
	}
	assert.Positive(t, memory.Use().Hits)
	t.Logf("%d texts, %d requests, %d recalls", len(texts), compared, memory.Use().Hits)
}

func everyNth(texts []string, n int) (some []string) {
	for i := 0; i < len(texts); i += n {
		some = append(some, texts[i])
	}
	return some
}
