package config

import (
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// Price is what a model costs. It comes before the price list that the gateway has of its own.
type Price struct {
	// Model is a glob over the provider's names of models.
	Model string `yaml:"model" required:"true" eg:"gpt-4o*"`
	// Provider is the provider's name, as under providers.
	Provider string `yaml:"provider" required:"true" eg:"openai"`
	// InputPricePerMillion is the price in USD of a million tokens read. Prices are exact, with up to ten decimal places.
	InputPricePerMillion money.Amount `yaml:"inputPricePerMillion" required:"true" eg:"2.50"`
	// OutputPricePerMillion is the price in USD of a million tokens written.
	OutputPricePerMillion money.Amount `yaml:"outputPricePerMillion" required:"true" eg:"10"`
	// CachedInputPricePerMillion is the price of input that the provider reads from its prompt cache. That of input unless written.
	CachedInputPricePerMillion money.Amount `yaml:"cachedInputPricePerMillion" default:"-1" eg:"1.25"`
	// CacheWritePricePerMillion is the price of input that the provider stores in its prompt cache. That of input unless written.
	CacheWritePricePerMillion money.Amount `yaml:"cacheWritePricePerMillion" default:"-1" eg:"3.125"`
	// ReasoningPricePerMillion is the price of output spent on reasoning. That of output unless written.
	ReasoningPricePerMillion money.Amount `yaml:"reasoningPricePerMillion" default:"-1" eg:"10"`
	// BatchPercent is what batches are charged of these prices, in per cent.
	BatchPercent int64 `yaml:"batchPercent" default:"100" min:"1" max:"100" eg:"50"`
	// EffectiveDate is when the price comes into force. It always was unless written.
	EffectiveDate time.Time `yaml:"effectiveDate" eg:"2027-01-01"`
}

// Costs says what is unusual about what was spent.
type Costs struct {
	// AnomalyThresholdPct is how far the cost of a tenant's model in 24 hours may be above the daily mean of the 30 days before, in per cent, until it is an anomaly.
	AnomalyThresholdPct int64 `yaml:"anomaly_threshold_pct" default:"50" min:"1" max:"100000"`
}

// Budget bounds what is spent in a period. It takes a link "stage: budget" in the chain.
type Budget struct {
	// ID names the budget for good. The name unless written.
	ID string `yaml:"id" eg:"acme-monthly"`
	// Name is the budget as people read it.
	Name string `yaml:"name" required:"true" eg:"acme-monthly"`
	// TenantID is the tenant it holds for. All together unless written.
	TenantID string `yaml:"tenantId" eg:"default"`
	// APIKeyID is the id or the name of the key it holds for. All of the tenant together unless written.
	APIKeyID string `yaml:"apiKeyId" eg:"dev"`
	// Model is a glob over the models it holds for. All together unless written.
	Model string `yaml:"model" eg:"gpt-*"`
	// Period is when it begins anew: at midnight, before Monday, or before the first of the month.
	Period Period `yaml:"period" default:"MONTHLY"`
	// TimeZone is whose midnight counts.
	TimeZone string `yaml:"timeZone" default:"UTC" eg:"Europe/Berlin"`
	// LimitUSD is how much may be spent. No limit unless written.
	LimitUSD money.Amount `yaml:"limitUsd" default:"-1" eg:"100"`
	// LimitTokens is how many tokens may be read and written. No limit unless written.
	LimitTokens int64 `yaml:"limitTokens" default:"-1" eg:"5000000"`
	// SoftLimitPct is the share of a limit at which it is told once in a period. 0: never.
	SoftLimitPct int64 `yaml:"softLimitPct" default:"0" min:"0" max:"100" eg:"80"`
	// Enabled says whether the budget is in force.
	Enabled bool `yaml:"enabled" default:"true"`
}

// Period is how often a budget begins anew; "" is not set.
type Period string

// The periods.
const (
	Daily   Period = "DAILY"
	Weekly  Period = "WEEKLY"
	Monthly Period = "MONTHLY"
)

var _ choices = Period("")

// Values lists the words that may be written.
func (Period) Values() []string { return []string{"DAILY", "WEEKLY", "MONTHLY"} }
