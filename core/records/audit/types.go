package audit

import (
	"encoding/json"
	"slices"
)

// Type is a type of event.
type Type struct {
	Name    string
	Meaning string
	Fields  []Field
}

// Field is a field of an event's payload. Empty fields are omitted.
type Field struct{ Name, Meaning string }

// ListTypes returns all event types with the fields of their payloads, as docs/audit.md lists them.
func ListTypes() []Type {
	requestID := Field{"request_id", "id of the exchange, in all of its events"}
	actor := Field{"actor", "who acted: user:…, pat:…, jwt:… or cli"}
	id := Field{"id", "the record"}
	plugin := []Field{
		{"file", "the file in the plugins folder"},
		{"digest", "SHA-256 of the file"},
		{"version", "the version in its manifest"},
		{"before", "digest of the version that served before"},
		{"reason", "why"},
	}
	changes := Field{
		"changes", "each field that changed, with its value before and after; secrets, paths of addresses and personal data are masked",
	}
	guardrail := []Field{
		actor, id,
		{"name", "its name"},
		{"action", "create, update, rotate or delete"},
		{"resource", "guardrail_plugin"},
		changes,
	}
	token := []Field{
		actor, id,
		{"user", "its user"},
		{"name", "its name"},
		{"prefix", "its first characters"},
		{"roles", "its roles"},
	}
	return []Type{
		{GatewayRequest, "a governed call was accepted", []Field{
			requestID,
			{"trace_id", "the caller's X-Trace-Id, if it differs"},
			{"shape", "the API that the caller used"},
			{"operation", "method and path of a call to the batch service"},
			{"api_key", "the first characters of the key"},
			{"api_key_id", "the key"},
			{"model", "model as the caller named it"},
			{"models", "models of a batch file"},
			{"stream", "whether the caller asked for a stream"},
			{"messages", "number of messages"},
			{"user", "the end user that the caller named"},
			{"actor", "who sent it from the console's playground"},
			{"shadowed", "links that were in shadow mode for this exchange only"},
			{"down", "the provider that was treated as down for this exchange only"},
			{"stripped_tools", "hosted tools that were removed from the request"},
			{"mcp_server", "the MCP server to which the message was sent"},
			{"mcp_method", "the method of the message, or session/end"},
			{"mcp_era", "era of the protocol: modern or legacy"},
			{"mcp_tool", "the called tool"},
			{"a2a_agent", "the agent to which the request was sent"},
			{"a2a_method", "the method of the request, or card"},
			{"a2a_version", "version of the A2A protocol"},
			{"message_sha256", "SHA-256 of the message to an agent after all links"},
			{"arguments_sha256", "SHA-256 of the arguments after all links"},
			{"cache", "`hit`: the result is a stored one"},
			{"hosted_tools", "hosted tools that the request was allowed to use"},
			{"findings", "findings of links: link, label, count, shadow"},
			{"file_id", "file of a batch"},
			{"batch_id", "id of a batch"},
			{"endpoint", "endpoint of the lines of a batch"},
			{"lines", "number of lines of a batch file"},
		}},
		{GatewayResponse, "a governed call ended, successfully or not", []Field{
			requestID,
			{"model", "model as sent to the provider"},
			{"provider", "the last provider that was called"},
			{"status", "HTTP status that the caller received"},
			{"outcome", "served, blocked, refused, failed, …"},
			{"by", "the link that decided the outcome"},
			{"code", "error code of the refusal"},
			{"complete", "whether the caller received the whole answer"},
			{"results_withheld", "number of results of a batch that a guard refused at download"},
			{"latency_ms", "time from receipt to the end, in milliseconds"},
			{"api_key", "the first characters of the key"},
			{"tokens_prompt", "counted, or estimated"},
			{"tokens_completion", "counted, or estimated"},
			{"tokens_total", "the sum"},
			{"tokens_estimated", "true if the provider did not report tokens"},
			{"images", "generated pictures"},
			{"audio_ms", "milliseconds of processed sound"},
			{"searches", "searches of a reranker"},
			{"characters", "characters of spoken text"},
			{"findings", "findings in the answer: link, label, count, shadow"},
			{"faults", "links that failed: link, phase, fault, shadow"},
			{"file_id", "file of a batch"},
			{"batch_id", "id of a batch"},
		}},
		{PolicyDecision, "policy rules fired", []Field{
			requestID, {"decision", "DENIED or ALLOWED"}, {"rules", "each rule with its phase"},
		}},
		{PIIRedacted, "personal data was redacted in an exchange", []Field{
			requestID, {"api_key_id", "the key"}, {"types", "number of values by type"}, {"total", "number of values"},
		}},
		{PIIDetokenized, "an administrator had placeholders restored", []Field{
			actor,
			{"restored", "number of restored placeholders"},
			{"unresolved", "number of unknown or expired placeholders"},
			{"types", "number of values by type"},
			{"reason", "the reason that they gave"},
		}},
		{BudgetExceeded, "a budget refused an exchange", []Field{
			requestID,
			{"budget", "the budget"},
			{"period", "daily, weekly or monthly"},
			{"provider", "provider of the refused call"},
			{"model", "model of the refused call"},
			{"api_key_id", "the key"},
		}},
		{ToolDrift, "a server offers an untrusted definition of a tool; the tool is not served until an administrator decides", []Field{
			{"mcp_server", "the MCP server"},
			{"mcp_tool", "the tool"},
			{"state", "DRIFTED, or NEW for a tool that needs an approval before first use"},
			{"fields", "members of the definition that differ"},
			{"before", "SHA-256 of the trusted definition, in RFC 8785 form"},
			{"digest", "SHA-256 of the offered definition"},
		}},
		{AuthSuccess, "an administrator signed in", []Field{
			actor, {"via", "session, pat or jwt"}, {"roles", "their roles"}, {"address", "address of the client"},
		}},
		{AuthFailure, "a call had no valid credential", []Field{
			requestID,
			{"trace_id", "the caller's X-Trace-Id"},
			{"shape", "the API that the caller used; admin is the administrative API"},
			{"status", "HTTP status that the caller received"},
			actor,
			{"prefix", "the first characters of the token"},
			{"address", "address of the client"},
			{"unreported", "number of earlier refusals without an event"},
			{"reason", "why it was refused"},
		}},
		{TenantScopeViolation, "an administrator of one tenant named another tenant", []Field{
			actor, {"permission", "permission that the operation needs"}, {"named", "the other tenant"},
		}},
		{PATCreated, "a personal access token was created", append(slices.Clone(token), Field{"expires_at", "when it expires; absent: never"})},
		{PATRevoked, "a personal access token was revoked", token},
		{GuardrailPluginCreated, "a guardrail plugin was created", guardrail},
		{GuardrailPluginUpdated, "a guardrail plugin was changed, enabled or disabled", guardrail},
		{GuardrailPluginRotated, "the secret of a guardrail plugin was rotated", guardrail},
		{GuardrailPluginDeleted, "a guardrail plugin was deleted", guardrail},
		{ConfigImported, "a configuration was imported", []Field{
			actor, {"changes", "number of created, changed and deleted records"},
		}},
		{ConfigChanged, "an administrator changed a record", []Field{
			actor,
			{"action", "create, update, delete, rotate, …"},
			{"resource", "the kind of record"},
			id,
			changes,
		}},
		{LicenseTransition, "the state of the licence changed", []Field{
			{"from", "the state before"},
			{"to", "the state now"},
			{"posture", "DEVELOPMENT or PRODUCTION"},
			{"licensee", "licensee of the licence"},
			{"type", "TRIAL or PRODUCTION"},
			{"expires_at", "when it expires"},
			{"digest", "SHA-256 of the licence file"},
			actor,
		}},
		{"PLUGIN_LOADED", "a file of the plugins folder is active", plugin},
		{"PLUGIN_REFUSED", "a file of the plugins folder cannot be used", plugin},
		{"PLUGIN_CANDIDATE", "a new version runs beside the active one for a trial", plugin},
		{"PLUGIN_PROMOTED", "a candidate replaced the active version", plugin},
		{"PLUGIN_HELD", "a candidate waits for an operator", plugin},
		{"PLUGIN_WITHDRAWN", "the active file was removed, and no version is active", plugin},
		{PluginCall, "a plugin called an upstream", []Field{
			requestID,
			{"link", "the plugin's link"},
			{"upstream", "its name in plugins.upstreams"},
			{"status", "status of the answer, or 0 without an answer"},
			{"sent_bytes", "length of the sent body"},
			{"received_bytes", "length of the answer's body"},
		}},
		{ChainOpened, "a node started", []Field{
			{"node", "the node"},
			{"clean", "whether the node had shut down cleanly before"},
			{"previous_seq", "the last record before the start"},
			{"previous_at", "time of that record"},
			{"gap", "which records may be missing after a kill"},
		}},
		{ChainClosed, "a node shut down cleanly", nil},
		{ChainCheckpoint, "a node signed the end of its chain", []Field{
			{"node", "the node"},
			{"seq", "the last signed record"},
			{"at", "time of that record, in microseconds since 1970 UTC"},
			{"hash", "hash of the chain after it"},
			{"key", "the first digits of the public key's SHA-256"},
			{"signature", "Ed25519, Base64"},
			{"seen", "node, seq and hash of the ends of other nodes' chains"},
		}},
		{ChainTrimmed, "retention is about to remove the start of a chain", []Field{
			{"node", "the node whose chain it is"},
			{"through_seq", "the last record to be removed"},
			{"through_at", "time of that record, in microseconds since 1970 UTC"},
			{"hash", "hash of the chain after it"},
			{"removed", "number of removed records by type, since the chain began"},
		}},
	}
}

// ListUnknown returns the payload's fields that its type does not define, or the type itself if it is unknown. Tests of
// code that writes events use it.
func ListUnknown(kind string, payload []byte) (names []string) {
	all := ListTypes()
	at := slices.IndexFunc(all, func(t Type) bool { return t.Name == kind })
	if at < 0 {
		return []string{kind}
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(payload, &object) != nil {
		return []string{"no JSON object"}
	}
	for name := range object {
		if !slices.ContainsFunc(all[at].Fields, func(f Field) bool { return f.Name == name }) {
			names = append(names, kind+"."+name)
		}
	}
	return names
}
