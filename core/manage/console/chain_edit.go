package console

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// chainEditHandlers change the settings of stages that were added to the chain.
type chainEditHandlers struct{ links *chainLinkHandlers }

func (h *chainEditHandlers) mount(c *Console) {
	c.mountGet("/chain/links/:link/settings", auth.ChainWrite, h.showForm)
	c.mountPost("/chain/links/:link/settings", auth.ChainWrite, handleForm(h.change, h.showForm))
}

func buildChainSettingsPath(name string) string { return buildChainLinkPath(name) + "/settings" }

// settingForm is the form for the settings of an added stage. Settings that no form describes are edited as JSON.
type settingForm struct {
	stage   *stageForm // nil for JSON
	initial *Form
	fields  []field
}

// chooseSettingForm returns the form that shows all settings of a stage.
func chooseSettingForm(l *admin.ChainLink, forms []stageForm) *settingForm {
	for i := range forms {
		f := &forms[i]
		settings, ok := f.findSettings(l)
		if !ok {
			continue
		}
		initial := newForm()
		fields := f.settings.listFields(initial)
		if f.settings.writeSettings(settings, initial) {
			return &settingForm{f, initial, fields}
		}
	}
	return &settingForm{
		initial: newForm("json", formatSettings(l.Config)),
		fields:  []field{newTextarea("json", "Settings as JSON", "mono", "rows=16", "wide", "hint=No form has all of these settings.")},
	}
}

// findSettings returns the part of a stage's settings that the form describes; ok is false if the form is another stage's.
func (f *stageForm) findSettings(l *admin.ChainLink) (settings map[string]any, ok bool) {
	if l.Runs != f.Stage {
		return nil, false
	}
	if f.Detector == "" {
		return l.Config, true
	}
	detectors, _ := l.Config["detectors"].([]any)
	if len(l.Config) != 1 || len(detectors) != 1 {
		return nil, false
	}
	d, _ := detectors[0].(map[string]any)
	settings = map[string]any{}
	for name, v := range d {
		if name != "type" {
			settings[name] = v
		}
	}
	return settings, d["type"] == f.Detector
}

// wrapSettings returns what a form describes as the settings of its stage.
func (f *stageForm) wrapSettings(settings map[string]any) map[string]any {
	if f.Detector == "" {
		return settings
	}
	settings["type"] = f.Detector
	return map[string]any{"detectors": []any{settings}}
}

// readSettings returns the settings that somebody sent, and records what is wrong in the form. The settings are never nil.
func (s *settingForm) readSettings(f *Form) map[string]any {
	if s.stage != nil {
		return s.stage.wrapSettings(s.stage.settings.readSettings(f))
	}
	out := map[string]any{}
	if json.Unmarshal([]byte(f.readText("json")), &out) != nil || out == nil {
		f.addError("json", "Write a JSON object.")
	}
	return out
}

// findAdded returns the stage that the address names, the version of the chain, and the form for its settings.
func (h *chainEditHandlers) findAdded(r *request) (l admin.ChainLink, c admin.Chain, s *settingForm, err error) {
	if l, c, err = h.links.findLink(r); err != nil {
		return l, c, nil, err
	}
	if !l.Added {
		return l, c, nil, &core.Error{
			Kind: core.NotFound, Code: core.CodeNotFound,
			Public: "The stage is in the configuration file. Change its settings there.",
		}
	}
	forms, err := readStageForms(r)
	if err != nil {
		return l, c, nil, err
	}
	return l, c, chooseSettingForm(&l, forms), nil
}

func (h *chainEditHandlers) showForm(r *request) error {
	l, c, s, err := h.findAdded(r)
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: "/chain", Text: "Chain"}, {Path: buildChainLinkPath(l.Name), Text: l.Name}}}
	if s.stage != nil {
		p.add(part{"paragraph", s.stage.settings.Description})
	}
	p.add(r.newFormPart(formView{
		ID: "settings", Action: buildChainSettingsPath(l.Name), Button: "Save settings", Tag: admin.ComputeTag(c), Autocomplete: "off",
		Hint: "Other settings start the shadow results over, with their marks.",
	}, s.initial, s.fields...))
	return r.show("record", "Settings of "+l.Name, p)
}

// change stores the chain with other settings of the stage.
func (h *chainEditHandlers) change(r *request, f *Form) error {
	l, _, s, err := h.findAdded(r)
	if err != nil {
		return err
	}
	settings := s.readSettings(f)
	if err := f.reportErrors(); err != nil {
		return err
	}
	err = h.links.changeLinks(r, f, func(a *admin.Arrangement, at int) { a.Links[at].Config = settings })
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildChainLinkPath(l.Name), "Settings saved. They apply within seconds.")
}
