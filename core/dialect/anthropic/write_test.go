package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestTextIsWrittenAsAnEventOfItsBlock(t *testing.T) {
	got := Messages{}.AppendDelta(nil, nil, core.Part{Kind: core.KindText, Index: 2}, "a \"b\"\n")
	assert.Equal(
		t,
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"a \\\"b\\\"\\n\"}}\n\n",
		string(got),
	)
	got = Messages{}.AppendDelta(nil, nil, core.Part{Kind: core.KindToolArgs, Index: 1}, `{"a":`)
	assert.Equal(
		t,
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}\n\n",
		string(got),
	)
}

func TestALateDenialEndsTheStreamWithAnErrorEvent(t *testing.T) {
	got := Messages{}.AppendEnd(nil, nil, nil, &core.Error{Kind: core.Forbidden, Code: "POLICY_DENIED", Public: "not here"})
	assert.Equal(
		t,
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"permission_error\",\"message\":\"not here\",\"code\":\"POLICY_DENIED\"}}\n\n",
		string(got),
	)
	x := &core.Exchange{}
	var ev core.Event
	ev.Reset(got)
	require.NoError(t, Messages{}.ScanEvent(x, &ev))
	assert.True(t, ev.Failed)
	assert.Empty(t, ev.Deltas)
}

func TestAnErrorHasTheTypeOfItsStatus(t *testing.T) {
	for want, e := range map[string]*core.Error{
		"authentication_error": {Kind: core.Unauthenticated},
		"permission_error":     {Kind: core.Forbidden},
		"not_found_error":      {Kind: core.NotFound},
		"request_too_large":    {Kind: core.TooLarge},
		"rate_limit_error":     {Kind: core.RateLimited},
		"api_error":            {Kind: core.BadGateway},
		"timeout_error":        {Kind: core.GatewayTimeout},
		"overloaded_error":     {Kind: core.Unavailable, Code: core.CodeOverloaded},
		"billing_error":        {Status: 402},
	} {
		assert.Equal(t, want, mapErrorType(e))
	}
	assert.Equal(t, "invalid_request_error", mapErrorType(&core.Error{Kind: core.ContentFiltered}))
	assert.Equal(t, "invalid_request_error", mapErrorType(&core.Error{Kind: core.MethodNotAllowed}))
	assert.Equal(t, "api_error", mapErrorType(&core.Error{Kind: core.Unavailable}))
	assert.Equal(t, "overloaded_error", mapErrorType(&core.Error{Status: 529}))
}

func TestAnErrorBodyTellsTypeCodeAndField(t *testing.T) {
	body := Messages{}.AppendError(
		nil,
		&core.Error{Kind: core.InvalidRequest, Code: core.CodeUnsupported, Public: `leave out "x"`, Param: "x"},
	)
	assert.JSONEq(
		t,
		`{"type":"error","error":{"type":"invalid_request_error","message":"leave out \"x\"","code":"unsupported_parameter","param":"x"}}`,
		string(body),
	)
	assert.Equal(
		t,
		string(body),
		string(
			CountTokens{}.AppendError(nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeUnsupported, Public: `leave out "x"`, Param: "x"}),
		),
	)
	require.True(t, json.Valid(body))
}

func TestAProvidersErrorIsRead(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`: {"overloaded_error", "Overloaded"},
		`{"error":{"type":1,"message":"m"}}`:    {"", "m"},
		`{"error":{"type":"t","message":null}}`: {"t", ""},
		`{"error":"text"}`:                      {"", "text"},
		`{"error":null}`:                        {"", ""},
		`{}`:                                    {"", ""},
		`<html>`:                                {"", ""},
	} {
		code, message := Messages{}.ReadError([]byte(body))
		assert.Equal(t, want, [2]string{code, message}, body)
		code, message = MessagesWire{}.ReadError([]byte(body))
		assert.Equal(t, want, [2]string{code, message}, body)
	}
}

func TestACountIsToldInItsShape(t *testing.T) {
	body := AppendCount(nil, 2095)
	assert.JSONEq(t, `{"input_tokens":2095}`, string(body))
	x := &core.Exchange{}
	x.Response.Raw = body
	require.NoError(t, CountTokens{}.ScanResponse(x))
	assert.Empty(t, x.Response.Segments)
	assert.Zero(t, x.Usage, "a count uses nothing up")
}

func TestARequestToCountIsReadAsOneOfMessages(t *testing.T) {
	x := &core.Exchange{}
	x.Request.Raw = []byte(`{"model":"m","stream":true,"system":"a","messages":[{"role":"user","content":"b"}]}`)
	require.Nil(t, CountTokens{}.Scan(x))
	assert.False(t, x.Head.Stream, "a count is never streamed")
	assert.Len(t, x.Request.Segments, 2)
	cuts, e := CountTokens{}.AppendForwardCuts(x, core.Traits{Model: "n", DefaultCap: 4096}, nil)
	require.Nil(t, e)
	assert.Len(t, cuts, 1, "the model, and no limit")
	r, e := CountTokens{}.Decode(x)
	require.Nil(t, e)
	assert.Len(t, r.Messages, 2)
	x = &core.Exchange{}
	x.Request.Raw = []byte(`{"model":"m","messages":[]}`)
	require.NotNil(t, CountTokens{}.Scan(x))
}
