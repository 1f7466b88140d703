package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const (
	callTime  = 5 * time.Minute
	maxAnswer = 64 << 20
)

// RPC is a client of a running gateway that speaks JSON-RPC, as any other client does.
type RPC struct {
	Context  context.Context
	Client   *http.Client
	URL, Key string
}

// NewRPC returns a client of the path below the gateway's address, with the key in HEADGATE_KEY. scope is what the key needs.
func NewRPC(ctx context.Context, address, path, scope string) (*RPC, error) {
	r := &RPC{
		Context: ctx, Client: &http.Client{Timeout: callTime}, URL: strings.TrimRight(address, "/") + path,
		Key: cmp.Or(os.Getenv("HEADGATE_KEY"), os.Getenv("HEADGATE_DEV_KEY")),
	}
	if r.Key == "" {
		return nil, errors.New("set HEADGATE_KEY to a gateway key that has the scope " + scope)
	}
	return r, nil
}

// Call sends a request and returns the response. params are the members of an object.
func (r *RPC) Call(method, params string, header map[string]string) ([]byte, http.Header, error) {
	return r.Send(http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`, header)
}

// Send sends a body to a path below the URL and returns the answer.
func (r *RPC) Send(verb, path, body string, header map[string]string) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(r.Context, verb, r.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("--url: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := r.Client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = res.Body.Close() }() // the body was only read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return text, res.Header, err
}

// PrintResponse prints a response of JSON-RPC. It returns ErrReported for an error, also one that a result tells.
func PrintResponse(c *cobra.Command, response []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, response, "", "  "); err != nil {
		return errors.New("the answer is not that of a gateway")
	}
	out.WriteByte('\n')
	if _, err := c.OutOrStdout().Write(out.Bytes()); err != nil {
		return err
	}
	var m struct {
		Error  json.RawMessage `json:"error"`
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal(response, &m); err != nil {
		return err
	}
	if m.Error != nil || m.Result.IsError {
		return ErrReported
	}
	return nil
}
