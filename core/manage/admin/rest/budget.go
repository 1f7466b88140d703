package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// BudgetQuery filters budgets.
type BudgetQuery struct {
	Tenant string `query:"tenantId" maxLength:"128"`
	Key    string `query:"apiKeyId" maxLength:"128"`
	Page
}

// addBudgets adds the operations on budgets.
func (a *API) addBudgets() {
	s := a.Service.Budgets()
	mountCRUD(a, entity[admin.Budget, BudgetQuery]{
		name:        "Budget",
		noun:        "a budget",
		tag:         "Budgets",
		path:        "/budgets",
		permissions: permissions{read: auth.BudgetsRead, write: auth.BudgetsWrite},
		create:      "Create a budget; it applies within 2 seconds and counts what the current period has cost already",
		list:        "List budgets",
		update:      "Change the given fields of a budget, as a new version",
		id:          func(b admin.Budget) string { return b.ID },
		query: func(ctx context.Context, who *auth.Actor, in *BudgetQuery, p admin.Page) (admin.List[admin.Budget], error) {
			return s.List(ctx, who, in.Tenant, in.Key, p)
		},
	}, s)
	registerOperation(a, Operation{
		ID:         "getBudgetUsage",
		Method:     http.MethodGet,
		Path:       "/budgets/{id}/usage",
		Tag:        "Budgets",
		Summary:    "Get what a budget has spent in its current period",
		Permission: auth.BudgetsRead,
	}, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*valueAnswer[admin.BudgetUsage], error) {
		return answerValue(s.ReadUsage(ctx, who, in.ID))
	})
}
