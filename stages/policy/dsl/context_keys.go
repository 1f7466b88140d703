package dsl

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// contextKey is how one key of a context is read, and what is known by it.
type contextKey struct {
	attrs Attrs
	set   func(*contextReader, any) error
}

// contextKeys are the keys of a context. Some have a short name too.
var contextKeys = map[string]contextKey{
	"model":                {AttrSet(Model), asText(func(f *Facts, s string) { f.Asked[0] = s })},
	"model_name":           {AttrSet(Model), asText(func(f *Facts, s string) { f.Asked[0] = s })},
	"routed":               {AttrSet(Model), asText(func(f *Facts, s string) { f.Sent[0], f.Sent[1] = s, bare(s) })},
	"model_routed":         {AttrSet(Model), asText(func(f *Facts, s string) { f.Sent[0], f.Sent[1] = s, bare(s) })},
	"routed_model":         {AttrSet(Model), asText(func(f *Facts, s string) { f.Sent[0], f.Sent[1] = s, bare(s) })},
	"context_window":       {AttrSet(ContextWindow), asNumber(setWindow)},
	"model_context_window": {AttrSet(ContextWindow), asNumber(setWindow)},
	"provider":             {AttrSet(Provider), asText(func(f *Facts, s string) { f.Provider = s })},
	"region":               {AttrSet(Region), asText(func(f *Facts, s string) { f.Region = s })},

	"tenant":          {AttrSet(TenantID), asText(func(f *Facts, s string) { f.Tenant = s })},
	"tenant_id":       {AttrSet(TenantID), asText(func(f *Facts, s string) { f.Tenant = s })},
	"tenant_md":       {AttrSet(TenantMetadata), asMap(func(f *Facts, m map[string]any) { f.TenantMetadata = m })},
	"tenant_metadata": {AttrSet(TenantMetadata), asMap(func(f *Facts, m map[string]any) { f.TenantMetadata = m })},
	"tenant_tags":     {0, asTexts(func(f *Facts, l []string) { f.TenantTags = l })},

	"key":          {AttrSet(KeyID), asText(func(f *Facts, s string) { f.Key = s })},
	"key_id":       {AttrSet(KeyID), asText(func(f *Facts, s string) { f.Key = s })},
	"key_name":     {AttrSet(KeyID), asText(func(f *Facts, s string) { f.KeyName = s })},
	"key_tier":     {AttrSet(KeyID), asText(func(f *Facts, s string) { f.KeyTier = s })},
	"scopes":       {AttrSet(KeyScopes), asTexts(func(f *Facts, l []string) { f.Scopes = l })},
	"key_scopes":   {AttrSet(KeyScopes), asTexts(func(f *Facts, l []string) { f.Scopes = l })},
	"key_tags":     {AttrSet(KeyTags), asTexts(func(f *Facts, l []string) { f.KeyTags = l })},
	"key_md":       {AttrSet(KeyMetadata), asMap(func(f *Facts, m map[string]any) { f.KeyMetadata = m })},
	"key_metadata": {AttrSet(KeyMetadata), asMap(func(f *Facts, m map[string]any) { f.KeyMetadata = m })},
	"key_expires":  {AttrSet(KeyExpiry), asTime(func(f *Facts, t time.Time) { f.KeyExpires = t })},

	"user":    {AttrSet(User), asText(func(f *Facts, s string) { f.User = s })},
	"user_id": {AttrSet(User), asText(func(f *Facts, s string) { f.User = s })},

	"shape":               {AttrSet(Shape), asText(func(f *Facts, s string) { f.Shape = s })},
	"request_shape":       {AttrSet(Shape), asText(func(f *Facts, s string) { f.Shape = s })},
	"stream":              {AttrSet(Streaming), asSwitch(func(f *Facts, b bool) { f.Stream = b })},
	"request_stream":      {AttrSet(Streaming), asSwitch(func(f *Facts, b bool) { f.Stream = b })},
	"has_tools":           {AttrSet(HasTools), asSwitch(setHasTools)},
	"request_has_tools":   {AttrSet(HasTools), asSwitch(setHasTools)},
	"has_images":          {AttrSet(HasImages), asSwitch(func(f *Facts, b bool) { f.HasImages = b })},
	"request_has_images":  {AttrSet(HasImages), asSwitch(func(f *Facts, b bool) { f.HasImages = b })},
	"has_files":           {AttrSet(HasFiles), asSwitch(func(f *Facts, b bool) { f.HasFiles = b })},
	"request_has_files":   {AttrSet(HasFiles), asSwitch(func(f *Facts, b bool) { f.HasFiles = b })},
	"effort":              {AttrSet(Effort), asText(func(f *Facts, s string) { f.Effort = s })},
	"request_effort":      {AttrSet(Effort), asText(func(f *Facts, s string) { f.Effort = s })},
	"temperature":         {AttrSet(Temperature), asNumber(setTemperature)},
	"request_temperature": {AttrSet(Temperature), asNumber(setTemperature)},
	"schema":              {AttrSet(AnswerSchema), asSwitch(func(f *Facts, b bool) { f.Schema = b })},
	"request_schema":      {AttrSet(AnswerSchema), asSwitch(func(f *Facts, b bool) { f.Schema = b })},

	"tools":                   {AttrSet(ToolNames, ToolCount, HasTools), asTexts(func(f *Facts, l []string) { f.Tools = l })},
	"tools_names":             {AttrSet(ToolNames, ToolCount, HasTools), asTexts(func(f *Facts, l []string) { f.Tools = l })},
	"tool_types":              {AttrSet(ToolTypes, ToolCount, HasTools), asTexts(func(f *Facts, l []string) { f.ToolTypes = l })},
	"tools_types":             {AttrSet(ToolTypes, ToolCount, HasTools), asTexts(func(f *Facts, l []string) { f.ToolTypes = l })},
	"tool_count":              {AttrSet(ToolCount, HasTools), asNumber(setToolCount)},
	"tools_count":             {AttrSet(ToolCount, HasTools), asNumber(setToolCount)},
	"n_tools":                 {AttrSet(ToolCount, HasTools), asNumber(setToolCount)},
	"messages":                {AttrSet(MessageCount), asNumber(func(f *Facts, n float64) { f.Messages = int(n) })},
	"messages_count":          {AttrSet(MessageCount), asNumber(func(f *Facts, n float64) { f.Messages = int(n) })},
	"n_messages":              {AttrSet(MessageCount), asNumber(func(f *Facts, n float64) { f.Messages = int(n) })},
	"system_missing":          {AttrSet(SystemMissing), asSwitch(func(f *Facts, b bool) { f.SystemMissing = b })},
	"messages_system_missing": {AttrSet(SystemMissing), asSwitch(func(f *Facts, b bool) { f.SystemMissing = b })},

	"tokens":             {AttrSet(PromptTokens), asNumber(func(f *Facts, n float64) { f.PromptTokens = int64(n) })},
	"tokens_prompt":      {AttrSet(PromptTokens), asNumber(func(f *Facts, n float64) { f.PromptTokens = int64(n) })},
	"prompt_tokens":      {AttrSet(PromptTokens), asNumber(func(f *Facts, n float64) { f.PromptTokens = int64(n) })},
	"tokens_max":         {AttrSet(MaxTokens, MaxTokensMissing), asNumber(func(f *Facts, n float64) { f.MaxTokens = int64(n) })},
	"max_tokens":         {AttrSet(MaxTokens, MaxTokensMissing), asNumber(func(f *Facts, n float64) { f.MaxTokens = int64(n) })},
	"cost":               {AttrSet(Cost), asNumber(func(f *Facts, n float64) { f.CostUSD, f.Priced = n, true })},
	"cost_usd":           {AttrSet(Cost), asNumber(func(f *Facts, n float64) { f.CostUSD, f.Priced = n, true })},
	"cost_estimated_usd": {AttrSet(Cost), asNumber(func(f *Facts, n float64) { f.CostUSD, f.Priced = n, true })},

	"budget_pct":           {AttrSet(BudgetPct, BudgetExceeded), asNumber(setBudget)},
	"budget_remaining_pct": {AttrSet(BudgetPct, BudgetExceeded), asNumber(setBudget)},
	"budget_exceeded":      {AttrSet(BudgetExceeded), asSwitch(func(f *Facts, b bool) { f.Budgeted, f.BudgetExceeded = true, b })},

	"now":  {AttrSet(Clock), asTime(func(f *Facts, t time.Time) { f.Now = t })},
	"time": {AttrSet(Clock), asTime(func(f *Facts, t time.Time) { f.Now = t })},
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

	"headers":          {AttrSet(Headers), asMap(asHeader)},
	"request_headers":  {AttrSet(Headers), asMap(asHeader)},
	"metadata":         {AttrSet(Metadata), asMap(asMetadata)},
	"md":               {AttrSet(Metadata), asMap(asMetadata)},
	"request_md":       {AttrSet(Metadata), asMap(asMetadata)},
	"request_metadata": {AttrSet(Metadata), asMap(asMetadata)},

	"pii":       {AttrSet(PIITypes, PIICount, PIIConfidence), asLabels(func(f *Facts) *[]Label { return &f.PII })},
	"detector":  {AttrSet(DetectorLabels, DetectorScore), asLabels(func(f *Facts) *[]Label { return &f.Detectors })},
	"detectors": {AttrSet(DetectorLabels, DetectorScore), asLabels(func(f *Facts) *[]Label { return &f.Detectors })},

	"finish_reason":           {AttrSet(FinishReason), asText(func(f *Facts, s string) { f.Finish = s })},
	"response_finish_reason":  {AttrSet(FinishReason), asText(func(f *Facts, s string) { f.Finish = s })},
	"response_tokens":         {AttrSet(ResponseTokens), asNumber(func(f *Facts, n float64) { f.OutTokens = int64(n) })},
	"response_pii":            {AttrSet(ResponsePII), asLabels(func(f *Facts) *[]Label { return &f.Response })},
	"response_pii_types":      {AttrSet(ResponsePII), asLabels(func(f *Facts) *[]Label { return &f.Response })},
	"schema_invalid":          {AttrSet(SchemaInvalid), asSwitch(func(f *Facts, b bool) { f.SchemaKnown, f.BadSchema = true, b })},
	"response_schema_invalid": {AttrSet(SchemaInvalid), asSwitch(func(f *Facts, b bool) { f.SchemaKnown, f.BadSchema = true, b })},
}

func setWindow(f *Facts, n float64) { f.ContextWindow = int64(n) }

func setTemperature(f *Facts, n float64) { f.Temperature, f.HasTemperature = n, true }

// setBudget takes a budget that nothing is left of for exceeded.
func setBudget(f *Facts, n float64) {
	f.Budgeted, f.BudgetPct = true, n
	if n <= 0 {
		f.BudgetExceeded = true
	}
}

// setHasTools notes tools whose names are not known.
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
