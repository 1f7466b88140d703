package guardrail

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/headgate-dev/headgate/core"
)

// metadata finds requests that lack keys of their metadata object, or headers.
type metadata struct{ keys, headers []string }

func newMetadata(d *detectorSettings, _ *engine) (detector, error) {
	if len(d.Keys)+len(d.Headers) == 0 {
		return nil, fmt.Errorf("keys and headers are empty: write what a request must have")
	}
	return &metadata{d.Keys, d.Headers}, nil
}

func (*metadata) detect(_ *check, dst []finding) []finding { return dst }

func (m *metadata) judge(x *core.Exchange) float32 {
	for _, h := range m.headers {
		if x.Request.Header.Get(h) == "" {
			return 1
		}
	}
	if len(m.keys) == 0 {
		return 0
	}
	found := listMetadata(x.Request.Raw)
	for _, k := range m.keys {
		if !found[k] {
			return 1
		}
	}
	return 0
}

// listMetadata returns the keys with a value in a body's metadata. The dialect has validated the body, so it is an object.
func listMetadata(body []byte) map[string]bool {
	dec := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		if name.String() != "metadata" || dec.PeekKind() != '{' {
			if err := dec.SkipValue(); err != nil {
				return nil
			}
			continue
		}
		if _, err := dec.ReadToken(); err != nil {
			return nil
		}
		found := map[string]bool{}
		for dec.PeekKind() == '"' {
			key, err := dec.ReadToken()
			if err != nil {
				return nil
			}
			k := key.String()
			v, err := dec.ReadValue()
			if err != nil {
				return nil
			}
			found[k] = len(v) > 0 && string(v) != "null" && string(v) != `""`
		}
		return found
	}
	return nil
}
