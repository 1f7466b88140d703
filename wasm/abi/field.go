package abi

// Field names a value of the exchange that a stage may ask for. The numbers are
// fixed; a host answers NoValue for one it does not know. A value that is not known
// in the phase at hand is empty. All are text; numbers are decimal.
type Field uint32

// Fields. What is marked finish is known in that phase alone.
const (
	_              Field = iota
	FieldModel           // as the client spells it
	FieldTenant          // id
	FieldKeyID           // id of the key
	FieldKeyName         // its name
	FieldUser            // the end user, as the client names him
	FieldDialect         // the client's shape: openai.chat
	FieldRoute           // the route that was chosen; from target on
	FieldProvider        // provider of the target; from target on
	FieldTarget          // the provider's name of the model; from target on
	FieldRegion          // region of the target; from target on
	FieldStream          // "1" when the answer is streamed, else "0"
	FieldMaxTokens       // the client's limit; empty: none
	FieldEffort          // reasoning effort
	FieldExchange        // id of the exchange
	FieldTrace           // X-Trace-ID
	FieldParams          // JSON object: the request's top-level members that hold no text, and neither model, tools, user nor metadata
	FieldTools           // JSON array: names of the tools offered
	FieldMetadata        // JSON: the request's member metadata; empty: none
	FieldScopes          // JSON array: scopes of the key; empty array: unrestricted
	FieldStatus          // HTTP status of the answer; from response on
	FieldUsage           // JSON object {"input","output","cached","reported"}: tokens; finish
	FieldFinish          // why a streamed answer ended, in the words of its shape; from stream_end on
	FieldDigest          // SHA-256, hex, of the request's body as the links before this one have made it
	FieldCost            // of all calls, in units of 1e-10 USD; empty: prices are not known; finish
	FieldOutcome         // served, answered, blocked, faulted, refused, upstream_error, client_gone or crashed; finish
	FieldEstimate        // tokens of the request, estimated by its length
	FieldMessages        // number of messages
	FieldImages          // "1" when a message holds a picture, else "0"
	FieldTask            // answer, embed or count
	FieldComplete        // "1" when the whole answer was delivered, else "0"; finish
	FieldTier            // of the key: premium, standard or bulk
	fieldEnd
)

var fields = [fieldEnd]string{
	"", "model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
	"effort", "exchange", "trace", "params", "tools", "metadata", "scopes", "status", "usage", "finish", "digest", "cost", "outcome",
	"estimate", "messages", "images", "task", "complete", "tier",
}

// String is the field's name in the manifest; "" for none.
func (f Field) String() string {
	if f < fieldEnd {
		return fields[f]
	}
	return ""
}

// ParseField finds a field by its name in the manifest.
func ParseField(name string) (Field, bool) {
	for f := FieldModel; f < fieldEnd; f++ {
		if fields[f] == name {
			return f, true
		}
	}
	return 0, false
}

// FieldNames lists the names of all fields, in the order of their numbers.
func FieldNames() []string { return fields[1:] }
