package config

import "time"

// Provider is one model provider as the gateway calls it.
type Provider struct {
	// Type is the kind of provider. The name in the file unless written.
	Type string `yaml:"type" eg:"openai"`
	// APIKey is the provider's credential. It is sent to the provider alone.
	APIKey Secret `yaml:"api_key" eg:"${OPENAI_API_KEY:-}"`
	// BaseURL is where the provider is reached. The provider's own address unless written.
	BaseURL string `yaml:"base_url" eg:"https://api.openai.com" secret:"true"`
	// Region is the AWS region that bedrock is called in. AWS_REGION unless written.
	Region string `yaml:"region" eg:"eu-central-1"`
	// AccessKeyID signs calls to bedrock, with secret_access_key. AWS_ACCESS_KEY_ID unless this or api_key is written.
	AccessKeyID Secret `yaml:"access_key_id" eg:"${AWS_ACCESS_KEY_ID}"`
	// SecretAccessKey goes with access_key_id.
	SecretAccessKey Secret `yaml:"secret_access_key" eg:"${AWS_SECRET_ACCESS_KEY}"`
	// SessionToken goes with access keys that are temporary.
	SessionToken Secret `yaml:"session_token" eg:"${AWS_SESSION_TOKEN}"`
	// APIVersion leads chat and embeddings of azure-openai to the older addresses, which hold the deployment's name and a version.
	APIVersion string `yaml:"api_version" eg:"2024-10-21"`
	// ResponsesAPIVersion is added as api-version to calls of azure-openai's Responses API. None unless written.
	ResponsesAPIVersion string `yaml:"responses_api_version" eg:"preview"`
	// NoStore adds store: false to calls of the Responses API that do not say it: openai and azure-openai keep nothing.
	NoStore bool `yaml:"no_store" default:"false"`
	// Headers are added to every call.
	Headers map[string]Secret `yaml:"headers" secret:"true"`
	// Timeouts bound the parts of a call.
	Timeouts Timeouts `yaml:"timeouts"`
	// Transport is lean for HTTP/1.1 with TLS, http for HTTP/2, proxies and client certificates.
	Transport Transport `yaml:"transport" default:"lean"`
	// HTTP2 offers HTTP/2 to the provider; it needs the transport http.
	HTTP2 bool `yaml:"http2" default:"false"`
	// CAFile is a PEM file of authorities that are trusted for this provider besides the system's.
	CAFile string `yaml:"ca_file" eg:"internal-ca.pem"`
	// Models are listed by GET /v1/models beside what the provider itself lists.
	Models []string `yaml:"models" eg:"[gpt-4.1]"`
	// Capabilities overrides what the gateway knows of the provider: streaming, vision, tool_calls, structured_outputs, json_mode.
	Capabilities map[string]bool `yaml:"capabilities" eg:"{tool_calls: true}"`
}

// capabilityNames are the keys of Provider.Capabilities.
var capabilityNames = []string{"streaming", "vision", "tool_calls", "structured_outputs", "json_mode"}

// Timeouts bound the parts of a call to a provider.
type Timeouts struct {
	// Connect is how long a connection, TLS included, may take.
	Connect time.Duration `yaml:"connect" default:"5s" min:"10ms" max:"10m"`
	// FirstByte is how long the provider may take from the whole request sent to the first byte of its answer.
	FirstByte time.Duration `yaml:"first_byte" default:"120s" min:"10ms" max:"1h"`
	// Idle is the longest gap between two reads of an answer.
	Idle time.Duration `yaml:"idle" default:"60s" min:"10ms" max:"1h"`
}

// Transport is the client used towards a provider; "" is not set.
type Transport string

// The transports.
const (
	TransportLean Transport = "lean"
	TransportHTTP Transport = "http"
)

var _ choices = Transport("")

// Values lists the words that may be written.
func (Transport) Values() []string { return []string{"lean", "http"} }
