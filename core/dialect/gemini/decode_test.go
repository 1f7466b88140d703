package gemini

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func decode(t testing.TB, body string) (*llm.Request, *core.Error) {
	x, e := scanRequest(body)
	require.Nil(t, e)
	return Generate{}.Decode(x)
}

func requireDecoded(t testing.TB, body string) *llm.Request {
	r, e := decode(t, body)
	require.Nil(t, e)
	return r
}

const requestOfEverything = `{
"systemInstruction":{"role":"system","parts":[{"text":"Be kind."},{"text":"Be brief."}]},
"contents":[
{"role":"user","parts":[{"text":"What is in the picture, and the weather?"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0-Gg_"}}]},
{"role":"model","parts":[{"text":"Thinking…","thought":true},{"text":"I look."},{"functionCall":{"name":"weather","args":{"city":"Paris"}},"thoughtSignature":"U2ln"},{"functionCall":{"name":"weather","args":{"city":"Tokyo"}}},{"functionCall":{"id":"c9","name":"now"}}]},
{"role":"user","parts":[{"text":"Here:"},{"functionResponse":{"name":"weather","response":{"result":"rain"}}},{"functionResponse":{"name":"weather","response":{"t":1.50,"w":"sun"}}},{"functionResponse":{"id":"c9","name":"now","response":{"error":"no clock"},"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"AAAA"}}]}}]}],
"tools":[{"functionDeclarations":[{"name":"weather","description":"The weather.","parameters":{"type":"OBJECT","properties":{"city":{"type":"STRING","nullable":true}},"required":["city"]}},{"name":"now","parametersJsonSchema":{"type":"object","additionalProperties":false}}]}],
"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["weather"]}},
"generationConfig":{"maxOutputTokens":100,"temperature":0.70,"topP":"0.9","stopSequences":["END"],"seed":7,"presencePenalty":1,"frequencyPenalty":-1.0,"responseLogprobs":true,"logprobs":3,"responseMimeType":"application/json","responseSchema":{"type":"ARRAY","items":{"type":"INTEGER"},"minItems":"1"}}}`

func TestARequestIsDecodedWithNothingLost(t *testing.T) {
	for _, body := range []string{requestOfEverything, inSnakeCase(requestOfEverything)} {
		r := requireDecoded(t, body)
		image := func(mime, data string) llm.Part {
			return llm.Part{Kind: llm.ImagePart, Image: &llm.Image{MediaType: mime, Data: data}}
		}
		call := func(c llm.Call) llm.Part { return llm.Part{Kind: llm.CallPart, Call: &c} }
		result := func(r llm.Result) llm.Part { return llm.Part{Kind: llm.ResultPart, Result: &r} }
		assert.Equal(t, []llm.Message{
			{Role: llm.System, Parts: []llm.Part{llm.NewText("Be kind."), llm.NewText("Be brief.")}},
			{Role: llm.User, Parts: []llm.Part{llm.NewText("What is in the picture, and the weather?"), image("image/png", "iVBORw0+Gg/=")}},
			{Role: llm.Assistant, Parts: []llm.Part{
				llm.NewText("I look."),
				call(llm.Call{ID: "call_1_2", Name: "weather", Input: `{"city":"Paris"}`, Signature: "U2ln"}),
				call(llm.Call{ID: "call_1_3", Name: "weather", Input: `{"city":"Tokyo"}`}),
				call(llm.Call{ID: "c9", Name: "now", Input: `{}`}),
			}},
			{Role: llm.ToolRole, Parts: []llm.Part{
				result(llm.Result{CallID: "call_1_2", Name: "weather", Parts: []llm.Part{llm.NewText("rain")}}),
				result(llm.Result{CallID: "call_1_3", Name: "weather", Parts: []llm.Part{llm.NewText(`{"t":1.50,"w":"sun"}`)}}),
				result(llm.Result{CallID: "c9", Name: "now", Failed: true, Parts: []llm.Part{llm.NewText("no clock"), image("image/jpeg", "AAAA")}}),
			}},
			{Role: llm.User, Parts: []llm.Part{llm.NewText("Here:")}},
		}, r.Messages)
		require.Len(t, r.Tools, 2)
		assert.JSONEq(t, `{"type":"object","properties":{"city":{"type":["string","null"]}},"required":["city"]}`, string(r.Tools[0].Schema))
		assert.Equal(t, `{"type":"object","additionalProperties":false}`, string(r.Tools[1].Schema))
		assert.Equal(t, "The weather.", r.Tools[0].Description)
		assert.Equal(t, llm.Choice{Mode: llm.ChooseNamed, Names: []string{"weather"}}, r.Choice)
		assert.Equal(t, int64(100), r.MaxTokens)
		assert.Equal(
			t,
			[]llm.Number{"0.70", "0.9", "7", "1", "-1.0", "3"},
			[]llm.Number{r.Temperature, r.TopP, r.Seed, r.PresencePenalty, r.FrequencyPenalty, r.TopLogprobs},
		)
		assert.True(t, r.Logprobs)
		assert.Equal(t, []string{"END"}, r.Stop)
		assert.JSONEq(t, `{"type":"array","items":{"type":"integer"},"minItems":1}`, string(r.Format.Schema))
		assert.Equal(t, "response", r.Format.Name)
		assert.Equal(t, "m", r.Model)
		assert.True(t, r.Stream)
		assert.True(t, r.StreamUsage, "the last event has the usage, always")
		assert.Equal(t, []string{"contents.parts.thought"}, r.Dropped)
	}
}

func TestWhatNoOtherShapeSaysIsDroppedAndCounted(t *testing.T) {
	r := requireDecoded(t, `{`+hello+`,"safetySettings":[],"labels":{"a":"b"},"store":null,"service_tier":"flex",
"toolConfig":{"retrievalConfig":{"languageCode":"de"},"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["f"]}},
"tools":[{"functionDeclarations":[{"name":"f","behavior":"BLOCKING","response":{"type":"STRING"}}]}],
"generationConfig":{"thinkingConfig":{"thinkingBudget":0},"topK":40,"speechConfig":{},"mediaResolution":"LOW","candidateCount":1,"responseModalities":["TEXT"]}}`)
	assert.Equal(t, []string{
		"safetySettings", "labels", "serviceTier", "toolConfig.retrievalConfig", "toolConfig.functionCallingConfig.allowedFunctionNames",
		"tools.functionDeclarations.behavior", "tools.functionDeclarations.response",
		"generationConfig.thinkingConfig", "generationConfig.topK", "generationConfig.speechConfig", "generationConfig.mediaResolution",
	}, r.Dropped)
	assert.Equal(t, llm.ChooseAuto, r.Choice.Mode)
	assert.Empty(t, r.TopK)
	assert.Empty(t, r.Effort)

	r = requireDecoded(
		t,
		`{"contents":[{"parts":[{"text":"x","videoMetadata":{"fps":1},"thoughtSignature":"AA","tone":"warm"},{"functionResponse":{"name":"f","id":"1","response":{},"scheduling":"SILENT"}}]}]}`,
	)
	assert.Equal(
		t,
		[]string{
			"contents.parts.videoMetadata",
			"contents.parts.tone",
			"contents.parts.thoughtSignature",
			"contents.parts.functionResponse.scheduling",
		},
		r.Dropped,
	)
}

func TestWhatNoOtherShapeCanSayIsRefusedWithItsField(t *testing.T) {
	for name, tc := range map[string]struct{ body, param string }{
		"a file":                      {withPart("user", `{"fileData":{"fileUri":"gs://x"}}`), "contents[0].parts[0].fileData"},
		"a sound":                     {withPart("user", `{"text":"a"},{"inline_data":{"mimeType":"audio/wav","data":"AA"}}`), "contents[0].parts[1].inlineData"},
		"a document in a result":      {withPart("user", `{"functionResponse":{"id":"1","name":"f","response":{},"parts":[{"inlineData":{"mimeType":"application/pdf"}}]}}`), "contents[0].parts[0].functionResponse.parts"},
		"a call without a name":       {withPart("model", `{"functionCall":{"args":{}}}`), "contents[0].parts[0].functionCall.name"},
		"a result without a call":     {withPart("user", `{"functionResponse":{"name":"f","response":{}}}`), "contents[0].parts[0].functionResponse"},
		"code that the vendor ran":    {withPart("model", `{"executableCode":{"code":"1"}}`), "contents[0].parts[0].executableCode"},
		"a part of tomorrow":          {withPart("user", `{"hologram_data":{}}`), "contents[0].parts[0].hologramData"},
		"a picture by the model":      {withPart("model", `{"inlineData":{"mimeType":"image/png"}}`), "contents[0].parts[0].inlineData"},
		"a picture as an instruction": {withField(`"systemInstruction":{"parts":[{"inlineData":{"mimeType":"image/png"}}]}`), "systemInstruction.parts[0].inlineData"},
		"an answer that is sound":     {withConfig(`"responseModalities":["TEXT","AUDIO"]`), "generationConfig.responseModalities"},
		"an answer that is an enum":   {withConfig(`"responseMimeType":"text/x.enum"`), "generationConfig.responseMimeType"},
	} {
		t.Run(name, func(t *testing.T) {
			_, e := decode(t, tc.body)
			require.NotNil(t, e)
			assert.Equal(t, tc.param, e.Param)
			assert.Equal(t, 400, e.HTTPStatus())
		})
	}
}

func TestAResultFindsItsCallByIDOrByName(t *testing.T) {
	for name, tc := range map[string]struct{ calls, results, want string }{
		"by id":                                  {`{"functionCall":{"id":"a","name":"f"}},{"functionCall":{"id":"b","name":"f"}}`, `{"functionResponse":{"id":"b","name":"f"}}`, "b"},
		"by name":                                {`{"functionCall":{"id":"a","name":"f"}},{"functionCall":{"id":"b","name":"g"}}`, `{"functionResponse":{"name":"g"}}`, "b"},
		"by name when only the result has an id": {`{"functionCall":{"name":"g"}},{"functionCall":{"name":"f"}}`, `{"functionResponse":{"id":"x","name":"f"}}`, "call_0_1"},
		"its own id when no call has it":         {`{"functionCall":{"id":"a","name":"f"}}`, `{"functionResponse":{"id":"x","name":"f"}}`, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			r := requireDecoded(t, `{"contents":[{"role":"model","parts":[`+tc.calls+`]},{"role":"user","parts":[`+tc.results+`]}]}`)
			assert.Equal(t, tc.want, r.Messages[1].Parts[0].Result.CallID)
		})
	}
}

func TestModesOfCallingAreChoices(t *testing.T) {
	for mode, want := range map[string]llm.Choice{
		`{"mode":"AUTO"}`: {Mode: llm.ChooseAuto},
		`{"mode":"none"}`: {Mode: llm.ChooseNone},
		`{"mode":"ANY"}`:  {Mode: llm.ChooseRequired},
		`{"allowedFunctionNames":["f"],"mode":"ANY"}`:  {Mode: llm.ChooseNamed, Names: []string{"f"}},
		`{"mode":"VALIDATED"}`:                         {Mode: llm.ChooseAuto},
		`{"mode":"MODE_UNSPECIFIED"}`:                  {},
		`{"allowedFunctionNames":["f"],"mode":"AUTO"}`: {Mode: llm.ChooseAuto},
	} {
		assert.Equal(t, want, requireDecoded(t, withField(`"toolConfig":{"functionCallingConfig":`+mode+`}`)).Choice, mode)
	}
}

func TestGooglesSchemaBecomesJSONSchema(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"OBJECT","nullable":true,"properties":{"type":{"type":"STRING","format":"enum","enum":["A"]},"any_of":{"anyOf":[{"type":"NUMBER"},{"type":"BOOLEAN"}]}},"propertyOrdering":["type"],"required":["type"]}`: `{"type":["object","null"],"properties":{"type":{"type":"string","format":"enum","enum":["A"]},"any_of":{"anyOf":[{"type":"number"},{"type":"boolean"}]}},"required":["type"]}`,
		`{"type":"ARRAY","items":{"type":"STRING","min_length":"2","maxLength":5},"max_items":"9","example":["x"]}`:                                                                                                        `{"type":"array","items":{"type":"string","minLength":2,"maxLength":5},"maxItems":9,"examples":[["x"]]}`,
		`{"type":"TYPE_UNSPECIFIED","any_of":[{"type":"NULL"},{"type":"INTEGER","minimum":0}],"title":null}`:                                                                                                               `{"anyOf":[{"type":"null"},{"type":"integer","minimum":0}]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"STRING"}},"additionalProperties":false}`:                                                                                                                                `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}},"additionalProperties":false}`,
		`{"type":["string","null"],"description":"as it is"}`:                                                                                                                                                              `{"type":["string","null"],"description":"as it is"}`,
		`{}`: `{}`,
	} {
		r := requireDecoded(t, withField(`"tools":[{"functionDeclarations":[{"name":"f","parameters":`+in+`}]}]`))
		assert.JSONEq(t, want, string(r.Tools[0].Schema), in)
	}
	assert.Nil(t, requireDecoded(t, withField(`"tools":[{"functionDeclarations":[{"name":"f","parameters":null}]}]`)).Tools[0].Schema)
}

func TestAFormatIsASchemaOrAnyJSON(t *testing.T) {
	assert.Nil(t, requireDecoded(t, `{`+hello+`}`).Format)
	assert.Nil(t, requireDecoded(t, withConfig(`"responseMimeType":"text/plain"`)).Format)
	assert.Equal(t, &llm.Format{}, requireDecoded(t, withConfig(`"responseMimeType":"application/json"`)).Format)
	r := requireDecoded(t, withConfig(`"_responseJsonSchema":{"type":"object"}`))
	assert.Equal(t, &llm.Format{Name: "response", Schema: json.RawMessage(`{"type":"object"}`)}, r.Format)
}

func TestWhatACountCountsIsDecoded(t *testing.T) {
	for _, body := range []string{
		`{` + hello + `}`,
		`{"generateContentRequest":{"model":"models/m",` + hello + `}}`,
		`{"generate_content_request":{` + hello + `,"system_instruction":{"parts":[{"text":"s"}]}}}`,
	} {
		x := &core.Exchange{}
		x.Request.Raw = []byte(body)
		require.Nil(t, CountTokens{}.Scan(x), body)
		assert.Equal(t, 1, x.Head.Messages)
		r, e := CountTokens{}.Decode(x)
		require.Nil(t, e)
		assert.Equal(t, llm.Message{Role: llm.User, Parts: []llm.Part{llm.NewText("hi")}}, r.Messages[len(r.Messages)-1])
		cuts, e := CountTokens{}.AppendForwardCuts(x, core.Traits{Model: "gemini-3", DefaultCap: 5}, nil)
		require.Nil(t, e)
		assert.LessOrEqual(t, len(cuts), 1, "a count has no limit")
	}
	for body, param := range map[string]string{
		`{}`:                              "contents",
		`{"generateContentRequest":null}`: "contents",
		`{"generateContentRequest":1}`:    "generateContentRequest",
		`{"generateContentRequest":{}}`:   "generateContentRequest.contents",
		`{"generateContentRequest":{` + hello + `,"cachedContent":"x"}}`:       "cachedContent",
		`{` + hello + `,"generateContentRequest":{` + hello + `}}`:             "generateContentRequest",
		`{"generateContentRequest":{` + hello + `,"tools":{"urlContext":{}}}}`: "tools[0].urlContext",
	} {
		x := &core.Exchange{}
		x.Request.Raw = []byte(body)
		e := CountTokens{}.Scan(x)
		require.NotNil(t, e, body)
		assert.Equal(t, param, e.Param, body)
	}
}

func TestACountIsAnsweredWithItsNumber(t *testing.T) {
	assert.Equal(t, `{"totalTokens":31}`, string(AppendCount(nil, 31)))
	x := &core.Exchange{}
	x.Response.Raw = []byte(`{"totalTokens":31,"promptTokensDetails":[{"modality":"TEXT","tokenCount":31}]}`)
	require.NoError(t, CountTokens{}.ScanResponse(x))
	assert.Empty(t, x.Response.Segments)
	assert.False(t, x.Usage.Reported, "a count is metered at zero")
	for _, body := range []string{`[]`, `{`, ``, `{}x`} {
		x.Response.Raw = []byte(body)
		assert.Error(t, CountTokens{}.ScanResponse(x))
	}
	assert.Equal(t, CountTokensName, CountTokens{}.Name())
	e := &core.Error{Kind: core.NotFound, Code: core.CodeModelNotFound, Public: "no such model"}
	assert.Equal(t, string(CountTokens{}.AppendError(nil, e)), string(CountTokens{}.AppendEnd(nil, nil, nil, e)))
	assert.Empty(t, CountTokens{}.AppendDelta(nil, nil, core.Part{}, "x"))
	assert.NoError(t, CountTokens{}.ScanEvent(nil, nil))
	code, message := CountTokens{}.ReadError([]byte(`{"error":{"code":404,"message":"no","status":"NOT_FOUND"}}`))
	assert.Equal(t, "NOT_FOUND no", code+" "+message)
}
