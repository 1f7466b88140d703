package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addAgents adds the operations on agents that clients reach over the A2A protocol. The id of an agent is its name.
func (a *API) addAgents() {
	const tag = "Agents"
	s := a.Service.Agents()
	mountCRUD(a, entity[admin.Agent, PageQuery]{
		name: "Agent", noun: "an agent", tag: tag, path: "/agents", permissions: permissions{read: auth.AgentsRead, write: auth.AgentsWrite},
		list: "List agents, including those of the configuration file", create: "Register an agent",
		id: func(v admin.Agent) string { return v.Name }, query: adaptPlainList(s.List),
	}, s)
	registerOperation(a, Operation{
		ID: "checkAgent", Method: http.MethodPost, Path: "/agents/{id}/check", Tag: tag, Permission: auth.AgentsWrite,
		Summary: "Fetch the card of an agent", Errors: []int{http.StatusBadGateway, http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*valueAnswer[admin.AgentCard], error) {
		return answerValue(s.FetchCard(ctx, who, in.ID))
	})
}
