package console

import (
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// start is the progress of the first steps of an installation.
type start struct {
	Workspace, Key, Budget, Request, Plugin, Verdict bool
	WorkspaceID                                      string // of the first workspace
	Gateway                                          string
	PluginsDir                                       string
}

// Done returns the number of completed steps.
func (s *start) Done() (n int) {
	for _, done := range []bool{s.Workspace, s.Key, s.Budget, s.Request, s.Plugin, s.Verdict} {
		if done {
			n++
		}
	}
	return n
}

// startSteps is the number of steps.
const startSteps = 6

// readStart reads the progress. Only owners see the steps, until they hide or complete them.
func (p *overviewPage) readStart(r *request) error {
	if k, err := r.Request.Cookie(startCookie); !r.who.Can(auth.TenantsCreate) || !r.who.Can(auth.BudgetsWrite) || err == nil &&
		k.Value != "" {
		return nil
	}
	s := &start{Gateway: r.c.Gateway, PluginsDir: p.Status.PluginsDir}
	list, err := r.service().Tenants().List(r.ctx(), r.who, admin.Page{Limit: topRows})
	tenants, err := readAll(list, err, topRows+1)
	if err != nil {
		return err
	}
	for _, t := range tenants {
		if !s.Workspace {
			s.Workspace, s.WorkspaceID = true, t.ID
		}
		keys, err := r.service().Keys().List(r.ctx(), r.who, t.ID, admin.Page{Limit: 1})
		some, err := readAll(keys, err, 2)
		if err != nil {
			return err
		}
		if s.Key = len(some) > 0; s.Key {
			break
		}
	}
	budgets, err := r.service().Budgets().List(r.ctx(), r.who, "", "", admin.Page{Limit: 1})
	some, err := readAll(budgets, err, 2)
	if err != nil {
		return err
	}
	s.Budget = len(some) > 0
	if s.Request = p.Traffic.Sum.Calls > 0; !s.Request {
		week, err := r.service().Exchanges().SumTraffic(r.ctx(), r.who, "", meter.LastWeek, 1)
		if err != nil {
			return err
		}
		s.Request = week.Sum.Calls > 0
	}
	for _, x := range p.Status.Plugins {
		s.Plugin = true
		s.Verdict = s.Verdict || x.Calls > 0 || x.Process != nil && x.Process.Calls > 0
	}
	if s.Done() < startSteps {
		p.Start = s
	}
	return nil
}
