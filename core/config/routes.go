package config

// Route maps the models that match a pattern to providers.
type Route struct {
	// ID is the name by which an output schema refers to the route. Default: its model_pattern.
	ID string `yaml:"id" eg:"extraction"`
	// ModelPattern is a glob over model names; * also matches a slash.
	ModelPattern string `yaml:"model_pattern" required:"true" eg:"\"gpt-*\""`
	// Strategy selects among the providers.
	Strategy Strategy `yaml:"strategy" default:"model-prefix"`
	// Providers are the targets, in order of preference if the strategy has one.
	Providers []RouteTarget `yaml:"providers" required:"true" eg:"[{provider: openai}]"`
	// PinnedModelVersion is sent instead of a model name without a version.
	PinnedModelVersion string `yaml:"pinned_model_version" eg:"2026-08-06"`
	// LatencySLA calls the cheapest target first among those that answer within this many milliseconds. 0 turns it off.
	LatencySLA int64 `yaml:"latency_sla_ms" default:"0" min:"0" max:"3600000"`
	// OtherRegions allows targets in other regions for tenants with a region, after those in their own fail.
	OtherRegions bool `yaml:"other_regions" default:"false"`
	// HostedTools replaces the top-level hosted_tools for this route. A tenant's rule, in its metadata, holds if it is stricter.
	HostedTools HostedRule `yaml:"hosted_tools" eg:"pass"`
}

// RouteTarget is one provider of a route.
type RouteTarget struct {
	// Provider is a name under providers; azure also means azure-openai.
	Provider string `yaml:"provider" required:"true" eg:"openai"`
	// Weight is the relative share of requests. 0: none.
	Weight int `yaml:"weight" default:"1" min:"0" max:"10000"`
	// ModelOverride is the provider's name for the model.
	ModelOverride string `yaml:"model_override" eg:"gpt-4.1"`
	// Region is the region of this target.
	Region string `yaml:"region" eg:"eu-central"`
}

// Strategy selects among a route's providers; "" is not set.
type Strategy string

// The strategies.
const (
	ModelPrefix Strategy = "model-prefix"
	RoundRobin  Strategy = "round-robin"
	Weighted    Strategy = "weighted"
)

var _ choices = Strategy("")

// Values lists the accepted words.
func (Strategy) Values() []string { return []string{"model-prefix", "round-robin", "weighted"} }
