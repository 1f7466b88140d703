package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Limits of a submission, as the vendor has them.
const (
	maxOrder     = 64 << 10
	maxPairs     = 16
	maxPairKey   = 64
	maxPairValue = 512
	minExpiry    = 3600
	maxExpiry    = 2592000

	window        = "24h"
	anchorCreated = "created_at"
)

// order is the body of a submission.
type order struct {
	File     string            `json:"input_file_id"`
	Endpoint string            `json:"endpoint"`
	Window   string            `json:"completion_window"`
	Metadata map[string]string `json:"metadata"`
	Expiry   *struct {
		Anchor  string `json:"anchor"`
		Seconds int64  `json:"seconds"`
	} `json:"output_expires_after"`
}

func (o *order) computeExpiry() time.Duration {
	if o.Expiry == nil {
		return 0
	}
	return time.Duration(o.Expiry.Seconds) * time.Second
}

func readOrder(w http.ResponseWriter, r *http.Request) (*order, *core.Error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOrder))
	if err != nil {
		return nil, mapReadError(err)
	}
	var s splice.Scanner
	s.Reset(body)
	s.Skip()
	s.End()
	if err = s.Err(); err != nil {
		return nil, newSyntaxError(err)
	}
	o, d := new(order), json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err = d.Decode(o); err != nil {
		return nil, newFieldError(err)
	}
	return o, o.check()
}

// newFieldError converts a decoder's error to the client's error.
func newFieldError(err error) *core.Error {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) && typ.Field != "" {
		return newInvalidError(typ.Field, "invalid type for "+strconv.Quote(typ.Field))
	}
	if _, quoted, ok := strings.Cut(err.Error(), "unknown field "); ok {
		name := truncateName(strings.Trim(quoted, `"`))
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: name,
			Public: "the field " + strconv.Quote(name) + " is unknown; remove it",
		}
	}
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Public: "the body must be a JSON object", Err: err}
}

func (o *order) check() *core.Error {
	switch {
	case o.File == "":
		return newMissingError("input_file_id")
	case o.Endpoint == "":
		return newMissingError("endpoint")
	case o.Window == "":
		return newMissingError("completion_window")
	case o.Window != window:
		return newInvalidError("completion_window", `"completion_window" must be "24h"`)
	case len(o.Metadata) > maxPairs:
		return newInvalidError("metadata", `"metadata" holds 16 pairs at most`)
	case o.Expiry != nil && (o.Expiry.Anchor != anchorCreated || o.Expiry.Seconds < minExpiry || o.Expiry.Seconds > maxExpiry):
		return newExpiryError("output_expires_after")
	}
	for k, v := range o.Metadata {
		if len(k) > maxPairKey || len(v) > maxPairValue {
			return newInvalidError("metadata", `a key of "metadata" has 64 bytes at most, a value 512`)
		}
	}
	return nil
}

func newExpiryError(param string) *core.Error {
	return newInvalidError(param, strconv.Quote(param)+` wants the anchor "created_at" and from 3600 to 2592000 seconds`)
}
