package rego

import (
	"encoding/json"
	"errors"
)

// Decision is the value of a policy's entrypoint:
//
//	true or false                       pass, or refuse
//	["a reason", …]                     a set of reasons to refuse; if empty, pass
//	{"allow": false, "reason": "…", "labels": ["…"]}
//
// Labels become findings, whatever the value of allow. Any other value is an error, and so is an undefined one: a policy that decides
// nothing must not let everything through.
type Decision struct {
	Allow  *bool    `json:"allow"`
	Reason string   `json:"reason"`
	Labels []string `json:"labels"`
}

// ErrUndecided means that the policy is undefined for its input.
var ErrUndecided = errors.New("the policy decides nothing about this input; give its entrypoint a default")

// ReadDecision parses the result set of an evaluation. Allow of the result is not nil unless there is an error.
func ReadDecision(results []byte) (d Decision, err error) {
	var set []struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(results, &set) != nil {
		return d, errors.New("the result is not JSON")
	}
	if len(set) == 0 || len(set[0].Result) == 0 {
		return d, ErrUndecided
	}
	allow, refuse := true, false
	raw := set[0].Result
	switch raw[0] {
	case 't':
		d.Allow = &allow
	case 'f':
		d.Allow = &refuse
	case '[':
		var reasons []string
		if json.Unmarshal(raw, &reasons) != nil {
			return d, errors.New("the decision is a list with elements that are not reasons")
		}
		d.Allow = &allow
		if len(reasons) > 0 {
			d.Allow, d.Reason = &refuse, reasons[0]
		}
	case '{':
		if json.Unmarshal(raw, &d) != nil {
			return d, errors.New("in its decision, allow must be true or false, reason a text and labels a list of texts")
		}
	}
	if d.Allow == nil {
		return d, errors.New("the decision is neither true, false, a list of reasons nor an object with allow")
	}
	return d, nil
}
