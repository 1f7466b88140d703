package importtool

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// gateway is the part of a configuration file that an import writes, in the order of the sample.
type gateway struct {
	Server     *server               `yaml:"server,omitempty"`
	Log        *logging              `yaml:"log,omitempty"`
	State      *address              `yaml:"state,omitempty"`
	Providers  map[string]*provider  `yaml:"providers"`
	Routes     []*route              `yaml:"routes,omitempty"`
	Routing    *routing              `yaml:"routing,omitempty"`
	MCPServers map[string]*mcpServer `yaml:"mcp_servers,omitempty"`
	Tenants    []tenant              `yaml:"tenants"`
	Chain      []*link               `yaml:"chain,omitempty"`
	Pricing    []price               `yaml:"pricing,omitempty"`
	Budgets    []budget              `yaml:"budgets,omitempty"`
}

type server struct {
	MaxBody string `yaml:"max_body,omitempty"`
}

type logging struct {
	Level  string `yaml:"level,omitempty"`
	Format string `yaml:"format,omitempty"`
}

type address struct {
	URL string `yaml:"url"`
}

type provider struct {
	Type            string            `yaml:"type"`
	APIKey          string            `yaml:"api_key,omitempty"`
	BaseURL         string            `yaml:"base_url,omitempty"`
	Region          string            `yaml:"region,omitempty"`
	AccessKeyID     string            `yaml:"access_key_id,omitempty"`
	SecretAccessKey string            `yaml:"secret_access_key,omitempty"`
	SessionToken    string            `yaml:"session_token,omitempty"`
	Project         string            `yaml:"project,omitempty"`
	CredentialsFile string            `yaml:"credentials_file,omitempty"`
	Entra           *entra            `yaml:"entra,omitempty"`
	APIVersion      string            `yaml:"api_version,omitempty"`
	Headers         map[string]string `yaml:"headers,omitempty"`
	Timeouts        *timeouts         `yaml:"timeouts,omitempty"`
	Models          []string          `yaml:"models,omitempty"`
}

type entra struct {
	Identity     string `yaml:"identity"`
	TenantID     string `yaml:"tenant_id,omitempty"`
	ClientID     string `yaml:"client_id,omitempty"`
	ClientSecret string `yaml:"client_secret,omitempty"`
}

type timeouts struct {
	FirstByte time.Duration `yaml:"first_byte,omitempty"`
	Total     time.Duration `yaml:"total,omitempty"`
}

type route struct {
	ModelPattern string    `yaml:"model_pattern"`
	Strategy     string    `yaml:"strategy,omitempty"`
	Providers    []*target `yaml:"providers"`
}

type target struct {
	Provider      string `yaml:"provider"`
	Weight        *int   `yaml:"weight,omitempty"`
	ModelOverride string `yaml:"model_override,omitempty"`
}

type routing struct {
	Breaker  *breaker  `yaml:"breaker,omitempty"`
	Retry    *retry    `yaml:"retry,omitempty"`
	Priority *priority `yaml:"priority,omitempty"`
}

type breaker struct {
	Failures int           `yaml:"failures,omitempty"`
	OpenFor  time.Duration `yaml:"open_for,omitempty"`
	MaxOpen  time.Duration `yaml:"max_open,omitempty"`
}

type retry struct {
	Attempts int           `yaml:"attempts,omitempty"`
	Base     time.Duration `yaml:"base,omitempty"`
	Max      time.Duration `yaml:"max,omitempty"`
}

type priority struct {
	MaxConcurrent int `yaml:"max_concurrent"`
}

type mcpServer struct {
	URL          string            `yaml:"url,omitempty"`
	Command      string            `yaml:"command,omitempty"`
	Args         []string          `yaml:"args,omitempty,flow"`
	Env          map[string]string `yaml:"env,omitempty"`
	Headers      map[string]string `yaml:"headers,omitempty"`
	AllowPrivate bool              `yaml:"allow_private,omitempty"`
	Tools        []string          `yaml:"tools,omitempty"`
}

type tenant struct {
	ID   string `yaml:"id"`
	Keys []key  `yaml:"keys"`
}

type key struct {
	Name   string   `yaml:"name"`
	Key    string   `yaml:"key"`
	Scopes []string `yaml:"scopes,flow"`
	Models []string `yaml:"models,omitempty,flow"`
}

type link struct {
	Stage        string         `yaml:"stage,omitempty"`
	Guard        string         `yaml:"guard,omitempty"`
	Name         string         `yaml:"name,omitempty"`
	Phases       []string       `yaml:"phases,omitempty,flow"`
	Mode         string         `yaml:"mode,omitempty"`
	OnFault      string         `yaml:"on_fault,omitempty"`
	AllowPrivate bool           `yaml:"allow_private,omitempty"`
	AllowRaw     bool           `yaml:"allow_raw,omitempty"`
	Secret       string         `yaml:"secret,omitempty"`
	Config       map[string]any `yaml:"config,omitempty"`
}

type price struct {
	Model      string `yaml:"model"`
	Provider   string `yaml:"provider"`
	Input      amount `yaml:"inputPricePerMillion"`
	Output     amount `yaml:"outputPricePerMillion"`
	Cached     amount `yaml:"cachedInputPricePerMillion,omitempty"`
	CacheWrite amount `yaml:"cacheWritePricePerMillion,omitempty"`
}

type budget struct {
	Name     string `yaml:"name"`
	TenantID string `yaml:"tenantId,omitempty"`
	APIKeyID string `yaml:"apiKeyId,omitempty"`
	Model    string `yaml:"model,omitempty"`
	Period   string `yaml:"period"`
	LimitUSD amount `yaml:"limitUsd"`
}

// amount is a decimal number that keeps its digits.
type amount string

// MarshalYAML writes the number without quotes.
func (a amount) MarshalYAML() (any, error) {
	tag := "!!int"
	if strings.Contains(string(a), ".") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: string(a)}, nil
}

// IsZero reports an amount that is not set.
func (a amount) IsZero() bool { return a == "" }
