package dialect

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

// source is a row of a SOURCES.tsv: where golden files come from.
type source struct{ pattern, kind, source, version string }

// sources reads the manifest of a vendor's testdata folder.
func sources(t *testing.T, dir string) (rows []source) {
	b, err := os.ReadFile(filepath.Join(dir, "SOURCES.tsv"))
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		f := strings.Split(lines.Text(), "\t")
		require.Len(t, f, 4, "%s: %s", dir, lines.Text())
		rows = append(rows, source{f[0], f[1], f[2], f[3]})
	}
	return rows
}

// withoutFiles are the folders without golden files, and why.
var withoutFiles = map[string]string{
	"encode": "a helper of the encoders", "jsonrpc": "the envelope of mcp and a2a", "scan": "a helper of the scanners", "wire": "types of the wire forms",
}

// withOwnTests are the folders whose transcripts are no answers of models: their packages test them.
var withOwnTests = map[string]bool{"a2a/testdata": true, "mcp/testdata": true, "direct/testdata": true}

// vendors lists the testdata folders of the vendors.
func vendors(t *testing.T) (dirs []string) {
	all, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, d := range all {
		if d.IsDir() && withoutFiles[d.Name()] == "" {
			dirs = append(dirs, filepath.Join(d.Name(), "testdata"))
		}
	}
	return dirs
}

func TestEveryGoldenFileNamesItsSource(t *testing.T) {
	for _, dir := range vendors(t) {
		rows := sources(t, dir)
		used := map[string]bool{}
		require.NoError(t, filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "SOURCES.tsv" {
				return err
			}
			rel, err := filepath.Rel(dir, file)
			require.NoError(t, err)
			for _, r := range rows {
				if ok, err := path.Match(r.pattern, filepath.ToSlash(rel)); ok && err == nil {
					used[r.pattern] = true
					return nil
				}
			}
			t.Errorf("%s is not listed in SOURCES.tsv", file)
			return nil
		}))
		for _, r := range rows {
			assert.True(t, used[r.pattern], "%s: no file matches %s", dir, r.pattern)
			switch r.kind {
			case "recorded", "documentation":
				assert.NotContains(t, r.pattern, "*", dir)
				assert.NotEqual(t, "-", r.version, "%s: %s needs a version or a date", dir, r.pattern)
				assert.NotEmpty(t, r.source)
			case "ours":
			default:
				t.Errorf("%s: %s has the unknown kind %q", dir, r.pattern, r.kind)
			}
		}
	}
}

// publishedAs gives the shape of each published transcript.
var publishedAs = map[string]string{
	"openai/testdata/published/chat.json": "openai.chat", "openai/testdata/published/chat.sse": "openai.chat",
	"openai/testdata/published/responses.json":  "openai.responses",
	"openai/testdata/published/responses.sse":   "openai.responses",
	"anthropic/testdata/published/message.json": "anthropic.messages",
	"anthropic/testdata/published/tools.sse":    "anthropic.messages",
	"cohere/testdata/published/tools.json":      "cohere.chat", "cohere/testdata/published/tools.sse": "cohere.chat",
	"bedrock/testdata/published/tools.json":   "bedrock.converse",
	"bedrock/testdata/published/tools.events": "bedrock.converse",
	"gemini/testdata/published/text.json":     "gemini.generate",
	"gemini/testdata/published/call.sse":      "gemini.generate",
	"ollama/testdata/published/tools.json":    "ollama.chat",
	"ollama/testdata/published/tools.ndjson":  "ollama.chat",
}

// encodeFrames returns the binary frames of a stream of Bedrock from lines of an event type and a payload.
func encodeFrames(t *testing.T, lines []byte) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(string(lines)) {
		kind, payload, _ := strings.Cut(strings.TrimSpace(line), " ")
		m := eventstream.Message{Payload: []byte(payload)}
		m.Headers.Set(":event-type", eventstream.StringValue(kind))
		m.Headers.Set(":message-type", eventstream.StringValue("event"))
		require.NoError(t, eventstream.NewEncoder().Encode(&b, m))
	}
	return b.Bytes()
}

func TestPublishedTranscriptsAreRead(t *testing.T) {
	have := map[string]bool{}
	for _, dir := range vendors(t) {
		for _, r := range sources(t, dir) {
			if r.kind == "ours" || withOwnTests[dir] {
				continue
			}
			file := filepath.ToSlash(filepath.Join(dir, r.pattern))
			t.Run(file, func(t *testing.T) {
				wire, ok := FindWire(publishedAs[file])
				require.True(t, ok, "name the shape of %s in publishedAs", file)
				body, err := os.ReadFile(file)
				require.NoError(t, err)
				if path.Ext(file) == ".json" {
					have[wire.Name()+" whole"] = true
					a, err := wire.DecodeResponse(body)
					require.NoError(t, err)
					require.NotEmpty(t, a.Choices)
					assert.NotEmpty(t, a.Choices[0].Parts)
					assert.NotEqual(t, llm.FinishUnsaid, a.Choices[0].Finish)
					return
				}
				have[wire.Name()+" stream"] = true
				if path.Ext(file) == ".events" {
					body = encodeFrames(t, body)
				}
				var last llm.EventKind
				content := 0
				emit := func(ev *llm.Event) error {
					if last = ev.Kind; ev.Kind == llm.Delta {
						content += len(ev.Text)
					}
					return nil
				}
				d := wire.DecodeStream()
				require.NoError(t, d.Decode(body, emit))
				require.NoError(t, d.Close(emit))
				assert.Equal(t, llm.Ended, last)
				assert.NotZero(t, content)
			})
		}
	}
	for name := range wires {
		for _, form := range []string{" whole", " stream"} {
			assert.True(t, have[name+form], "%s: no transcript that a vendor publishes", name+form)
		}
	}
}
