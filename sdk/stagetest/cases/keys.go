package cases

import (
	"time"

	"github.com/headgate-dev/headgate/core/config"
)

// The keys of a case file; docs/plugin-testing.md says what each means.

type fileKeys struct {
	Link  config.Block   `yaml:"link"`
	Cases []config.Block `yaml:"cases" required:"true" eg:"[{name: …, given: {text: …}, expect: {verdict: pass}}]"`
}

type caseKeys struct {
	Name   string         `yaml:"name" required:"true" eg:"an employee number is found"`
	Link   config.Block   `yaml:"link"`
	Config config.Block   `yaml:"config"`
	Given  config.Block   `yaml:"given"`
	Expect config.Block   `yaml:"expect"`
	Steps  []config.Block `yaml:"steps"`
	// Refused replaces all of these.
	Refused string `yaml:"refused"`
}

type stepKeys struct {
	Given  config.Block `yaml:"given"`
	Expect config.Block `yaml:"expect"`
}

type givenKeys struct {
	Phase    phaseWord         `yaml:"phase"`
	Text     *string           `yaml:"text"`
	Source   sourceWord        `yaml:"source"`
	Messages []config.Block    `yaml:"messages"`
	Body     config.Block      `yaml:"body"`
	Raw      *string           `yaml:"raw"`
	Dialect  dialectWord       `yaml:"dialect"`
	Request  config.Block      `yaml:"request"`
	Stream   *string           `yaml:"stream"`
	Streamed *bool             `yaml:"streamed"`
	Tenant   string            `yaml:"tenant"`
	Key      string            `yaml:"key"`
	User     string            `yaml:"user"`
	Model    string            `yaml:"model"`
	Scopes   []string          `yaml:"scopes"`
	Tags     []string          `yaml:"tags"`
	Tier     string            `yaml:"tier"`
	Region   string            `yaml:"region"`
	Headers  map[string]string `yaml:"headers"`
	Target   targetKeys        `yaml:"target"`
	Address  string            `yaml:"address"`
	Metadata config.Block      `yaml:"metadata"`
	Found    []foundKeys       `yaml:"found"`
	Price    priceKeys         `yaml:"price"`
	Window   int64             `yaml:"window" min:"0"`

	TenantTags     []string            `yaml:"tenant_tags"`
	TenantMetadata config.Block        `yaml:"tenant_metadata"`
	Upstreams      map[string]callKeys `yaml:"upstreams"`
	Usage          usageKeys           `yaml:"usage"`
	After          time.Duration       `yaml:"after" min:"0s" max:"8760h" eg:"30s"`
	StateFails     bool                `yaml:"state_fails"`
}

type usageKeys struct {
	Input  int64 `yaml:"input" min:"0"`
	Output int64 `yaml:"output" min:"0"`
	Cached int64 `yaml:"cached" min:"0"`
}

type targetKeys struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
	Region   string `yaml:"region"`
	Route    string `yaml:"route"`
}

type expectKeys struct {
	Verdict   verdictWord       `yaml:"verdict"`
	Fault     faultWord         `yaml:"fault"`
	Code      string            `yaml:"code"`
	Status    int               `yaml:"status" min:"100" max:"599" eg:"400"`
	Message   string            `yaml:"message"`
	Labels    []string          `yaml:"labels"`
	Spans     []config.Block    `yaml:"spans"`
	Edits     []config.Block    `yaml:"edits"`
	Text      *string           `yaml:"text"`
	Texts     []string          `yaml:"texts"`
	Body      config.Block      `yaml:"body"`
	Raw       *string           `yaml:"raw"`
	Golden    string            `yaml:"golden"`
	Headers   map[string]string `yaml:"headers"`
	Model     *string           `yaml:"model"`
	MaxTokens *int64            `yaml:"max_tokens"`
	Reply     *string           `yaml:"reply"`
	Retry     []config.Block    `yaml:"retry"`
}

type spanKeys struct {
	Label   string   `yaml:"label" required:"true" eg:"employee_id"`
	Start   *int     `yaml:"start"`
	End     *int     `yaml:"end"`
	Segment int      `yaml:"segment" min:"0"`
	Text    *string  `yaml:"text"`
	Score   *float64 `yaml:"score" min:"0" max:"1" eg:"0.5"`
	Kind    kindWord `yaml:"kind"`
}

type editKeys struct {
	Segment int     `yaml:"segment" min:"0"`
	Start   *int    `yaml:"start" required:"true" eg:"4"`
	End     *int    `yaml:"end" required:"true" eg:"14"`
	With    *string `yaml:"with"`
	Type    string  `yaml:"type"`
}

type messageKeys struct {
	Role    string `yaml:"role" required:"true" eg:"user"`
	Content string `yaml:"content"`
}
