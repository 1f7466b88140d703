package config

// Route leads the models that fit a pattern to providers.
type Route struct {
	// ID is the name by which an output schema means the route. Its model_pattern unless written.
	ID string `yaml:"id" eg:"extraction"`
	// ModelPattern is a glob over the model's name; * also crosses a slash.
	ModelPattern string `yaml:"model_pattern" required:"true" eg:"\"gpt-*\""`
	// Strategy picks among the providers.
	Strategy Strategy `yaml:"strategy" default:"model-prefix"`
	// Providers are the targets, in order of preference where the strategy has one.
	Providers []RouteTarget `yaml:"providers" required:"true" eg:"[{provider: openai}]"`
	// PinnedModelVersion is sent in place of the model's name without a version.
	PinnedModelVersion string `yaml:"pinned_model_version" eg:"2026-08-06"`
	// LatencySLA puts the cheapest target first among those that answer within so many milliseconds. 0 turns it off.
	LatencySLA int64 `yaml:"latency_sla_ms" default:"0" min:"0" max:"3600000"`
	// OtherRegions lets requests of a tenant with a region go to targets in others when those in its own fail.
	OtherRegions bool `yaml:"other_regions" default:"false"`
}

// RouteTarget is one provider of a route.
type RouteTarget struct {
	// Provider is a name under providers; azure also means azure-openai.
	Provider string `yaml:"provider" required:"true" eg:"openai"`
	// Weight is the share of requests, against the other weights of the route. 0 takes none.
	Weight int `yaml:"weight" default:"1" min:"0" max:"10000"`
	// ModelOverride is the model's name as this provider knows it.
	ModelOverride string `yaml:"model_override" eg:"gpt-4.1"`
	// Region is where this target runs.
	Region string `yaml:"region" eg:"eu-central"`
}

// Strategy picks among a route's providers; "" is not set.
type Strategy string

// The strategies.
const (
	ModelPrefix Strategy = "model-prefix"
	RoundRobin  Strategy = "round-robin"
	Weighted    Strategy = "weighted"
)

var _ choices = Strategy("")

// Values lists the words that may be written.
func (Strategy) Values() []string { return []string{"model-prefix", "round-robin", "weighted"} }
