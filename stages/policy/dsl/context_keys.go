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
	"model":          {NewAttrSet(Model), makeTextReader(func(f *Facts, s string) { f.Asked[0] = s })},
	"routed":         {NewAttrSet(Model), makeTextReader(func(f *Facts, s string) { f.Sent[0], f.Sent[1] = s, trimProvider(s) })},
	"context_window": {NewAttrSet(ContextWindow), makeNumberReader(setWindow)},
	"provider":       {NewAttrSet(Provider), makeTextReader(func(f *Facts, s string) { f.Provider = s })},
	"region":         {NewAttrSet(Region), makeTextReader(func(f *Facts, s string) { f.Region = s })},

	"tenant_id":       {NewAttrSet(TenantID), makeTextReader(func(f *Facts, s string) { f.Tenant = s })},
	"tenant_metadata": {NewAttrSet(TenantMetadata), makeMapReader(func(f *Facts, m map[string]any) { f.TenantMetadata = m })},
	"tenant_tags":     {0, makeTextsReader(func(f *Facts, l []string) { f.TenantTags = l })},

	"key_id":       {NewAttrSet(KeyID), makeTextReader(func(f *Facts, s string) { f.Key = s })},
	"key_name":     {NewAttrSet(KeyID), makeTextReader(func(f *Facts, s string) { f.KeyName = s })},
	"key_tier":     {NewAttrSet(KeyID), makeTextReader(func(f *Facts, s string) { f.KeyTier = s })},
	"key_scopes":   {NewAttrSet(KeyScopes), makeTextsReader(func(f *Facts, l []string) { f.Scopes = l })},
	"key_tags":     {NewAttrSet(KeyTags), makeTextsReader(func(f *Facts, l []string) { f.KeyTags = l })},
	"key_metadata": {NewAttrSet(KeyMetadata), makeMapReader(func(f *Facts, m map[string]any) { f.KeyMetadata = m })},
	"key_expires":  {NewAttrSet(KeyExpiry), makeTimeReader(func(f *Facts, t time.Time) { f.KeyExpires = t })},

	"user_id": {NewAttrSet(User), makeTextReader(func(f *Facts, s string) { f.User = s })},

	"shape":       {NewAttrSet(Shape), makeTextReader(func(f *Facts, s string) { f.Shape = s })},
	"stream":      {NewAttrSet(Streaming), makeSwitchReader(func(f *Facts, b bool) { f.Stream = b })},
	"has_tools":   {NewAttrSet(HasTools), makeSwitchReader(setHasTools)},
	"has_images":  {NewAttrSet(HasImages), makeSwitchReader(func(f *Facts, b bool) { f.HasImages = b })},
	"has_files":   {NewAttrSet(HasFiles), makeSwitchReader(func(f *Facts, b bool) { f.HasFiles = b })},
	"effort":      {NewAttrSet(Effort), makeTextReader(func(f *Facts, s string) { f.Effort = s })},
	"temperature": {NewAttrSet(Temperature), makeNumberReader(setTemperature)},
	"schema":      {NewAttrSet(AnswerSchema), makeSwitchReader(func(f *Facts, b bool) { f.Schema = b })},

	"tools_names":      {NewAttrSet(ToolNames, ToolCount, HasTools), makeTextsReader(func(f *Facts, l []string) { f.Tools = l })},
	"tools_types":      {NewAttrSet(ToolTypes, ToolCount, HasTools), makeTextsReader(func(f *Facts, l []string) { f.ToolTypes = l })},
	"tools_count":      {NewAttrSet(ToolCount, HasTools), makeNumberReader(setToolCount)},
	"agent_name":       {NewAttrSet(AgentName), makeTextReader(func(f *Facts, s string) { f.Agent.Name = s })},
	"agent_method":     {NewAttrSet(AgentMethod), makeTextReader(func(f *Facts, s string) { f.Agent.Method = s })},
	"tool_name":        {NewAttrSet(ToolName), makeTextReader(func(f *Facts, s string) { f.Tool.Name = s })},
	"tool_server":      {NewAttrSet(ToolServer), makeTextReader(func(f *Facts, s string) { f.Tool.Server = s })},
	"tool_annotations": {NewAttrSet(ToolAnnotations), makeMapReader(func(f *Facts, m map[string]any) { f.Tool.Annotations = m })},
	"tool_args":        {NewAttrSet(ToolArgs), makeMapReader(func(f *Facts, m map[string]any) { f.Tool.Args = m })},
	"tool_offered":     {NewAttrSet(ToolOffered), makeSwitchReader(func(f *Facts, b bool) { f.Tool.Offered = b })},
	"tool_requested":   {NewAttrSet(ToolRequested), makeSwitchReader(func(f *Facts, b bool) { f.Tool.Requested = b })},

	"messages_count": {NewAttrSet(MessageCount), makeNumberReader(func(f *Facts, n float64) { f.Messages = int(n) })},
	"system_missing": {NewAttrSet(SystemMissing), makeSwitchReader(func(f *Facts, b bool) { f.SystemMissing = b })},

	"tokens_prompt":      {NewAttrSet(PromptTokens), makeNumberReader(func(f *Facts, n float64) { f.PromptTokens = int64(n) })},
	"tokens_max":         {NewAttrSet(MaxTokens, MaxTokensMissing), makeNumberReader(func(f *Facts, n float64) { f.MaxTokens = int64(n) })},
	"cost_estimated_usd": {NewAttrSet(Cost), makeNumberReader(func(f *Facts, n float64) { f.CostUSD, f.Priced = n, true })},

	"budget_remaining_pct": {NewAttrSet(BudgetPct, BudgetExceeded), makeNumberReader(setBudget)},
	"budget_exceeded":      {NewAttrSet(BudgetExceeded), makeSwitchReader(func(f *Facts, b bool) { f.Budgeted, f.BudgetExceeded = true, b })},

	"now": {NewAttrSet(Clock), makeTimeReader(func(f *Facts, t time.Time) { f.Now = t })},
	"dow": {NewAttrSet(Clock), func(c *contextReader, v any) error {
		s, _ := v.(string)
		if c.day = slices.Index(dayNames[:], s); c.day < 0 {
			return errors.New("write one of " + strings.Join(dayNames[:], ", "))
		}
		return nil
	}},
	"hm": {NewAttrSet(Clock), func(c *contextReader, v any) error {
		s, _ := v.(string)
		t, err := time.Parse("15:04", s)
		if err != nil {
			return errors.New("write a time of the day as 08:00")
		}
		c.minute = t.Hour()*60 + t.Minute()
		return nil
	}},

	"request_headers":  {NewAttrSet(Headers), makeMapReader(setHeader)},
	"request_metadata": {NewAttrSet(Metadata), makeMapReader(setMetadata)},

	"pii":      {NewAttrSet(PIITypes, PIICount, PIIConfidence), makeLabelsReader(func(f *Facts) *[]Label { return &f.PII })},
	"detector": {NewAttrSet(DetectorLabels, DetectorScore), makeLabelsReader(func(f *Facts) *[]Label { return &f.Detectors })},

	"response_finish_reason":  {NewAttrSet(FinishReason), makeTextReader(func(f *Facts, s string) { f.Finish = s })},
	"response_tokens":         {NewAttrSet(ResponseTokens), makeNumberReader(func(f *Facts, n float64) { f.OutTokens = int64(n) })},
	"response_pii_types":      {NewAttrSet(ResponsePII), makeLabelsReader(func(f *Facts) *[]Label { return &f.Response })},
	"response_schema_invalid": {NewAttrSet(SchemaInvalid), makeSwitchReader(func(f *Facts, b bool) { f.SchemaKnown, f.BadSchema = true, b })},
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
