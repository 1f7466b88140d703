package socket

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

const (
	handshakeVersion = "13" // the only version of RFC 6455
	handshakeKey     = 16   // bytes
)

// checkHandshake returns nil for a handshake that websocket.Accept accepts, otherwise the refusal. Accept would refuse it in plain
// text, outside of the audit log, and after a session has been opened at its provider. The headers that a client needs to
// correct the handshake are set in answer.
func checkHandshake(answer http.Header, r *http.Request) *core.Error {
	switch {
	case !r.ProtoAtLeast(1, 1), !hasToken(r.Header.Values("Connection"), "upgrade"):
		return refuseHandshake(answer, "the WebSocket handshake lacks the header `Connection: Upgrade`, which a proxy may have removed; send a POST")
	case r.Header.Get("Sec-Websocket-Version") != handshakeVersion:
		return refuseHandshake(answer, "the gateway speaks version 13 of the WebSocket protocol only")
	}
	keys := r.Header.Values("Sec-Websocket-Key")
	if len(keys) == 1 {
		if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(keys[0])); err == nil && len(b) == handshakeKey {
			return nil
		}
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "Sec-WebSocket-Key",
		Public: "the WebSocket handshake needs one header `Sec-WebSocket-Key` with 16 bytes in base64",
	}
}

// hasToken reports whether a header that lists tokens has one of them.
func hasToken(values []string, token string) bool {
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if strings.EqualFold(strings.TrimSpace(part), token) {
			return true
		}
	}
	return false
}

// refuseHandshake answers 426, on which clients send a POST instead at once.
func refuseHandshake(answer http.Header, says string) *core.Error {
	answer.Set("Upgrade", "websocket")
	answer.Set("Sec-Websocket-Version", handshakeVersion)
	return &core.Error{Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Status: http.StatusUpgradeRequired, Public: says}
}
