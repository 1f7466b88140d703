package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// Capabilities describe what the models of a provider support.
type Capabilities struct {
	Streaming         bool `json:"supports_streaming"`
	Vision            bool `json:"supports_vision"`
	ToolCalls         bool `json:"supports_tool_calls"`
	StructuredOutputs bool `json:"supports_structured_outputs"`
	JSONMode          bool `json:"supports_json_mode"`
	MaxContextTokens  int  `json:"max_context_tokens" doc:"0: unknown."`
}

// GetCapabilities returns the capabilities of a provider.
func (s Providers) GetCapabilities(ctx context.Context, who *auth.Actor, provider string) (Capabilities, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ProvidersRead, ""); err != nil {
		return Capabilities{}, err
	}
	c, ok := s.svc.Plane.FindCapabilities(provider)
	if !ok {
		return Capabilities{}, newNotFoundError("provider")
	}
	return Capabilities{
		Streaming: c.Streaming, Vision: c.Vision, ToolCalls: c.ToolCalls, StructuredOutputs: c.StructuredOutputs, JSONMode: c.JSONMode,
		MaxContextTokens: c.MaxContextTokens,
	}, nil
}

// The features that a licence unlocks.
const (
	FeatureLatency    = "latency"
	FeaturePriority   = "priority"
	FeatureChargeback = "chargeback"
	FeatureReports    = "reports"
	FeatureDetokenize = "detokenize"
	FeatureSchemas    = "schemas"
)

// ListLatencies lists the measured latencies of models. Without a licence the list is empty.
func (s Providers) ListLatencies(ctx context.Context, who *auth.Actor, page Page) (List[route.LatencyRecord], error) {
	if _, err := s.svc.authorize(ctx, who, auth.LatencyRead, ""); err != nil {
		return List[route.LatencyRecord]{}, err
	}
	var all []route.LatencyRecord
	if s.svc.License.IsLicensed(FeatureLatency) {
		all = s.svc.Plane.Latencies()
	}
	return newList(all, page, func(r route.LatencyRecord) string { return r.Provider + "\x00" + r.Model })
}

// CountByTier counts the running exchanges by tier. Without a licence no tier has a limit: Max is 0.
func (s Providers) CountByTier(ctx context.Context, who *auth.Actor) (route.PriorityStats, error) {
	if _, err := s.svc.authorize(ctx, who, auth.PriorityRead, ""); err != nil {
		return route.PriorityStats{}, err
	}
	p := s.svc.Plane.Priority()
	if !s.svc.License.IsLicensed(FeaturePriority) {
		p.Max = 0
	}
	return p, nil
}
