package wasm

import (
	"encoding/json"
	"strconv"

	"github.com/headgate-dev/headgate/core/records/spending/bound"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// readFact returns a field about the caller, earlier links, or what the gateway knows of the target. The fields are described in
// docs/plugin-abi.md.
func (c *talk) readFact(i *instance, f abi.Field) string {
	x := c.x
	switch f {
	case abi.FieldFindings:
		c.charge(i, 64*len(x.Findings))
		return string(foreign.FormatFindings(x))
	case abi.FieldToolTypes:
		c.charge(i, len(x.Request.Raw))
		return countToolTypes(findMember(x.Request.Raw, "tools"))
	case abi.FieldPrice:
		return c.formatPrices()
	case abi.FieldBudgets:
		return c.formatBudgets(i)
	case abi.FieldReserve:
		c.charge(i, len(x.Request.Raw)/8)
		return string(c.s.services.FormatReserve(x))
	case abi.FieldInputCount, abi.FieldPromptTokens:
		return c.countTokens(i, f)
	case abi.FieldAttempts:
		return c.formatAttempts()
	case abi.FieldPlaces:
		return c.formatPlaces(i)
	case abi.FieldHeaders:
		return string(foreign.FormatHeaders(x.Request.Header))
	}
	p := x.Principal
	if p == nil {
		return ""
	}
	switch f {
	case abi.FieldKeyTags:
		return formatList(p.Tags)
	case abi.FieldTenantTags:
		return formatList(p.TenantTags)
	case abi.FieldKeyMetadata:
		return formatObject(p.Metadata)
	case abi.FieldTenantMetadata:
		return formatObject(p.TenantMetadata)
	}
	return ""
}

// formatObject returns metadata as a JSON object.
func formatObject(m map[string]any) string {
	if len(m) == 0 {
		return "{}"
	}
	b, err := json.Marshal(m) // it came from JSON
	if err != nil {
		return "{}"
	}
	return string(b)
}

// countToolTypes counts tools by type. A tool without one is a function; in Gemini's shape the member of a tool names
// its type, and a list of functions counts each of them.
func countToolTypes(tools []byte) string {
	var all []map[string]json.RawMessage
	if len(tools) == 0 || json.Unmarshal(tools, &all) != nil {
		return "{}"
	}
	counts := map[string]int{}
	for _, tool := range all {
		var typ string
		switch {
		case json.Unmarshal(tool["type"], &typ) == nil && typ != "":
			counts[typ]++
		case tool["name"] != nil || tool["function"] != nil:
			counts["function"]++
		default:
			for name, value := range tool {
				var functions []json.RawMessage
				if (name == "functionDeclarations" || name == "function_declarations") && json.Unmarshal(value, &functions) == nil {
					counts["function"] += len(functions)
				} else {
					counts[name]++
				}
			}
		}
	}
	b, err := json.Marshal(counts)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// formatPrices returns the prices of the target, or "" if they are unknown.
func (c *talk) formatPrices() string {
	t := &c.x.Target
	if c.phase == abi.PhaseRequest || c.s.services.Prices == nil || t.Provider == "" {
		return ""
	}
	return string(foreign.FormatPrice(c.s.services.Prices.FindPrice(t.Provider, t.Model)))
}

// formatWindow returns the context window of the target, or "" if it is unknown.
func (c *talk) formatWindow() string {
	t := &c.x.Target
	if c.s.services.Windows == nil || t.Provider == "" {
		return ""
	}
	n := c.s.services.Windows.FindContextWindow(t.Provider, t.Model)
	return c.formatNumber(n, n > 0)
}

// formatBudgets returns the budgets that apply, or "" if the store did not answer.
func (c *talk) formatBudgets(i *instance) string {
	if c.s.services.Budgets == nil {
		return "[]"
	}
	ctx, done := newStoreContext(i)
	defer done()
	all, err := c.s.services.Budgets.FindAmounts(ctx, c.x)
	if err != nil {
		return ""
	}
	return string(foreign.FormatAmounts(all))
}

// formatExpiry returns when the key expires, in milliseconds since 1970.
func (c *talk) formatExpiry() string {
	p := c.x.Principal
	if p == nil || p.ExpiresAt.IsZero() {
		return ""
	}
	return strconv.FormatInt(p.ExpiresAt.UnixMilli(), 10)
}

// countTokens counts the tokens of the request, which takes a tokenizer about as long as counting bytes 64 times.
func (c *talk) countTokens(i *instance, f abi.Field) string {
	c.charge(i, 64*len(c.x.Request.Raw))
	n := bound.BoundPrompt
	if f == abi.FieldInputCount {
		n = bound.CountInput
	}
	return strconv.FormatInt(n(c.x), 10)
}

// formatAttempts returns the calls that were made.
func (c *talk) formatAttempts() string {
	if c.phase == abi.PhaseRequest {
		return ""
	}
	return string(foreign.FormatAttempts(c.x))
}
