package outbox

import "slices"

// The event types that code refers to by name.
const (
	PolicyDenial      = "POLICY_DENIAL"
	PIIDetected       = "PII_DETECTED"
	BudgetExceeded    = "BUDGET_EXCEEDED"
	BudgetSoftLimit   = "BUDGET_SOFT_LIMIT"
	PluginThreshold   = "PLUGIN_THRESHOLD"
	CostAnomaly       = "COST_ANOMALY"
	ToolDrift         = "TOOL_DRIFT"
	ApprovalRequested = "APPROVAL_REQUESTED"
	CircuitChanged    = "CIRCUIT_CHANGED"
	LicenseTransition = "LICENSE_TRANSITION"
	ConfigChanged     = "CONFIG_CHANGED"
	// Test is the event that tests a subscription. It cannot be subscribed to.
	Test = "WEBHOOK_TEST"
)

// The kinds of fields.
const (
	Text   = "string"
	Number = "number"
	Counts = "object of counts" // counts by name
	Texts  = "array of strings"
)

// Field is one member of an event's data.
type Field struct{ Name, Kind, Means string }

// Type is one type of event.
type Type struct {
	Name   string
	When   string
	Fields []Field
}

// ListTypes returns all event types that webhooks can subscribe to, in the order of the documentation. No field holds text
// of an exchange, a secret, or a file path.
func ListTypes() []Type { return slices.Clone(types) }

// IsKnownType reports whether a type can be subscribed to.
func IsKnownType(name string) bool { return findType(name) != nil }

// ListNames returns the names of the types.
func ListNames() []string {
	names := make([]string, len(types))
	for i := range types {
		names[i] = types[i].Name
	}
	return names
}

// IsNumeric reports whether a field of a type is a number.
func IsNumeric(name, field string) bool {
	t := findType(name)
	if t == nil {
		return false
	}
	f := t.findField(field)
	return f != nil && f.Kind == Number
}

func findType(name string) *Type {
	for i := range types {
		if types[i].Name == name {
			return &types[i]
		}
	}
	return nil
}

// findField returns the field with a name, or nil.
func (t *Type) findField(name string) *Field {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

var (
	exchangeFields = []Field{
		{"request_id", Text, "id of the exchange, as in the audit log"},
		{"api_key_id", Text, "id of the gateway key"},
		{"model", Text, "model as the client names it"},
	}
	pluginFields = []Field{
		{"file", Text, "name of the module in the plugins folder"},
		{"digest", Text, "SHA-256 of the version"},
		{"version", Text, "version in its manifest"},
		{"before", Text, "SHA-256 of the version that served before"},
	}
)

func joinFields(common []Field, more ...Field) []Field { return append(slices.Clone(common), more...) }

var types = []Type{
	{PolicyDenial, "a policy refused an exchange", joinFields(exchangeFields,
		Field{"rules", Texts, "ids of the rules that fired, with their policies"})},
	{PIIDetected, "personal data was found in a request or an answer", joinFields(exchangeFields,
		Field{"request_types", Counts, "how often each type was found in the request"},
		Field{"response_types", Counts, "how often each type was found in the answer"})},
	{BudgetExceeded, "a budget refused an exchange", joinFields(exchangeFields,
		Field{"budget", Text, "id of the budget"},
		Field{"period", Text, "DAILY, WEEKLY or MONTHLY"},
		Field{"provider", Text, "provider of the refused call"})},
	{BudgetSoftLimit, "a budget reached its soft limit, once per period", []Field{
		{"budget", Text, "id of the budget"},
		{"period", Text, "DAILY, WEEKLY or MONTHLY"},
		{"counts", Text, "usd or tokens"},
		{"soft_limit_pct", Text, "the soft limit, in percent of the limit"},
		{"utilization_pct", Text, "what is used, in percent of the limit"},
	}},
	{PluginThreshold, "a plugin reports that one of its limits is used up to a given share", []Field{
		{"link", Text, "the plugin's link"},
		{"limit", Text, "the plugin's name for the limit"},
		{"percent", Number, "what is used, in percent of the limit"},
	}},
	{CostAnomaly, "the daily cost of a model is far above its baseline", []Field{
		{"model", Text, "model as billed"},
		{"current_daily_rate", Number, "current cost in USD per day"},
		{"baseline_daily_rate", Number, "cost in USD per day over the 30 days before"},
		{"deviation_pct", Number, "how far the rate is above the baseline, in percent"},
		{"threshold_pct", Number, "deviation that counts as an anomaly, in percent"},
	}},
	{ToolDrift, "a server offers an untrusted definition of a tool; the tool is not served until an administrator decides", []Field{
		{"server", Text, "name of the MCP server"},
		{"tool", Text, "name of the tool"},
		{"state", Text, "DRIFTED, or NEW for a tool that needs an approval before first use"},
		{"fields", Texts, "members of the definition that differ"},
		{"before", Text, "SHA-256 of the trusted definition"},
		{"digest", Text, "SHA-256 of the offered definition"},
	}},
	{ApprovalRequested, "an action waits for a second person's approval", []Field{
		{"approval", Text, "id of the request for approval"},
		{"kind", Text, "what needs approval: a policy rule, one tool call, or an export of the audit log"},
	}},
	{CircuitChanged, "the circuit of a provider or model opened, which stops calls for a while, or closed again", []Field{
		{"provider", Text, "name of the provider"},
		{"model", Text, "the provider's name for the model; empty for the whole provider"},
		{"state", Text, "OPEN or CLOSED"},
	}},
	{"PLUGIN_LOADED", "a version of a plugin is active", pluginFields},
	{"PLUGIN_REFUSED", "a file of the plugins folder cannot be used", pluginFields},
	{"PLUGIN_CANDIDATE", "a new version of a plugin runs beside the active one for a trial", pluginFields},
	{"PLUGIN_PROMOTED", "a candidate replaced the active version", pluginFields},
	{"PLUGIN_HELD", "a candidate failed its trial and waits for an operator", pluginFields},
	{"PLUGIN_WITHDRAWN", "a plugin's file was removed, and no version is active", pluginFields},
	{LicenseTransition, "the state of the licence changed", []Field{
		{"from", Text, "VALID, EXPIRING_SOON, GRACE_PERIOD, DEGRADED, or empty without a licence"},
		{"to", Text, "the same"},
		{"expires_at", Text, "when the licence expires"},
	}},
	{ConfigChanged, "records were changed", []Field{
		{"version", Number, "the new configuration version"},
		{"resources", Texts, "changed records, as kind:id"},
	}},
}
