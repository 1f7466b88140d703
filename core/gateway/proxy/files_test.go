package proxy_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// fileShape is a client shape that accepts a file: @ is a data URL, or TYPE and DATA.
type fileShape struct{ path, kind, body, elsewhere string }

var fileShapes = map[string]fileShape{
	"chat": {
		"/v1/chat/completions", "openai",
		`{"model":"gpt-test","messages":[{"role":"user","content":[{"type":"text","text":"Sum up."},` +
			`{"type":"file","file":{"filename":"a.bin","file_data":"data:TYPE;base64,DATA"}}]}]}`,
		`{"model":"gpt-test","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}]}`,
	},
	"a data URL in any part of a chat": {
		"/v1/chat/completions", "openai",
		`{"model":"gpt-test","messages":[{"role":"user","content":[{"type":"brand_new","thing":{"url":"\u0064ATA:TYPE;base64,DATA"}}]}]}`,
		`{"model":"gpt-test","messages":[{"role":"user","content":[{"type":"document_url","document_url":"https://x.example/a.pdf"}]}]}`,
	},
	"responses": {
		"/v1/responses", "openai",
		`{"model":"gpt-test","input":[{"role":"user","content":[{"type":"input_file","filename":"a.bin","file_data":"data:TYPE;base64,DATA"}]}]}`,
		`{"model":"gpt-test","input":[{"role":"user","content":[{"type":"input_file","file_id":"file-1"}]}]}`,
	},
	"responses, in a tool's output": {
		"/v1/responses", "openai",
		`{"model":"gpt-test","input":[{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},` +
			`{"type":"function_call_output","call_id":"c1","output":[{"file_data":"data:TYPE;base64,DATA","type":"input_file"}]}]}`,
		`{"model":"gpt-test","input":[{"role":"user","content":[{"file_url":"https://x.example/a.pdf","type":"input_file"}]}]}`,
	},
	"a data URL in responses": {
		"/v1/responses", "openai",
		`{"model":"gpt-test","input":[{"role":"user","content":[{"type":"input_image","image_url":"data:TYPE;base64,DATA"}]}]}`,
		"",
	},
	"messages": {
		messagesPath, "anthropic",
		`{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","title":"t",` +
			`"source":{"data":"DATA","type":"base64","media_type":"TYPE"},"context":"c"}]}]}`,
		`{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":[{"source":{"type":"url","url":"https://x.example/a.pdf"},"type":"document"}]}]}`,
	},
	"messages, in a tool's result": {
		messagesPath, "anthropic",
		`{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":` +
			`[{"type":"document","source":{"type":"base64","media_type":"TYPE","data":"DATA"}}]}]}]}`,
		`{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"f"}}]}]}`,
	},
	"generateContent": {
		"/v1/gen/v1beta/models/gpt-test:generateContent", "gemini",
		`{"contents":[{"role":"user","parts":[{"inlineData":{"data":"DATA","mimeType":"TYPE","displayName":"a file"}},{"text":"Sum up."}]}]}`,
		`{"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"gs://x/a.pdf","mimeType":"application/pdf"}}]}]}`,
	},
}

func (f fileShape) buildBody(typ, data string) string {
	return strings.NewReplacer("TYPE", typ, "DATA", base64.StdEncoding.EncodeToString([]byte(data))).Replace(f.body)
}

var longBase64 = regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`)

func TestFilesOfTextPassTheGuardsInEveryShape(t *testing.T) {
	const text = `{"name":"Jo","card":"4111 1111 1111 1111","mail":"jo\u0040example.com","note":"nothing else here"}`
	for name, f := range fileShapes {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
			g := open(t, setup{
				provider: newProvider(t, f.kind, up.url), chain: redacting(t, "action: redact"),
				runtime: func(rt *snapshot.Runtime) { rt.JudgedFiles = true },
			})
			for _, typ := range []string{"text/plain", "application/json", "text/csv;charset=utf-8", "application/ld+json"} {
				before := len(up.requests())
				a := g.postTo(f.path, "dev", f.buildBody(typ, text))
				require.Len(t, up.requests(), before+1, "%s: %d %s", typ, a.status, a.body)
				sent := up.requests()[before].body
				file, err := base64.StdEncoding.DecodeString(longBase64.FindString(sent))
				require.NoError(t, err, sent)
				assert.Regexp(t, `^\{"name":"Jo","card":"\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}","mail":"\{\{PII_EMAIL_[0-9a-f]{16}\}\}","note":"nothing else here"\}$`, string(file))
				assert.Contains(t, sent, typ)
			}
			before := len(up.requests())
			clean := f.buildBody("text/plain", "There is nothing to find in this text.")
			g.postTo(f.path, "dev", clean)
			require.Len(t, up.requests(), before+1)
			assert.Contains(t, up.requests()[before].body, longBase64.FindString(clean), "an unmodified file is sent unchanged")
		})
	}
}

func TestFilesThatNoGuardCanJudgeAreRefusedUnlessTheOperatorLetsThemPass(t *testing.T) {
	for name, f := range fileShapes {
		t.Run(name, func(t *testing.T) {
			bad := map[string]string{
				"a PDF":                        f.buildBody("application/pdf", "%PDF-1.7 text"),
				"a PDF declared as text":       f.buildBody("text/plain", "%PDF-1.7 text"),
				"an archive":                   f.buildBody("application/zip", "PK\x03\x04"),
				"bytes of no known type":       f.buildBody("application/octet-stream", "text"),
				"binary data declared as text": f.buildBody("text/plain", "\xff\xfe\x00"),
				"text of another charset":      f.buildBody("text/plain;charset=utf-7", "+AGoAbw-"),
				"UTF-16":                       f.buildBody("text/plain", "h\x00e\x00y\x00"),
				"RTF":                          f.buildBody("text/rtf", `{\rtf1 a}`),
				"invalid base64":               strings.NewReplacer("TYPE", "text/plain", "DATA", "a.b!c").Replace(f.body),
				"a file over the limit":        f.buildBody("text/plain", strings.Repeat("a", 5<<20)),
				"a data URL without base64":    strings.NewReplacer("TYPE;base64,DATA", "text/plain,hello", "TYPE", "application/x", "DATA", "aaaa").Replace(f.body),
			}
			if f.elsewhere != "" {
				bad["a file by URL"] = f.elsewhere
			}
			up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
			judged := false
			g := open(t, setup{
				provider: newProvider(t, f.kind, up.url), maxBody: 16 << 20,
				runtime: func(rt *snapshot.Runtime) { rt.JudgedFiles = true; judged = true },
			})
			require.True(t, judged)
			for what, body := range bad {
				a := g.postTo(f.path, "dev", body)
				assert.Equal(t, 400, a.status, "%s: %s", what, a.body)
				assert.Contains(t, a.body, "files: pass", what)
			}
			assert.Empty(t, up.requests(), "no part of the file is sent")
			passing := open(t, setup{provider: newProvider(t, f.kind, up.url), maxBody: 16 << 20})
			for what, body := range bad {
				before := len(up.requests())
				a := passing.postTo(f.path, "dev", body)
				assert.Len(t, up.requests(), before+1, "%s: %d %s", what, a.status, a.body)
			}
		})
	}
}

func TestPicturesStayAsTheyAre(t *testing.T) {
	for name, f := range fileShapes {
		if strings.Contains(f.body, `"file_data"`) { // a part of type file does not accept a picture
			continue
		}
		up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
		g := open(t, setup{
			provider: newProvider(t, f.kind, up.url), chain: redacting(t, ""),
			runtime: func(rt *snapshot.Runtime) { rt.JudgedFiles = true },
		})
		body := f.buildBody("image/png", "\x89PNG\r\n\x1a\n0123456789012345678901234567890123456789")
		g.postTo(f.path, "dev", body)
		require.Len(t, up.requests(), 1, name)
		assert.Contains(t, up.requests()[0].body, longBase64.FindString(body), name)
	}
	up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), runtime: func(rt *snapshot.Runtime) { rt.JudgedFiles = true }})
	for _, name := range []string{"chat", "responses", "responses, in a tool's output"} {
		a := g.postTo(fileShapes[name].path, "dev", fileShapes[name].buildBody("image/png", "%PDF-1.7 declared as a picture"))
		assert.Equal(t, 400, a.status, a.body)
	}
}
