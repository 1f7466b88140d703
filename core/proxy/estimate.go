package proxy

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/snapshot"
)

// estimateName stands where exchanges have the name of their shape.
const estimateName = "budget.estimate"

// budgetEstimate is what a call may cost. What depends on a budget is null while
// none applies.
type budgetEstimate struct {
	Cost            float64  `json:"estimated_cost_usd"`
	RemainingUSD    *float64 `json:"budget_remaining_usd"`
	RemainingTokens *int64   `json:"budget_remaining_tokens"`
	RemainingPct    *float64 `json:"budget_remaining_pct"`
	WouldExceed     bool     `json:"would_exceed_budget"`
}

// maxEstimate bounds the body of a question for an estimate.
const maxEstimate = 64 << 10

// estimate tells what an answer of max_tokens would cost at most, input aside:
// the question does not hold it.
func (p *Proxy) estimate(c *gin.Context) {
	Await(c.Request)
	p.aside(c, estimateName, openai.Chat{}, core.ScopeCompletions, func(s *snapshot.Snapshot) ([]byte, *core.Error) {
		var q struct {
			Model     string `json:"model"`
			MaxTokens int64  `json:"max_tokens"`
		}
		body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, maxEstimate))
		switch {
		case err != nil:
			return nil, unread(err)
		case json.Unmarshal(body, &q) != nil:
			return nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Public: `the body must be a JSON object with "model" and, optionally, "max_tokens"`}
		case q.Model == "":
			return nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: "model", Public: `you must provide the parameter "model"`}
		case q.MaxTokens < 0:
			return nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "max_tokens", Public: `"max_tokens" must not be negative`}
		}
		if q.MaxTokens == 0 {
			q.MaxTokens = s.DefaultCap
		}
		var e budgetEstimate
		if plan := s.Router.Plan(q.Model); len(plan) > 0 && s.Prices != nil {
			if _, output, ok := s.Prices.PerToken(plan[0].Provider, plan[0].Model); ok {
				e.Cost = float64(output) * float64(q.MaxTokens) / unitsPerUSD
			}
		}
		b, err := json.Marshal(e)
		if err != nil {
			return nil, core.AsError(err)
		}
		return b, nil
	})
}

// unitsPerUSD is how many units of money are a dollar: money is counted in whole
// units of 1e-10 USD.
const unitsPerUSD = 1e10
