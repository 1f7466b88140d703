package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The targets are sent as they are: a client of net/http would clean some of them.
func TestATargetThatChangesWhenItIsDecodedIsNotFound(t *testing.T) {
	r := start(t)
	for target, status := range map[string]int{
		"/livez":                   200,
		"/livez?x=/../%2e%2f//":    200,
		"/%6civez":                 200, // a letter, which no program takes for anything else
		"//livez":                  404,
		"/./livez":                 404,
		"/x/../livez":              404,
		"/%2e/livez":               404,
		"/x/%2E%2e/livez":          404,
		"/%2flivez":                404,
		"/x%5c..%5clivez":          404,
		"/x\\livez":                404,
		"/livez%00":                404,
		"/livez/":                  404,
		"/livez/.":                 404,
		"/livez%2f":                404,
		"/%2e%2e/status":           404,
		"/v1//chat/completions":    404,
		"/v1/%2e/chat/completions": 404,
		"/try/..%2fstatus":         404,
		"/try/../status":           404,
		"/try/try%2ecss":           404,
		"/v1/models/a%2f..%2fb":    404,
		"/v1/models/a%5cb":         404,
	} {
		t.Run(target, func(t *testing.T) {
			for method, mark := range map[string]string{"GET": "", "HEAD": "", "POST": "Content-Length: 0\r\n"} {
				if method != "GET" && status == 200 {
					continue
				}
				c, err := net.Dial("tcp", r.Addr().String())
				require.NoError(t, err)
				_, err = io.WriteString(c, method+" "+target+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+mark+"\r\n")
				require.NoError(t, err)
				res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
				require.NoError(t, err)
				assert.Equal(t, status, res.StatusCode, method)
				require.NoError(t, res.Body.Close())
				require.NoError(t, c.Close())
			}
		})
	}
}

func TestAnUnknownEndpointIsReportedInTheShapeOfItsAPI(t *testing.T) {
	r := start(t)
	for target, want := range map[string]string{
		"/v1/nothing":            `{"error":{"message":"unknown endpoint","type":"not_found_error","param":null,"code":"not_found"}}`,
		"/admin/v1/tenants/a%0a": `{"error":{"type":"not_found_error","code":"not_found","message":"unknown endpoint"}}`,
		"/admin/v1/nothing":      `{"error":{"type":"not_found_error","code":"not_found","message":"unknown endpoint"}}`,
	} {
		res, err := http.Get("http://" + r.Addr().String() + target)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, 404, res.StatusCode, target)
		assert.JSONEq(t, want, string(body), target)
	}
}

func TestAMalformedChunkIsTheClientsFault(t *testing.T) {
	r := start(t)
	c, err := net.Dial("tcp", r.Addr().String())
	require.NoError(t, err)
	_, err = io.WriteString(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+r.key+
		"\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n")
	require.NoError(t, err)
	answer, err := io.ReadAll(c)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	assert.Contains(t, string(answer), "HTTP/1.1 400 Bad Request\r\n")
	assert.Contains(t, string(answer), "\r\nConnection: close\r\n")
	assert.Contains(t, string(answer), `"the request body is malformed: the size of a chunk contains something other than hexadecimal digits"`)
}
