package console

import (
	"slices"
	"sync"

	"github.com/headgate-dev/headgate/core"
)

// extraModels are the fields of the models that a comparison adds to the first.
var extraModels = []string{"model2", "model3"}

// answerView is the answer of one model, and the trace of its exchange.
type answerView struct {
	exchangeView
	Model  string
	Text   string
	Failed string // the error, if there is no answer
	Costs  bool   // the user may see the cost
}

// compareModels sends one message to two or three models at once and shows their answers beside each other. The conversation
// does not continue with any of them.
func (h *playgroundHandlers) compareModels(r *request) error {
	a, err := r.parsePrompt()
	if a == nil {
		return err
	}
	models := []string{a.model}
	for _, field := range extraModels {
		if model := a.form.readText(field); model != "" {
			models = append(models, model)
		}
	}
	if len(models) == 1 {
		a.form.addError(extraModels[0], "Write the name of a model to compare with.")
		err = a.form.reportErrors()
	}
	if err != nil {
		a.form.addRefusal(core.ConvertError(err))
		return r.showPlayground(a.form, func(p *playPage) { p.Talk = a.talk })
	}
	answers, err := h.askModels(r, a, models)
	if err != nil {
		return err
	}
	return r.showPlayground(a.form, func(p *playPage) {
		p.Talk = a.talk
		for i := range answers {
			answers[i].Costs = p.Costs
		}
		p.Answers = answers
	})
}

// askModels sends the prompt to the models at once, so that the slowest of them sets the time that the user waits.
func (h *playgroundHandlers) askModels(r *request, a *prompt, models []string) ([]answerView, error) {
	calls := make([]*playCall, len(models))
	for i, model := range models {
		one := *a
		one.model, one.grant.Shadow = model, slices.Clone(a.grant.Shadow)
		q, err := one.buildRequest(r, false)
		if err != nil {
			return nil, err
		}
		calls[i] = &playCall{request: q, grant: one.grant, answer: newResponseRecorder()}
	}
	var running sync.WaitGroup
	for _, c := range calls {
		running.Go(func() { c.run(h.playground) })
	}
	running.Wait()
	answers := make([]answerView, len(models))
	for i, c := range calls {
		v := &answers[i]
		v.Model = models[i]
		v.Text, v.Failed = c.read()
		if e, ok := h.recent.Find(r.who.Tenant, c.readTrace()); ok {
			v.exchangeView = newExchangeView(&e)
		}
	}
	return answers, nil
}
