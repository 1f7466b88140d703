package abi

// Field identifies a value of the exchange that a stage may ask for. The numbers are fixed. A host returns NoValue for a number it does
// not know, and an empty value for one that is not known in the current phase. All values are text; numbers are decimal.
type Field uint32

// Fields. Those marked finish are known in that phase only.
const (
	_                   Field = iota
	FieldModel                // as the client spells it
	FieldTenant               // id
	FieldKeyID                // id of the key
	FieldKeyName              // its name
	FieldUser                 // the end user, as the client spells the name
	FieldDialect              // the client's shape: openai.chat
	FieldRoute                // the chosen route; from target on
	FieldProvider             // provider of the target; from target on
	FieldTarget               // the provider's name of the model; from target on
	FieldRegion               // region of the target; from target on
	FieldStream               // "1" when the answer is streamed, else "0"
	FieldMaxTokens            // the client's limit; empty if it sets none
	FieldEffort               // reasoning effort
	FieldExchange             // id of the exchange
	FieldTrace                // X-Trace-ID
	FieldParams               // JSON object: the request's top-level members that hold no text, and neither model, tools, user nor metadata
	FieldTools                // JSON array: names of the tools offered
	FieldMetadata             // JSON: the request's member metadata; empty if absent
	FieldScopes               // JSON array: scopes of the key; empty array: unrestricted
	FieldStatus               // HTTP status of the answer; from response on
	FieldUsage                // JSON object {"input","output","cached","reported"}: tokens; from response on
	FieldFinish               // why the answer ended, in the words of its shape; of a stream from stream_end on
	FieldDigest               // SHA-256, hex, of the request's body after the edits of the preceding links
	FieldCost                 // of all calls, in units of 1e-10 USD; empty if prices are unknown; finish
	FieldOutcome              // served, answered, blocked, faulted, refused, upstream_error, client_gone or crashed; finish
	FieldEstimate             // tokens of the request, estimated from its length
	FieldMessages             // number of messages
	FieldImages               // "1" when a message contains an image, else "0"
	FieldTask                 // answer, embed, count, tool, rank, moderate, draw, speak, transcribe, talk or compact
	FieldComplete             // "1" when the whole answer was delivered, else "0"; finish
	FieldTier                 // of the key: premium, standard or bulk
	FieldFindings             // JSON array: what earlier links found: link, type, kind, phase, count, score; never the text
	FieldKeyTags              // JSON array: tags of the key
	FieldTenantTags           // JSON array: tags of the tenant
	FieldKeyMetadata          // JSON object: metadata of the key
	FieldTenantMetadata       // JSON object: metadata of the tenant
	FieldKeyExpires           // when the key expires, in ms since 1970; empty: never
	FieldAddress              // the network address of the client
	FieldPrice                // JSON object: prices of the target in 1e-10 USD per million tokens; from target on
	FieldWindow               // context window of the target, in tokens; empty if unknown; from target on
	FieldToolTypes            // JSON object: how many tools of each type are offered
	FieldBudgets              // JSON array: the budgets that apply, with what was spent and what is left
	FieldLineage              // id that the key had before it was rotated; the key's own id if it was not
	FieldBareModel            // the model that is requested now, without a provider's prefix
	FieldReserve              // JSON object: what the call can use at most, for reservations
	FieldInputCount           // tokens of the request at most, by a tokenizer
	FieldPromptTokens         // tokens of the request's texts, by a tokenizer
	FieldAttempts             // JSON array: the calls that were made, with provider, target, status, and whether they may have cost something
	FieldHeaders              // JSON object: request headers that say how to answer, by name, with a list of values
	FieldTokenCap             // lowest limit of the answer, in tokens, that links have set; empty: none
	FieldPlaces               // JSON array: where earlier links found values in the texts of this call: see redact_found
	FieldFormat               // the form of the answer that the request requires: text, json or schema
	fieldEnd
)

var fields = [fieldEnd]string{
	"", "model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
	"effort", "exchange", "trace", "params", "tools", "metadata", "scopes", "status", "usage", "finish", "digest", "cost", "outcome",
	"estimate", "messages", "images", "task", "complete", "tier", "findings", "key_tags", "tenant_tags", "key_metadata", "tenant_metadata",
	"key_expires", "address", "price", "window", "tool_types", "budgets", "lineage", "bare_model",
	"reserve", "input_count", "prompt_tokens", "attempts", "headers", "token_cap", "places", "format",
}

// String returns the field's name in the manifest, or "" if f is unknown.
func (f Field) String() string {
	if f < fieldEnd {
		return fields[f]
	}
	return ""
}

// ParseField returns the field with a name in the manifest.
func ParseField(name string) (Field, bool) {
	for f := FieldModel; f < fieldEnd; f++ {
		if fields[f] == name {
			return f, true
		}
	}
	return 0, false
}

// FieldNames returns the names of all fields, in the order of their numbers.
func FieldNames() []string { return fields[1:] }
