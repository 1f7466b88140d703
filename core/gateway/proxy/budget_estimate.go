package proxy

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// estimateName is the dialect name of estimates in records and metrics.
const estimateName = "budget.estimate"

// budgetEstimate is the highest cost of a call. Fields that depend on a budget are null if none applies.
type budgetEstimate struct {
	Cost            float64  `json:"estimated_cost_usd"`
	RemainingUSD    *float64 `json:"budget_remaining_usd"`
	RemainingTokens *int64   `json:"budget_remaining_tokens"`
	RemainingPct    *float64 `json:"budget_remaining_pct"`
	WouldExceed     bool     `json:"would_exceed_budget"`
}

// maxEstimate limits the body of an estimate request, in bytes.
const maxEstimate = 64 << 10

// serveEstimate returns the highest cost of an answer of max_tokens, without the input, which the request does not
// contain.
func (p *Proxy) serveEstimate(c *gin.Context) {
	downstream.LimitBody(c.Request)
	p.serveLocalRequest(
		c,
		estimateName,
		openai.Chat{},
		auth.ScopeCompletions,
		func(s *snapshot.Snapshot, caller *core.Principal) ([]byte, *core.Error) {
			var q struct {
				Model     string `json:"model"`
				MaxTokens int64  `json:"max_tokens"`
			}
			body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, maxEstimate))
			switch {
			case err != nil:
				return nil, convertBodyError(err)
			case json.Unmarshal(body, &q) != nil:
				return nil, &core.Error{
					Kind:   core.InvalidRequest,
					Code:   core.CodeInvalidJSON,
					Public: `the body must be a JSON object with "model" and, optionally, "max_tokens"`,
				}
			case q.Model == "":
				return nil, &core.Error{
					Kind:   core.InvalidRequest,
					Code:   core.CodeMissingField,
					Param:  "model",
					Public: `you must provide the parameter "model"`,
				}
			case q.MaxTokens < 0:
				return nil, &core.Error{
					Kind:   core.InvalidRequest,
					Code:   core.CodeInvalidValue,
					Param:  "max_tokens",
					Public: `"max_tokens" must not be negative`,
				}
			}
			if q.MaxTokens == 0 {
				q.MaxTokens = s.DefaultCap
			}
			var cost, input, output int64
			if plan, _ := s.Router.PlanFor(nil, route.Query{Model: q.Model, Still: true}); len(plan) > 0 && s.Prices != nil {
				input, output, _ = s.Prices.FindPerToken(plan[0].Provider, plan[0].Model)
				cost = min(q.MaxTokens, math.MaxInt64/max(output, 1)) * output
			}
			e := budgetEstimate{Cost: float64(cost) / spending.UnitsPerUSD}
			if s.Spending != nil {
				left, ok, err := s.Spending.ComputeRemaining(c.Request.Context(), caller, q.Model)
				if err != nil {
					return nil, &core.Error{
						Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err, RetryAfter: time.Second,
						Public: "the budgets cannot be read at the moment; try again",
					}
				}
				if ok {
					e.setBudget(left, cost, q.MaxTokens, max(input, output))
				}
			}
			b, err := json.Marshal(e)
			if err != nil {
				return nil, core.ConvertError(err)
			}
			return b, nil
		},
	)
}

// setBudget sets what is left of the tightest budgets, and whether an answer with this number of tokens fits. It
// converts money to tokens at the higher price.
func (e *budgetEstimate) setBudget(left spending.Left, cost, tokens, dear int64) {
	e.RemainingPct = &left.Pct
	if left.Money {
		usd := float64(left.USD) / spending.UnitsPerUSD
		e.RemainingUSD = &usd
		e.WouldExceed = cost > left.USD
	}
	n, known := left.Tokens, left.Counts
	if left.Counts {
		e.WouldExceed = e.WouldExceed || tokens > left.Tokens
	}
	if left.Money && dear > 0 && (!known || left.USD/dear < n) {
		n, known = left.USD/dear, true
	}
	if known {
		e.RemainingTokens = &n
	}
}
