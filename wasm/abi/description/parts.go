package description

import (
	"fmt"
	"strings"
)

// Part is a generated region of a file, between a line that contains "abi:begin NAME" and one that contains "abi:end".
type Part struct {
	File string // relative to the project's folder
	Name string
	Text string
}

// Parts returns all generated regions.
func (a *ABI) Parts() []Part {
	page := "docs/plugin-abi.md"
	return []Part{
		{"sdk/c/headgate.h", "all", a.renderC()},
		{"sdk/rust/headgate.rs", "all", a.renderRust()},
		{"sdk/zig/headgate.zig", "all", a.renderZig()},
		{"sdk/assemblyscript/headgate.ts", "all", a.renderAssemblyScript()},
		{"sdk/guest/hooks_wasip1.go", "imports", a.renderGo(false)},
		{"sdk/guest/stage_wasip1.go", "imports", a.renderGo(true)},
		{page, "exports", a.renderExportTable()},
		{page, "imports", a.renderImportTable()},
		{page, "breaches", a.renderBreachTable()},
		{page, "fields", a.renderFieldTable()},
		{page, "numbers", a.renderNumberTables()},
		{page, "bounds", a.renderBoundTable()},
		{page, "results", a.renderResultTable()},
	}
}

// Replace returns text with the region of a part filled in.
func (p *Part) Replace(text string) (string, error) {
	begin := strings.Index(text, "abi:begin "+p.Name)
	if begin < 0 {
		return "", fmt.Errorf("%s has no line with abi:begin %s", p.File, p.Name)
	}
	line := strings.IndexByte(text[begin:], '\n')
	end := strings.Index(text[begin:], "abi:end")
	if line < 0 || end < 0 {
		return "", fmt.Errorf("%s: the region %s has no line with abi:end", p.File, p.Name)
	}
	from, to := begin+line+1, begin+end
	to = strings.LastIndexByte(text[:to], '\n') + 1
	return text[:from] + p.Text + text[to:], nil
}

// renderComment wraps a text at 100 characters and puts a prefix before each line.
func renderComment(prefix, text string) string {
	var b strings.Builder
	line := prefix
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 100 && line != prefix {
			b.WriteString(line + "\n")
			line = prefix
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}

// renderSentence returns the doc text of an import as a sentence of plain text.
func (f *Function) renderSentence() string {
	s := strings.NewReplacer("`", "", `\|`, "|").Replace(f.Doc) + "."
	if f.Capability != "" {
		s += " Needs the capability " + f.Capability + "."
	}
	return s
}

// convertToCamel turns key_id into KeyId.
func convertToCamel(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// renderEnum returns members as one list: the first with its number, the others without, as they count up from it.
func renderEnum(values []Number, name func(string) string, equals string) string {
	out := make([]string, len(values))
	for k, v := range values {
		if out[k] = name(v.Name); k == 0 && v.Value != 0 {
			out[k] += equals + fmt.Sprint(v.Value)
		}
	}
	return strings.Join(out, ", ")
}

// wrapList breaks a comma-separated list into lines with an indent.
func wrapList(indent, list string) string {
	var b strings.Builder
	line := indent
	for _, item := range strings.Split(list, ", ") {
		if len(line)+len(item)+2 > 120 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += item + ", "
	}
	return b.String() + strings.TrimRight(line, " ") + "\n"
}
