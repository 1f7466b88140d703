package config

import "time"

// Provider is one model provider.
type Provider struct {
	// Type is the kind of provider. Default: its name in the file.
	Type string `yaml:"type" eg:"openai"`
	// APIKey is the provider's credential. It is sent to the provider only.
	APIKey Secret `yaml:"api_key" eg:"${OPENAI_API_KEY:-}"`
	// BaseURL is the provider's address. Default: the vendor's own.
	BaseURL string `yaml:"base_url" eg:"https://api.openai.com" secret:"true"`
	// Region is the AWS region of bedrock or the location of vertex. Default: AWS_REGION, or GOOGLE_CLOUD_LOCATION and
	// then `global`.
	Region string `yaml:"region" eg:"eu-central-1"`
	// AccessKeyID signs calls to bedrock, with secret_access_key. Default: AWS_ACCESS_KEY_ID, unless api_key is set.
	AccessKeyID Secret `yaml:"access_key_id" eg:"${AWS_ACCESS_KEY_ID}"`
	// SecretAccessKey belongs to access_key_id.
	SecretAccessKey Secret `yaml:"secret_access_key" eg:"${AWS_SECRET_ACCESS_KEY}"`
	// SessionToken belongs to temporary access keys.
	SessionToken Secret `yaml:"session_token" eg:"${AWS_SESSION_TOKEN}"`
	// Project is the Google Cloud project of vertex. Default: GOOGLE_CLOUD_PROJECT, or that of the credentials file.
	Project string `yaml:"project" eg:"my-project"`
	// CredentialsFile is the file with which vertex signs in: the key of a service account, a workload identity federation,
	// or what gcloud writes. Default: GOOGLE_APPLICATION_CREDENTIALS. Without a file and an api_key, vertex signs in as the
	// account that Google Cloud attaches to the machine.
	CredentialsFile string `yaml:"credentials_file" eg:"/etc/headgate/vertex.json"`
	// Entra signs azure-openai in to Microsoft Entra ID, instead of api_key.
	Entra Entra `yaml:"entra"`
	// APIVersion selects azure-openai's older addresses for chat and embeddings, which contain the deployment's name
	// and a version.
	APIVersion string `yaml:"api_version" eg:"2024-10-21"`
	// ResponsesAPIVersion is sent as api-version to azure-openai's Responses API. Default: none.
	ResponsesAPIVersion string `yaml:"responses_api_version" eg:"preview"`
	// NoStore adds store: false to Responses calls that do not set it, so that openai and azure-openai store nothing.
	NoStore bool `yaml:"no_store" default:"false"`
	// Headers are added to every call.
	Headers map[string]Secret `yaml:"headers" secret:"true"`
	// Timeouts limit the phases of a call.
	Timeouts Timeouts `yaml:"timeouts"`
	// Transport is `lean` for HTTP/1.1 with TLS, `http` for HTTP/2, proxies and client certificates.
	Transport Transport `yaml:"transport" default:"lean"`
	// HTTP2 offers HTTP/2 to the provider. It requires the transport `http`.
	HTTP2 bool `yaml:"http2" default:"false"`
	// CAFile is a PEM file of certificate authorities for this provider, besides the system's.
	CAFile string `yaml:"ca_file" eg:"internal-ca.pem"`
	// Prefix lets clients reach the provider even if no route names it: as `provider/model`, and by the names of models
	// that it is known for. A provider that a route names needs no `prefix`, and without routes no provider needs it.
	Prefix bool `yaml:"prefix" default:"false"`
	// Models are listed by GET /v1/models instead of the catalogue's models.
	Models []string `yaml:"models" eg:"[gpt-4.1]"`
	// Capabilities override the gateway's knowledge of the provider: streaming, vision, tool_calls, structured_outputs,
	// json_mode, sockets (the WebSocket mode of the Responses API).
	Capabilities map[string]bool `yaml:"capabilities" eg:"{tool_calls: true}"`
}

// Entra says how azure-openai signs in to Microsoft Entra ID.
type Entra struct {
	// Identity is `client_secret` for an application, `workload_identity` for a token that Kubernetes or another issuer
	// signs, `managed_identity` for the identity that Azure attaches to the machine.
	Identity EntraIdentity `yaml:"identity" eg:"managed_identity"`
	// TenantID is the directory of the application. Default: AZURE_TENANT_ID.
	TenantID string `yaml:"tenant_id" eg:"00000000-0000-0000-0000-000000000000"`
	// ClientID is the application, or a managed identity that a user has assigned. Default: AZURE_CLIENT_ID.
	ClientID string `yaml:"client_id" eg:"00000000-0000-0000-0000-000000000000"`
	// ClientSecret is the secret of the application. Default: AZURE_CLIENT_SECRET.
	ClientSecret Secret `yaml:"client_secret" eg:"${AZURE_CLIENT_SECRET}"`
	// TokenFile holds the token of a workload identity. Default: AZURE_FEDERATED_TOKEN_FILE.
	TokenFile string `yaml:"token_file" eg:"/var/run/secrets/azure/tokens/azure-identity-token"`
	// Authority is the address of the identity service. Default: AZURE_AUTHORITY_HOST, or that of Azure's public cloud.
	Authority string `yaml:"authority" eg:"https://login.microsoftonline.us"`
	// Scope is the scope of the token. Default: the scope of Azure's public cloud.
	Scope string `yaml:"scope" eg:"https://cognitiveservices.azure.us/.default"`
}

// EntraIdentity is a way to sign in to Entra ID; "" is not set.
type EntraIdentity string

var _ choices = EntraIdentity("")

// Values lists the accepted words.
func (EntraIdentity) Values() []string {
	return []string{"client_secret", "workload_identity", "managed_identity"}
}

// capabilityNames are the keys of Provider.Capabilities.
var capabilityNames = []string{"streaming", "vision", "tool_calls", "structured_outputs", "json_mode", "sockets"}

// Timeouts limit the phases of a call to a provider.
type Timeouts struct {
	// Connect limits connecting, including TLS.
	Connect time.Duration `yaml:"connect" default:"5s" min:"10ms" max:"10m"`
	// FirstByte limits the time from the request being sent to the first byte of the answer.
	FirstByte time.Duration `yaml:"first_byte" default:"120s" min:"10ms" max:"1h"`
	// Idle limits the time between two reads of an answer.
	Idle time.Duration `yaml:"idle" default:"60s" min:"10ms" max:"1h"`
	// Total limits a whole call, to the last byte of its answer, however steadily that arrives.
	Total time.Duration `yaml:"total" default:"1h" min:"10ms" max:"24h"`
}

// Transport is the HTTP client for a provider; "" is not set.
type Transport string

// The transports.
const (
	TransportLean Transport = "lean"
	TransportHTTP Transport = "http"
)

var _ choices = Transport("")

// Values lists the accepted words.
func (Transport) Values() []string { return []string{"lean", "http"} }
