package audit

import "github.com/headgate-dev/headgate/core/records/store"

// The types of event. Others may be appended; these are the ones with a name in the specification or in Headgate's own
// design.
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

	// ConfigChanged tells of an administrative change: who made it, what it did, and to which record.
	ConfigChanged = "CONFIG_CHANGED"

	TenantScopeViolation = "TENANT_SCOPE_VIOLATION"
	PATCreated           = "PAT_CREATED"
	PATRevoked           = "PAT_REVOKED"

	GuardrailPluginCreated = "GUARDRAIL_PLUGIN_CREATED"
	GuardrailPluginUpdated = "GUARDRAIL_PLUGIN_UPDATED"
	GuardrailPluginRotated = "GUARDRAIL_PLUGIN_ROTATED"
	GuardrailPluginDeleted = "GUARDRAIL_PLUGIN_DELETED"

	// ChainOpened is written when a gateway starts. Its payload says whether the gateway before it had shut down in
	// order; if not, records accepted shortly before the kill may be missing, and it names between which times.
	ChainOpened = "CHAIN_OPENED"
	// ChainClosed is the mark of an orderly shutdown.
	ChainClosed = "CHAIN_CLOSED"
	// ChainCheckpoint is a node's signature over where its chain ends.
	ChainCheckpoint = "CHAIN_CHECKPOINT"
	// ChainTrimmed tells what retention is about to remove.
	ChainTrimmed = "CHAIN_TRIMMED"
)

// Event is one thing that happened. Its time is that of the call to Append, which copies it, unless it has one. Payload
// builds payloads.
type Event = store.AuditText
