package console

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// chainAddHandlers add stages to the chain.
type chainAddHandlers struct{}

func (h *chainAddHandlers) mount(c *Console) {
	c.mountGet("/chain/add", auth.ChainWrite, h.listForms)
	c.mountGet("/chain/add/:form", auth.ChainWrite, h.showForm)
	c.mountPost("/chain/add/:form", auth.ChainWrite, handleForm(h.add, h.showForm))
}

func buildAddPath(id string) string { return "/chain/add/" + url.PathEscape(id) }

// chainAddPage is the data of the page that lists the stages that can be added.
type chainAddPage struct{ Forms []stageForm }

// stageForm is a stage that can be added, with the schema of its settings.
type stageForm struct {
	admin.StageForm
	settings *settingSchema
}

// Path returns the address of the form.
func (f stageForm) Path() string { return buildAddPath(f.ID) }

// Finds returns what the stage finds, in words.
func (f stageForm) Finds() string { return f.settings.Description }

func readStageForms(r *request) ([]stageForm, error) {
	forms, err := r.service().Chain().ListStageForms(r.ctx(), r.who)
	if err != nil {
		return nil, err
	}
	out := make([]stageForm, len(forms))
	for i := range forms {
		out[i].StageForm = forms[i]
		if out[i].settings, err = parseSettingSchema(forms[i].Schema); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (*chainAddHandlers) listForms(r *request) error {
	forms, err := readStageForms(r)
	if err != nil {
		return err
	}
	return r.show("chain-add", "Add stage", chainAddPage{forms})
}

// findForm returns the form that the address names.
func (*chainAddHandlers) findForm(r *request) (*stageForm, error) {
	forms, err := readStageForms(r)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(forms, func(f stageForm) bool { return f.ID == r.Param("form") })
	if at < 0 {
		return nil, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "There is no such stage."}
	}
	return &forms[at], nil
}

func (h *chainAddHandlers) showForm(r *request) error {
	f, err := h.findForm(r)
	if err != nil {
		return err
	}
	c, err := r.service().Chain().Get(r.ctx(), r.who)
	if err != nil {
		return err
	}
	initial := newForm("name", chooseFreeName(f.ID, c.Links), "before", choosePlace(f, c.Links), "mode", "shadow")
	fields := f.settings.listFields(initial)
	fields = append(fields, newInput("name", "Name of the stage", "required", "hint=Requests and costs name the stage by it."),
		newChoice("before", "Place", listPlaces(c.Links), "hint=In shadow mode a stage sees texts before any other has changed them."),
		newChoice("mode", "Mode", newOptions("shadow", "shadow", "enforce", "enforce"),
			"hint=In shadow mode it only records what it would have done."))
	p := &recordPage{Crumbs: []link{{Path: "/chain", Text: "Chain"}, {Path: "/chain/add", Text: "Add stage"}}}
	p.add(part{"paragraph", f.settings.Description}, r.newFormPart(formView{
		ID: "new", Action: f.Path(), Button: "Add stage", Tag: admin.ComputeTag(c), Autocomplete: "off",
	}, initial, fields...))
	return r.show("record", "Add "+f.ID, p)
}

// chooseFreeName returns a name that no link has.
func chooseFreeName(name string, links []admin.ChainLink) string {
	free := name
	for n := 2; slices.ContainsFunc(links, func(l admin.ChainLink) bool { return l.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// choosePlace returns the link before which a stage belongs: one that finds personal data before everything that stores texts or
// sends them away, another before the cache.
func choosePlace(f *stageForm, links []admin.ChainLink) string {
	for _, l := range links {
		if l.Runs == "cache" || f.Detector == "" && (l.Runs == "guardrail" || l.Kind != "stage") {
			return l.Name
		}
	}
	return ""
}

func listPlaces(links []admin.ChainLink) []Option {
	out := newOptions("", "last")
	for _, l := range links {
		out = append(out, Option{Value: l.Name, Label: "before " + l.Name})
	}
	return out
}

// add stores the chain with the new stage, and shows the page of the stage.
func (h *chainAddHandlers) add(r *request, f *Form) error {
	form, err := h.findForm(r)
	if err != nil {
		return err
	}
	config := form.wrapSettings(form.settings.readSettings(f))
	name := f.readText("name")
	if name == "" {
		f.addError("name", "Write a name.")
	}
	if err := f.reportErrors(); err != nil {
		return err
	}
	c, err := r.service().Chain().Get(r.ctx(), r.who)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(c.Links, func(l admin.ChainLink) bool { return l.Name == name }) {
		f.addError("name", "The chain has a stage of this name. Choose another one.")
		return f.reportErrors()
	}
	a := keepArrangement(c.Links)
	at := slices.IndexFunc(a.Links, func(l admin.ArrangedLink) bool { return l.Name == f.readText("before") })
	if at < 0 {
		at = len(a.Links)
	}
	a.Links = slices.Insert(a.Links, at, admin.ArrangedLink{
		Name: name, Mode: cmp.Or(f.readText("mode"), "shadow"), Stage: form.Stage, Config: config,
	})
	if err := admin.CheckBounds(a); err != nil {
		return err
	}
	if _, err := r.service().Chain().Arrange(r.ctx(), r.who, a, false, f.readTag()); err != nil {
		return explainChainFaults(a, err)
	}
	return r.redirectWithNotice(buildChainLinkPath(name), "Stage added. It runs within seconds.")
}

// keepArrangement returns the arrangement that changes nothing.
func keepArrangement(links []admin.ChainLink) (a admin.Arrangement) {
	for _, l := range links {
		a.Links = append(a.Links, admin.ArrangedLink{Name: l.Name, Mode: l.Mode})
	}
	return a
}

// explainChainFaults returns a refusal that names links by their names, where the chain breaks a rule of order.
func explainChainFaults(a admin.Arrangement, err error) error {
	faults := admin.ListChainFaults(a, err)
	if len(faults) == 0 {
		return err
	}
	text := ""
	for _, f := range faults {
		text += capitalizeSentence(f.Text) + " "
		if f.Hint != "" {
			text += capitalizeSentence(f.Hint) + " "
		}
	}
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusBadRequest, Code: core.CodeInvalidValue, Public: text[:len(text)-1], Err: err,
	}
}
