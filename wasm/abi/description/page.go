package description

import (
	"fmt"
	"strings"
)

func (a *ABI) renderExportTable() string {
	var b strings.Builder
	b.WriteString("\n| export | signature | |\n|---|---|---|\n| `memory` | memory | |\n")
	for k := range a.Exports {
		f := &a.Exports[k]
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", f.Name, f.Signature(), f.Doc)
	}
	return b.String() + "\n"
}

func (a *ABI) renderImportTable() string {
	var b strings.Builder
	b.WriteString("\n| import | signature | manifest | |\n|---|---|---|---|\n")
	for k := range a.Imports {
		f := &a.Imports[k]
		var needs []string
		if f.Stage {
			needs = append(needs, "stage")
		}
		if f.Reads != "" {
			needs = append(needs, "`reads."+f.Reads+"`")
		}
		if f.Capability != "" {
			needs = append(needs, "capability `"+f.Capability+"`")
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", f.Name, f.Signature(), strings.Join(needs, ", "), f.Doc)
	}
	return b.String() + "\n"
}

// renderBreachTable lists for each breach the imports that report it.
func (a *ABI) renderBreachTable() string {
	var b strings.Builder
	b.WriteString("\n| reason in the log | imports |\n|---|---|\n")
	stages, all := 0, map[string][]string{}
	for _, f := range a.Imports {
		if f.Stage {
			stages++
		}
		for _, id := range f.Breaches {
			all[id] = append(all[id], "`"+f.Name+"`")
		}
	}
	for _, breach := range a.Breaches {
		where := strings.Join(all[breach.ID], ", ")
		if len(all[breach.ID]) == stages {
			where = "all imports for stages"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", breach.Reason, where)
	}
	return b.String() + "\n"
}

// renderFieldTable lists the fields in two columns.
func (a *ABI) renderFieldTable() string {
	var b strings.Builder
	b.WriteString("\n| id | name | | id | name | |\n|---|---|---|---|---|---|\n")
	half := (len(a.Fields) + 1) / 2
	for k := range half {
		row := fmt.Sprintf("| %d | `%s` | %s |", a.Fields[k].Value, a.Fields[k].Name, a.Fields[k].Doc)
		if k+half < len(a.Fields) {
			f := a.Fields[k+half]
			row += fmt.Sprintf(" %d | `%s` | %s |", f.Value, f.Name, f.Doc)
		} else {
			row += " | | |"
		}
		b.WriteString(row + "\n")
	}
	return b.String() + "\n"
}

func (a *ABI) renderNumberTables() string {
	var b strings.Builder
	b.WriteString("\n| | number | name | |\n|---|---|---|---|\n")
	for _, g := range a.Numbers {
		title := g.Title
		for _, v := range g.Values {
			fmt.Fprintf(&b, "| %s | %d | `%s` | %s |\n", title, v.Value, v.Name, v.Doc)
			title = ""
		}
	}
	return b.String() + "\n"
}

func (a *ABI) renderBoundTable() string {
	var b strings.Builder
	b.WriteString("\n| bound | value | |\n|---|---|---|\n")
	for _, v := range a.Bounds {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", v.Name, v.Value, v.Doc)
	}
	return b.String() + "\n"
}

func (a *ABI) renderResultTable() string {
	var b strings.Builder
	b.WriteString("\n| | i32 | |\n|---|---|---|\n")
	for _, r := range a.Results {
		fmt.Fprintf(&b, "| `%s` | `0x%X` | %s |\n", convertToCamel(r.Name), r.Value, r.Doc)
	}
	return b.String() + "\n"
}
