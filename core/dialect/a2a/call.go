package a2a

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// DialectName is the name of the shape.
const DialectName = "a2a"

// maxDepth is the number of arrays and objects that may be open at once.
const maxDepth = 128

// Headers of the protocol, in the spelling of net/http.
const (
	HeaderVersion    = "A2a-Version"
	HeaderExtensions = "A2a-Extensions"
)

// Call is one message of a client and its answer. It is the dialect of its exchange and, like the exchange, used by one
// goroutine. The zero value is ready for Scan.
type Call struct {
	Op      Op
	Version string // of the protocol; "" until the method is known
	Method  string // as sent by the client
	// ID is the id as the client spells it, including quotes, or nil.
	ID []byte
	// Pushes is true if the message asks for push notifications about its task.
	Pushes bool
	// Card is true if the client fetches the agent card, without a message.
	Card bool
	// Notification is true if the agent sends a notification about a task, without an envelope. It is the call's answer.
	Notification bool
	// Answer holds what ScanResponse, Peek and ScanEvent have read.
	Answer Answer

	artifacts []artifact
	joined    []byte // data of an event that came in several lines
}

var _ core.Dialect = (*Call)(nil)

// Answer is the content of a response besides its texts.
type Answer struct {
	// Failed is true for a response with an error instead of a result.
	Failed bool
	// Opaque is the media type of a file that no link can judge and that is not a picture, sound or video, or "".
	Opaque string
	// Last is true for an event that must end the stream, and Rests for one after which the stream may end.
	Last, Rests bool
}

// artifact is an artifact whose text arrives in pieces.
type artifact struct{ id, task, context string }

// Reset empties the call for the next exchange.
func (c *Call) Reset() {
	*c = Call{ID: c.ID[:0], artifacts: c.artifacts[:0], joined: c.joined}
}

// Name returns the name of the shape.
func (*Call) Name() string { return DialectName }

// AppendForwardCuts changes nothing: the agent has its own address.
func (*Call) AppendForwardCuts(_ *core.Exchange, _ core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	return dst, nil
}

// ReadError returns the number and the message of an agent's error response.
func (*Call) ReadError(body []byte) (code, message string) { return jsonrpc.ReadError(body) }

// leaves finds the texts of members without a specific rule.
var leaves = scan.Leaves{
	IsQuiet: func(name string) bool { return quiet[name] }, IsSealed: func(raw []byte) bool { return isTime(raw) || scan.IsSealed(raw) },
}

// isTime reports whether a string is a time of RFC 3339, with or without a zone. With microseconds it looks like a telephone
// number, and clients cannot parse a time that was redacted.
func isTime(raw []byte) bool {
	const form = "0000-00-00T00:00:00"
	if len(raw) < len(form) || len(raw) > len(form)+len(".000000+00:00") {
		return false
	}
	rest := string(raw[len(form):])
	if i := strings.IndexAny(rest, "Z+-"); i >= 0 && (rest[i:] == "Z" || isLike(rest[i+1:], "00:00")) {
		rest = rest[:i]
	}
	return isLike(string(raw[:len(form)]), form) && (rest == "" || isLike(rest, ".000000"[:min(len(rest), 7)]))
}

// isLike reports whether a text has digits where form has digits, and otherwise equals it.
func isLike(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == '0' && (text[i] < '0' || text[i] > '9') || form[i] != '0' && text[i] != form[i] {
			return false
		}
	}
	return true
}

// quiet are fields whose strings are identifiers, enum values, addresses or sealed data; see [scan.Leaves].
var quiet = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{
		"id", "taskId", "contextId", "messageId", "artifactId", "referenceTaskIds", "kind", "role", "state", "timestamp", "jsonrpc",
		"method", "extensions", "uri", "url", "fileWithUri", "mimeType", "mediaType", "acceptedOutputModes", "defaultInputModes",
		"defaultOutputModes", "inputModes", "outputModes", "protocolVersion", "protocolBinding", "transport", "preferredTransport",
		"version", "iconUrl", "documentationUrl", "type", "scheme", "@type", "pageToken", "nextPageToken",
	} {
		set[name] = true
	}
	return set
}()

// newAgentPlace returns the place of texts that an agent wrote.
func newAgentPlace(kind core.SegmentKind) scan.Place {
	return scan.Place{Role: core.RoleTool, Kind: kind, Message: -1, Part: -1}
}
