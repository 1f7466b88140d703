package route

import (
	"time"

	"github.com/headgate-dev/headgate/core"
)

// AllOpen is the refusal of a call whose targets all have an open circuit. label is the first one's provider, left the
// time until its next trial.
func AllOpen(label string, left time.Duration) *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeUpstream, RetryAfter: max(time.Second, (left + time.Second - 1).Truncate(time.Second)),
		Public: label + " has failed too often and is temporarily not called; try again later",
	}
}

// NotInRegion is the refusal of a model that no target serves from the tenant's region.
func NotInRegion(region string) *core.Error {
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeModelNotFound, Param: "model",
		Public: "the model is not served in your region, " + region + "; choose another model",
	}
}

// refuseNoRoom is the refusal of an exchange beyond the concurrency limit.
func refuseNoRoom(tier Tier) *core.Error {
	return &core.Error{
		Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: time.Second,
		Public: "the gateway has no room for another request of the tier " + tier.String() + "; try again later",
	}
}

func lacksError(param, public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: param, Public: public}
}
