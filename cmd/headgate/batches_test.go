package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// batchVendor is a scripted batch service of OpenAI's shape.
type batchVendor struct {
	*httptest.Server
	mu       sync.Mutex
	uploaded string // the last file
	auth     http.Header
	result   string // "": the batch is still running
}

func newBatchVendor(t *testing.T) *batchVendor {
	v := &batchVendor{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.auth = r.Header
		_, path, _ := strings.Cut(r.URL.Path, "/v1")
		switch {
		case r.Method == http.MethodPost && path == "/files":
			f, _, err := r.FormFile("file")
			if !assert.NoError(t, err) {
				return
			}
			b, err := io.ReadAll(f)
			assert.NoError(t, err)
			v.uploaded = string(b)
			_, _ = fmt.Fprintf(w, `{"id":"file-up","object":"file","bytes":%d,"purpose":"batch"}`, len(b))
		case strings.HasSuffix(path, "/content"):
			_, _ = io.WriteString(w, v.result)
		case v.result == "":
			_, _ = io.WriteString(w, `{"id":"batch_up","object":"batch","status":"in_progress","input_file_id":"file-up","output_file_id":null}`)
		default:
			_, _ = io.WriteString(
				w,
				`{"id":"batch_up","object":"batch","status":"completed","input_file_id":"file-up","output_file_id":"file-out","completed_at":9,"request_counts":{"total":1,"completed":1,"failed":0}}`,
			)
		}
	}))
	t.Cleanup(v.Close)
	return v
}

// finish ends the batch with the requests echoed as answers.
func (v *batchVendor) finish(t *testing.T) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var line struct {
		Body struct{ Messages []struct{ Content string } }
	}
	require.NoError(t, json.Unmarshal([]byte(v.uploaded), &line), v.uploaded)
	text, err := json.Marshal(line.Body.Messages[0].Content)
	require.NoError(t, err)
	v.result = `{"id":"r","custom_id":"a","response":{"status_code":200,"body":{"id":"c","object":"chat.completion","created":1,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":` +
		string(
			text,
		) + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14}}},"error":null}` + "\n"
}

func (c *client) uploadBatch(t *testing.T, file string) string {
	t.Helper()
	a := c.upload(t, file)
	return field(t, a.status, strings.NewReader(a.body), "id")
}

// upload sends a file of requests.
func (c *client) upload(t *testing.T, file string) answer {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	require.NoError(t, m.WriteField("purpose", "batch"))
	f, err := m.CreateFormFile("file", "in.jsonl")
	require.NoError(t, err)
	_, err = io.WriteString(f, file)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	r, err := http.NewRequest(http.MethodPost, c.base+"/v1/files", &b)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", m.FormDataContentType())
	res, err := c.http.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, string(got), res.Header}
}

func field(t *testing.T, status int, body io.Reader, name string) string {
	t.Helper()
	b, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Equal(t, 200, status, "%s", b)
	var v map[string]any
	require.NoError(t, json.Unmarshal(b, &v), "%s", b)
	s, _ := v[name].(string)
	return s
}

func (c *client) askField(t *testing.T, method, path, body, name string) string {
	t.Helper()
	a, err := c.do(method, path, []byte(body))
	require.NoError(t, err)
	return field(t, a.status, strings.NewReader(a.body), name)
}

func TestBatchesOfOpenAIAndAzureSurviveARestart(t *testing.T) {
	for _, typ := range []string{"openai", "azure-openai"} {
		t.Run(typ, func(t *testing.T) {
			v := newBatchVendor(t)
			s := newSite(t)
			s.write(
				"gateway.yaml",
				[]byte(
					strings.Replace(
						configText(
							v.URL,
							"  - {name: pii, stage: pii}\n  - {stage: schema, config: {schemas: [{modelPattern: '*', maxRetries: 1, schema: {type: object}}]}}\n  - {stage: cache}\n",
						),
						"type: openai,",
						"type: "+typ+",",
						1,
					),
				),
			)
			g := s.serve("--config", "gateway.yaml")
			c := g.client(testKey)
			const text = "card " + card + ", " + canary
			line := `{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-4o","messages":[{"role":"user","content":"` + text + `"}]}}` + "\n"
			file := c.uploadBatch(t, line)
			id := c.askField(t, "POST", "/v1/batches", `{"input_file_id":"`+file+`","endpoint":"/v1/chat/completions","completion_window":"24h"}`, "id")
			assert.NotContains(t, v.uploaded, card, "the file is redacted as a whole")
			if typ == "openai" {
				assert.Equal(t, "Bearer "+providerKey, v.auth.Get("Authorization"))
			} else {
				assert.Equal(t, providerKey, v.auth.Get("Api-Key"))
			}
			c.http.CloseIdleConnections()
			g.kill() // like a power failure: by now the values of the file's placeholders are on disk

			v.finish(t)
			g = s.serve("--config", "gateway.yaml")
			c = g.client(testKey)
			eventually(t, "the batch is followed by the new process", func() bool {
				return c.askField(t, "GET", "/v1/batches/"+id, "", "status") == "completed"
			})
			a, err := c.do("GET", "/v1/files/"+c.askField(t, "GET", "/v1/batches/"+id, "", "output_file_id")+"/content", nil)
			require.NoError(t, err)
			assert.Contains(t, a.body, text, "the results are restored for the same key")
			c.http.CloseIdleConnections()
			g.stop()
			s.verifyAudit("--accept-gaps") // the kill may have come before the last answer was recorded
		})
	}
}

// The limits of the configuration apply to uploads; a refusal names the line.
func TestTheLimitsOfBatchesAreConfigured(t *testing.T) {
	s := newSite(t)
	text := configText("", "  - {stage: pii, config: {action: block}}\n")
	text = strings.Replace(text, "providers:", "batch: {max_file: 4KiB, max_lines: 2}\nproviders:", 1)
	text = strings.Replace(text, "metrics_listen: 127.0.0.1:0}", "metrics_listen: 127.0.0.1:0, body_timeout: 200ms}", 1)
	s.write("gateway.yaml", []byte(text))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	line := func(text string) string {
		return `{"custom_id":"` + text[:min(len(text), 9)] + `","method":"POST","url":"/v1/chat/completions","body":{"model":"mock-echo","messages":[{"role":"user","content":"` + text + `"}]}}` + "\n"
	}
	for name, x := range map[string]struct {
		file, says string
		status     int
	}{
		"lines":   {line("a") + line("b") + line("c"), "line 3: a file may hold 2 requests at most", 400},
		"bytes":   {line(strings.Repeat("x", 5000)), "the file is larger than 4096 bytes", 413},
		"a block": {line("a") + line(card), "line 2: ", 400},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.upload(t, x.file)
			assert.Equal(t, x.status, a.status, a.body)
			assert.Contains(t, a.body, x.says)
			assert.NotContains(t, a.body, "4111")
		})
	}
	t.Run("a file that arrives too slowly", func(t *testing.T) {
		body, pipe := io.Pipe()
		defer func() { _ = pipe.Close() }()
		go func() {
			_, _ = io.WriteString(
				pipe,
				"--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n"+line(
					"a",
				),
			)
		}()
		r, err := http.NewRequest(http.MethodPost, c.base+"/v1/files", body)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+c.key)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		res, err := c.http.Do(r)
		require.NoError(t, err)
		b, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, 408, res.StatusCode, "%s", b)
		assert.Contains(t, string(b), "too slowly")
	})
	c.http.CloseIdleConnections()
}

// A file stays in the tenant's region, and is routed to a target that supports batches.
func TestABatchGoesWhereItsTenantsRequestsMayGo(t *testing.T) {
	at := map[string]*batchVendor{"us": newBatchVendor(t), "eu": newBatchVendor(t)}
	s := newSite(t)
	s.write("gateway.yaml", []byte(`server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
providers:
  us: {type: openai, api_key: k, base_url: "`+at["us"].URL+`"}
  eu: {type: openai, api_key: k, base_url: "`+at["eu"].URL+`"}
  claude: {type: anthropic, api_key: k}
routes:
  - {model_pattern: either, providers: [{provider: us, region: us}, {provider: eu, region: eu}]}
  - {model_pattern: abroad, providers: [{provider: us, region: us}]}
  - {model_pattern: mixed, providers: [{provider: claude}, {provider: us, model_override: gpt-4o-mini}]}
  - {model_pattern: "claude-*", providers: [{provider: claude}]}
tenants:
  - {id: default, keys: [{name: dev, key: `+testKey+`, scopes: []}]}
  - {id: berlin, region: eu, keys: [{name: dev, key: `+berlinKey+`, scopes: []}]}
chain: []
`))
	g := s.serve("--config", "gateway.yaml")
	anywhere, berlin := g.client(testKey), g.client(berlinKey)
	for _, x := range []struct {
		name, model, at, sent, says string
		who                         *client
		status                      int
	}{
		{"no region", "either", "us", "either", "", anywhere, 200},
		{"the tenant's region", "either", "eu", "either", "", berlin, 200},
		{"no target in the region", "abroad", "", "", "line 1: no provider serves", berlin, 404},
		{"the first target has no batches", "mixed", "us", "gpt-4o-mini", "", anywhere, 200},
		{"no target has batches", "claude-x", "", "", "has no batches", anywhere, 400},
	} {
		t.Run(x.name, func(t *testing.T) {
			for _, v := range at {
				v.mu.Lock()
				v.uploaded = ""
				v.mu.Unlock()
			}
			a := x.who.upload(
				t,
				`{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"`+x.model+`","messages":[{"role":"user","content":"x"}]}}`+"\n",
			)
			assert.Equal(t, x.status, a.status, a.body)
			assert.Contains(t, a.body, x.says)
			for name, v := range at {
				v.mu.Lock()
				if name == x.at {
					assert.Contains(t, v.uploaded, `"model":"`+x.sent+`"`)
				} else {
					assert.Empty(t, v.uploaded, name)
				}
				v.mu.Unlock()
			}
		})
	}
	anywhere.http.CloseIdleConnections()
	berlin.http.CloseIdleConnections()
}
