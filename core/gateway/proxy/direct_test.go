package proxy_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/price"
)

func TestEveryDirectShapeIsAnsweredByTheMock(t *testing.T) {
	g := open(t, setup{chain: redacting(t, "")})
	for _, c := range []struct{ name, path, body, want string }{
		{"documents in order", rerankPath, `{"model":"mock-echo","query":"ann@example.com","documents":["other","of ann@example.com"],"return_documents":true,"top_n":1}`, `[{"index":1,"relevance_score":1,"document":{"text":"of ann@example.com"}}]`},
		{"by Cohere's clients", "/v2/rerank", `{"model":"mock-echo","query":"q","documents":["a"]}`, `"search_units":1`},
		{"harm", moderatePath, `{"model":"mock-echo","input":["a","I will kill ann@example.com"]}`, `"flagged":true`},
		{"two pictures", drawPath, `{"model":"mock-echo","prompt":"ann@example.com with a hat","n":2}`, `"revised_prompt":"ann@example.com with a hat"`},
		{"an edited picture", redrawPath, formOf("image@a.png=x", "model=mock-echo", "prompt=a hat for ann@example.com"), `"revised_prompt":"a hat for ann@example.com"`},
		{"a transcript", transcribePath, formOf("file@a.wav=sound", "model=mock-echo"), `"text":"The mock heard 5 bytes."`},
		{"a translation", translatePath, formOf("file@a.wav=sound", "model=mock-echo", "response_format=verbose_json"), `"segments":[{"end":`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := g.callPath(c.path, c.body, mediaOf(c.body)...)
			require.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.body, c.want)
			assert.NotContains(t, a.body, "{{PII_")
		})
	}
	t.Run("what was spoken is heard again, and the value comes back to the caller", func(t *testing.T) {
		said := g.callPath(speakPath, `{"model":"mock-echo","voice":"alloy","input":"write to ann@example.com"}`)
		require.Equal(t, 200, said.status)
		assert.Equal(t, "audio/wav", said.header.Get("Content-Type"))
		assert.Equal(t, "RIFF", said.body[:4])
		assert.NotContains(t, said.body, "ann@example.com", "the provider has spoken a placeholder")
		for format, want := range map[string]string{
			"json": `"text":"write to ann@example.com"`, "text": "write to ann@example.com\n",
			"srt": "\nwrite to ann@example.com\n", "vtt": "\nwrite to ann@example.com\n",
		} {
			body := formOf("file@said.wav="+said.body, "model=mock-echo", "response_format="+format)
			heard := g.callPath(transcribePath, body, mediaOf(body)...)
			require.Equal(t, 200, heard.status, heard.body)
			assert.Contains(t, heard.body, want, format)
		}
	})
}

func TestEveryDirectRequestIsCheckedMeteredAndAuditedAsChatIs(t *testing.T) {
	for _, c := range []struct{ path, body, scope string }{
		{rerankPath, `{"model":"mock-echo","query":"to ann@example.com","documents":["a"]}`, "embeddings:write"},
		{moderatePath, `{"model":"mock-echo","input":"to ann@example.com"}`, "embeddings:write"},
		{drawPath, `{"model":"mock-echo","prompt":"to ann@example.com"}`, "completions:write"},
		{redrawPath, formOf("image@a.png=x", "model=mock-echo", "prompt=to ann@example.com"), "completions:write"},
		{speakPath, `{"model":"mock-echo","voice":"v","input":"to ann@example.com"}`, "completions:write"},
		{transcribePath, formOf("file@a.wav=x", "model=mock-echo", "prompt=to ann@example.com"), "completions:write"},
		{translatePath, formOf("file@a.wav=x", "model=mock-echo", "prompt=to ann@example.com"), "completions:write"},
	} {
		t.Run(c.path, func(t *testing.T) {
			g := open(t, setup{chain: redacting(t, "")})
			require.Equal(t, 200, g.callPath(c.path, c.body, mediaOf(c.body)...).status)
			req, res := g.pair()
			assert.NotEmpty(t, req["findings"], "the address is found")
			assert.Equal(t, "mock", res["provider"])
			assert.Equal(t, "served", res["outcome"])
			assert.EqualValues(t, 1, g.usage().Records)

			g = open(t, setup{chain: redacting(t, "action: block")})
			a := g.callPath(c.path, c.body, mediaOf(c.body)...)
			assert.Equal(t, 400, a.status)
			assert.Regexp(t, `^{"error":{"message":"[^"]+.*"code":"[^"]+"}}$`, a.body, "the error has OpenAI's shape")
			assert.Equal(t, "blocked", g.outcome()["outcome"])

			g = open(t, setup{})
			r := g.request("models", strings.NewReader(c.body), mediaOf(c.body)...)
			r.URL.Path = c.path
			if a := g.do(r); assert.Equal(t, 403, a.status) {
				assert.Contains(t, a.body, c.scope)
			}
		})
	}
}

func TestAFormReachesTheProviderAsItWasSent(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", `{"text":"hi","usage":{"type":"duration","seconds":1}}`)))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), chain: redacting(t, "")})
	var b bytes.Buffer // as Go's own client writes one
	w := multipart.NewWriter(&b)
	require.NoError(t, w.WriteField("model", "openai/whisper-1"))
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="call of Ann Lee.MP3"`}, "Content-Type": {"audio/mpeg"},
	})
	require.NoError(t, err)
	_, err = part.Write([]byte("ID3\x00\r\n\xff ann@example.com"))
	require.NoError(t, err)
	require.NoError(t, w.WriteField("prompt", "ask ann@example.com"))
	require.NoError(t, w.Close())
	a := g.callPath(transcribePath, b.String(), "Content-Type", w.FormDataContentType())
	require.Equal(t, 200, a.status, a.body)
	sent := up.last(t)
	assert.Equal(t, w.FormDataContentType(), sent.header.Get("Content-Type"))
	want := strings.NewReplacer("openai/whisper-1", "whisper-1", "call of Ann Lee.MP3", "file.mp3").Replace(b.String())
	at := strings.Index(sent.body, "ask {{PII_EMAIL_")
	require.Positive(t, at)
	end := at + strings.Index(sent.body[at:], "}}") + 2
	assert.Equal(t, want, sent.body[:at]+"ask ann@example.com"+sent.body[end:], "sound is no text, and everything else stays")
}

// unitPrices has one price for each unit.
type unitPrices struct{ flat }

func (unitPrices) FindPrice(string, string) *price.Price {
	return &price.Price{ID: "units", Cached: -1, Written: -1, Reasoning: -1, Image: 400_000_000, Second: 1_000_000, Search: 20_000_000, Characters: 150_000_000_000}
}

func TestWhatIsNotChargedByTokensHasItsPrice(t *testing.T) {
	pictures := `{"created":1,"data":[{"b64_json":"AAAA"},{"b64_json":"AAAA"}]}`
	sound := formOf("file@a.wav="+strings.Repeat("x", 64_000), "model=gpt-test")
	for _, c := range []struct {
		name, provider, path, body, media, answer string
		cost                                      int64
		estimated                                 bool
	}{
		{"a search", "vllm", rerankPath, `{"model":"gpt-test","query":"q","documents":["a"]}`, "application/json", `{"results":[],"meta":{"billed_units":{"search_units":3}}}`, 60_000_000, false},
		{"pictures", "openai", drawPath, `{"model":"gpt-test","prompt":"p","n":2}`, "application/json", pictures, 800_000_000, false},
		{"characters", "openai", speakPath, `{"model":"gpt-test","voice":"v","input":"0123456789"}`, "audio/mpeg", "sound", 1_500_000, true},
		{"seconds", "openai", transcribePath, sound, "application/json", `{"text":"hi","usage":{"type":"duration","seconds":2.5}}`, 2_500_000, false},
		{"seconds that the provider does not report", "openai", transcribePath, sound, "text/plain", "hi", 64_000_000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(200, c.media, c.answer)))
			g := open(t, setup{provider: newProvider(t, c.provider, up.url), runtime: func(rt *snapshot.Runtime) { rt.Prices = unitPrices{} }})
			a := g.callPath(c.path, c.body, mediaOf(c.body)...)
			require.Equal(t, 200, a.status, a.body)
			assert.Equal(t, c.answer, a.body)
			u := g.usage()
			assert.Equal(t, c.cost, u.Cost)
			assert.Equal(t, c.estimated, u.Estimated == 1)
		})
	}
}

func TestACallPricedByTokensThatIsNotReportedCostsWhatWasHeld(t *testing.T) {
	const in, out = 1_500, 6_000 // see priced
	sound := formOf("file@a.wav="+strings.Repeat("x", 64_000), "model=gpt-test")
	heard := int64(65*25*in + 65*8*out) // 64,000 bytes at 1 kB a second
	for _, c := range []struct {
		name, path, body, media, answer string
		least, most                     int64
	}{
		{"speech", speakPath, `{"model":"gpt-test","voice":"v","input":"0123456789"}`, "audio/mpeg", "sound", 40 * out, 40*out + 10*in},
		{"a transcript as text", transcribePath, sound, "text/plain", "hi", heard, heard},
		{"a transcript as JSON", transcribePath, sound, "application/json", `{"text":"hi"}`, heard, heard},
		{"a transcript counted in seconds", transcribePath, sound, "application/json", `{"text":"hi","usage":{"type":"duration","seconds":2.5}}`, heard, heard},
		{"a translation", translatePath, sound, "text/plain", "hi", heard, heard},
		{"pictures counted by their number", drawPath, `{"model":"gpt-test","prompt":"p","n":2}`, "application/json", `{"created":1,"data":[{"b64_json":"AAAA"},{"b64_json":"AAAA"}]}`, 2 * 8192 * out, 2*8192*out + 10*in},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(200, c.media, c.answer)))
			seen := streamEnded{make(chan core.Exchange, 1)}
			g := open(t, setup{
				provider: newProvider(t, "openai", up.url), runtime: setPrices, links: []chain.Link{link("ended", seen, core.Request)},
			})
			require.Equal(t, 200, g.callPath(c.path, c.body, mediaOf(c.body)...).status)
			x := <-seen.x
			assert.True(t, x.Priced)
			assert.True(t, x.Usage.Estimated)
			assert.GreaterOrEqual(t, x.Cost, c.least)
			assert.LessOrEqual(t, x.Cost, c.most)
		})
	}
}

func TestSoundArrivesWhileItIsMade(t *testing.T) {
	for _, whole := range []bool{true, false} {
		next := make(chan string)
		up := newFake(t, func(c net.Conn, _ sent) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
			for piece := range next {
				_, _ = io.WriteString(c, piece)
			}
		})
		g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true})
		r := g.request("dev", strings.NewReader(`{"model":"gpt-test","voice":"v","input":"hello"}`))
		r.URL.Path = speakPath
		got := make(chan *http.Response, 1)
		go func() {
			res, err := http.DefaultClient.Do(r)
			assert.NoError(t, err)
			got <- res
		}()
		next <- chunk("first")
		res := <-got
		require.NotNil(t, res)
		b := make([]byte, 5)
		_, err := io.ReadFull(res.Body, b)
		require.NoError(t, err, "the rest has not been made yet")
		assert.Equal(t, "first", string(b))
		next <- chunk("second")
		if whole {
			next <- chunk("")
		}
		close(next)
		rest, err := io.ReadAll(res.Body)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, "second", string(rest))
		out := g.outcome()
		if whole {
			require.NoError(t, err)
			assert.Equal(t, "served", out["outcome"])
			assert.Equal(t, true, out["complete"])
		} else {
			require.Error(t, err, "an answer that breaks off must not look complete")
			assert.Equal(t, "upstream_error", out["outcome"])
			assert.Equal(t, false, out["complete"])
		}
	}
}

func TestWhatAProviderSendsInAnotherFormIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ path, body, raw string }{
		"JSON in place of sound":   {speakPath, `{"model":"gpt-test","voice":"v","input":"a"}`, buildWhole(200, "application/json", `{}`)},
		"no sound at all":          {speakPath, `{"model":"gpt-test","voice":"v","input":"a"}`, buildWhole(200, "audio/mpeg", ``)},
		"a page in place of JSON":  {drawPath, `{"model":"gpt-test","prompt":"p"}`, buildWhole(200, "text/html", `<p>`)},
		"events of a transcript":   {transcribePath, formOf("file@a.wav=x", "model=gpt-test"), buildWhole(200, "text/event-stream", "data: {}\n\n")},
		"compressed sound":         {speakPath, `{"model":"gpt-test","voice":"v","input":"a"}`, buildWhole(200, "audio/mpeg", "x", "Content-Encoding: gzip")},
		"a transcript in no UTF-8": {transcribePath, formOf("file@a.wav=x", "model=gpt-test"), buildWhole(200, "text/plain", "\xff")},
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{provider: newProvider(t, "openai", newFake(t, says(c.raw)).url)})
			a := g.callPath(c.path, c.body, mediaOf(c.body)...)
			assert.Equal(t, 502, a.status, a.body)
			assert.Contains(t, a.body, `"code":"`+core.CodeUpstreamInvalid+`"`)
		})
	}
}

func TestAProviderWithoutTheServiceIsNotAsked(t *testing.T) {
	g := open(t, setup{provider: newProvider(t, "deepseek", "http://127.0.0.1:1")})
	for path, body := range map[string]string{
		rerankPath: `{"model":"gpt-test","query":"q","documents":["a"]}`, speakPath: `{"model":"gpt-test","voice":"v","input":"a"}`,
		transcribePath: formOf("file@a.wav=x", "model=gpt-test"),
	} {
		a := g.callPath(path, body, mediaOf(body)...)
		assert.Equal(t, 400, a.status, a.body)
		assert.Contains(t, a.body, "DeepSeek")
	}
}

func TestThePictureOfTheMockIsAPicture(t *testing.T) {
	g := open(t, setup{})
	a := g.callPath(drawPath, `{"model":"mock-echo","prompt":"p"}`)
	var body struct {
		Data []struct {
			Picture string `json:"b64_json"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &body))
	png, err := base64.StdEncoding.DecodeString(body.Data[0].Picture)
	require.NoError(t, err)
	assert.Equal(t, "image/png", http.DetectContentType(png))
}
