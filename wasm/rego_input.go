package wasm

import (
	"encoding/json"
	"math/bits"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// A policy's input contains what its manifest reads and its link grants:
//
//	{"phase": "request", "model": "gpt-5", "max_tokens": 100, "stream": false,
//	 "text": [{"role": "user", "source": "user", "text": "hello"}]}
//
// Fields have the names of the ABI. Values unknown in a phase are omitted, so that they are undefined for the policy, and so is text
// unless the manifest reads some.

// Fields that are numbers, booleans and JSON in the input; the others are strings.
var (
	regoNumbers = packFields(
		abi.FieldMaxTokens, abi.FieldStatus, abi.FieldCost, abi.FieldEstimate, abi.FieldMessages, abi.FieldKeyExpires, abi.FieldWindow,
		abi.FieldInputCount, abi.FieldPromptTokens, abi.FieldTokenCap,
	)
	regoTruths = packFields(abi.FieldStream, abi.FieldImages, abi.FieldComplete)
	regoRaw    = packFields(abi.FieldParams, abi.FieldTools, abi.FieldMetadata, abi.FieldScopes, abi.FieldUsage, abi.FieldFindings,
		abi.FieldKeyTags, abi.FieldTenantTags, abi.FieldKeyMetadata,
		abi.FieldTenantMetadata, abi.FieldPrice, abi.FieldToolTypes, abi.FieldBudgets,
		abi.FieldReserve, abi.FieldAttempts, abi.FieldHeaders)
)

func packFields(fields ...abi.Field) (set uint64) {
	for _, f := range fields {
		set |= 1 << f
	}
	return set
}

// evaluatePolicy evaluates the policy in the current phase.
func (c *talk) evaluatePolicy(i *instance) error {
	c.doc = c.appendInput(c.doc[:0], i)
	results, err := i.evaluate(c.doc)
	if err != nil {
		return err
	}
	d, err := i.v.readDecision(results)
	if err == nil {
		c.applyDecision(&d)
	}
	return err
}

func (c *talk) appendInput(b []byte, i *instance) []byte {
	b = append(append(append(b, `{"phase":"`...), abi.PhaseName(c.phase)...), '"')
	for set := c.s.see.fields; set != 0; set &= set - 1 {
		f := abi.Field(bits.TrailingZeros64(set))
		if f.String() == "" {
			continue
		}
		value := c.readField(i, f)
		if value == "" {
			continue
		}
		b = append(append(append(b, `,"`...), f.String()...), `":`...)
		switch bit := uint64(1) << f; {
		case regoTruths&bit != 0:
			b = append(b, map[bool]string{true: "true", false: "false"}[value == "1"]...)
		case regoNumbers&bit != 0 || regoRaw&bit != 0 && json.Valid([]byte(value)):
			b = append(b, value...)
		default:
			b = append(splice.AppendEscaped(append(b, '"'), value), '"')
		}
	}
	if c.s.see.sources != 0 {
		b = append(c.appendTexts(append(b, `,"text":[`...)), ']')
	}
	return append(b, '}')
}

func (c *talk) appendTexts(b []byte) []byte {
	for k, at := range c.listSegments() {
		if k > 0 {
			b = append(b, ',')
		}
		role, source, text := core.RoleAssistant, abi.SourceAssistant, ""
		if c.body != nil {
			s := &c.body.Segments[at]
			role, source, text = s.Role, classifySource(s.Role, s.Kind), c.body.ReadText(int(at))
		} else {
			source, text = classifySource(role, c.texts[at].kind), c.texts[at].viewText()
		}
		c.read += uint64(len(text))
		b = append(append(append(b, `{"role":"`...), roleNames[role]...), `","source":"`...)
		b = append(append(append(b, source.String()...), `","text":"`...), ""...)
		b = append(splice.AppendEscaped(b, text), `"}`...)
	}
	return b
}

var roleNames = [...]string{core.RoleSystem: "system", core.RoleUser: "user", core.RoleAssistant: "assistant", core.RoleTool: "tool"}
