package console

import (
	"html/template"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/admin"
)

// pageData returns the data that handlers pass to the template of each page.
var pageData = map[string]any{
	"account": accountPage{}, "approvals": &approvalPage{}, "audit": &auditPage{}, "audit-chains": &chainsPage{},
	"audit-event": &auditEvent{}, "audit-exports": &exportPage{}, "chain": &chainPage{},
	"chain-add": chainAddPage{}, "chain-link": &chainLinkPage{}, "chargeback-report": &chargebackPage{},
	"compliance-report": &reportPage{}, "configuration": &importPage{}, "cost-records": &costRecords{}, "costs": &costPage{},
	"error": failure{}, "invitation": invitation{}, "find": &findPage{}, "fleet": fleetPage{}, "latency": latencyPage{}, "license": &licensePage{},
	"list": &listPage{}, "login": login{}, "overview": &overviewPage{}, "pii": &vaultPage{}, "playground": &playPage{},
	"plugin": pluginPage{}, "plugins": pluginList{}, "policies": &policyList{}, "policy": &policyPage{}, "policy-shadow": shadowPage{},
	"policy-versions": versionsPage{}, "record": &recordPage{}, "request": &requestPage{}, "requests": &requestList{},
	"session": &sessionView{}, "setup": setup{}, "usage": &usagePage{},
}

// partData returns the data of each part that pages declare in Go.
var partData = map[string]any{
	"actions": []part{}, "ago": momentWithAge{}, "bad": "", "button": link{}, "cards": []cardView{}, "chargeback-files": "", "code": "",
	"confirm": confirmation{}, "copied": "", "date": &moment{}, "diff": &diff{}, "empty": "", "facts": []fact{}, "filter": filterView{}, "form": formView{}, "heading": "",
	"hint": "", "link": link{}, "member-actions": &memberActions{}, "note": "", "paragraph": "", "pre": "", "report-file": "",
	"route-diff": &diff{}, "route-lookup": lookup{}, "route-providers": []admin.RouteTarget{},
	"route-table": []admin.RouteTarget{}, "route-targets": [][]Field{}, "secret": map[string]any{}, "several": []part{}, "snippets": snippets{},
	"share": budgetRow{}, "state": "", "table": &table{}, "text": "", "time": &moment{}, "token-intro": nil, "unlicensed": "",
	"provider-test": &admin.ProviderTest{}, "provider-test-key": map[string]string{}, "provider-models": []string{}, "paragraph-link": link{},
	"webhook-log": webhookLog{}, "webhook-secret": &admin.Webhook{}, "webhook-test": &admin.WebhookTest{},
}

// liveData returns the data of live parts that are defined outside the template of their page.
var liveData = map[string]any{"live-deliveries": &webhookPage{}}

// Templates look fields up when a page is rendered. This test resolves every field of every branch against the Go types, so
// that a renamed field fails here and not on a page that is rarely opened.
func TestEveryFieldOfATemplateExists(t *testing.T) {
	c := &Console{}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	require.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		if name == "layout" || strings.HasPrefix(name, "parts") {
			continue
		}
		data, ok := pageData[name]
		require.True(t, ok, "name the data of %s in pageData", name)
		set, err := c.parseTemplates(name)
		require.NoError(t, err)
		check := newTemplateCheck(set, c.buildTemplateFuncs())
		check.call("layout.html", pageShape(shapeOf(data)))
		for _, tpl := range set.Templates() { // parts have data of their own; a live part has the page's
			if live, ok := liveData[tpl.Name()]; ok {
				check.call(tpl.Name(), pageShape(shapeOf(live)))
			} else if strings.HasPrefix(tpl.Name(), "live-") {
				check.call(tpl.Name(), pageShape(shapeOf(data)))
			}
			if part, ok := strings.CutPrefix(tpl.Name(), "part-"); ok {
				of, ok := partData[part]
				require.True(t, ok, "name the data of %s in partData", tpl.Name())
				check.call(tpl.Name(), pageShape(shapeOf(of)))
			}
		}
		assert.Empty(t, check.faults, "%s", name)
		assert.Greater(t, check.resolved, 30, "%s", name)
	}
}

func TestAMissingFieldOfATemplateIsFound(t *testing.T) {
	for text, fault := range map[string]string{
		`{{.Data.Gone}}`: "console.cardView has no Gone",
		`{{if false}}{{with .Data}}{{.Gone}}{{end}}{{end}}`:                       "console.cardView has no Gone",
		`{{$d := .Data}}{{if $d.Heading}}{{else}}{{$d.Gone}}{{end}}`:              "console.cardView has no Gone",
		`{{range .Menu}}{{range .Items}}{{.Gone}}{{end}}{{end}}`:                  "has no Gone",
		`{{define "x"}}{{.List.Gone}}{{end}}{{template "x" (dict "List" .Data)}}`: "console.cardView has no Gone",
		`{{define "x"}}{{.Data.Gone}}{{end}}{{template "x" (.CopyWith .Data)}}`:   "console.cardView has no Gone",
		`{{(at .Data.Heading).Gone}}`:                                             "console.moment has no Gone",
		`{{.Data.Heading}}`:                                                       "",
	} {
		set, err := template.New("layout.html").Funcs((&Console{}).buildTemplateFuncs()).Parse(text)
		require.NoError(t, err)
		check := newTemplateCheck(set, (&Console{}).buildTemplateFuncs())
		check.call("layout.html", pageShape(shapeOf(cardView{})))
		if fault == "" {
			assert.Empty(t, check.faults, text)
			continue
		}
		require.Len(t, check.faults, 1, text)
		assert.Contains(t, check.faults[0], fault, text)
	}
}
