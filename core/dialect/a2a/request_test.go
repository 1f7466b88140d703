package a2a

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
)

func TestRequestsOfTheSpecificationAreRead(t *testing.T) {
	for name, want := range map[string]struct {
		op      Op
		version string
		texts   []string
	}{
		"send_0.3.json":   {Send, Version03, []string{"text tell me a joke"}},
		"stream_0.3.json": {Stream, Version03, []string{"text write a long paper describing the attached pictures"}},
		"send_1.0.json":   {Send, Version10, []string{"text What is the weather today?"}},
		"stream_1.0.json": {Stream, Version10, []string{"text Write a detailed report on climate change"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, x, e := scanRequest(string(read(t, name)))
			require.Nil(t, e)
			assert.Equal(t, want.op, c.Op)
			assert.Equal(t, want.version, c.Version)
			assert.Equal(t, "1", string(c.ID))
			assert.Equal(t, want.texts, texts(&x.Request))
			assert.Equal(t, want.op == Stream, x.Head.Stream)
		})
	}
}

// send is a message with parts, in version 0.3.
func send(parts string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"role":"user","messageId":"m-1","parts":[` + parts + `]}}}`
}

func TestEachPartIsShownToTheGuards(t *testing.T) {
	file := base64.StdEncoding.EncodeToString([]byte("to ann"))
	for name, c := range map[string]struct {
		parts string
		want  []string
		file  bool // no link can judge it
	}{
		"a text":               {`{"kind":"text","text":"to ann"}`, []string{"text to ann"}, false},
		"a text of 1.0":        {`{"text":"to ann","mediaType":"text/plain"}`, []string{"text to ann"}, false},
		"two texts":            {`{"text":"to"},{"text":" ann"}`, []string{"text to", "text  ann"}, false},
		"data":                 {`{"kind":"data","data":{"to":["ann lee",1234567],"a b":null}}`, []string{"data to", "data ann lee", "data 1234567", "data a b"}, false},
		"data that is a list":  {`{"data":["ann lee"]}`, []string{"data ann lee"}, false},
		"a file of text":       {`{"kind":"file","file":{"name":"a.txt","mimeType":"text/plain","bytes":"` + file + `"}}`, []string{"other a.txt", "text to ann"}, false},
		"its type first":       {`{"mediaType":"text/plain","raw":"` + file + `"}`, []string{"text to ann"}, false},
		"a file of 1.0":        {`{"raw":"` + file + `","filename":"ann lee.txt","mediaType":"text/csv"}`, []string{"text to ann", "other ann lee.txt"}, false},
		"a PDF":                {`{"raw":"JVBERi0xLjQ=","mediaType":"application/pdf"}`, nil, true},
		"a file without type":  {`{"raw":"` + file + `"}`, nil, true},
		"a picture":            {`{"raw":"iVBORw0KGgo=","mediaType":"image/png"}`, nil, false},
		"a file elsewhere":     {`{"kind":"file","file":{"uri":"https://example.com/a.txt"}}`, nil, true},
		"a file of 1.0 likely": {`{"url":"https://example.com/a.txt","mediaType":"text/plain"}`, nil, true},
		"metadata":             {`{"text":"x","metadata":{"note":"to ann"}}`, []string{"text x", "other to ann"}, false},
		"a time":               {`{"text":"x","metadata":{"at":"2025-04-17T17:47:09.680794Z","b":"2025-04-17T17:47:09.68079412Z"}}`, []string{"text x", "other 2025-04-17T17:47:09.68079412Z"}, false},
		"a type that is text":  {`{"text":"x","mediaType":"to ann"}`, []string{"text x", "other to ann"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, x, e := scanRequest(send(c.parts))
			require.Nil(t, e)
			assert.Equal(t, c.want, texts(&x.Request))
			assert.Equal(t, c.file, x.Head.File != nil)
		})
	}
}

func TestAdjacentTextsAreReadAsOne(t *testing.T) {
	_, x, e := scanRequest(send(`{"text":"jane.doe@exam"},{"text":"ple.com"},{"data":{"a":"b"}},{"text":"x"}`))
	require.Nil(t, e)
	assert.Equal(t, "jane.doe@example.com", x.Request.FindRun(0).Text)
	last := len(x.Request.Segments) - 1
	assert.Equal(t, "x", x.Request.FindRun(last).Text)
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	task := `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"t-1"}}`
	for name, c := range map[string]struct {
		body   string
		header []string
		want   int
	}{
		"no JSON":                      {`{`, nil, jsonrpc.NumberParse},
		"nothing":                      {``, nil, jsonrpc.NumberParse},
		"a member twice":               {`{"jsonrpc":"2.0","id":1,"id":2,"method":"tasks/get"}`, nil, jsonrpc.NumberParse},
		"a member twice in a part":     {send(`{"text":"a","text":"b"}`), nil, jsonrpc.NumberParse},
		"deep nesting":                 {send(`{"data":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`), nil, jsonrpc.NumberParse},
		"a batch":                      {"[" + task + "]", nil, jsonrpc.NumberInvalidRequest},
		"a string":                     {`"tasks/get"`, nil, jsonrpc.NumberInvalidRequest},
		"another version of JSON-RPC":  {`{"jsonrpc":"1.0","id":1,"method":"tasks/get"}`, nil, jsonrpc.NumberInvalidRequest},
		"no version":                   {`{"id":1,"method":"tasks/get"}`, nil, jsonrpc.NumberInvalidRequest},
		"no id":                        {`{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"t"}}`, nil, jsonrpc.NumberInvalidRequest},
		"an id of null":                {`{"jsonrpc":"2.0","id":null,"method":"tasks/get","params":{"id":"t"}}`, nil, jsonrpc.NumberInvalidRequest},
		"an id that is text":           {`{"jsonrpc":"2.0","id":"write to ann","method":"tasks/get","params":{"id":"t"}}`, nil, jsonrpc.NumberInvalidRequest},
		"no method":                    {`{"jsonrpc":"2.0","id":1}`, nil, jsonrpc.NumberInvalidRequest},
		"a method that is a number":    {`{"jsonrpc":"2.0","id":1,"method":1}`, nil, jsonrpc.NumberInvalidRequest},
		"a response":                   {`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, jsonrpc.NumberInvalidRequest},
		"an unknown method":            {`{"jsonrpc":"2.0","id":1,"method":"tasks/erase"}`, nil, jsonrpc.NumberMethodNotFound},
		"a method of another version":  {task, []string{HeaderVersion, "1.0"}, jsonrpc.NumberMethodNotFound},
		"an unknown version":           {task, []string{HeaderVersion, "2.0"}, -32009},
		"two versions":                 {task, []string{HeaderVersion, "0.3", HeaderVersion, "1.0"}, jsonrpc.NumberInvalidParams},
		"a message that is a string":   {`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":"hi"}}`, nil, jsonrpc.NumberInvalidParams},
		"no message":                   {`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}`, nil, jsonrpc.NumberInvalidParams},
		"no params":                    {`{"jsonrpc":"2.0","id":1,"method":"SendMessage"}`, nil, jsonrpc.NumberInvalidParams},
		"params that are a list":       {`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":[]}`, nil, jsonrpc.NumberInvalidParams},
		"no parts":                     {send(``), nil, jsonrpc.NumberInvalidParams},
		"a part that is a string":      {send(`"hi"`), nil, jsonrpc.NumberInvalidParams},
		"no id of the task":            {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}`, nil, jsonrpc.NumberInvalidParams},
		"an id of the task in numbers": {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":1}}`, nil, jsonrpc.NumberInvalidParams},
		"a task spelled otherwise":     {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t","ID":"u"}}`, nil, jsonrpc.NumberInvalidParams},
		"a message of another's task": {
			`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"task_id":"t","parts":[{"text":"a"}]}}}`,
			nil, jsonrpc.NumberInvalidParams,
		},
		"pushes spelled otherwise": {
			`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"parts":[{"text":"a"}]},` +
				`"configuration":{"push_notification_config":{"url":"https://x.example"}}}}`, nil, jsonrpc.NumberInvalidParams,
		},
		"params twice by their sound": {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"},"Params":{"id":"u"}}`, nil, jsonrpc.NumberInvalidParams},
		"another tenant of the agent": {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t","tenant":"x"}}`, nil, jsonrpc.NumberInvalidParams},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, e := scanRequest(c.body, c.header...)
			require.NotNil(t, e)
			assert.Equal(t, c.want, chooseNumber(e), e.Error())
		})
	}
	for _, ok := range [][]string{{}, {HeaderVersion, "0.3"}, {HeaderVersion, " 0.3.0 "}, {HeaderVersion, ""}} {
		_, _, e := scanRequest(task, ok...)
		assert.Nil(t, e, ok)
	}
}

func TestAnErrorIsADetailSinceVersion10(t *testing.T) {
	e := &core.Error{Kind: core.NotFound, Code: CodeTaskNotFound, Public: "gone", Param: "params.id"}
	c := &Call{Version: Version03, ID: []byte("7")}
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"gone","data":{"code":"task_not_found","type":"not_found_error","param":"params.id"}}}`,
		string(c.AppendError(nil, e)))
	c.Version = Version10
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"gone","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",`+
		`"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"code":"task_not_found","type":"not_found_error","param":"params.id"}}]}}`,
		string(c.AppendError(nil, e)))
	assert.Equal(t, 200, c.ChooseHTTPStatus(e), "clients of the SDKs read errors of the protocol with 200 only")
	assert.Equal(t, 429, c.ChooseHTTPStatus(&core.Error{Kind: core.RateLimited}))
}
