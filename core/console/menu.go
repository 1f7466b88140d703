package console

import (
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
)

// section is a part of the menu.
type section struct {
	Name  string
	Items []item
}

// item leads to a page.
type item struct {
	Name, Path string
	needs      auth.Permission // "": everybody
	Current    bool
}

// menu are all pages that are led to from everywhere.
func menu() []section {
	return []section{
		{"Traffic", []item{
			{Name: "Overview", Path: "/"},
		}},
		{"Gateway", []item{
			{Name: "Workspaces", Path: "/workspaces", needs: auth.TenantsRead},
		}},
		{"Governance", []item{}},
		{"Money", []item{}},
		{"Platform", []item{}},
	}
}

// menuFor is the menu of somebody who reads a page: what they may not read is not in it.
func (c *Console) menuFor(who *auth.Actor, path string) []section {
	var out []section
	for _, s := range c.sections {
		of := section{Name: s.Name}
		for _, i := range s.Items {
			if i.needs != "" && !who.Can(i.needs) {
				continue
			}
			i.Current = path == i.Path || i.Path != "/" && strings.HasPrefix(path, i.Path+"/")
			of.Items = append(of.Items, i)
		}
		if len(of.Items) > 0 {
			out = append(out, of)
		}
	}
	return out
}
