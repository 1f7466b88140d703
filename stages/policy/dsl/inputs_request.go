package dsl

import "strings"

// requestInputs describe the request.
var requestInputs = map[Attr]input{
	Shape: {
		"request.shape",
		func(t *Test, f *Facts) bool { return t.matchesText(f.Shape) },
		func(_ *Test, f *Facts) string { return f.Shape },
	},
	Streaming: {
		"request.stream",
		func(t *Test, f *Facts) bool { return f.Stream == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.Stream) },
	},
	HasTools: {
		"request.has_tools",
		func(t *Test, f *Facts) bool { return (len(f.Tools) > 0 || len(f.ToolTypes) > 0) == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(len(f.Tools)+len(f.ToolTypes) > 0) },
	},
	HasImages: {
		"request.has_images",
		func(t *Test, f *Facts) bool { return f.HasImages == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.HasImages) },
	},
	HasFiles: {
		"request.has_files",
		func(t *Test, f *Facts) bool { return f.HasFiles == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.HasFiles) },
	},
	Effort: {
		"request.effort",
		func(t *Test, f *Facts) bool { return f.Effort != "" && t.matchesText(f.Effort) },
		func(_ *Test, f *Facts) string { return f.Effort },
	},
	Temperature: {
		"request.temperature",
		func(t *Test, f *Facts) bool { return f.HasTemperature && t.Range.Holds(f.Temperature) },
		func(_ *Test, f *Facts) string {
			if !f.HasTemperature {
				return ""
			}
			return formatValue(f.Temperature)
		},
	},
	AnswerSchema: {name: "request.schema"},
	ToolNames: {
		"tools.names",
		func(t *Test, f *Facts) bool { return t.matchesList(f.Tools) },
		func(_ *Test, f *Facts) string { return strings.Join(f.Tools, " ") },
	},
	ToolTypes: {
		"tools.types",
		func(t *Test, f *Facts) bool { return t.matchesList(f.ToolTypes) },
		func(_ *Test, f *Facts) string { return strings.Join(f.ToolTypes, " ") },
	},
	ToolCount: {
		"tools.count",
		func(t *Test, f *Facts) bool { return t.Range.Holds(float64(max(len(f.Tools), len(f.ToolTypes)))) },
		func(_ *Test, f *Facts) string { return formatValue(max(len(f.Tools), len(f.ToolTypes))) },
	},
	AgentName: {
		"agent.name",
		func(t *Test, f *Facts) bool { return f.Agent.Name != "" && t.matchesText(f.Agent.Name) },
		func(_ *Test, f *Facts) string { return f.Agent.Name },
	},
	AgentMethod: {
		"agent.method",
		func(t *Test, f *Facts) bool { return f.Agent.Method != "" && t.matchesText(f.Agent.Method) },
		func(_ *Test, f *Facts) string { return f.Agent.Method },
	},
	ToolName: {
		"tool.name",
		func(t *Test, f *Facts) bool { return f.Tool.Name != "" && t.matchesText(f.Tool.Name) },
		func(_ *Test, f *Facts) string { return f.Tool.Name },
	},
	ToolServer: {
		"tool.server",
		func(t *Test, f *Facts) bool { return f.Tool.Server != "" && t.matchesText(f.Tool.Server) },
		func(_ *Test, f *Facts) string { return f.Tool.Server },
	},
	ToolAnnotations: {
		"tool.annotations",
		func(t *Test, f *Facts) bool { return t.matchesValue(f.Tool.Annotations[t.Key]) },
		func(t *Test, f *Facts) string { return formatValue(f.Tool.Annotations[t.Key]) },
	},
	ToolArgs: {
		"tool.args",
		func(t *Test, f *Facts) bool { return t.matchesValue(f.Tool.Args[t.Key]) },
		func(*Test, *Facts) string { return "" }, // traces are kept, and arguments hold what people have written
	},
	ToolOffered: {
		"tool.offered",
		func(t *Test, f *Facts) bool { return f.Tool.Name != "" && f.Tool.Offered == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.Tool.Offered) },
	},
	ToolRequested: {
		"tool.requested",
		func(t *Test, f *Facts) bool { return f.Tool.Name != "" && f.Tool.Requested == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.Tool.Requested) },
	},
	MessageCount: {
		"messages.count",
		func(t *Test, f *Facts) bool { return t.Range.Holds(float64(f.Messages)) },
		func(_ *Test, f *Facts) string { return formatValue(f.Messages) },
	},
	SystemMissing: {
		"messages.system_missing",
		func(t *Test, f *Facts) bool { return f.SystemMissing == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.SystemMissing) },
	},
	Metadata: {
		"metadata",
		func(t *Test, f *Facts) bool { v, ok := f.Metadata[t.Key]; return ok && t.matchesText(v) },
		func(t *Test, f *Facts) string { return f.Metadata[t.Key] },
	},
}

// limitInputs are amounts of tokens and money.
var limitInputs = map[Attr]input{
	PromptTokens: {
		"tokens.prompt",
		func(t *Test, f *Facts) bool { return t.Range.Holds(float64(f.PromptTokens)) },
		func(_ *Test, f *Facts) string { return formatValue(f.PromptTokens) },
	},
	MaxTokens: {
		"tokens.max",
		func(t *Test, f *Facts) bool { return f.MaxTokens > 0 && t.Range.Holds(float64(f.MaxTokens)) },
		func(_ *Test, f *Facts) string { return formatValue(f.MaxTokens) },
	},
	MaxTokensMissing: {
		"tokens.max_missing",
		func(t *Test, f *Facts) bool { return (f.MaxTokens == 0) == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.MaxTokens) },
	},
	Cost: {
		"cost.estimated_usd",
		func(t *Test, f *Facts) bool { return f.Priced && t.Range.Holds(f.CostUSD) },
		func(_ *Test, f *Facts) string { return formatValue(f.CostUSD) },
	},
	BudgetPct: {
		"budget.remaining_pct",
		func(t *Test, f *Facts) bool { return f.Budgeted && t.Range.Holds(f.BudgetPct) },
		func(_ *Test, f *Facts) string { return formatValue(f.BudgetPct) },
	},
	BudgetExceeded: {
		"budget.exceeded",
		func(t *Test, f *Facts) bool { return (f.Budgeted && f.BudgetExceeded) == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.BudgetExceeded) },
	},
}

// contentInputs are what the detectors found in a request.
var contentInputs = map[Attr]input{
	PIITypes:      {"pii.types", holdsPII, formatPII},
	PIICount:      {"pii.count", holdsPII, formatPII},
	PIIConfidence: {"pii.confidence", holdsPII, formatPII},
	DetectorLabels: {
		"detector.labels",
		func(t *Test, f *Facts) bool { return t.matchesLabels(f.Detectors) },
		func(_ *Test, f *Facts) string { return joinNames(f.Detectors) },
	},
	DetectorScore: {
		"detector.score",
		func(t *Test, f *Facts) bool { return t.Range.Holds(findScore(f.Detectors, t.Key)) },
		func(t *Test, f *Facts) string { return formatValue(findScore(f.Detectors, t.Key)) },
	},
}

func holdsPII(t *Test, f *Facts) bool { return t.matchesLabels(f.PII) }

func formatPII(_ *Test, f *Facts) string { return joinNames(f.PII) }

// answerInputs are known when there is an answer.
var answerInputs = map[Attr]input{
	FinishReason: {
		"response.finish_reason",
		func(t *Test, f *Facts) bool { return f.Finish != "" && t.matchesText(f.Finish) },
		func(_ *Test, f *Facts) string { return f.Finish },
	},
	ResponseTokens: {
		"response.tokens",
		func(t *Test, f *Facts) bool { return t.Range.Holds(float64(f.OutTokens)) },
		func(_ *Test, f *Facts) string { return formatValue(f.OutTokens) },
	},
	ResponsePII: {
		"response.pii_types",
		func(t *Test, f *Facts) bool { return t.matchesLabels(f.Response) },
		func(_ *Test, f *Facts) string { return joinNames(f.Response) },
	},
	SchemaInvalid: {
		"response.schema_invalid",
		func(t *Test, f *Facts) bool { return f.SchemaKnown && f.BadSchema == t.Is },
		func(_ *Test, f *Facts) string { return formatValue(f.BadSchema) },
	},
}
