package wasm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/rego"
)

// readDecision parses a policy's decision. Its labels must be in the manifest.
func (v *Version) readDecision(results []byte) (rego.Decision, error) {
	d, err := rego.ReadDecision(results)
	switch {
	case errors.Is(err, rego.ErrUndecided):
		return d, &Error{Plugin: v.Name, Kind: core.FaultError, Reason: err.Error()}
	case err != nil:
		return d, v.newABIFault("%v", err)
	}
	for _, l := range d.Labels {
		if !slices.Contains(v.Manifest.Labels, l) {
			return d, v.newABIFault("its decision has a label that its manifest does not have")
		}
	}
	return d, nil
}

// applyDecision records a decision as the verdict of the guest.
func (c *talk) applyDecision(d *rego.Decision) {
	for _, l := range d.Labels {
		c.findings = append(c.findings, core.Finding{Label: l, Kind: core.FoundPolicy})
	}
	if *d.Allow {
		return
	}
	reason := strings.TrimSpace(stripControls(d.Reason, abi.MaxMessage))
	if reason == "" {
		reason = fmt.Sprintf("the policy %q does not allow it", c.s.link)
	}
	c.setAction(core.Block)
	c.refusal = &core.Error{Kind: core.Forbidden, Code: core.CodePolicyDenied, Public: reason}
}
