package batch_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch"
)

func TestAFileGoesToTheProviderWithItsModelsRouted(t *testing.T) {
	g := open(t, nil)
	content := request("a", "gpt-4o", "hi") + request("b", "mini", "é😀") + "\n"
	a := g.upload("dev", content)
	require.Equal(t, 200, a.status, a.body)
	f := a.json(t)
	id := f["id"].(string)
	assert.True(t, strings.HasPrefix(id, "file-"))
	assert.Equal(t, map[string]any{
		"id": id, "object": "file", "bytes": float64(len(content)), "created_at": float64(g.now.Unix()), "filename": "in.jsonl",
		"purpose": "batch", "status": "processed",
	}, f)
	assert.Equal(
		t,
		`{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-4o-2024","messages":[{"role":"user","content":"hi"}]}}`+"\n"+
			`{"custom_id":"b","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-4o-mini","messages":[{"role":"user","content":"é😀"}]}}`+"\n",
		g.vendor.last(),
	)
	assert.Equal(
		t,
		map[string]string{"purpose": "batch", "filename": id + ".jsonl"},
		g.vendor.forms[0],
		"the client's name of the file stays here",
	)
	assert.NotEmpty(t, a.header.Get("X-Trace-Id"))
	assert.Equal(t, f, g.get("mate", "/v1/files/"+id).json(t), "a tenant shares its files")
}

func TestALimitInALineHasTheNameThatItsModelTakes(t *testing.T) {
	g := open(t, nil)
	g.rules.LimitField = func(provider, model string) string {
		assert.Equal(t, "openai", provider)
		return map[string]string{"gpt-4o-2024": "max_completion_tokens", "gpt-4o-mini": "max_tokens"}[model]
	}
	line := func(model, limits string) string {
		return `{"custom_id":"` + model + `","method":"POST","url":"/v1/chat/completions","body":{"model":"` + model + `",` + limits +
			`"messages":[{"role":"user","content":"hi"}]}}` + "\n"
	}
	g.requireUpload("dev", line("gpt-4o", `"max_tokens":9,`)+line("mini", `"max_tokens":8,`))
	assert.Contains(t, g.vendor.last(), `"model":"gpt-4o-2024","max_completion_tokens":9,`)
	assert.Contains(t, g.vendor.last(), `"model":"gpt-4o-mini","max_tokens":8,`)
	g.requireUpload("dev", line("gpt-4o", `"max_tokens":7,"max_completion_tokens":7,`))
	assert.Contains(t, g.vendor.last(), `"max_completion_tokens":7`)
	assert.NotContains(t, g.vendor.last(), `"max_tokens"`)
}

func TestAFileThatIsWrongIsRefusedNamingTheLine(t *testing.T) {
	ok := request("a", "gpt-4o", "hi")
	body := func(b string) string {
		return `{"custom_id":"b","method":"POST","url":"/v1/chat/completions","body":` + b + "}"
	}
	chat := `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}]}`
	for name, c := range map[string]struct {
		file, says, code string
		status           int
	}{
		"nothing in it":           {"\n \n", "the file holds no requests", core.CodeInvalidValue, 400},
		"no JSON":                 {ok + "nonsense", "line 2: invalid JSON", core.CodeInvalidJSON, 400},
		"cut off":                 {ok + ok[:50], "line 2: invalid JSON", core.CodeInvalidJSON, 400},
		"invalid UTF-8":           {ok + body(`{"model":"gpt-4o","messages":[{"role":"user","content":"`+"\xff"+`"}]}`), "line 2: invalid JSON", core.CodeInvalidJSON, 400},
		"a byte order mark":       {"\ufeff" + ok, "line 1: invalid JSON", core.CodeInvalidJSON, 400},
		"a list":                  {ok + "[1]", "line 2: a line must be a JSON object", core.CodeInvalidValue, 400},
		"two values on a line":    {strings.TrimSpace(ok) + ok, "line 1: invalid JSON", core.CodeInvalidJSON, 400},
		"an empty line between":   {ok + "\r\n" + ok, "line 2: the line is empty", core.CodeInvalidValue, 400},
		"a key twice":             {ok + `{"custom_id":"b","custom_id":"c","method":"POST","url":"/v1/chat/completions","body":` + chat + "}", "line 2: an object names a key twice", core.CodeDuplicateKey, 400},
		"a key twice in the body": {ok + body(`{"model":"gpt-4o","model":"gpt-4o","messages":[]}`), "line 2: an object names a key twice", core.CodeDuplicateKey, 400},
		"a member unknown":        {ok + `{"custom_id":"b","method":"POST","url":"/v1/chat/completions","note":"4111111111111111","body":` + chat + "}", `line 2: a line has the members`, core.CodeUnsupported, 400},
		"no custom_id":            {`{"method":"POST","url":"/v1/chat/completions","body":` + chat + "}", `line 1: you must provide the parameter "custom_id"`, core.CodeMissingField, 400},
		"custom_id no string":     {`{"custom_id":7,"method":"POST","url":"/v1/chat/completions","body":` + chat + "}", `line 1: invalid type for "custom_id"`, core.CodeInvalidValue, 400},
		"custom_id empty":         {request("", "gpt-4o", ""), `line 1: "custom_id" must not be empty`, core.CodeInvalidValue, 400},
		"custom_id too long":      {request(strings.Repeat("x", 513), "gpt-4o", ""), `line 1: "custom_id" is longer`, core.CodeInvalidValue, 400},
		"custom_id twice":         {ok + strings.Replace(ok, `"a"`, `"\u0061"`, 1), `line 2: an earlier line has the same "custom_id"`, core.CodeInvalidValue, 400},
		"no method":               {`{"custom_id":"b","url":"/v1/chat/completions","body":` + chat + "}", `line 1: you must provide the parameter "method"`, core.CodeMissingField, 400},
		"another method":          {strings.Replace(ok, "POST", "GET", 1), `line 1: "method" must be "POST"`, core.CodeInvalidValue, 400},
		"a wrong url":             {ok + strings.Replace(request("b", "gpt-4o", ""), "/v1/chat/completions", "/v1/images", 1), `line 2: all lines of a file must have the same "url"`, core.CodeInvalidValue, 400},
		"no such url":             {strings.Replace(ok, "/v1/chat/completions", "/v1/images", 1), `line 1: "url" must be one of`, core.CodeInvalidValue, 400},
		"no body":                 {`{"custom_id":"b","method":"POST","url":"/v1/chat/completions"}`, `line 1: you must provide the parameter "body"`, core.CodeMissingField, 400},
		"body no object":          {body(`"text"`), `line 1: invalid type for "body"`, core.CodeInvalidValue, 400},
		"body wrong":              {ok + body(`{"model":"gpt-4o","messages":7}`), `line 2: invalid type for "messages"`, core.CodeInvalidValue, 400},
		"a stream":                {body(`{"model":"gpt-4o","stream":true,"messages":[]}`), `line 1: `, "", 400},
		"no such model":           {ok + request("b", "nobody", ""), "line 2: no provider serves", core.CodeModelNotFound, 404},
		"a provider without":      {request("b", "claude", ""), `line 1: the provider "anthropic" of this model has no batches`, core.CodeUnsupported, 400},
		"two providers":           {ok + request("b", "mock-echo", ""), "line 2: all lines of a file must go to one provider", core.CodeInvalidValue, 400},
		"too many lines":          {buildRequests(6), "line 6: a file may hold 5 requests", core.CodeInvalidValue, 400},
		"a long line":             {ok + request("b", "gpt-4o", strings.Repeat("x", 300_000)), "line 2: the line is longer", core.CodeTooLarge, 413},
		"a line a bit too long":   {request("b", "gpt-4o", strings.Repeat("x", 200_000-20)), "line 1: the line is longer", core.CodeTooLarge, 413},
		"a long file":             {strings.Repeat(" ", 150_000) + ok + strings.Repeat("\n", 300_000), "the file is larger than 400000 bytes", core.CodeTooLarge, 413},
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, func(o *batch.Options) { o.MaxLines, o.MaxLine, o.MaxFile = 5, 200_000, 400_000 })
			a := g.upload("dev", c.file)
			assert.Equal(t, c.status, a.status, a.body)
			code, message := a.fault(t)
			if c.code != "" {
				assert.Equal(t, c.code, code)
			}
			assert.True(t, strings.HasPrefix(message, c.says), message)
			assert.Empty(t, g.vendor.forms, "nothing reaches the provider")
			assert.Empty(t, g.get("dev", "/v1/files").json(t)["data"])
		})
	}
}

func buildRequests(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(request(fmt.Sprint("r", i), "gpt-4o", "x"))
	}
	return b.String()
}

func TestAFormThatIsWrongIsRefused(t *testing.T) {
	g := open(t, nil)
	for name, c := range map[string]struct {
		fields []string
		says   string
	}{
		"no purpose":      {[]string{}, `you must provide the parameter "purpose"`},
		"another purpose": {[]string{"purpose", "fine-tune"}, `files are taken for batches only`},
		"a field unknown": {[]string{"purpose", "batch", "colour", "red"}, `the field "colour" is unknown`},
		"a long field":    {[]string{"purpose", strings.Repeat("b", 300)}, `the field "purpose" is too long`},
		"half an expiry":  {[]string{"purpose", "batch", "expires_after[anchor]", "created_at"}, "expires_after"},
		"a short expiry":  {[]string{"purpose", "batch", "expires_after[seconds]", "10"}, "3600"},
	} {
		a := g.upload("dev", buildRequests(1), c.fields...)
		assert.Equal(t, 400, a.status, name)
		_, message := a.fault(t)
		assert.Contains(t, message, c.says, name)
	}
	a := g.post("dev", "/v1/files", "{}")
	assert.Equal(t, 400, a.status)
	a = g.call(
		"dev",
		"POST",
		"/v1/files",
		"multipart/form-data; boundary=x",
		strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--x--\r\n"),
	)
	_, message := a.fault(t)
	assert.Contains(t, message, `"file"`)
	assert.Empty(t, g.vendor.forms)
}

func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
	g := open(t, nil)
	a := g.call("dev", "POST", "/v1/files", "multipart/form-data; boundary=x",
		strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"+buildRequests(3)))
	assert.Equal(t, 400, a.status, a.body)
	_, message := a.fault(t)
	assert.Contains(t, message, "ended before all of it")
	assert.Empty(t, g.vendor.forms)
}

func TestExpiryIsHandedOnAndKept(t *testing.T) {
	g := open(t, nil)
	a := g.upload("dev", buildRequests(1), "purpose", "batch", "expires_after[anchor]", "created_at", "expires_after[seconds]", "3600")
	require.Equal(t, 200, a.status, a.body)
	assert.InDelta(t, g.now.Unix()+3600, a.json(t)["expires_at"], 0)
	assert.Equal(t, "3600", g.vendor.forms[0]["expires_after[seconds]"])
	assert.Equal(t, "created_at", g.vendor.forms[0]["expires_after[anchor]"])
	g.pass(3601 * 1e9)
	assert.Equal(t, 404, g.get("dev", "/v1/files/"+a.json(t)["id"].(string)).status)
}

func TestEachModelIsAskedAboutAtUploadAndAgainAtSubmission(t *testing.T) {
	g := open(t, nil)
	var mu sync.Mutex
	var asked []batch.Model
	var refused string
	check := checks(func(p *core.Principal, m batch.Model) *core.Error {
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, "acme", p.Tenant)
		asked = append(asked, m)
		if m.Name == refused {
			return &core.Error{Kind: core.Forbidden, Code: "POLICY_DENIED", Public: "not this model"}
		}
		return nil
	})
	g.rule(func(r *batch.Rules) { r.Models = check })
	file := request("a", "gpt-4o", "x") + request("b", "gpt-4o", "x") + request("c", "mini", "x")
	id := g.requireUpload("dev", file)
	want := []batch.Model{
		{Name: "gpt-4o", Provider: "openai", Target: "gpt-4o-2024", Shape: "openai.chat"},
		{Name: "mini", Provider: "openai", Target: "gpt-4o-mini", Shape: "openai.chat"},
	}
	assert.Equal(t, want, asked, "each once")
	refused = "mini"
	for what, a := range map[string]answer{"upload": g.upload("dev", file), "submission": g.submit("dev", id)} {
		assert.Equal(t, 403, a.status, what)
		code, message := a.fault(t)
		assert.Equal(t, "POLICY_DENIED", code)
		assert.Equal(t, "line 3: not this model", message)
	}
	assert.Zero(t, g.vendor.count("POST /v1/batches"))
}

func TestALargeFileIsStreamedAndItsRefusalIsReadByASlowClient(t *testing.T) {
	g := open(t, nil)
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", "f")
		line := []byte("x")
		for i := 0; i < 40_000 && err == nil; i++ {
			_, err = part.Write(line)
			line = []byte(request(fmt.Sprint(i), "gpt-4o", strings.Repeat("y", 500)))
		}
		assert.NoError(t, errors.Join(err, form.Close(), w.Close()), "the client could send it all")
	}()
	a := g.call("dev", "POST", "/v1/files", form.FormDataContentType(), r)
	assert.Equal(t, 400, a.status)
	_, message := a.fault(t)
	assert.True(t, strings.HasPrefix(message, "line 1: "), message)
}

func TestFilesAreTakenAtTheSameTime(t *testing.T) {
	g := open(t, nil)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			model := []string{"gpt-4o", "mock-echo"}[i%2]
			content := request(fmt.Sprint("only", i), model, strings.Repeat("z", 1000*i))
			a := g.upload("dev", content)
			if !assert.Equal(t, 200, a.status, a.body) {
				return
			}
			back := g.get("dev", "/v1/files/"+a.json(t)["id"].(string)+"/content")
			assert.Contains(t, back.body, fmt.Sprintf("%q", fmt.Sprint("only", i)))
			assert.Equal(t, 1, bytes.Count([]byte(back.body), []byte("\n")))
		})
	}
	wg.Wait()
	assert.Len(t, g.get("dev", "/v1/files").json(t)["data"], 16)
}
