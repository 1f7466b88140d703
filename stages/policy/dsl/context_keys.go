package dsl

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// contextKey is how one key of a context is read, and which inputs it makes known.
type contextKey struct {
	attrs Attrs
	set   func(*contextReader, any) error
}

// contextKeys are the keys of a context.
var contextKeys = map[string]contextKey{
	"model":          {AttrSet(Model), asText(func(f *Facts, s string) { f.Asked[0] = s })},
	"routed":         {AttrSet(Model), asText(func(f *Facts, s string) { f.Sent[0], f.Sent[1] = s, trimProvider(s) })},
	"context_window": {AttrSet(ContextWindow), asNumber(setWindow)},
	"provider":       {AttrSet(Provider), asText(func(f *Facts, s string) { f.Provider = s })},
	"region":         {AttrSet(Region), asText(func(f *Facts, s string) { f.Region = s })},

	"tenant_id":       {AttrSet(TenantID), asText(func(f *Facts, s string) { f.Tenant = s })},
	"tenant_metadata": {AttrSet(TenantMetadata), asMap(func(f *Facts, m map[string]any) { f.TenantMetadata = m })},
	"tenant_tags":     {0, asTexts(func(f *Facts, l []string) { f.TenantTags = l })},

	"key_id":       {AttrSet(KeyID), asText(func(f *Facts, s string) { f.Key = s })},
	"key_name":     {AttrSet(KeyID), asText(func(f *Facts, s string) { f.KeyName = s })},
	"key_tier":     {AttrSet(KeyID), asText(func(f *Facts, s string) { f.KeyTier = s })},
	"key_scopes":   {AttrSet(KeyScopes), asTexts(func(f *Facts, l []string) { f.Scopes = l })},
	"key_tags":     {AttrSet(KeyTags), asTexts(func(f *Facts, l []string) { f.KeyTags = l })},
	"key_metadata": {AttrSet(KeyMetadata), asMap(func(f *Facts, m map[string]any) { f.KeyMetadata = m })},
	"key_expires":  {AttrSet(KeyExpiry), asTime(func(f *Facts, t time.Time) { f.KeyExpires = t })},

	"user_id": {AttrSet(User), asText(func(f *Facts, s string) { f.User = s })},

	"shape":       {AttrSet(Shape), asText(func(f *Facts, s string) { f.Shape = s })},
	"stream":      {AttrSet(Streaming), asSwitch(func(f *Facts, b bool) { f.Stream = b })},
	"has_tools":   {AttrSet(HasTools), asSwitch(setHasTools)},
	"has_images":  {AttrSet(HasImages), asSwitch(func(f *Facts, b bool) { f.HasImages = b })},
	"has_files":   {AttrSet(HasFiles), asSwitch(func(f *Facts, b bool) { f.HasFiles = b })},
	"effort":      {AttrSet(Effort), asText(func(f *Facts, s string) { f.Effort = s })},
	"temperature": {AttrSet(Temperature), asNumber(setTemperature)},
	"schema":      {AttrSet(AnswerSchema), asSwitch(func(f *Facts, b bool) { f.Schema = b })},

	"tools_names":      {AttrSet(ToolNames, ToolCount, HasTools), asTexts(func(f *Facts, l []string) { f.Tools = l })},
	"tools_types":      {AttrSet(ToolTypes, ToolCount, HasTools), asTexts(func(f *Facts, l []string) { f.ToolTypes = l })},
	"tools_count":      {AttrSet(ToolCount, HasTools), asNumber(setToolCount)},
	"agent_name":       {AttrSet(AgentName), asText(func(f *Facts, s string) { f.Agent.Name = s })},
	"agent_method":     {AttrSet(AgentMethod), asText(func(f *Facts, s string) { f.Agent.Method = s })},
	"tool_name":        {AttrSet(ToolName), asText(func(f *Facts, s string) { f.Tool.Name = s })},
	"tool_server":      {AttrSet(ToolServer), asText(func(f *Facts, s string) { f.Tool.Server = s })},
	"tool_annotations": {AttrSet(ToolAnnotations), asMap(func(f *Facts, m map[string]any) { f.Tool.Annotations = m })},
	"tool_args":        {AttrSet(ToolArgs), asMap(func(f *Facts, m map[string]any) { f.Tool.Args = m })},
	"tool_offered":     {AttrSet(ToolOffered), asSwitch(func(f *Facts, b bool) { f.Tool.Offered = b })},
	"tool_requested":   {AttrSet(ToolRequested), asSwitch(func(f *Facts, b bool) { f.Tool.Requested = b })},

	"messages_count": {AttrSet(MessageCount), asNumber(func(f *Facts, n float64) { f.Messages = int(n) })},
	"system_missing": {AttrSet(SystemMissing), asSwitch(func(f *Facts, b bool) { f.SystemMissing = b })},

	"tokens_prompt":      {AttrSet(PromptTokens), asNumber(func(f *Facts, n float64) { f.PromptTokens = int64(n) })},
	"tokens_max":         {AttrSet(MaxTokens, MaxTokensMissing), asNumber(func(f *Facts, n float64) { f.MaxTokens = int64(n) })},
	"cost_estimated_usd": {AttrSet(Cost), asNumber(func(f *Facts, n float64) { f.CostUSD, f.Priced = n, true })},

	"budget_remaining_pct": {AttrSet(BudgetPct, BudgetExceeded), asNumber(setBudget)},
	"budget_exceeded":      {AttrSet(BudgetExceeded), asSwitch(func(f *Facts, b bool) { f.Budgeted, f.BudgetExceeded = true, b })},

	"now": {AttrSet(Clock), asTime(func(f *Facts, t time.Time) { f.Now = t })},
	"dow": {AttrSet(Clock), func(c *contextReader, v any) error {
		s, _ := v.(string)
		if c.day = slices.Index(dayNames[:], s); c.day < 0 {
			return errors.New("write one of " + strings.Join(dayNames[:], ", "))
		}
		return nil
	}},
	"hm": {AttrSet(Clock), func(c *contextReader, v any) error {
		s, _ := v.(string)
		t, err := time.Parse("15:04", s)
		if err != nil {
			return errors.New("write a time of the day as 08:00")
		}
		c.minute = t.Hour()*60 + t.Minute()
		return nil
	}},

	"request_headers":  {AttrSet(Headers), asMap(asHeader)},
	"request_metadata": {AttrSet(Metadata), asMap(asMetadata)},

	"pii":      {AttrSet(PIITypes, PIICount, PIIConfidence), asLabels(func(f *Facts) *[]Label { return &f.PII })},
	"detector": {AttrSet(DetectorLabels, DetectorScore), asLabels(func(f *Facts) *[]Label { return &f.Detectors })},

	"response_finish_reason":  {AttrSet(FinishReason), asText(func(f *Facts, s string) { f.Finish = s })},
	"response_tokens":         {AttrSet(ResponseTokens), asNumber(func(f *Facts, n float64) { f.OutTokens = int64(n) })},
	"response_pii_types":      {AttrSet(ResponsePII), asLabels(func(f *Facts) *[]Label { return &f.Response })},
	"response_schema_invalid": {AttrSet(SchemaInvalid), asSwitch(func(f *Facts, b bool) { f.SchemaKnown, f.BadSchema = true, b })},
}

// shortNames are aliases of keys that people write in tests.
var shortNames = map[string]string{
	"budget_pct":              "budget_remaining_pct",
	"ctx_window":              "context_window",
	"model_context_window":    "context_window",
	"window":                  "context_window",
	"cost":                    "cost_estimated_usd",
	"cost_usd":                "cost_estimated_usd",
	"detectors":               "detector",
	"request_effort":          "effort",
	"request_has_files":       "has_files",
	"request_has_images":      "has_images",
	"request_has_tools":       "has_tools",
	"key_expires_at":          "key_expires",
	"key":                     "key_id",
	"key_md":                  "key_metadata",
	"scopes":                  "key_scopes",
	"message_count":           "messages_count",
	"messages":                "messages_count",
	"msgs":                    "messages_count",
	"n_messages":              "messages_count",
	"num_messages":            "messages_count",
	"model_name":              "model",
	"time":                    "now",
	"hdr":                     "request_headers",
	"headers":                 "request_headers",
	"md":                      "request_metadata",
	"metadata":                "request_metadata",
	"req_md":                  "request_metadata",
	"req_metadata":            "request_metadata",
	"request_md":              "request_metadata",
	"finish_reason":           "response_finish_reason",
	"response_pii":            "response_pii_types",
	"schema_invalid":          "response_schema_invalid",
	"model_routed":            "routed",
	"routed_model":            "routed",
	"request_schema":          "schema",
	"request_shape":           "shape",
	"request_stream":          "stream",
	"messages_system_missing": "system_missing",
	"request_temperature":     "temperature",
	"tenant":                  "tenant_id",
	"tenant_md":               "tenant_metadata",
	"max_tokens":              "tokens_max",
	"input_tokens":            "tokens_prompt",
	"prompt_tokens":           "tokens_prompt",
	"tokens":                  "tokens_prompt",
	"tokens_in":               "tokens_prompt",
	"n_tools":                 "tools_count",
	"num_tools":               "tools_count",
	"tool_count":              "tools_count",
	"tools":                   "tools_names",
	"tool_types":              "tools_types",
	"user":                    "user_id",
}

func setWindow(f *Facts, n float64) { f.ContextWindow = int64(n) }

func setTemperature(f *Facts, n float64) { f.Temperature, f.HasTemperature = n, true }

// setBudget also marks the budget as exceeded if nothing is left of it.
func setBudget(f *Facts, n float64) {
	f.Budgeted, f.BudgetPct = true, n
	if n <= 0 {
		f.BudgetExceeded = true
	}
}

// setHasTools adds tools with unknown names.
func setHasTools(f *Facts, b bool) {
	if b && len(f.Tools) == 0 && len(f.ToolTypes) == 0 {
		f.ToolTypes = []string{"function"}
	}
}

func setToolCount(f *Facts, n float64) {
	for len(f.ToolTypes) < int(min(n, 1e6)) {
		f.ToolTypes = append(f.ToolTypes, "function")
	}
}
