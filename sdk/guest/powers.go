package guest

import (
	"errors"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Rule records that a rule of the stage applies. The reason of the last rule explains a Deny without a message.
func Rule(id, reason string) { rule(id, reason) }

// Retry asks the model again, with a message behind the request's. It is for the phase Response, on a whole or withheld answer. Several
// calls add several messages. role is abi.RoleSystem, abi.RoleUser or abi.RoleAssistant.
func Retry(role uint8, text string) { retry(uint32(role), text) }

// RespondBody answers the request with a body in the client's own shape: JSON, or the events of a stream if the client asked for one.
func RespondBody(body []byte) { respondBody(body) }

// Route adds an alternative for the request: another model, a region that the target must be in, or both; "" leaves one as it is. The
// host picks one of the alternatives by weight. It needs what SetModel needs.
func Route(model, region string, weight uint32) { route(model, region, weight) }

// ErrNotGranted means that the link does not grant what the plugin asks for.
var ErrNotGranted = errors.New("the link does not grant it")

// Scope chooses the keys that the following calls of Take, Get and Put use: a scope that the link grants, such as "platform" or
// "shared:team", or "" for the plugin's own.
func Scope(word string) error {
	if stateScope(word) != 0 {
		return ErrNotGranted
	}
	return nil
}

// Threshold emits the event that a limit of the stage has reached a share of itself. The manifest must request the capability notify.
func Threshold(name string, percent int) error {
	if threshold(name, uint32(max(percent, 0))) != 0 {
		return ErrUnavailable
	}
	return nil
}

// Errors of Call.
var (
	ErrLimited = errors.New("a limit has no room for the call")
	ErrFailed  = errors.New("the upstream did not answer")
)

// Call calls an upstream that the operator names and grants. path starts with a slash. The answer is valid until the next Call. The
// manifest must request the capability call.
func Call(upstream, path string, body []byte) (status int, answer []byte, err error) {
	switch r := hostCall(upstream, path, body); {
	case r == abi.CallNotGranted:
		return 0, nil, ErrNotGranted
	case r == abi.CallLimited:
		return 0, nil, ErrLimited
	case r < 0:
		return 0, nil, ErrFailed
	default:
		code, n := abi.UnpackCall(r)
		if cap(calling) < int(n) {
			calling = make([]byte, n)
		}
		calling = calling[:n]
		return int(code), calling[:callRead(0, calling)], nil
	}
}

// calling is memory for answers of upstreams.
var calling []byte

// Place is where an earlier link found a value in a text of this call.
type Place struct {
	Link  string  `json:"link"`
	Type  string  `json:"type"`
	Kind  string  `json:"kind"` // pii or detector
	Score float64 `json:"score"`
	Seg   int     `json:"seg"`
	Start int     `json:"start"` // in bytes, in the segment and those that continue it
	End   int     `json:"end"`
	Late  bool    `json:"late"` // its text was sent, or its place is unknown
	Open  bool    `json:"open"` // text that has not arrived may belong to it
}

// RedactFound replaces a value that an earlier link found with a placeholder, by its index in the field Places, which is a JSON list of
// Place. ok is false if the value cannot be taken out, or overlaps another edit. The manifest must request the capability redact.
func RedactFound(place int) (ok bool) { return redactFound(uint32(place)) == 0 }

// Withhold has a streamed answer wait for its end. It is for the phases Request and Target.
func Withhold() { withhold() }

// Restore returns the value of a placeholder that belongs to the caller. ok is false for any other. It is for the phase Response. The
// manifest must request the capability restore.
func Restore(token string) (value string, ok bool, err error) {
	b, code := readWhole(func(to []byte) uint32 { return restore(token, to) })
	if code == abi.Unavailable {
		return "", false, ErrUnavailable
	}
	return string(b), code == 0, nil
}

// KeepAnswer has the host keep the answer for Body in the phase Finish, if it has at most so many bytes. It is for the phase Request. The
// manifest must request the capability body.
func KeepAnswer(most int) { answerKeep(uint32(max(most, 0))) }

// Body returns the body of the request in the client's shape, as the links before have changed it, and in the phase Finish that of the
// kept answer: JSON, or the events of a stream. ok is false if there is none, or if grant.text hides some of it.
func Body() (body []byte, ok bool) {
	b, code := readWhole(bodyRead)
	return b, code == 0
}
