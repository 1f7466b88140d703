package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// BudgetPath names a budget.
type BudgetPath struct {
	ID string `path:"id" maxLength:"128" doc:"The budget's id."`
}

// budgets adds the operations on budgets.
func (a *API) budgets() {
	const tag = "Budgets"
	s := a.Service
	handle(a, Operation{
		ID: "createBudget", Method: http.MethodPost, Path: "/budgets", Tag: tag, Summary: "Make a budget; it holds within two seconds, and counts what its period has cost already",
		Permission: auth.BudgetsWrite, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.NewBudget }) (*made[admin.Budget], error) {
		b, err := s.Budgets().Create(ctx, who, in.Body)
		return showNew("/budgets/"+b.ID, b, err)
	})
	handleList(a, Operation{
		ID: "listBudgets", Method: http.MethodGet, Path: "/budgets", Tag: tag, Summary: "List budgets", Permission: auth.BudgetsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Tenant string `query:"tenantId" maxLength:"128"`
		Key    string `query:"apiKeyId" maxLength:"128"`
		Page
	}, p admin.Page,
	) (admin.List[admin.Budget], error) {
		return s.Budgets().List(ctx, who, in.Tenant, in.Key, p)
	})
	handle(a, Operation{
		ID: "getBudget", Method: http.MethodGet, Path: "/budgets/{id}", Tag: tag, Summary: "Read a budget", Permission: auth.BudgetsRead,
	}, func(ctx context.Context, who *auth.Actor, in *BudgetPath) (*one[admin.Budget], error) {
		return show(s.Budgets().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updateBudget", Method: http.MethodPut, Path: "/budgets/{id}", Tag: tag, Summary: "Change the fields of a budget that are sent, as a new version",
		Permission: auth.BudgetsWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		BudgetPath
		Match
		Body admin.BudgetChange
	},
	) (*one[admin.Budget], error) {
		return show(s.Budgets().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deleteBudget", Method: http.MethodDelete, Path: "/budgets/{id}", Tag: tag, Summary: "Remove a budget",
		Permission: auth.BudgetsWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		BudgetPath
		Match
	},
	) (*none, error) {
		return done(s.Budgets().Delete(ctx, who, in.ID, in.of()))
	})
	handle(a, Operation{
		ID: "getBudgetUsage", Method: http.MethodGet, Path: "/budgets/{id}/usage", Tag: tag, Summary: "Say how a budget stands", Permission: auth.BudgetsRead,
	}, func(ctx context.Context, who *auth.Actor, in *BudgetPath) (*answer[admin.BudgetUsage], error) {
		return body(s.Budgets().Usage(ctx, who, in.ID))
	})
}
