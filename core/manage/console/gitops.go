package console

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// configHandlers export and import the configuration.
type configHandlers struct{}

func (h *configHandlers) mount(c *Console) {
	c.mountGet("/configuration", auth.ConfigRead, func(r *request) error {
		return r.show("configuration", "Configuration",
			&importPage{Form: newForm()})
	})
	c.mountGet("/configuration/export", auth.ConfigRead, h.exportConfig)
	c.mountPost("/configuration", auth.ConfigWrite, h.importConfig)
}

// importPage is the data of the page.
type importPage struct {
	Form    *Form
	Planned *admin.ConfigImported // the changes of a dry run
}

func (h *configHandlers) exportConfig(r *request) error {
	doc, err := r.service().GitOps().Export(r.ctx(), r.who)
	if err != nil {
		return err
	}
	if r.Query("format") == "json" {
		b, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			return err
		}
		r.setDownloadName("headgate.json")
		r.Data(http.StatusOK, "application/json", b)
		return nil
	}
	r.setDownloadName("headgate.yaml")
	r.Header("Content-Type", "application/yaml")
	return doc.WriteYAML(r.Writer)
}

// importConfig shows the changes of an import, and carries them out when the form is sent with the second button.
func (h *configHandlers) importConfig(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	page := &importPage{Form: f}
	doc, err := admin.ReadConfig([]byte(f.Values.Get("document")))
	if err != nil {
		err = &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "document",
			Public: strings.TrimPrefix(err.Error(), "yaml: "),
		}
		return r.showRefused("configuration", "Configuration", page, f, err)
	}
	do := f.readText("do") != ""
	done, err := r.service().GitOps().Import(r.ctx(), r.who, doc, f.isChecked("prune"), !do)
	if err != nil {
		return r.showRefused("configuration", "Configuration", page, f, err)
	}
	if do {
		return r.redirectWithNotice("/configuration", "Configuration imported: "+formatPlural(len(done.Changes), "change")+".")
	}
	page.Planned = &done
	return r.show("configuration", "Configuration", page)
}
