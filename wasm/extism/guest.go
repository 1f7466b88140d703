package extism

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

var hookSignature = meter.Signature{Results: []meter.ValType{meter.I32}}

// CheckExports checks that a module exports a memory and the hook.
func CheckExports(exports []meter.Extern) error {
	if !slices.ContainsFunc(exports, func(e meter.Extern) bool { return e.Name == abi.ExportMemory && e.Kind == meter.KindMemory }) {
		return fmt.Errorf("the module does not export %s, which a detector of kind extism must", abi.ExportMemory)
	}
	for _, e := range exports {
		if e.Name != Hook {
			continue
		}
		if !hookSignature.Fits(e) {
			return fmt.Errorf("the export %s must be a function %s", Hook, hookSignature)
		}
		return nil
	}
	return fmt.Errorf("the module does not export %s, which a detector of kind extism must", Hook)
}

// ReadSettings converts a link's settings, a JSON object or nothing, into a guest's configuration. Settings that are not strings are
// passed as JSON.
func ReadSettings(config []byte) (map[string]string, error) {
	out := map[string]string{}
	if len(config) == 0 {
		return out, nil
	}
	var settings map[string]json.RawMessage
	if json.Unmarshal(config, &settings) != nil {
		return nil, errors.New("settings of a plugin of kind extism are a mapping")
	}
	for key, raw := range settings {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		out[key] = text
	}
	return out, nil
}

// Span is a match that a guest reported. Start and End are byte offsets.
type Span struct {
	Start, End int64
	Label      string
	Score      *float64 // nil means 1
}

// MaxOutput is the longest output that the host reads, in bytes.
const MaxOutput = 1 << 20

// ReadSpans parses a guest's output into spans, whose memory it may reuse. ok is false if the output is longer than MaxOutput or is not a
// list of spans.
func ReadSpans(spans []Span, output []byte) (_ []Span, ok bool) {
	spans = spans[:0]
	ok = len(output) <= MaxOutput && json.Unmarshal(output, &spans) == nil
	return spans, ok
}
