package batch

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/store"
)

// routeLine finds the target of a line for a model, and checks the model. It checks each model once, and again when a
// client first names a model that only links have chosen: clients might not be allowed to reach its provider.
func (in *intake) routeLine(ctx context.Context, x *core.Exchange, name string, number int) *core.Error {
	at := slices.IndexFunc(in.models, func(m store.BatchModel) bool { return m.Name == name })
	if at >= 0 && (x.IsModelChosen() || in.named[at]) {
		x.Target, x.BareModel = core.TargetRef{Provider: in.provider, Model: in.models[at].Target}, in.models[at].Target
		return nil
	}
	if e := route.CheckModelName(name, "body.model"); e != nil {
		return e
	}
	if !x.IsModelChosen() {
		if e := auth.RequireModel(in.x.Principal, name, "body.model"); e != nil {
			return e
		}
	}
	name = strings.Clone(name)
	provider, target, ok := in.rules.Router.FindTarget(name, in.x.Principal.Region, x.IsModelChosen())
	if !ok {
		return &core.Error{
			Kind: core.NotFound, Code: core.CodeModelNotFound, Param: "body.model",
			Public: "no provider serves the requested model; GET /v1/models lists the models",
		}
	}
	if in.provider == "" {
		b, ok := in.rules.Backends[provider]
		if !ok {
			return &core.Error{
				Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "body.model",
				Public: "the provider " + strconv.Quote(provider) + " of this model has no batches",
			}
		}
		_, in.local = b.(backend.Local)
		in.provider = provider
	}
	if in.provider != provider {
		return newInvalidError("body.model", "all lines of a file must go to one provider; the first goes to "+
			strconv.Quote(in.provider)+", this line to "+strconv.Quote(provider))
	}
	if at >= 0 {
		in.named[at] = true
		x.Target, x.BareModel = core.TargetRef{Provider: provider, Model: target}, target
		return nil
	}
	if len(in.models) == maxModels {
		return newInvalidError("body.model", "a file may name "+strconv.Itoa(maxModels)+" models at most")
	}
	m := store.BatchModel{Name: name, Target: target, Line: number}
	if e := in.checkModel(ctx, provider, in.endpoint, m); e != nil {
		return e
	}
	in.models, in.named = append(in.models, m), append(in.named, !x.IsModelChosen())
	x.Target, x.BareModel = core.TargetRef{Provider: provider, Model: target}, target
	return nil
}

// checkModel calls the hook for a model of requests to a URL.
func (c *call) checkModel(ctx context.Context, provider, url string, m store.BatchModel) *core.Error {
	if c.rules.Models == nil {
		return nil
	}
	q := Model{Name: m.Name, Provider: provider, Target: m.Target}
	if d := c.Dialect(url); d != nil {
		q.Shape = d.Name()
	}
	return c.rules.Models.CheckModel(ctx, c.x.Principal, q)
}

// checkLine redacts a line and runs the guards over it if the configuration requires that.
func (in *intake) checkLine(ctx context.Context, x *core.Exchange, number int) *core.Error {
	if in.rules.Guard == nil {
		return in.redactLine(ctx, x)
	}
	e := in.rules.Guard.CheckLine(ctx, x, func() *core.Error {
		if x.Model() == x.Head.Model {
			return nil
		}
		return in.routeLine(ctx, x, x.Model(), number)
	})
	in.record.count(x.Findings)
	return e
}

func (in *intake) redactLine(ctx context.Context, x *core.Exchange) *core.Error {
	if in.rules.Redactor == nil {
		return nil
	}
	e := in.rules.Redactor.Redact(ctx, x)
	in.record.count(x.Findings)
	return e
}

// writeLine writes the line for the provider, with the routed model.
func (in *intake) writeLine(ctx context.Context, l line, raw []byte, x *core.Exchange) *core.Error {
	var e *core.Error
	t := core.Traits{Model: x.Target.Model, Cap: x.TokenCap()}
	if x.Head.MaxTokens == 0 || in.refusesMaxTokens(x.Target) {
		t.LimitField = maxCompletionTokens // all models take this name
	}
	if in.cuts, e = in.dialect.AppendForwardCuts(x, t, in.cuts[:0]); e != nil {
		return e
	}
	id, e := in.redactCustomID(ctx, raw[l.id.Start-1:l.id.End+1], x)
	defer in.id.Reset()
	if e != nil {
		return e
	}
	if in.local {
		return in.writeAsReceived(raw)
	}
	b := append(in.buf[:0], `{"custom_id":`...)
	b = append(b, id...)
	b = append(b, `,"method":"POST","url":"`...)
	b = append(b, l.url...)
	b = append(b, `","body":`...)
	b, err := splice.Append(b, x.Request.Raw, in.cuts)
	if err != nil {
		return core.ConvertError(err)
	}
	// Bytes between the values may contain a carriage return, which some readers take for a line end.
	if i := bytes.IndexByte(b, '\r'); i >= 0 {
		b = bytes.ReplaceAll(b, []byte{'\r'}, []byte{' '})
	}
	in.buf = append(b, "}\n"...)
	return in.put(in.buf)
}

const maxCompletionTokens = "max_completion_tokens"

// refusesMaxTokens reports whether a model refuses the older name of the token limit, as the direct API knows it.
func (in *intake) refusesMaxTokens(t core.TargetRef) bool {
	return in.rules.LimitField != nil && in.rules.LimitField(t.Provider, t.Model) == maxCompletionTokens
}

// redactCustomID redacts a custom_id: it comes back with the result and is restored there.
func (in *intake) redactCustomID(ctx context.Context, quoted []byte, body *core.Exchange) ([]byte, *core.Error) {
	x := in.newExchange(&in.id, quoted)
	x.Head.Model, x.BareModel, x.Target = body.Head.Model, body.BareModel, body.Target
	x.Request.Segments = append(x.Request.Segments, core.Segment{
		Role: core.RoleUser, Kind: core.KindOther, Depth: 1, Message: -1, Part: -1, Field: "custom_id",
		Span: splice.Span{Start: 1, End: len(quoted) - 1},
	})
	e := in.redactLine(ctx, x)
	return x.Request.Raw, e
}
