package config

import (
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// MCPServer is one MCP server: reached over streamable HTTP, started as a process, or an HTTP API with an OpenAPI
// document. Clients reach it at /mcp/{name}.
type MCPServer struct {
	// URL is the server's endpoint, or the address of the API if `from_openapi` is set.
	URL string `yaml:"url" eg:"https://mcp.example.com/mcp" secret:"true"`
	// Command is the absolute path of a program that speaks the protocol over standard input and output. The gateway starts it when
	// it is needed, and again when it has ended. One process serves all callers.
	Command string `yaml:"command" eg:"/usr/local/bin/mcp-files"`
	// Args are the arguments of the command.
	Args []string `yaml:"args" eg:"[--root, /srv/data]"`
	// Env is the environment of the command. It inherits nothing from the gateway.
	Env map[string]Secret `yaml:"env" secret:"true"`
	// FromOpenAPI makes operations of an HTTP API the server's tools.
	FromOpenAPI MCPOpenAPI `yaml:"from_openapi"`
	// Headers are sent with every call, such as the credential of the server. The key of the client is never passed on.
	Headers map[string]Secret `yaml:"headers" secret:"true"`
	// TokenExchange obtains the server's credential in exchange for a token of the gateway's own (RFC 8693). It is sent as
	// `Authorization: Bearer`.
	TokenExchange MCPTokenExchange `yaml:"token_exchange"`
	// AllowPrivate lets the gateway call plain http, and addresses of this machine and of private networks.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// Era is the generation of the protocol that the gateway speaks with the server: `modern` (2026-07-28), `legacy`
	// (earlier revisions, with sessions), or `auto`, which asks the server. Clients may speak either.
	Era MCPEra `yaml:"era" default:"auto"`
	// Trust says whether a server gets the values behind placeholders in arguments: `keep` leaves the placeholders in
	// place, `restore` replaces those that the caller may read.
	Trust MCPTrust `yaml:"trust" default:"keep"`
	// Tools are globs of the tools that may be listed and called. Default: all of them.
	Tools []string `yaml:"tools" eg:"[search_*]"`
	// Prompts are globs of the prompts that may be listed and used. Default: all of them.
	Prompts []string `yaml:"prompts" eg:"[review_*]"`
	// Resources are globs of the addresses of resources and templates that may be listed and read. Default: all of them.
	Resources []string `yaml:"resources" eg:"[file:///docs/*]"`
	// Pin says which definitions of tools are served: `first_use` trusts what it sees first and withholds a tool whose
	// definition changes, until an administrator approves it; `required` also asks for an approval before first use;
	// `off` serves whatever the server offers.
	Pin MCPPin `yaml:"pin" default:"first_use"`
	// Access limits who may list and call which tools. Default: every key whose scopes allow it.
	Access []MCPAccess `yaml:"access"`
	// PricePerCall is the price in USD of a call of a tool that `prices` does not name.
	PricePerCall money.Amount `yaml:"price_per_call" default:"0" eg:"0.002"`
	// Prices are the prices in USD of a call, by the name of the tool.
	Prices map[string]money.Amount `yaml:"prices" eg:"0.01"`
	// Timeouts limit the phases of a call.
	Timeouts MCPTimeouts `yaml:"timeouts"`
	// MaxAnswer limits the bytes of one answer, all of its messages together.
	MaxAnswer ByteSize `yaml:"max_answer" default:"4MiB" min:"1KiB" max:"64MiB"`
}

// MCPOpenAPI describes an HTTP API whose operations are tools.
type MCPOpenAPI struct {
	// Document is the description of the API, OpenAPI 3.0 or 3.1 in YAML or JSON: a file, or an https URL, which is read again every
	// five minutes. The addresses in it do not count: calls go to `url`.
	Document string `yaml:"document" eg:"crm.openapi.yaml" secret:"true"`
	// Operations are globs of the operationIds that become tools. There is no default: an API has operations that no agent should
	// find by chance.
	Operations []string `yaml:"operations" eg:"[list_*, getCustomer]"`
}

// MCPTokenExchange describes where the gateway exchanges its own token for one that a server accepts.
type MCPTokenExchange struct {
	// URL is the token endpoint. Plain http and private addresses need `allow_private` of the server.
	URL string `yaml:"url" eg:"https://idp.example.com/oauth2/token" secret:"true"`
	// ClientID and the secret authenticate the gateway (HTTP Basic). Default: it does not authenticate besides its token.
	ClientID string `yaml:"client_id" eg:"headgate"`
	// ClientSecret is the secret of the client.
	ClientSecret Secret `yaml:"client_secret" eg:"${IDP_SECRET}"`
	// Subject says whose token is exchanged: `gateway` for the one in `subject_token_file`, `user` for the one that the caller sends
	// in the header X-User-Token.
	Subject MCPSubject `yaml:"subject" default:"gateway"`
	// SubjectTokenFile holds the gateway's own token, such as that of a Kubernetes service account. It is read for each exchange.
	SubjectTokenFile string `yaml:"subject_token_file" eg:"/var/run/secrets/tokens/headgate"`
	// SubjectTokenType is the type of that token.
	SubjectTokenType MCPTokenType `yaml:"subject_token_type" default:"jwt"`
	// Audience is the name of the server at the token endpoint.
	Audience string `yaml:"audience" eg:"https://mcp.example.com"`
	// Resource is the address for which the token is meant.
	Resource string `yaml:"resource" eg:"https://mcp.example.com/mcp"`
	// Scope lists what the token shall allow, separated by spaces.
	Scope string `yaml:"scope" eg:"tools"`
}

// MCPSubject says whose token is exchanged; "" is not set.
type MCPSubject string

// The subjects.
const (
	MCPSubjectGateway MCPSubject = "gateway"
	MCPSubjectUser    MCPSubject = "user"
)

var _ choices = MCPSubject("")

// Values lists the accepted words.
func (MCPSubject) Values() []string { return []string{"gateway", "user"} }

// MCPTokenType is a type of tokens, the end of its name in RFC 8693; "" is not set.
type MCPTokenType string

// The types.
const (
	MCPTokenJWT    MCPTokenType = "jwt"
	MCPTokenAccess MCPTokenType = "access_token"
	MCPTokenID     MCPTokenType = "id_token"
)

var _ choices = MCPTokenType("")

// Values lists the accepted words.
func (MCPTokenType) Values() []string { return []string{"jwt", "access_token", "id_token"} }

// VirtualServer joins servers of tools under one address, /mcp/{name}.
type VirtualServer struct {
	// Servers are the members, in the order of lists. A tool or prompt of one is named {server}__{name}.
	Servers []VirtualMember `yaml:"servers"`
	// ListTimeout limits the time in which a member must answer a request for its list. The list omits slower members.
	ListTimeout time.Duration `yaml:"list_timeout" default:"5s" min:"10ms" max:"5m"`
}

// VirtualMember is a server that is part of a virtual one. Its own `tools` and `access` hold too.
type VirtualMember struct {
	// Server is the name of a server of `mcp_servers`.
	Server string `yaml:"server" eg:"search"`
	// Tools are globs of its tools that are part of the virtual server. Default: all of them.
	Tools []string `yaml:"tools" eg:"[search_*]"`
}

// MCPAccess lets some callers list and call some tools. Each list that is not written matches everything.
type MCPAccess struct {
	// Tenants are globs of tenant ids.
	Tenants []string `yaml:"tenants" eg:"[default]"`
	// Keys are globs of ids of keys, as `headgate keys list` shows them. Whoever creates a key chooses its name, so names
	// give no access.
	Keys []string `yaml:"keys" eg:"[k3vqx7mz2hj4n6ta]"`
	// Tools are globs of names of tools.
	Tools []string `yaml:"tools" eg:"[search_*]"`
	// Prompts are globs of names of prompts.
	Prompts []string `yaml:"prompts" eg:"[review_*]"`
	// Resources are globs of addresses of resources and templates.
	Resources []string `yaml:"resources" eg:"[file:///docs/*]"`
}

// MCPTimeouts limit the phases of a call to a server of tools.
type MCPTimeouts struct {
	// Connect limits connecting, including TLS.
	Connect time.Duration `yaml:"connect" default:"5s" min:"10ms" max:"10m"`
	// FirstByte limits the time from the request being sent to the first byte of the answer.
	FirstByte time.Duration `yaml:"first_byte" default:"60s" min:"10ms" max:"1h"`
	// Idle limits the time between two reads of an answer.
	Idle time.Duration `yaml:"idle" default:"60s" min:"10ms" max:"1h"`
	// Total limits a whole call.
	Total time.Duration `yaml:"total" default:"5m" min:"10ms" max:"24h"`
}

// MCPEra is a generation of the Model Context Protocol; "" is not set.
type MCPEra string

// The generations.
const (
	MCPAuto   MCPEra = "auto"
	MCPModern MCPEra = "modern"
	MCPLegacy MCPEra = "legacy"
)

var _ choices = MCPEra("")

// Values lists the accepted words.
func (MCPEra) Values() []string { return []string{"auto", "modern", "legacy"} }

// MCPTrust says what a server of tools may see; "" is not set.
type MCPTrust string

// The degrees of trust.
const (
	MCPKeep    MCPTrust = "keep"
	MCPRestore MCPTrust = "restore"
)

var _ choices = MCPTrust("")

// Values lists the accepted words.
func (MCPTrust) Values() []string { return []string{"keep", "restore"} }

// MCPPin says which definitions of tools are served; "" is not set.
type MCPPin string

// The ways of pinning.
const (
	MCPPinFirstUse MCPPin = "first_use"
	MCPPinRequired MCPPin = "required"
	MCPPinOff      MCPPin = "off"
)

var _ choices = MCPPin("")

// Values lists the accepted words.
func (MCPPin) Values() []string { return []string{"first_use", "required", "off"} }
