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

// Types returns all event types with the fields of their payloads, as docs/audit.md lists them.
func Types() []Type {
	requestID := Field{"request_id", "the exchange; all its events carry it"}
	actor := Field{"actor", "who did it: user:…, pat:…, jwt:… or cli"}
	id := Field{"id", "the record"}
	plugin := []Field{
		{"file", "the file in the plugins folder"},
		{"digest", "SHA-256 of the file"},
		{"version", "what the file says of itself"},
		{"before", "digest of what served before"},
		{"reason", "why"},
	}
	changes := Field{
		"changes", "each field that changed, with its value before and after; secrets, paths of addresses and personal data are masked",
	}
	guardrail := []Field{
		actor, id,
		{"name", "its name"},
		{"action", "update, enable or disable"},
		{"resource", "guardrail_plugin"},
		{"fields", "names of the fields that were changed"},
		{"scope", "platform, or the tenant"},
		changes,
	}
	return []Type{
		{GatewayRequest, "a governed call was accepted", []Field{
			requestID,
			{"trace_id", "the caller's X-Trace-Id, when it differs"},
			{"shape", "the API that the caller spoke"},
			{"operation", "of the batch service: method and path"},
			{"api_key", "the first characters of the key"},
			{"api_key_id", "the key"},
			{"model", "as the caller wrote it"},
			{"models", "of a batch file"},
			{"stream", "whether the answer was to be streamed"},
			{"messages", "how many there were"},
			{"user", "the end user that the caller named"},
			{"actor", "who asked in the console's playground"},
			{"shadowed", "the links that were in shadow mode for this exchange alone"},
			{"stripped_tools", "the tools of the provider that were removed from the request"},
			{"mcp_server", "the server of agents' tools that the message was for"},
			{"mcp_method", "the method of the message, or session/end"},
			{"mcp_era", "the generation of the protocol: modern or legacy"},
			{"mcp_tool", "the tool that was called"},
			{"a2a_agent", "the agent that the request was for"},
			{"a2a_method", "the method of the request, or card"},
			{"a2a_version", "the version of the protocol between agents"},
			{"message_sha256", "the SHA-256 of the message to an agent as the links left it"},
			{"arguments_sha256", "the SHA-256 of the arguments as the links left them"},
			{"hosted_tools", "the tools of the provider that the request was allowed to use"},
			{"findings", "what links have found: link, label, count, shadow"},
			{"file_id", "of a batch"},
			{"batch_id", "of a batch"},
			{"endpoint", "that the lines of a batch ask for"},
			{"lines", "of a batch file"},
		}},
		{GatewayResponse, "a governed call has ended, whatever way", []Field{
			requestID,
			{"model", "as the provider was sent it"},
			{"provider", "that was asked last"},
			{"status", "that the caller was sent"},
			{"outcome", "served, blocked, refused, failed, …"},
			{"by", "the link that decided it"},
			{"code", "of the refusal"},
			{"complete", "whether the caller got all of it"},
			{"results_withheld", "of a batch: refused by a guard at download"},
			{"latency_ms", "from the call to its end"},
			{"api_key", "the first characters of the key"},
			{"tokens_prompt", "counted, or estimated"},
			{"tokens_completion", "counted, or estimated"},
			{"tokens_total", "the sum"},
			{"tokens_estimated", "the provider did not count"},
			{"images", "pictures made"},
			{"audio_ms", "milliseconds of sound that was read"},
			{"searches", "of a reranker"},
			{"characters", "that were spoken"},
			{"findings", "in the answer: link, label, count, shadow"},
			{"faults", "links that failed: link, phase, fault, shadow"},
			{"file_id", "of a batch"},
			{"batch_id", "of a batch"},
		}},
		{PolicyDecision, "rules of policies have fired", []Field{
			requestID, {"decision", "DENIED or ALLOWED"}, {"rules", "rule and phase of each"},
		}},
		{PIIRedacted, "personal data was taken out of an exchange", []Field{
			requestID, {"api_key_id", "the key"}, {"types", "how many values of each type"}, {"total", "how many values"},
		}},
		{PIIDetokenized, "somebody had placeholders turned back into values", []Field{
			actor,
			{"restored", "how many placeholders were turned back"},
			{"unresolved", "how many stayed, being unknown or expired"},
			{"types", "how many values of each type"},
			{"reason", "why, as they wrote it"},
		}},
		{BudgetExceeded, "an exchange was refused for want of money or tokens", []Field{
			requestID,
			{"budget", "the budget"},
			{"period", "daily, weekly or monthly"},
			{"provider", "that would have been asked"},
			{"model", "that would have been asked"},
			{"api_key_id", "the key"},
		}},
		{ToolDrift, "a server offers another definition of a tool than the trusted one; the tool is not served until somebody decides", []Field{
			{"mcp_server", "the server of agents' tools"},
			{"mcp_tool", "the tool"},
			{"state", "DRIFTED, or NEW for a tool that needs an approval before first use"},
			{"fields", "names of the members of the definition that differ"},
			{"before", "SHA-256 of the trusted definition in the form of RFC 8785"},
			{"digest", "SHA-256 of the one that the server offers"},
		}},
		{AuthSuccess, "somebody has signed in to administer", []Field{
			actor, {"via", "session, pat or jwt"}, {"roles", "that they have"}, {"address", "where they came from"},
		}},
		{AuthFailure, "a call had no valid credential", []Field{
			requestID,
			{"trace_id", "the caller's X-Trace-Id"},
			{"shape", "the API that the caller spoke; admin for the administrative one"},
			{"status", "that the caller was sent"},
			actor,
			{"prefix", "the first characters of the token"},
			{"address", "where it came from"},
			{"unreported", "how many refusals before it were not told"},
			{"reason", "why it was refused"},
		}},
		{TenantScopeViolation, "somebody of one tenant has named another", []Field{
			actor, {"permission", "that the operation needs"}, {"named", "the tenant that was named"},
		}},
		{PATCreated, "a personal access token was made", []Field{
			actor, id, {"name", "its name"}, {"prefix", "its first characters"}, {"owner", "whose it is"}, {"expires_at", "when it ends"},
		}},
		{PATRevoked, "a personal access token was revoked", []Field{
			actor, id, {"name", "its name"}, {"prefix", "its first characters"}, {"owner", "whose it was"},
		}},
		{GuardrailPluginCreated, "a guardrail plugin was made", guardrail},
		{GuardrailPluginUpdated, "a guardrail plugin was changed, enabled or disabled", guardrail},
		{GuardrailPluginRotated, "a guardrail plugin has a new secret", guardrail},
		{GuardrailPluginDeleted, "a guardrail plugin was removed", guardrail},
		{ConfigImported, "a configuration was imported", []Field{
			actor, {"changes", "how many records were made, changed or removed"},
		}},
		{ConfigChanged, "an administrator has changed a record", []Field{
			actor,
			{"action", "create, update, delete, rotate, …"},
			{"resource", "the kind of record"},
			id,
			{"tenant", "whose record it is, when the event is the platform's"},
			changes,
		}},
		{LicenseTransition, "the licence has come into another state", []Field{
			{"from", "the state before"},
			{"to", "the state now"},
			{"posture", "DEVELOPMENT or PRODUCTION"},
			{"licensee", "of the licence"},
			{"type", "TRIAL or PRODUCTION"},
			{"expires_at", "when it ends"},
			{"digest", "SHA-256 of the licence file"},
			actor,
		}},
		{"PLUGIN_LOADED", "a file of the plugins folder serves", plugin},
		{"PLUGIN_REFUSED", "what lies in the plugins folder cannot be used", plugin},
		{"PLUGIN_CANDIDATE", "a new version is tried beside the one that serves", plugin},
		{"PLUGIN_PROMOTED", "a candidate has taken the place of what served", plugin},
		{"PLUGIN_HELD", "a candidate waits for an operator", plugin},
		{"PLUGIN_WITHDRAWN", "a file was taken away, and nothing serves in its place", plugin},
		{PluginCall, "a plugin has called an upstream", []Field{
			requestID,
			{"link", "the plugin's link"},
			{"upstream", "its name in plugins.upstreams"},
			{"status", "of the answer; 0: there was none"},
			{"sent_bytes", "length of the body that was sent"},
			{"received_bytes", "length of the body of the answer"},
		}},
		{ChainOpened, "a node has started", []Field{
			{"node", "the node"},
			{"clean", "whether it had shut down in order before"},
			{"previous_seq", "the last record before the start"},
			{"previous_at", "when that was written"},
			{"gap", "what may be missing after a kill"},
		}},
		{ChainClosed, "a node shuts down in order", nil},
		{ChainCheckpoint, "a node signs where its chain ends", []Field{
			{"node", "the node"},
			{"seq", "the last record that is signed"},
			{"at", "when that was written, in microseconds since 1970 UTC"},
			{"hash", "of the chain after it"},
			{"key", "the first digits of the public key's SHA-256"},
			{"signature", "Ed25519, Base64"},
			{"seen", "node, seq and hash where the chains of other nodes ended"},
		}},
		{ChainTrimmed, "retention is about to remove the start of a chain", []Field{
			{"node", "whose chain"},
			{"through_seq", "the last record that goes"},
			{"through_at", "when that was written, in microseconds since 1970 UTC"},
			{"hash", "of the chain after it"},
			{"removed", "how many records of each type are gone since the chain began"},
		}},
	}
}

// Unknown returns the payload's fields that its type does not define, or the type itself if it is unknown. Tests of
// code that writes events use it.
func Unknown(kind string, payload []byte) (names []string) {
	all := Types()
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
