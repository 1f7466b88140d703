package outside

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// maxReply is the maximum size of a reply in bytes.
const maxReply = 1 << 20

// call is one question in progress.
type call struct {
	*asker
	ctx      context.Context
	answered *atomic.Int32 // calls of the question that the vendor has served
}

// post sends a body as JSON and decodes the reply into out. It sends the API key in the named header, after a scheme if
// one is given.
func (c *call) post(url, header, scheme string, body, out any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	r, err := http.NewRequestWithContext(c.ctx, http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		return err // described by the stage
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "headgate")
	if c.secret != "" {
		r.Header.Set(header, scheme+c.secret)
	}
	res, err := c.client.Do(r)
	if err != nil {
		return err // described by the stage
	}
	defer func() { _ = res.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	if err := checkStatus(res.StatusCode); err != nil {
		return err
	}
	c.answered.Add(1)
	switch {
	case err != nil:
		return err // described by the stage
	case len(reply) > maxReply:
		return errTooLong
	}
	if err := json.Unmarshal(reply, out); err != nil {
		return errGarbled
	}
	return nil
}

// checkStatus returns the fault of a call with a status other than success.
func checkStatus(status int) error {
	switch {
	case status == http.StatusTooManyRequests:
		return remote.NewFault(core.FaultOverload, "the guard answered with status 429: its limits are reached")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return remote.NewFault(core.FaultError, fmt.Sprintf("the guard answered with status %d: look at the API key in secret", status))
	case status/100 != 2:
		return remote.NewFault(core.FaultError, fmt.Sprintf("the guard answered with status %d", status))
	}
	return nil
}

// errTooLong is the fault of a reply that is not read to its end.
var errTooLong = remote.NewFault(core.FaultABI, fmt.Sprintf("the guard's reply is larger than %d bytes", maxReply))

// errGarbled is the fault of a reply that does not have the form that the vendor documents.
var errGarbled = remote.NewFault(core.FaultVerdict, "the guard's reply does not have the documented form")

// postWithBearer sends the API key as a bearer token, as most vendors expect it.
func (c *call) postWithBearer(url string, body, out any) error {
	return c.post(url, "Authorization", "Bearer ", body, out)
}
