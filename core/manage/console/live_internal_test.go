package console

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

func TestALivePartOfAnotherPageIsNotFound(t *testing.T) {
	s := serveSite(t, nil)
	b := s.signedIn(s.user("root", auth.RoleOwner))
	n := 0
	for name, path := range pages(s.c) {
		if !strings.HasPrefix(name, "GET ") || strings.ContainsAny(name, ":*") || strings.Contains(path, "/static/") {
			continue
		}
		if b.do("GET", path, url.Values{}).status != http.StatusOK { // this site has no gateway
			continue
		}
		a := b.do("GET", path, url.Values{}, fragmentHeader, "live-deliveries")
		if strings.HasPrefix(path, "/actuator/") { // not a page
			continue
		}
		n++
		assert.Equal(t, http.StatusNotFound, a.status, name)
	}
	assert.Greater(t, n, 5)
}

func TestEveryLivePartOfAllPagesSaysWhoseItIs(t *testing.T) {
	set := template.Must(template.New("x").Funcs((&Console{}).buildTemplateFuncs()).Funcs(template.FuncMap{"part": func() string { return "" }}).
		ParseFS(templateFiles, "templates/layout.html", "templates/parts*.html"))
	found := 0
	for _, tpl := range set.Templates() {
		if strings.HasPrefix(tpl.Name(), "live-") {
			found++
			require.Contains(t, sharedLive, tpl.Name())
		}
	}
	assert.Len(t, sharedLive, found)
}
