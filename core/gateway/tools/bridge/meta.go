package bridge

import (
	"bytes"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// Keys of _meta of the modern era.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaClient       = metaPrefix + "clientInfo"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaLevel        = metaPrefix + "logLevel"
	metaServer       = metaPrefix + "serverInfo"
)

// ownInfo is how the gateway introduces itself if the client has not done so.
const ownInfo = `{"name":"headgate","version":"1"}`

// client is a client's description of itself.
type client struct {
	info         []byte
	capabilities []byte
}

// readClient reads how a modern request describes its client. The result does not refer to the request's body: waiting
// calls and opening sessions outlive it.
func readClient(params []byte) client {
	meta := findMember(params, "_meta")
	return client{
		info: bytes.Clone(findMember(meta, metaClient)), capabilities: bytes.Clone(findMember(meta, metaCapabilities)),
	}.normalize()
}

// normalize fills in members that are missing or not objects.
func (c client) normalize() client {
	if len(c.info) == 0 || c.info[0] != '{' {
		c.info = []byte(ownInfo)
	}
	if len(c.capabilities) == 0 || c.capabilities[0] != '{' {
		c.capabilities = []byte(`{}`)
	}
	return c
}

// maxToken limits a session's description of its client, which is sent in a header.
const maxToken = 2048

// makeToken returns the session id of a legacy client with a modern server: the client's description of itself. name
// distinguishes sessions of equal clients, which subscribe to different resources.
func (c client) makeToken(name string) string {
	c = c.normalize()
	if len(c.info) > maxToken/4 {
		c.info = []byte(ownInfo)
	}
	if len(c.capabilities) > maxToken {
		kept := []byte{'{'}
		for _, name := range [...]string{"elicitation", "sampling", "roots"} {
			if findMember(c.capabilities, name) != nil {
				kept = appendMember(kept, name, []byte(`{}`))
			}
		}
		c.capabilities = append(kept, '}')
	}
	b := appendMember([]byte{'{'}, "info", c.info)
	b = appendMember(b, "capabilities", c.capabilities)
	return string(append(appendMember(b, "id", splice.AppendString(nil, name)), '}'))
}

// isToken reports whether a session is one of the gateway's own.
func isToken(session string) bool { return strings.HasPrefix(session, "{") }

// parseToken returns the description of the client in a session id.
func parseToken(session string) client {
	doc := []byte(session)
	return client{info: findMember(doc, "info"), capabilities: findMember(doc, "capabilities")}.normalize()
}

// supports reports whether a client can answer a request of a server.
func (c client) supports(method string) bool {
	name, _, _ := strings.Cut(method, "/")
	return findMember(c.capabilities, name) != nil
}

// convertLegacyParams returns the params of a modern request without what the legacy era does not have.
func convertLegacyParams(params []byte) []byte {
	out := []byte{'{'}
	visitMembers(params, func(key string, value []byte) {
		switch key {
		case "inputResponses", "requestState":
		case "_meta":
			meta := []byte{'{'}
			visitMembers(value, func(key string, value []byte) {
				if !strings.HasPrefix(key, metaPrefix) {
					meta = appendMember(meta, key, value)
				}
			})
			if len(meta) > 1 {
				out = appendMember(out, key, append(meta, '}'))
			}
		default:
			out = appendMember(out, key, value)
		}
	})
	return append(out, '}')
}

// convertModernParams returns the params of a legacy request as a modern one states them, with members that are added.
func convertModernParams(params []byte, c client, added map[string][]byte) []byte {
	meta := []byte{'{'}
	out := []byte{'{'}
	visitMembers(params, func(key string, value []byte) {
		switch {
		case key == "_meta":
			visitMembers(value, func(key string, value []byte) {
				if !strings.HasPrefix(key, metaPrefix) {
					meta = appendMember(meta, key, value)
				}
			})
		case key != "inputResponses" && key != "requestState":
			out = appendMember(out, key, value)
		}
	})
	meta = appendMember(meta, metaVersion, splice.AppendString(nil, mcp.ModernVersion))
	meta = appendMember(meta, metaClient, c.info)
	meta = appendMember(meta, metaCapabilities, c.capabilities)
	out = appendMember(out, "_meta", append(meta, '}'))
	for _, key := range [...]string{"inputResponses", "requestState"} {
		if value := added[key]; value != nil {
			out = appendMember(out, key, value)
		}
	}
	return append(out, '}')
}

// formatVersions returns the revisions that clients may speak with a server that is bridged, as a JSON array.
func formatVersions() []byte {
	list := []byte{'['}
	for _, v := range mcp.ListVersions() {
		list = splice.AppendString(splice.AppendComma(list), v)
	}
	return append(list, ']')
}

// convertModernResult returns a legacy result with the members that modern results must have.
func convertModernResult(method string, result []byte) []byte {
	has := map[string]bool{}
	if !visitMembers(result, func(key string, _ []byte) { has[key] = true }) {
		return nil
	}
	out := []byte{'{'}
	add := func(key, value string) {
		if !has[key] {
			out = appendMember(out, key, []byte(value))
		}
	}
	add("resultType", `"complete"`)
	switch method {
	case mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodListResources, mcp.MethodListTemplates, mcp.MethodReadResource,
		mcp.MethodDiscover:
		add("ttlMs", `0`)
		add("cacheScope", `"private"`)
	}
	if len(has) > 0 && len(out) > 1 {
		out = append(out, ',')
	}
	inner := result[1 : len(result)-1]
	return append(append(out, inner...), '}')
}
