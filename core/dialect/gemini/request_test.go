package gemini

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// scanRequest reads a request.
func scanRequest(body string) (*core.Exchange, *core.Error) {
	x := &core.Exchange{Dialect: GenerateName}
	x.Head.Model, x.Head.Stream = "m", true
	x.Request.Raw = []byte(body)
	return x, Generate{}.Scan(x)
}

const hello = `"contents":[{"role":"user","parts":[{"text":"hi"}]}]`

// withField is a request that has one field more.
func withField(member string) string { return `{` + hello + `,` + member + `}` }

// withPart is a request with one turn of one part.
func withPart(role, p string) string {
	return `{"contents":[{"role":"` + role + `","parts":[` + p + `]}]}`
}

func withConfig(member string) string { return withField(`"generationConfig":{` + member + `}`) }

func TestTheModelAndTheStreamAreThoseOfThePath(t *testing.T) {
	x, e := scanRequest(withField(`"model":"models/other","stream":false`))
	require.Nil(t, e)
	assert.Equal(t, "m", x.Head.Model)
	assert.True(t, x.Head.Stream)
}

func TestEachFieldTakesItsTypeAndRangeAndNothingElse(t *testing.T) {
	for field, tc := range map[string]struct{ good, bad []string }{
		"temperature":        {[]string{`0`, `2`, `"0.5"`, `1.0e0`, `null`}, []string{`-0.1`, `2.01`, `"x"`, `" 1"`, `1e400`, `true`, `"0x1"`}},
		"topP":               {[]string{`0`, `1`, `null`}, []string{`-1`, `1.1`, `[]`}},
		"topK":               {[]string{`1`, `40.0`, `null`}, []string{`-1`, `"k"`, `{}`}},
		"presencePenalty":    {[]string{`-2`, `1.9`, `null`}, []string{`-2.1`, `3`}},
		"frequencyPenalty":   {[]string{`-2`, `1.9`, `null`}, []string{`-2.1`, `3`}},
		"maxOutputTokens":    {[]string{`1`, `"100"`, `1e2`, `null`}, []string{`0`, `-1`, `1.5`, `"x"`, `""`, `true`, `[]`}},
		"candidateCount":     {[]string{`1`, `"1"`, `null`}, []string{`0`, `2`, `"2"`, `1.5`, `{}`}},
		"seed":               {[]string{`0`, `-5`, `null`}, []string{`1.5`, `"s"`, `[]`}},
		"logprobs":           {[]string{`0`, `5`, `null`}, []string{`-1`, `true`}},
		"responseLogprobs":   {[]string{`true`, `null`}, []string{`1`, `"true"`}},
		"stopSequences":      {[]string{`["a","b"]`, `[]`, `"one"`, `null`}, []string{`[1]`, `{}`, `5`}},
		"responseMimeType":   {[]string{`"application/json"`, `"text/plain"`, `null`}, []string{`1`, `{}`}},
		"responseSchema":     {[]string{`{"type":"OBJECT"}`, `null`}, nil},
		"responseJsonSchema": {[]string{`{"type":"object"}`, `null`}, nil},
		"thinkingConfig":     {[]string{`{"thinkingBudget":-1,"includeThoughts":true}`, `{"thinkingLevel":"HIGH"}`, `null`}, []string{`1`, `{"thinkingLevel":3}`}},
		"anUnknownOne":       {[]string{`1`, `{"a":[null]}`, `"x"`}, nil},
	} {
		for _, v := range tc.good {
			for _, name := range []string{field, convertToSnake(field)} {
				_, e := scanRequest(withConfig(`"` + name + `": ` + v))
				assert.Nil(t, e, "%s takes %s", name, v)
			}
		}
		for _, v := range tc.bad {
			for _, name := range []string{field, convertToSnake(field)} {
				_, e := scanRequest(withConfig(`"` + name + `":` + v))
				if assert.NotNil(t, e, "%s refuses %s", name, v) {
					assert.Equal(t, 400, e.HTTPStatus())
					assert.Contains(t, e.Param, field)
				}
			}
		}
	}
}

func TestABodyThatIsNoRequestIsRefusedWithItsField(t *testing.T) {
	for name, tc := range map[string]struct{ body, code, param string }{
		"no JSON":                       {`{`, core.CodeInvalidJSON, ""},
		"a trailing value":              {withField(`"x":1`) + `{}`, core.CodeInvalidJSON, ""},
		"no object":                     {`[]`, core.CodeInvalidValue, ""},
		"a key twice":                   {`{"contents":[],"contents":[]}`, core.CodeDuplicateKey, ""},
		"a field in both spellings":     {withField(`"systemInstruction":{},"system_instruction":{}`), core.CodeDuplicateKey, "systemInstruction"},
		"both spellings in a config":    {withConfig(`"topP":1,"top_p":0`), core.CodeDuplicateKey, "topP"},
		"both spellings in a part":      {withPart("user", `{"inlineData":{},"inline_data":{}}`), core.CodeDuplicateKey, "inlineData"},
		"no contents":                   {`{"tools":[]}`, core.CodeMissingField, "contents"},
		"empty contents":                {`{"contents":[]}`, core.CodeInvalidValue, "contents"},
		"contents that are text":        {`{"contents":"hi"}`, core.CodeInvalidValue, "contents"},
		"a turn that is text":           {`{"contents":["hi"]}`, core.CodeInvalidValue, "contents[0]"},
		"an unknown role":               {withPart("assistant", `{"text":"x"}`), core.CodeInvalidValue, "contents[0].role"},
		"a part that is text":           {withPart("user", `"x"`), core.CodeInvalidValue, "contents[0].parts[0]"},
		"a text that is none":           {withPart("user", `{"text":1}`), core.CodeInvalidValue, "contents[0].parts[0].text"},
		"arguments that are a text":     {withPart("model", `{"functionCall":{"name":"f","args":"{}"}}`), core.CodeInvalidValue, "contents[0].parts[0].functionCall.args"},
		"a response that is a text":     {withPart("user", `{"functionResponse":{"name":"f","response":"x"}}`), core.CodeInvalidValue, "contents[0].parts[0].functionResponse.response"},
		"a system that is text":         {withField(`"systemInstruction":"x"`), core.CodeInvalidValue, "systemInstruction"},
		"a config that is none":         {withField(`"generationConfig":[]`), core.CodeInvalidValue, "generationConfig"},
		"a cache":                       {withField(`"cachedContent":"cachedContents/1"`), core.CodeUnsupported, "cachedContent"},
		"a cache in the other spelling": {withField(`"cached_content":"cachedContents/1"`), core.CodeUnsupported, "cachedContent"},
		"two candidates":                {withConfig(`"candidate_count":2`), core.CodeUnsupported, "generationConfig.candidateCount"},
		"a function without a name":     {withField(`"tools":[{"functionDeclarations":[{"description":"d"}]}]`), core.CodeMissingField, "tools.functionDeclarations.name"},
		"arguments in pieces":           {withField(`"toolConfig":{"functionCallingConfig":{"streamFunctionCallArguments":true}}`), core.CodeUnsupported, "toolConfig.functionCallingConfig.streamFunctionCallArguments"},
	} {
		t.Run(name, func(t *testing.T) {
			_, e := scanRequest(tc.body)
			require.NotNil(t, e)
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, tc.param, e.Param)
			assert.NotEmpty(t, e.Public)
		})
	}
}

func TestToolsThatTheVendorRunsAreRefused(t *testing.T) {
	for _, tool := range []string{
		"googleSearch", "google_search", "urlContext", "url_context", "codeExecution", "code_execution", "googleSearchRetrieval",
		"google_search_retrieval", "computerUse", "googleMaps", "fileSearch", "retrieval", "enterpriseWebSearch", "mcpServers", "one_of_tomorrow",
	} {
		for _, body := range []string{
			withField(`"tools":[{"functionDeclarations":[]},{"` + tool + `":{}}]`), withField(`"tools":{"` + tool + `":{}}`),
		} {
			_, e := scanRequest(body)
			require.NotNil(t, e, tool)
			assert.Equal(t, core.CodeUnsupported, e.Code)
			assert.Contains(t, e.Param, convertToCamel(tool))
		}
		_, e := scanRequest(withField(`"tools":[{"` + tool + `":null}]`))
		assert.Nil(t, e, "null is as good as absent")
	}
}

func TestOneValueCountsAsAListOfOne(t *testing.T) {
	x, e := scanRequest(
		`{"system_instruction":{"parts":{"text":"You are a cat"}},"contents":{"parts":{"text":"Hello"}},"tools":{"function_declarations":{"name":"f"}}}`,
	)
	require.Nil(t, e)
	require.Len(t, x.Request.Segments, 2)
	assert.Equal(t, "You are a cat", x.Request.ReadText(0))
	assert.Equal(t, core.RoleSystem, x.Request.Segments[0].Role)
	assert.Equal(t, core.RoleUser, x.Request.Segments[1].Role)
	assert.Equal(t, []string{"f"}, x.Head.Tools)
}

func TestTheHeadTellsWhatTheRequestAsksFor(t *testing.T) {
	x, e := scanRequest(
		`{"contents":[{"parts":[{"inline_data":{"data":"AAAA","mime_type":"image/png"}},{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]}],
"tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"}]}],
"generation_config":{"max_output_tokens":"77","responseMimeType":"application/json","response_schema":{"type":"STRING"},"thinking_config":{"thinking_level":"LOW"}}}`,
	)
	require.Nil(t, e)
	h := x.Head
	assert.True(t, h.Images)
	assert.Equal(t, int64(77), h.MaxTokens)
	assert.Equal(t, 2, h.Messages)
	assert.Equal(t, []string{"f", "g"}, h.Tools)
	assert.Equal(t, llm.FormatSchema, h.Format)
	assert.Equal(t, "low", h.Effort)

	copy(x.Request.Raw, strings.Repeat("x", len(x.Request.Raw)))
	assert.Equal(t, []string{"f", "g"}, x.Head.Tools, "what is kept is not part of the body")
	assert.Equal(t, "low", x.Head.Effort)

	x, e = scanRequest(withConfig(`"responseMimeType":"application/json"`))
	require.Nil(t, e)
	assert.Equal(t, llm.FormatJSON, x.Head.Format)
}

// bodyOfEverything has a text in every place of the shape: those that start with
// T are to be found, those that start with Q are quiet.
const bodyOfEverything = `{"model":"Q1","safetySettings":[{"category":"Q2","threshold":"Q3"}],"labels":{"team":"T01"},"serviceTier":"Q4",
"toolConfig":{"functionCallingConfig":{"mode":"Q5","allowedFunctionNames":["Q6"]},"retrievalConfig":{"languageCode":"Q7"}},
"generationConfig":{"stopSequences":["T02"],"responseMimeType":"Q8","responseModalities":["Q9"],"mediaResolution":"Q10","thinkingConfig":{"thinkingLevel":"Q11"},
"speechConfig":{"voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"Q12"}},"languageCode":"Q13"},"imageConfig":{"aspectRatio":"Q14","imageSize":"Q15"},
"responseSchema":{"type":"Q16","description":"T03","propertyOrdering":["Q17"],"required":["Q18"],"properties":{"name":{"type":"Q19","title":"T04","enum":["Q20"],"example":"T05","format":"Q21","pattern":"Q22"}}}},
"tools":[{"functionDeclarations":[{"name":"Q23","description":"T06","behavior":"Q24","parameters":{"type":"Q25","properties":{"data":{"type":"Q26","description":"T07"}}},"response":{"description":"T08"}},
{"name":"Q27","parametersJsonSchema":{"$ref":"Q28","$schema":"Q29","description":"T09","default":"T10","const":"Q30"}}]}],
"systemInstruction":{"role":"Q31","parts":[{"text":"T11"}]},
"contents":[{"role":"user","parts":[{"text":"T12"},{"text":"T13","videoMetadata":{"startOffset":"Q32","endOffset":"Q33"}},{"inlineData":{"mimeType":"image/png","data":"Q34","displayName":"T14"}},{"fileData":{"mimeType":"Q35","fileUri":"Q36"}}]},
{"role":"model","parts":[{"text":"T15","thought":true},{"thought":true,"thoughtSignature":"Q37","text":"Q38"},{"text":"T16","thoughtSignature":"Q39"},
{"functionCall":{"id":"Q40","name":"Q41","args":{"K42":"T17","o":{"a":["T18",1234567]},"name":"T19"}},"thoughtSignature":"Q43"},
{"executableCode":{"language":"Q44","code":"T20"}},{"codeExecutionResult":{"outcome":"Q45","output":"T21"}},{"toolCall":{"toolType":"Q46","id":"Q47","args":{"q":"T22"}}}]},
{"role":"user","parts":[{"functionResponse":{"id":"Q48","name":"Q49","scheduling":"Q50","response":{"id":"T23","K51":["T24",7654321]},"parts":[{"inlineData":{"mimeType":"Q52","data":"Q53"}}]}},{"newOne":{"caption":"T25"}}]},
{"role":"function","parts":[{"functionResponse":{"name":"Q54","response":{"result":"T26"}}}]}],
"unknown":{"deep":[[{"text":"T27"}],"T28"],"uri":["Q55",{"note":"T29"}]}}`

func TestEveryTextOfTheShapeIsFoundAndNothingElse(t *testing.T) {
	for _, body := range []string{bodyOfEverything, inSnakeCase(bodyOfEverything)} {
		x, e := scanRequest(body)
		require.Nil(t, e)
		var found []string
		for i := range x.Request.Segments {
			text := x.Request.ReadText(i)
			found = append(found, text)
			s := &x.Request.Segments[i]
			assert.False(t, strings.HasPrefix(text, "Q"), "%s at %s must be quiet", text, s.Path())
			assert.NotZero(t, s.Role, s.Path())
			if i > 0 {
				assert.Greater(t, s.Span.Start, x.Request.Segments[i-1].Span.End, "in the order of the document")
			}
		}
		for n := 1; n <= 29; n++ {
			assert.Contains(t, found, "T"+string(rune('0'+n/10))+string(rune('0'+n%10)))
		}
		assert.Contains(t, found, "1234567", "a bare number in arguments")
		assert.Contains(t, found, "7654321", "a bare number in a result")
		assert.Subset(t, found, []string{"K42", "o", "a", "name", "id", "K51", "result"}, "names in arguments and results")
		assert.Len(t, found, 38)
	}
}

// The provider fetches the address, so that text in it leaves the gateway.
func TestTextInPlaceOfAFileIsFound(t *testing.T) {
	for part, want := range map[string]string{
		`{"fileData":{"mimeType":"image/png","fileUri":"https://e.com/a.png?x=1"}}`:        "",
		`{"fileData":{"mimeType":"image/png","fileUri":"https://e.com/?q=ann@e.com"}}`:     "https://e.com/?q=ann@e.com",
		`{"file_data":{"file_uri":"call ann","mime_type":"image/png"}}`:                    "call ann",
		`{"inlineData":{"mimeType":"image/png","data":{"x":"call ann"}}}`:                  "call ann",
		`{"functionResponse":{"name":"f","parts":[{"fileData":{"fileUri":"call ann"}}]}}`:  "call ann",
		`{"fileData":{"mimeType":"video/mp4","fileUri":"gs://bucket/a-b.mp4"},"text":"T"}`: "T",
	} {
		x, e := scanRequest(`{"contents":[{"role":"user","parts":[` + part + `]}]}`)
		require.Nil(t, e)
		if want == "" {
			assert.Empty(t, x.Request.Segments, part)
			continue
		}
		require.Len(t, x.Request.Segments, 1, part)
		assert.Equal(t, want, x.Request.ReadText(0))
	}
}

// inSnakeCase writes all keys that this package knows in their other spelling.
func inSnakeCase(body string) string {
	for _, name := range names {
		body = strings.ReplaceAll(body, `"`+name+`":`, `"`+convertToSnake(name)+`":`)
	}
	return body
}

func TestSegmentsSayWhoSpeaksAndWhere(t *testing.T) {
	x, e := scanRequest(`{"contents":[{"parts":[{"text":"a"},{"text":"b"},{"inlineData":{"mimeType":"image/png"}},{"text":"c"}]},
{"parts":[{"thought":true,"text":"d"},{"text":"e"},{"functionCall":{"name":"f","args":{"x":"g"}}}],"role":"model"},
{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"y":"h"}}},{"text":"i"}]}],"systemInstruction":{"parts":[{"text":"j"}]}}`)
	require.Nil(t, e)
	type seen struct {
		text   string
		role   core.Role
		kind   core.SegmentKind
		joined bool
		path   string
	}
	var got []seen
	for i := range x.Request.Segments {
		s := &x.Request.Segments[i]
		got = append(got, seen{x.Request.ReadText(i), s.Role, s.Kind, s.Joined, s.Path()})
	}
	assert.Equal(t, []seen{
		{"a", core.RoleUser, core.KindText, false, "messages[0].parts[0]"},
		{"b", core.RoleUser, core.KindText, true, "messages[0].parts[1]"},
		{"c", core.RoleUser, core.KindText, false, "messages[0].parts[3]"},
		{"d", core.RoleAssistant, core.KindReasoning, false, "messages[1].parts[0]"},
		{"e", core.RoleAssistant, core.KindText, false, "messages[1].parts[1]"},
		{"x", core.RoleAssistant, core.KindToolArgs, false, "messages[1].functionCall.args[2]"},
		{"g", core.RoleAssistant, core.KindToolArgs, false, "messages[1].functionCall.args[2]"},
		{"y", core.RoleTool, core.KindToolResult, false, "messages[2].functionResponse.response[0]"},
		{"h", core.RoleTool, core.KindToolResult, false, "messages[2].functionResponse.response[0]"},
		{"i", core.RoleUser, core.KindText, false, "messages[2].parts[1]"},
		{"j", core.RoleSystem, core.KindText, false, "systemInstruction[0]"},
	}, got)
}
