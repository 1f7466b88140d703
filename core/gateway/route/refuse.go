package route

import (
	"time"

	"github.com/headgate-dev/headgate/core"
)

// NewAllOpenError returns the refusal of a call whose targets all have an open circuit. label is the first one's provider, left the
// time until its next trial.
func NewAllOpenError(label string, left time.Duration) *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeUpstream, RetryAfter: max(time.Second, (left + time.Second - 1).Truncate(time.Second)),
		Public: label + " has failed too often and is temporarily not called; try again later",
	}
}

// NewNotInRegionError returns the refusal of a model that no target serves from the tenant's region.
func NewNotInRegionError(region string) *core.Error {
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeModelNotFound, Param: "model",
		Public: "the model is not served in your region, " + region + "; choose another model",
	}
}

// newNoRoomError returns the refusal of an exchange beyond the concurrency limit.
func newNoRoomError(tier Tier) *core.Error {
	return &core.Error{
		Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: time.Second,
		Public: "the gateway has no room for another request of the tier " + tier.String() + "; try again later",
	}
}

func newLacksError(param, public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: param, Public: public}
}
