package wasm

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func handleField(c *talk, i *instance, stack []uint64) {
	f := abi.Field(uint32(stack[0]))
	c.charge(i, 0)
	if f.String() == "" {
		stack[0] = uint64(abi.NoValue)
		return
	}
	if !c.s.see.hasField(f) {
		stack[0] = uint64(abi.NotGranted)
		return
	}
	stack[0] = copyText(i, stack[1], stack[2], c.readField(i, f))
}

// readField returns a value of the exchange. It is valid until the next call of field.
func (c *talk) readField(i *instance, f abi.Field) string {
	x := c.x
	if c.s.remote != nil && f != abi.FieldPlaces {
		return c.readRemoteField(i, f)
	}
	switch f {
	case abi.FieldModel:
		return x.Head.Model
	case abi.FieldUser:
		return x.Head.User
	case abi.FieldDialect:
		return x.Dialect
	case abi.FieldStream:
		return formatFlag(x.Head.Stream)
	case abi.FieldMaxTokens:
		return c.formatNumber(x.Head.MaxTokens, x.Head.MaxTokens > 0)
	case abi.FieldEffort:
		return x.Head.Effort
	case abi.FieldExchange:
		return x.ID
	case abi.FieldTrace:
		return x.Trace
	case abi.FieldEstimate:
		return c.formatNumber(int64(len(x.Request.Raw))/bytesPerToken, true)
	case abi.FieldMessages:
		return c.formatNumber(int64(x.Head.Messages), true)
	case abi.FieldImages:
		return formatFlag(x.Head.Images)
	case abi.FieldTask:
		return x.Head.Task.String()
	case abi.FieldAddress:
		return x.Request.Peer
	case abi.FieldBareModel:
		return c.s.services.StripModel(x)
	case abi.FieldKeyExpires:
		return c.formatExpiry()
	case abi.FieldFormat:
		return formats[min(x.Head.Format, llm.FormatSchema)]
	case abi.FieldTokenCap:
		return c.formatNumber(x.TokenCap(), x.TokenCap() > 0)
	case abi.FieldFinish:
		return c.readFinish(i)
	case abi.FieldParams, abi.FieldTools, abi.FieldMetadata, abi.FieldScopes, abi.FieldDigest, abi.FieldFindings, abi.FieldKeyTags,
		abi.FieldTenantTags, abi.FieldKeyMetadata, abi.FieldTenantMetadata, abi.FieldPrice, abi.FieldToolTypes, abi.FieldBudgets,
		abi.FieldReserve, abi.FieldInputCount, abi.FieldPromptTokens, abi.FieldAttempts, abi.FieldHeaders, abi.FieldPlaces:
		return c.readLongField(i, f)
	}
	if p := x.Principal; p != nil {
		switch f {
		case abi.FieldTenant:
			return p.Tenant
		case abi.FieldKeyID:
			return p.KeyID
		case abi.FieldLineage:
			return foreign.FindLineage(p)
		case abi.FieldKeyName:
			return p.KeyName
		case abi.FieldTier:
			return p.Tier
		}
	}
	if c.phase != abi.PhaseRequest {
		return c.readLateField(f)
	}
	return ""
}

// readLateField returns a value that is not known in the request phase.
func (c *talk) readLateField(f abi.Field) string {
	x := c.x
	switch f {
	case abi.FieldRoute:
		return x.Target.Route
	case abi.FieldProvider:
		return x.Target.Provider
	case abi.FieldTarget:
		return x.Target.Model
	case abi.FieldRegion:
		return x.Target.Region
	case abi.FieldWindow:
		return c.formatWindow()
	case abi.FieldStatus:
		status := x.Response.Status
		if c.phase == abi.PhaseFinish {
			status = x.Outcome.Status
		}
		return c.formatNumber(int64(status), status > 0 && c.phase >= abi.PhaseResponse)
	case abi.FieldUsage:
		if c.phase >= abi.PhaseResponse {
			return c.formatUsage()
		}
	}
	if c.phase != abi.PhaseFinish {
		return ""
	}
	switch f {
	case abi.FieldCost:
		return c.formatNumber(x.Cost, x.Priced)
	case abi.FieldOutcome:
		return x.Outcome.Kind.String()
	case abi.FieldComplete:
		return formatFlag(x.Outcome.Complete)
	}
	return ""
}

// readFinish returns why the answer ended, or "" while that is not known.
func (c *talk) readFinish(i *instance) string {
	switch {
	case c.phase >= abi.PhaseStreamEnd:
		return c.x.Finish
	case c.phase == abi.PhaseResponse && !c.x.Head.Stream:
		c.charge(i, len(c.x.Response.Raw))
		return scan.ReadFinish(new(splice.Scanner), c.x.Response.Raw)
	}
	return ""
}

// formats are the values of the field format.
var formats = [...]string{llm.FormatText: "text", llm.FormatJSON: "json", llm.FormatSchema: "schema"}

// bytesPerToken is the usual length of a token of English text.
const bytesPerToken = 4

func formatFlag(set bool) string {
	if set {
		return "1"
	}
	return "0"
}

// formatNumber formats a number, or returns "" if it is not known.
func (c *talk) formatNumber(n int64, known bool) string {
	if !known {
		return ""
	}
	c.num = strconv.AppendInt(c.num[:0], n, 10)
	return zerocopy.String(c.num)
}

func (c *talk) formatUsage() string {
	u := &c.x.Usage
	b := append(c.num[:0], `{"input":`...)
	b = strconv.AppendInt(b, u.Input, 10)
	b = strconv.AppendInt(append(b, `,"output":`...), u.Output, 10)
	b = strconv.AppendInt(append(b, `,"cached":`...), u.Cached, 10)
	b = strconv.AppendBool(append(b, `,"reported":`...), u.Reported)
	c.num = append(b, '}')
	return zerocopy.String(c.num)
}
