package mcp

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
)

func TestAnErrorIsAResponseToItsRequest(t *testing.T) {
	c, _, e := scanRequest(`{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":1}}`, nil)
	require.NotNil(t, e)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"a-1","error":{"code":-32602,"message":"invalid type for \"params.name\": expected a string",
		"data":{"code":"invalid_value","type":"invalid_request_error","param":"params.name"}}}`, string(c.AppendError(nil, e)))

	c, _, e = scanRequest(`{"jsonrpc":"2.0",`, nil)
	require.NotNil(t, e)
	var got map[string]any
	require.NoError(t, json.Unmarshal(c.AppendError(nil, e), &got))
	assert.NotContains(t, got, "id", "it could not be read")
}

func TestARefusedVersionIsToldWithTheSupportedOnes(t *testing.T) {
	c, _, e := scanRequest(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, headers("Mcp-Protocol-Version", "1900-01-01\xff\""))
	require.NotNil(t, e)
	var got struct {
		Error struct {
			Code int
			Data struct {
				Supported []string
				Requested string
			}
		}
	}
	body := c.AppendError(nil, e)
	require.NoError(t, json.Unmarshal(body, &got))
	assert.Equal(t, -32022, got.Error.Code)
	assert.Equal(t, ListVersions(), got.Error.Data.Supported)
	assert.Equal(t, `1900-01-01"`, got.Error.Data.Requested)
	for _, v := range ListVersions() {
		_, ok := FindEra(v)
		assert.True(t, ok, v)
	}
}

func TestEveryKindOfErrorHasANumber(t *testing.T) {
	for want, e := range map[int]*core.Error{
		http.StatusUnauthorized:       {Kind: core.Unauthenticated, Code: core.CodeUnauthorized},
		http.StatusForbidden:          {Kind: core.Forbidden, Code: core.CodePolicyDenied},
		http.StatusTooManyRequests:    {Kind: core.RateLimited, Code: core.CodeRateLimit},
		http.StatusBadRequest:         {Kind: core.ContentFiltered, Code: core.CodeContentFilter},
		http.StatusServiceUnavailable: {Kind: core.Unavailable, Code: core.CodeOverloaded},
		jsonrpc.NumberInvalidParams:   {Kind: core.NotFound, Code: core.CodeNotFound},
		jsonrpc.NumberInternal:        {Kind: core.Internal, Code: core.CodeInternal},
	} {
		assert.Equal(t, want, chooseNumber(e))
	}
}

func TestToALegacyClient404MeansTheEndOfItsSession(t *testing.T) {
	e := &core.Error{Kind: core.NotFound, Code: core.CodeNotFound}
	assert.Equal(t, http.StatusOK, (&Call{Form: Request, Era: Legacy}).ChooseHTTPStatus(e))
	assert.Equal(t, http.StatusNotFound, (&Call{Form: Request, Era: Modern}).ChooseHTTPStatus(e))
	assert.Equal(t, http.StatusForbidden, (&Call{Form: Request, Era: Legacy}).ChooseHTTPStatus(&core.Error{Kind: core.Forbidden}))
}

func TestAStreamThatIsCutEndsWithAnErrorResponse(t *testing.T) {
	c := &Call{ID: []byte("7")}
	got := c.AppendEnd(nil, nil, nil, &core.Error{Kind: core.Forbidden, Code: core.CodePolicyDenied, Public: "no"})
	assert.Equal(t, "event: message\ndata: "+`{"jsonrpc":"2.0","id":7,"error":{"code":403,"message":"no","data":{"code":"POLICY_DENIED","type":"authorization_error"}}}`+"\n\n", string(got))
	assert.Empty(t, c.AppendDelta(nil, nil, core.Part{}, "x"))
	assert.Equal(t, "mcp", c.Name())
}

func TestTheErrorOfAServerIsRead(t *testing.T) {
	c := &Call{}
	code, message := c.ReadError([]byte(`{"jsonrpc":"2.0","id":1,"error":{"data":{},"message":"no such tool","code":-32602}}`))
	assert.Equal(t, []string{"-32602", "no such tool"}, []string{code, message})
	for _, body := range []string{``, `<html>`, `{"error":"x"}`, `{"error":{"message":"x"}`, `[]`, `{"error":{"code":"x","message":1}}`} {
		code, message = c.ReadError([]byte(body))
		assert.Empty(t, code+message, body)
	}
}
