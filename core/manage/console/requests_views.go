package console

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// savedView is a filter of the list of requests with a name. Views are kept by the browser, in a cookie, so that they work
// without scripts and need no record.
type savedView struct {
	Name  string `json:"n"`
	Query string `json:"q"`
}

// Path returns the address of the list with the view's filter.
func (v savedView) Path() string { return "/requests?" + v.Query }

const (
	viewsCookie  = "headgate_views"
	maxViews     = 12
	maxViewName  = 40
	maxViewBytes = 3500 // browsers limit a cookie to 4 KiB
)

// readViews returns the saved views of the browser.
func (r *request) readViews() []savedView {
	k, err := r.Request.Cookie(viewsCookie)
	if err != nil {
		return nil
	}
	text, err := url.QueryUnescape(k.Value)
	var out []savedView
	if err != nil || json.Unmarshal([]byte(text), &out) != nil || len(out) > maxViews {
		return nil
	}
	for i := range out {
		q, err := url.ParseQuery(out[i].Query)
		if err != nil || !utf8.ValidString(out[i].Name) {
			return nil
		}
		out[i].Query = encodeViewQuery(q)
	}
	return out
}

// saveView saves the filter of the list under a name, or removes the view with that name.
func (h *requestHandlers) saveView(r *request) error {
	if !admin.SeesTraffic(r.who) {
		return admin.NewMissingRoleError(auth.CostsRead)
	}
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	name, query := f.readText("name"), f.Values.Get("query")
	q, err := url.ParseQuery(query)
	if err != nil || name == "" || utf8.RuneCountInString(name) > maxViewName {
		return f.newRefusedError("A view needs a name of 1 to 40 characters. Go back and write one.")
	}
	views := slices.DeleteFunc(r.readViews(), func(v savedView) bool { return v.Name == name })
	to, told := "/requests", "View removed."
	if !f.isChecked("remove") {
		if len(views) == maxViews {
			return f.newRefusedError("This browser has 12 views already. Remove one first.")
		}
		views = append(views, savedView{name, encodeViewQuery(q)})
		to, told = "/requests?"+encodeViewQuery(q), "View saved in this browser."
	}
	text, err := json.Marshal(views)
	if err != nil {
		return err
	}
	value := url.QueryEscape(string(text))
	if len(value) > maxViewBytes {
		return f.newRefusedError("This browser has no room for another view. Remove one first.")
	}
	r.c.setCookie(r.Context, viewsCookie, value, columnsLife)
	return r.redirectWithNotice(strings.TrimSuffix(to, "?"), told)
}
