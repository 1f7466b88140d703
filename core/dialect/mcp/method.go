package mcp

// Methods that the gateway itself has to know.
const (
	MethodInitialize    = "initialize"
	MethodDiscover      = "server/discover"
	MethodPing          = "ping"
	MethodListTools     = "tools/list"
	MethodCallTool      = "tools/call"
	MethodListPrompts   = "prompts/list"
	MethodGetPrompt     = "prompts/get"
	MethodListResources = "resources/list"
	MethodListTemplates = "resources/templates/list"
	MethodReadResource  = "resources/read"
	MethodSubscribe     = "resources/subscribe"
	MethodUnsubscribe   = "resources/unsubscribe"
	MethodComplete      = "completion/complete"
	MethodSetLevel      = "logging/setLevel"
	MethodListen        = "subscriptions/listen"
	NoticeInitialized   = "notifications/initialized"
	NoticeCancelled     = "notifications/cancelled"
	NoticeProgress      = "notifications/progress"
	NoticeMessage       = "notifications/message"
)

// method describes a method that clients call.
type method struct {
	eras     Era
	isNotice bool
	// target is the member of params that names the target. Optional.
	target string
	// inHeader is true when the header Mcp-Name repeats the target.
	inHeader bool
	// hasParams is true when a call without params is invalid in both eras.
	hasParams bool
	// list is the member of the result that is a list of objects. Optional.
	list string
	// defines is true when the elements of list describe tools, prompts or resources.
	defines bool
	// mayAsk is true when the result can be a request for input.
	mayAsk bool
}

// methods are those of clients. Scan refuses all others: an allow-list cannot decide about a method whose target is
// unknown.
var methods = map[string]method{
	MethodInitialize:    {eras: Legacy, hasParams: true},
	MethodDiscover:      {eras: Modern},
	MethodPing:          {eras: Legacy},
	MethodListTools:     {eras: Legacy | Modern, list: "tools", defines: true},
	MethodCallTool:      {eras: Legacy | Modern, target: "name", inHeader: true, hasParams: true, list: "content", mayAsk: true},
	MethodListPrompts:   {eras: Legacy | Modern, list: "prompts", defines: true},
	MethodGetPrompt:     {eras: Legacy | Modern, target: "name", inHeader: true, hasParams: true, list: "messages", mayAsk: true},
	MethodListResources: {eras: Legacy | Modern, list: "resources", defines: true},
	MethodListTemplates: {eras: Legacy | Modern, list: "resourceTemplates", defines: true},
	MethodReadResource:  {eras: Legacy | Modern, target: "uri", inHeader: true, hasParams: true, list: "contents", mayAsk: true},
	MethodSubscribe:     {eras: Legacy, target: "uri", hasParams: true},
	MethodUnsubscribe:   {eras: Legacy, target: "uri", hasParams: true},
	MethodComplete:      {eras: Legacy | Modern, target: "ref", hasParams: true},
	MethodSetLevel:      {eras: Legacy, hasParams: true},
	MethodListen:        {eras: Modern, hasParams: true},

	NoticeInitialized: {eras: Legacy, isNotice: true},
	NoticeCancelled:   {eras: Legacy | Modern, isNotice: true, hasParams: true},
	NoticeProgress:    {eras: Legacy, isNotice: true, hasParams: true},

	"notifications/roots/list_changed": {eras: Legacy, isNotice: true},
}

// serverRequests are the requests of servers. In the modern era they are part of results.
var serverRequests = map[string]bool{
	MethodPing: true, "sampling/createMessage": true, "elicitation/create": true, "roots/list": true,
}

// maxToolName exceeds the 128 bytes that the specification recommends, so that the name of a server fits in front.
const maxToolName = 256

// IsToolName reports whether a name contains only characters that the specification recommends for names of tools: A-Z,
// a-z, 0-9, underscore, hyphen and dot. Patterns match names, pages show them and records sign them, so two different
// names must not look alike.
func IsToolName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return name != "" && len(name) <= maxToolName
}
