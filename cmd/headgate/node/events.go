package node

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/plugins"
)

// publishEnd notifies subscribers of the outcome of an exchange. It does not retain the exchange.
func (h *hooks) publishEnd(x *core.Exchange) {
	if h.emitter.IsIdle() || x.Principal == nil {
		return
	}
	tenant := x.Principal.Tenant
	if policydoc.IsRefusal(x.Outcome.Err) && h.emitter.Wants(outbox.PolicyDenial, tenant) {
		data, rules := buildExchangeData(x), []string{}
		for i := range x.Findings {
			if f := &x.Findings[i]; f.Kind == core.FoundPolicy && !f.Shadow && !slices.Contains(rules, f.Label) {
				rules = append(rules, strings.Clone(f.Label))
			}
		}
		data["rules"] = rules
		h.emitter.Emit(outbox.Event{Type: outbox.PolicyDenial, Tenant: strings.Clone(tenant), Data: data})
	}
	if h.emitter.Wants(outbox.PIIDetected, tenant) {
		h.publishFindings(x)
	}
}

// publishFindings notifies subscribers of personal data in the exchange.
func (h *hooks) publishFindings(x *core.Exchange) {
	request, response := map[string]int{}, map[string]int{}
	for i := range x.Findings {
		f := &x.Findings[i]
		if !f.IsPII() || f.Shadow {
			continue
		}
		counts := request
		if f.Phase == core.Response {
			counts = response
		}
		counts[strings.Clone(f.Label)]++
	}
	if len(request)+len(response) == 0 {
		return
	}
	data := buildExchangeData(x)
	data["request_types"], data["response_types"] = request, response
	h.emitter.Emit(outbox.Event{Type: outbox.PIIDetected, Tenant: strings.Clone(x.Principal.Tenant), Data: data})
}

func buildExchangeData(x *core.Exchange) map[string]any {
	return map[string]any{
		"request_id": strings.Clone(x.ID), "api_key_id": strings.Clone(x.Principal.KeyID), "model": strings.Clone(x.Head.Model),
	}
}

// sendNotice notifies subscribers of a stage's notice.
func (h *hooks) sendNotice(n spending.Notice) {
	if h == nil || !outbox.IsKnownType(n.Type) || !h.emitter.Wants(n.Type, n.Tenant) {
		return
	}
	data := make(map[string]any, len(n.Facts))
	for _, f := range n.Facts {
		data[f.Name] = strings.Clone(f.Value)
		if outbox.IsNumeric(n.Type, f.Name) {
			data[f.Name] = json.Number(f.Value)
		}
	}
	h.emitter.Emit(outbox.Event{Type: n.Type, Tenant: strings.Clone(n.Tenant), Data: data})
}

// sendLicense notifies subscribers of a change of the licence's state.
func (h *hooks) sendLicense(from, to license.State, l *license.License) {
	data := map[string]any{"from": string(from), "to": string(to)}
	if l != nil {
		data["expires_at"] = l.ExpiresAt.UTC().Format(time.RFC3339)
	}
	h.emitter.Emit(outbox.Event{Type: outbox.LicenseTransition, Data: data})
}

// sendPlugin notifies subscribers of a plugin event. Only the log gets the reason of a refusal, because it may name files.
func (h *hooks) sendPlugin(e *plugins.Event) {
	data := map[string]any{"file": e.File}
	for name, value := range map[string]string{"digest": e.Digest, "version": e.Version, "before": e.Before} {
		if value != "" {
			data[name] = value
		}
	}
	h.emitter.Emit(outbox.Event{Type: e.Type, Data: data})
}
