package wasm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// decision is what a policy says: the value of its entrypoint.
//
//	true or false                       pass, or refuse
//	["a reason", …]                     a set of reasons to refuse; none: pass
//	{"allow": false, "reason": "…", "labels": ["…"]}
//
// Labels are noted as findings, whatever allow is. Anything else, and no value at all,
// is a fault: a policy that decides nothing must not let everything through.
type decision struct {
	Allow  *bool    `json:"allow"`
	Reason string   `json:"reason"`
	Labels []string `json:"labels"`
}

func (v *Version) readDecision(results []byte) (d decision, err error) {
	var set []struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(results, &set) != nil {
		return d, v.abiFault("its result is not JSON")
	}
	if len(set) == 0 || len(set[0].Result) == 0 {
		return d, &Error{
			Plugin: v.Name,
			Kind:   core.FaultError,
			Reason: "the policy decides nothing about this input; give its entrypoint a default",
		}
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
			return d, v.abiFault("its decision is a list of something else than reasons")
		}
		d.Allow = &allow
		if len(reasons) > 0 {
			d.Allow, d.Reason = &refuse, reasons[0]
		}
	case '{':
		if json.Unmarshal(raw, &d) != nil {
			return d, v.abiFault("in its decision, allow must be true or false, reason a text and labels a list of texts")
		}
	}
	if d.Allow == nil {
		return d, v.abiFault("its decision is neither true, false, a list of reasons nor an object with allow")
	}
	for _, l := range d.Labels {
		if !slices.Contains(v.Manifest.Labels, l) {
			return d, v.abiFault("its decision has a label that its manifest does not have")
		}
	}
	return d, nil
}

// carry notes a decision as what the guest has said.
func (c *talk) carry(d *decision) {
	for _, l := range d.Labels {
		c.findings = append(c.findings, core.Finding{Label: l, Kind: core.FoundPolicy})
	}
	if *d.Allow {
		return
	}
	reason := strings.TrimSpace(printable(d.Reason, abi.MaxMessage))
	if reason == "" {
		reason = fmt.Sprintf("the policy %q does not allow it", c.s.link)
	}
	c.deciding(core.Block)
	c.refusal = &core.Error{Kind: core.Forbidden, Code: core.CodePolicyDenied, Public: reason}
}
