package console

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/recent"
)

// playgroundHandlers serve the playground. Its messages go through the gateway of this node for a workspace that the user
// chooses, without a key. Users who may create keys of the workspace or change the chain may send them.
type playgroundHandlers struct {
	playground Playground
	recent     *recent.Ring
	gateway    string
}

func (h *playgroundHandlers) mount(c *Console) {
	c.mountGet("/try", "", func(r *request) error { return r.showPlayground(newForm(), nil) })
	c.mountPost("/try", "", h.tryModel)
	c.mountPost("/try/stream", "", h.streamModel)
	c.mountPost("/try/compare", "", h.compareModels)
}

// playPage is the data of the page.
type playPage struct {
	exchangeView
	Form       *Form
	Workspaces []Option
	Models     []string
	Providers  []Option // that may be treated as down
	Stages     []string // that may run in shadow mode
	Shadowed   map[string]bool
	Talk       []message
	Answers    []answerView // of a comparison
	Failed     string       // the error, if there is no answer
	Trace      string
	Costs      bool
	Serves     bool // this node serves traffic
	May        bool
	Gateway    string
}

// Tuned reports whether the form has a system prompt or a parameter, so that its section is shown open.
func (p *playPage) Tuned() bool {
	return len(p.Form.copyValues("system", "temperature", "max_tokens")) > 0
}

// Compares reports whether the form names another model, so that its section is shown open.
func (p *playPage) Compares() bool {
	return p.Form.Errors[extraModels[0]] != "" || len(p.Form.copyValues(extraModels...)) > 0
}

// canTry reports whether a user may call models without a key.
func canTry(who *auth.Actor) bool { return who.Can(auth.KeysCreate) || who.Can(auth.ChainWrite) }

// showPlayground shows the page. The script requests the live part with the trace id of an answer.
func (r *request) showPlayground(f *Form, change func(*playPage)) error {
	p := &playPage{
		Form: f, Costs: r.who.Can(auth.CostsRead), Serves: r.c.Playground != nil, May: canTry(r.who), Gateway: r.c.Gateway,
		Shadowed: map[string]bool{},
	}
	if p.Serves && p.May {
		var err error
		if p.Workspaces, err = r.listWorkspaceChoices(""); err != nil {
			return err
		}
		p.Models = r.c.Playground.Models()
		p.Providers = newOptions("", "None")
		for _, name := range r.c.Playground.Providers() {
			p.Providers = append(p.Providers, Option{Value: name, Label: name})
		}
		if r.who.Can(auth.ChainWrite) {
			p.Stages = r.c.Playground.Shadowable()
		}
		for _, name := range f.Values["shadow"] {
			p.Shadowed[name] = true
		}
	}
	p.Trace = r.Query("trace")
	if change != nil {
		change(p)
	}
	if p.Trace != "" {
		if e, ok := r.c.Recent.Find(r.who.Tenant, p.Trace); ok {
			p.exchangeView = newExchangeView(&e)
		}
	}
	return r.show("playground", "Playground", p)
}

// tryModel sends one message and answers with the whole page, for browsers without scripts.
func (h *playgroundHandlers) tryModel(r *request) error {
	a, err := r.parsePrompt()
	if err != nil {
		if a == nil {
			return err
		}
		a.form.addRefusal(core.ConvertError(err))
		return r.showPlayground(a.form, func(p *playPage) { p.Talk = a.talk })
	}
	q, err := a.buildRequest(r, false)
	if err != nil {
		return err
	}
	call := playCall{request: q, grant: a.grant, answer: newResponseRecorder()}
	call.run(h.playground)
	text, failed := call.read()
	return r.showPlayground(a.form, func(p *playPage) {
		p.Trace, p.Failed = call.readTrace(), failed
		if p.Talk = a.talk; failed == "" {
			p.Talk = append(p.Talk, message{"user", a.form.readText("message")}, message{"assistant", text})
			a.form.Values.Del("message")
		}
	})
}

// streamModel sends one message and streams the answer to the script.
func (h *playgroundHandlers) streamModel(r *request) error {
	a, err := r.parsePrompt()
	if err != nil {
		e := core.ConvertError(err)
		says := capitalizeSentence(e.Public)
		if a != nil {
			for _, name := range []string{"message", "model", "temperature", "max_tokens"} {
				if w := a.form.Errors[name]; w != "" {
					says = w
				}
			}
		}
		r.JSON(e.HTTPStatus(), map[string]any{"error": map[string]string{"message": says}})
		return nil
	}
	q, err := a.buildRequest(r, true)
	if err != nil {
		return err
	}
	h.playground.ServeGrant(r.Writer, q, a.grant)
	return nil
}
