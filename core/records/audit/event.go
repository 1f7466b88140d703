package audit

import "github.com/headgate-dev/headgate/core/records/store"

// The event types. Later versions may append types; the specification or Headgate's design names these.
const (
	GatewayRequest  = "GATEWAY_REQUEST"
	GatewayResponse = "GATEWAY_RESPONSE"

	PolicyDecision    = "POLICY_DECISION"
	AuthSuccess       = "AUTH_SUCCESS"
	AuthFailure       = "AUTH_FAILURE"
	ConfigImported    = "CONFIG_IMPORTED"
	LicenseTransition = "LICENSE_TRANSITION"
	PIIRedacted       = "PII_REDACTED"
	PIIDetokenized    = "PII_DETOKENIZED"
	BudgetExceeded    = "BUDGET_EXCEEDED"
	ToolDrift         = "TOOL_DRIFT"

	// ConfigChanged records an administrative change: the actor, the action and the record.
	ConfigChanged = "CONFIG_CHANGED"

	TenantScopeViolation = "TENANT_SCOPE_VIOLATION"
	PATCreated           = "PAT_CREATED"
	PATRevoked           = "PAT_REVOKED"

	// PluginCall is written when a plugin has called an upstream.
	PluginCall = "PLUGIN_CALL"

	GuardrailPluginCreated = "GUARDRAIL_PLUGIN_CREATED"
	GuardrailPluginUpdated = "GUARDRAIL_PLUGIN_UPDATED"
	GuardrailPluginRotated = "GUARDRAIL_PLUGIN_ROTATED"
	GuardrailPluginDeleted = "GUARDRAIL_PLUGIN_DELETED"

	// ChainOpened is written when a gateway starts. Its payload says whether the previous gateway shut down cleanly. If
	// it did not, the payload also gives the interval in which accepted records may have been lost.
	ChainOpened = "CHAIN_OPENED"
	// ChainClosed marks a clean shutdown.
	ChainClosed = "CHAIN_CLOSED"
	// ChainCheckpoint is a node's signature over the current end of its chain.
	ChainCheckpoint = "CHAIN_CHECKPOINT"
	// ChainTrimmed announces what retention is about to remove.
	ChainTrimmed = "CHAIN_TRIMMED"
)

// Event is one entry of the log. If its time is zero, Append sets the current time. Append copies the event. Payload
// builds payloads.
type Event = store.AuditText
