package direct

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

const boundary = "b0undary"

// formOf returns a form of the parts: "name=value", or "name@file name=bytes".
func formOf(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		name, value, _ := strings.Cut(p, "=")
		head := "Content-Disposition: form-data; name=\"" + name + "\""
		if name, file, ok := strings.Cut(name, "@"); ok {
			head = "Content-Disposition: form-data; name=\"" + name + "\"; filename=\"" + file + "\"\r\nContent-Type: audio/wav"
		}
		b.WriteString("--" + boundary + "\r\n" + head + "\r\n\r\n" + value + "\r\n")
	}
	return b.String() + "--" + boundary + "--\r\n"
}

func scanRequest(shape, body string) (*core.Exchange, *core.Error) {
	x := &core.Exchange{Dialect: shape}
	x.Request.Raw = []byte(body)
	x.Request.Header = http.Header{"Content-Type": {"multipart/form-data; boundary=" + boundary}}
	return x, Shapes[shape].Scan(x)
}

func textsOf(p *core.Payload) (texts []string) {
	for i := range p.Segments {
		texts = append(texts, p.Segments[i].Path()+"="+p.ReadText(i))
	}
	return texts
}

func forwardRequest(t *testing.T, x *core.Exchange, model string) string {
	t.Helper()
	cuts, e := Shapes[x.Dialect].AppendForwardCuts(x, core.Traits{Model: model}, nil)
	require.Nil(t, e)
	out, err := splice.Apply(x.Request.Raw, cuts)
	require.NoError(t, err)
	return string(out)
}

func TestTheTextsOfRequestsAreFoundAndAllOtherBytesStay(t *testing.T) {
	for _, c := range []struct {
		shape, body string
		texts       []string
		most        llm.Usage
		sent        string // with the model "m2"
	}{
		{
			RerankName, `{ "model":"m", "query":"q\n", "documents":["one",{"text":"two","id":"x-1","note":"three"}],"top_n":1,"new":{"t":"c d"}}`,
			[]string{"query=q\n", "documents[0]=one", "text[1]=two", "note[1]=three", "t=c d"},
			llm.Usage{Input: 3 + 3 + 3 + 5 + 3 + 2*3, Units: llm.Units{Searches: 1}},
			`{ "model":"m2", "query":"q\n", "documents":["one",{"text":"two","id":"x-1","note":"three"}],"top_n":1,"new":{"t":"c d"}}`,
		},
		{
			ModerationsName, `{"input":[{"type":"text","text":"a b"},{"type":"image_url","image_url":{"url":"https://x.example/p.png"}}]}`,
			[]string{"text[0]=a b"},
			llm.Usage{Input: 3},
			`{"model":"m2","input":[{"type":"text","text":"a b"},{"type":"image_url","image_url":{"url":"https://x.example/p.png"}}]}`,
		},
		{
			ImagesName, `{"model":"m","prompt":"a cat","n":3,"size":"1024x1024","user":"u"}`,
			[]string{"prompt=a cat", "user=u"},
			llm.Usage{Input: 6, Output: 3 * tokensPerImage, Units: llm.Units{Images: 3}},
			`{"model":"m2","prompt":"a cat","n":3,"size":"1024x1024","user":"u"}`,
		},
		{
			SpeechName, `{"model":"m","input":"say é","voice":"alloy","instructions":"low voice","speed":1.5}`,
			[]string{"input=say é", "instructions=low voice"},
			llm.Usage{Input: 15, Output: 60, Units: llm.Units{Characters: 15}},
			`{"model":"m2","input":"say é","voice":"alloy","instructions":"low voice","speed":1.5}`,
		},
		{
			TranscriptionName,
			formOf("file@a.wav=RIFF\r\n\x00\xff", "model=m", "prompt=names: Ann", "language=en", "include[]=logprobs", "include[]=a b", "new=c d"),
			[]string{"prompt=names: Ann", "include=a b", "new=c d"},
			llm.Usage{Input: 10 + 3 + 3 + 25, Media: 25, Output: 8, Units: llm.Units{Millis: 1000}},
			formOf("file@a.wav=RIFF\r\n\x00\xff", "model=m2", "prompt=names: Ann", "language=en", "include[]=logprobs", "include[]=a b", "new=c d"),
		},
		{
			ImageEditsName,
			formOf(`image[]@Ann "Lee.PNG=x`, "image[]@b.png=y", "mask@m.png=z", "model=m", "prompt=a hat", "n=2"),
			[]string{"prompt=a hat"},
			llm.Usage{Input: 5 + 3*tokensPerImage, Media: 3 * tokensPerImage, Output: 2 * tokensPerImage, Units: llm.Units{Images: 2}},
			"",
		},
	} {
		t.Run(c.shape, func(t *testing.T) {
			body := strings.Replace(c.body, `Ann "Lee`, `Ann \"Lee`, 1)
			x, e := scanRequest(c.shape, body)
			require.Nil(t, e)
			assert.Equal(t, c.texts, textsOf(&x.Request))
			assert.Equal(t, c.most, x.Head.MaxUsage)
			assert.Equal(t, Shapes[c.shape].task, x.Head.Task)
			if c.sent == "" {
				c.sent = strings.Replace(strings.Replace(body, `Ann \"Lee.PNG`, "file.png", 1), "\r\n\r\nm\r\n", "\r\n\r\nm2\r\n", 1)
			}
			assert.Equal(t, c.sent, forwardRequest(t, x, "m2"))
		})
	}
	x, e := scanRequest(ModerationsName, `{"input":"a"}`)
	require.Nil(t, e)
	assert.Equal(t, "omni-moderation-latest", x.Head.Model, "the default of OpenAI's clients")
}

func TestARequestThatCannotBeJudgedOrPassedIsRefused(t *testing.T) {
	for _, c := range []struct{ name, shape, body, param string }{
		{"no model", RerankName, `{"query":"q","documents":["a"]}`, "model"},
		{"no documents", RerankName, `{"model":"m","query":"q"}`, "documents"},
		{"an empty list of documents", RerankName, `{"model":"m","query":"q","documents":[]}`, "documents"},
		{"a number as document", RerankName, `{"model":"m","query":"q","documents":["a",1]}`, "documents[1]"},
		{"too many documents", RerankName, `{"model":"m","query":"q","documents":["a"` + strings.Repeat(`,"a"`, 10_000) + `]}`, "documents"},
		{"a query of another type", RerankName, `{"model":"m","query":["q"],"documents":["a"]}`, "query"},
		{"tokens as input", ModerationsName, `{"input":[[1,2]]}`, "input[0]"},
		{"too many pictures", ImagesName, `{"model":"m","prompt":"p","n":11}`, "n"},
		{"a stream of pictures", ImagesName, `{"model":"m","prompt":"p","stream":true}`, "stream"},
		{"a speed out of range", SpeechName, `{"model":"m","input":"a","voice":"v","speed":5}`, "speed"},
		{"no file", TranscriptionName, formOf("model=m"), "file"},
		{"a text as file", TranscriptionName, formOf("file=abc", "model=m"), "file"},
		{"a prompt as file", TranscriptionName, formOf("file@a.wav=x", "model=m", "prompt@p.txt=secret"), "prompt"},
		{"a stream of words", TranscriptionName, formOf("file@a.wav=x", "model=m", "stream=true"), "stream"},
		{"a member twice", TranscriptionName, formOf("file@a.wav=x", "model=m", "model=n"), "model"},
		{"a file twice", TranscriptionName, formOf("file@a.wav=x", "file@b.wav=x", "model=m"), "file"},
		{"a temperature that is not a number", TranscriptionName, formOf("file@a.wav=x", "model=m", "temperature=0x1p-2"), "temperature"},
		{"text that is not UTF-8", TranscriptionName, formOf("file@a.wav=x", "model=m", "prompt=\xff"), "prompt"},
		{"a value that is too long", TranscriptionName, formOf("file@a.wav=x", "model=m", "prompt="+strings.Repeat("a", maxValue+1)), "prompt"},
		{"too many pictures to edit", ImageEditsName, formOf(append([]string{"model=m", "prompt=p"}, strings.Split(strings.Repeat("image@a.png=x|", 18)+"image@a.png=x", "|")...)...), "image"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, e := scanRequest(c.shape, c.body)
			require.NotNil(t, e)
			assert.Equal(t, 400, e.HTTPStatus())
			assert.Equal(t, c.param, e.Param, e.Public)
		})
	}
}

func TestAFormThatTwoReadersCouldReadDifferentlyIsRefused(t *testing.T) {
	good := formOf("file@a.wav=sound", "model=m", "prompt=p")
	_, e := scanRequest(TranscriptionName, good)
	require.Nil(t, e)
	const d = "--" + boundary
	for name, body := range map[string]string{
		"no form":                             "{}",
		"no end":                              strings.TrimSuffix(good, "--\r\n") + "\r\n",
		"text before the first part":          "x\r\n" + good,
		"text behind the end":                 good + "x",
		"lines that end with LF":              strings.ReplaceAll(good, "\r\n", "\n"),
		"a boundary behind LF":                strings.Replace(good, "sound", "so\n"+d+"\r\nund", 1),
		"a boundary within a line":            strings.Replace(good, "sound", "so"+d+"und", 1),
		"a boundary with a tail":              strings.Replace(good, "sound", "so\r\n"+d+"und", 1),
		"an end in the middle":                strings.Replace(good, "sound", "so\r\n"+d+"--\r\nund", 1),
		"a blank behind the boundary":         strings.Replace(good, d+"\r\n", d+" \r\n", 1),
		"no header":                           d + "\r\nx\r\n" + d + "--\r\n",
		"a header of another kind":            strings.Replace(good, "Content-Type: audio/wav", "X-Note: to ann@example.com", 1),
		"a header on two lines":               strings.Replace(good, "; filename", ";\r\n filename", 1),
		"a long header":                       strings.Replace(good, "a.wav", strings.Repeat("a", maxPartHead), 1),
		"a header twice":                      strings.Replace(good, "Content-Type: audio/wav", "Content-Type: audio/wav\r\nContent-Type: audio/wav", 1),
		"a wrong length":                      strings.Replace(good, "Content-Type: audio/wav", "Content-Length: 4", 1),
		"an encoded part":                     strings.Replace(good, "Content-Type: audio/wav", "Content-Transfer-Encoding: base64", 1),
		"a name with quotes in it":            strings.Replace(good, `name="prompt"`, `name="pro\"mpt"`, 1),
		"a name that opens a quote":           strings.Replace(good, `name="prompt"`, `name="prompt`, 1),
		"a name in another encoding":          strings.Replace(good, `filename="a.wav"`, `filename*=UTF-8''a.wav`, 1),
		"two names of a file":                 strings.Replace(good, `filename="a.wav"`, `filename="a.wav"; filename="b"`, 1),
		"a media type with text":              strings.Replace(good, "audio/wav", "audio/wav; to=ann@example.com", 1),
		"a file of text":                      strings.Replace(good, "audio/wav", "text/plain", 1),
		"more parts than there is room for":   strings.TrimSuffix(good, d+"--\r\n") + strings.Repeat(d+"\r\nContent-Disposition: form-data; name=\"include[]\"\r\n\r\na\r\n", maxParts) + d + "--\r\n",
		"a part in the charset of a provider": strings.Replace(good, "name=\"prompt\"", "name=\"prompt\"\r\nContent-Type: text/plain; charset=utf-7", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, e := scanRequest(TranscriptionName, body)
			require.NotNil(t, e)
			assert.Equal(t, 400, e.HTTPStatus())
		})
	}
	for _, media := range []string{"", "application/json", "multipart/form-data", "multipart/form-data; boundary=\"a b\"", "multipart/form-data; boundary=---"} {
		x := &core.Exchange{}
		x.Request.Raw, x.Request.Header = []byte(good), http.Header{"Content-Type": {media}}
		require.NotNil(t, Shapes[TranscriptionName].Scan(x), media)
	}
}

func TestALinkThatWritesTheBoundaryIsStopped(t *testing.T) {
	x, e := scanRequest(TranscriptionName, formOf("file@a.wav=x", "model=m", "prompt=secret"))
	require.Nil(t, e)
	x.Request.Apply([]core.Edit{{Segment: 0, Start: 0, End: 6, With: "\r\n--" + boundary + "\r\n"}})
	require.NoError(t, x.Request.Flush())
	_, e = Shapes[TranscriptionName].AppendForwardCuts(x, core.Traits{Model: "m"}, nil)
	require.NotNil(t, e)
	assert.Equal(t, 503, e.HTTPStatus())
}

// scanAnswer scans an answer of a media type to a small request.
func scanAnswer(t *testing.T, shape, request, media, body string) *core.Exchange {
	t.Helper()
	x, e := scanRequest(shape, request)
	require.Nil(t, e)
	_, ok := Shapes[shape].Accept(x, media)
	require.True(t, ok)
	x.Response.Raw = []byte(body)
	require.NoError(t, Shapes[shape].ScanResponse(x))
	return x
}

func TestTheUsageOfAnswersIsReadInTheFormsOfAllVendors(t *testing.T) {
	const rerank = `{"model":"m","query":"q","documents":["a","b"]}`
	sound := formOf("file@a.wav="+strings.Repeat("x", 64_000), "model=m")
	for _, c := range []struct {
		name, shape, request, answer string
		want                         llm.Usage
	}{
		{"Cohere", RerankName, rerank, `{"id":"1","results":[{"index":0,"relevance_score":0.9}],"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":2}}}`, llm.Usage{Reported: true, Units: llm.Units{Searches: 2}}},
		{"Jina", RerankName, rerank, `{"model":"m","usage":{"total_tokens":15},"results":[{"index":1,"relevance_score":1}]}`, llm.Usage{Reported: true, Input: 15, Units: llm.Units{Searches: 1}}},
		{"Voyage", RerankName, rerank, `{"object":"list","data":[{"index":0,"relevance_score":1}],"model":"m","usage":{"total_tokens":26}}`, llm.Usage{Reported: true, Input: 26, Units: llm.Units{Searches: 1}}},
		{"moderations report nothing", ModerationsName, `{"input":"a"}`, `{"id":"m","model":"m","results":[{"flagged":false}]}`, llm.Usage{}},
		{"pictures are counted", ImagesName, `{"model":"m","prompt":"p","n":2}`, `{"created":1,"data":[{"url":"https://x.example/a"},{"url":"https://x.example/b"}]}`, llm.Usage{Reported: true, Units: llm.Units{Images: 2}}},
		{"pictures with tokens", ImagesName, `{"model":"m","prompt":"p"}`, `{"created":1,"data":[{"b64_json":"AAAA"}],"usage":{"total_tokens":4200,"input_tokens":40,"output_tokens":4160,"input_tokens_details":{"text_tokens":10,"image_tokens":30}}}`, llm.Usage{Reported: true, Input: 40, Output: 4160, Media: 30, Units: llm.Units{Images: 1}}},
		{"a transcript by duration", TranscriptionName, sound, `{"text":"hi","usage":{"type":"duration","seconds":9}}`, llm.Usage{Reported: true, Units: llm.Units{Millis: 9000}}},
		{"a verbose transcript", TranscriptionName, sound, `{"task":"transcribe","language":"english","duration":8.47,"text":"hi","segments":[]}`, llm.Usage{Reported: true, Units: llm.Units{Millis: 8470}}},
		{"a transcript by tokens", TranscriptionName, sound, `{"text":"hi","usage":{"type":"tokens","total_tokens":120,"input_tokens":100,"input_token_details":{"text_tokens":10,"audio_tokens":90},"output_tokens":20}}`, llm.Usage{Reported: true, Input: 100, Output: 20, Media: 90, Units: llm.Units{Millis: 64_000}}},
		{"a transcript without a count", TranscriptionName, sound, `{"text":"hi","x_groq":{"id":"req-1"}}`, llm.Usage{}},
		{"counts that make no sense", RerankName, rerank, `{"results":[],"usage":{"total_tokens":-3},"meta":null}`, llm.Usage{Reported: true, Units: llm.Units{Searches: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, scanAnswer(t, c.shape, c.request, "application/json", c.answer).Usage)
		})
	}
	x := scanAnswer(t, TranscriptionName, sound, "application/json", `{"text":"hi"}`)
	assert.Equal(t, llm.Usage{
		Estimated: true, Input: 7 + 65*25, Media: 65 * 25, Output: 65 * 8, Units: llm.Units{Millis: 64_000},
	}, Shapes[TranscriptionName].Estimate(x, 7), "64,000 bytes of unknown sound: what was held")
	x, e := scanRequest(SpeechName, `{"model":"m","input":"é\u00e9 ","instructions":"slow","voice":"v"}`)
	require.Nil(t, e)
	assert.Equal(t, llm.Usage{Estimated: true, Input: 3, Output: 52, Units: llm.Units{Characters: 3}}, Shapes[SpeechName].Estimate(x, 3))
}

func TestTheTextsOfAnswersAreFound(t *testing.T) {
	form := formOf("file@a.wav=x", "model=m")
	x := scanAnswer(t, TranscriptionName, form, "application/json",
		`{"text":"call 555 now","segments":[{"id":0,"text":" call 55","tokens":[1]},{"id":1,"text":"5 now","tokens":[2]}],"words":[{"word":"call"}]}`)
	assert.Equal(t, []string{"messages[0].text=call 555 now", "messages[0].segments= call 55", "messages[0].segments=5 now"}, textsOf(&x.Response))
	assert.Equal(t, " call 555 now", x.Response.FindRun(1).Text, "a value may lie in two pieces")
	x.Response.Apply([]core.Edit{{Segment: 0, Start: 5, End: 8, With: "***"}})
	require.NoError(t, x.Response.Flush())
	assert.JSONEq(t, `{"text":"call *** now","segments":[{"id":0,"text":" call 55","tokens":null},{"id":1,"text":"5 now","tokens":null}],"words":null}`, string(x.Response.Raw), "what repeats the text goes with it")

	x = scanAnswer(t, RerankName, `{"model":"m","query":"q","documents":["a"]}`, "application/json", `{"results":[{"index":0,"document":{"text":"a b"}}]}`)
	assert.Equal(t, []string{"messages[0].text=a b"}, textsOf(&x.Response))
	x = scanAnswer(t, ImagesName, `{"model":"m","prompt":"p"}`, "application/json", `{"data":[{"b64_json":"AAAA","revised_prompt":"a b"}]}`)
	assert.Equal(t, []string{"messages[0].revised_prompt=a b"}, textsOf(&x.Response))

	for name, c := range map[string]struct {
		raw  string
		want []string
	}{
		"text":                    {"all of it\n", []string{"messages[0].text=all of it\n"}},
		"subtitles":               {"1\r\n00:00:00,000 --> 00:00:02,000\r\ncall 55\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\n5 now\r\n", []string{"messages[0].text=call 55\r\n\r\n", "messages[0].text=5 now\r\n"}},
		"WebVTT":                  {"WEBVTT\n\n00:00.000 --> 00:02.000\ncall --> 5\n\n", []string{"messages[0].text=WEBVTT\n\n", "messages[0].text=call --> 5\n\n"}},
		"a number that is spoken": {"1\n00:00:00,000 --> 00:00:02,000\n4711\n\n2\n00:00:02,000 --> 00:00:03,000\nx", []string{"messages[0].text=4711\n\n", "messages[0].text=x"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := scanAnswer(t, TranscriptionName, form, "text/plain; charset=utf-8", c.raw)
			assert.Equal(t, c.want, textsOf(&x.Response))
		})
	}
}

func TestAnAnswerOfAnotherFormIsNotAccepted(t *testing.T) {
	for shape, media := range map[string]string{
		SpeechName: "application/json", RerankName: "text/plain", TranscriptionName: "text/event-stream", ImagesName: "image/png", ModerationsName: "",
	} {
		x := &core.Exchange{}
		_, ok := Shapes[shape].Accept(x, media)
		assert.False(t, ok, "%s: %s", shape, media)
	}
	x, e := scanRequest(RerankName, `{"model":"m","query":"q","documents":["a"]}`)
	require.Nil(t, e)
	for _, bad := range []string{``, `[]`, `{"a":1,"a":2}`, `{}x`, `{"text":"a`} {
		x.Response.Raw = []byte(bad)
		require.Error(t, Shapes[RerankName].ScanResponse(x), bad)
	}
	require.Error(t, Shapes[RerankName].ScanEvent(x, nil))
}

func FuzzForm(f *testing.F) {
	f.Add(formOf("file@a.wav=x", "model=m", "prompt=p q"))
	f.Add(formOf("image[]@a.png=x", "model=m", "prompt=p") + "\r\n")
	f.Fuzz(func(t *testing.T, body string) {
		x, e := scanRequest(TranscriptionName, body)
		if e != nil {
			return
		}
		for _, name := range x.Notes.(*notes).names {
			if name != "" {
				return
			}
		}
		assert.Equal(t, body, forwardRequest(t, x, x.Head.Model), "what is accepted is forwarded as it came")
	})
}
