package config

import (
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// Price is the price of a model. It takes precedence over the gateway's built-in price list.
type Price struct {
	// Model is a glob over the provider's model names.
	Model string `yaml:"model" required:"true" eg:"gpt-4o*"`
	// Provider is the provider's name under providers.
	Provider string `yaml:"provider" required:"true" eg:"openai"`
	// InputPricePerMillion is the price in USD of a million input tokens. Prices are exact, with up to ten decimal
	// places.
	InputPricePerMillion money.Amount `yaml:"inputPricePerMillion" required:"true" eg:"2.50"`
	// OutputPricePerMillion is the price in USD of a million output tokens.
	OutputPricePerMillion money.Amount `yaml:"outputPricePerMillion" required:"true" eg:"10"`
	// CachedInputPricePerMillion is the price of input read from the provider's prompt cache. Default: the input price.
	CachedInputPricePerMillion money.Amount `yaml:"cachedInputPricePerMillion" default:"-1" eg:"1.25"`
	// CacheWritePricePerMillion is the price of input written to the provider's prompt cache. Default: the input price.
	CacheWritePricePerMillion money.Amount `yaml:"cacheWritePricePerMillion" default:"-1" eg:"3.125"`
	// ReasoningPricePerMillion is the price of reasoning tokens. Default: the output price.
	ReasoningPricePerMillion money.Amount `yaml:"reasoningPricePerMillion" default:"-1" eg:"10"`
	// MediaInputPricePerMillion is the price of input that is sound or pictures. Default: the input price.
	MediaInputPricePerMillion money.Amount `yaml:"mediaInputPricePerMillion" eg:"10"`
	// MediaOutputPricePerMillion is the price of output that is sound. Default: the output price.
	MediaOutputPricePerMillion money.Amount `yaml:"mediaOutputPricePerMillion" eg:"64"`
	// PricePerImage is the price in USD of a generated picture.
	PricePerImage money.Amount `yaml:"pricePerImage" eg:"0.04"`
	// PricePerSecond is the price in USD of a second of sound that is transcribed.
	PricePerSecond money.Amount `yaml:"pricePerSecond" eg:"0.0001"`
	// PricePerSearch is the price in USD of a search of a reranker.
	PricePerSearch money.Amount `yaml:"pricePerSearch" eg:"0.002"`
	// CharacterPricePerMillion is the price in USD of a million characters that are spoken.
	CharacterPricePerMillion money.Amount `yaml:"characterPricePerMillion" eg:"15"`
	// BatchPercent is the share of these prices that batches pay, in percent.
	BatchPercent int64 `yaml:"batchPercent" default:"100" min:"1" max:"100" eg:"50"`
	// EffectiveDate is when the price takes effect. Default: always.
	EffectiveDate time.Time `yaml:"effectiveDate" eg:"2027-01-01"`
}

// Costs configures cost anomalies.
type Costs struct {
	// AnomalyThresholdPct is how far a tenant's cost for a model in 24 hours must exceed the daily mean of the previous
	// 30 days to be an anomaly, in percent.
	AnomalyThresholdPct int64 `yaml:"anomaly_threshold_pct" default:"50" min:"1" max:"100000"`
}

// Budget limits the spending of a period. A link `stage: budget` in the chain chooses where it is enforced.
type Budget struct {
	// ID identifies the budget permanently. Default: its name.
	ID string `yaml:"id" eg:"acme-monthly"`
	// Name is the display name.
	Name string `yaml:"name" required:"true" eg:"acme-monthly"`
	// TenantID limits the budget to a tenant. Default: all tenants together.
	TenantID string `yaml:"tenantId" eg:"default"`
	// APIKeyID limits the budget to a key, by id or name. Default: all keys of the tenant together.
	APIKeyID string `yaml:"apiKeyId" eg:"dev"`
	// Model limits the budget to the models that match this glob. Default: all models together.
	Model string `yaml:"model" eg:"gpt-*"`
	// Period is when the budget resets: daily at midnight, weekly before Monday, or monthly before the first.
	Period Period `yaml:"period" default:"MONTHLY"`
	// TimeZone is the time zone of that midnight.
	TimeZone string `yaml:"timeZone" default:"UTC" eg:"Europe/Berlin"`
	// LimitUSD limits the spending in a period, in USD. Default: no limit.
	LimitUSD money.Amount `yaml:"limitUsd" default:"-1" eg:"100"`
	// LimitTokens limits the input and output tokens in a period. Default: no limit.
	LimitTokens int64 `yaml:"limitTokens" default:"-1" eg:"5000000"`
	// SoftLimitPct is the share of a limit, in percent, that triggers a notification, once per period. 0: never.
	SoftLimitPct int64 `yaml:"softLimitPct" default:"0" min:"0" max:"100" eg:"80"`
	// Enabled puts the budget into force.
	Enabled bool `yaml:"enabled" default:"true"`
}

// Period is how often a budget resets; "" is not set.
type Period string

var _ choices = Period("")

// Values lists the accepted words.
func (Period) Values() []string { return []string{"DAILY", "WEEKLY", "MONTHLY"} }
