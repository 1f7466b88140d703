package config

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

var (
	yamlLine = regexp.MustCompile(`line (\d+): `)
	// yamlShort are the messages whose line the library counts from 0, or omits if it is the first.
	yamlShort = regexp.MustCompile(
		`^(did not find expected (node content|key|'-' indicator|',' or|<document start>)|found undefined tag handle)`,
	)
	yamlAnchor = regexp.MustCompile(`(?s)unknown anchor '(.*)' referenced`)
)

// addSyntaxProblem reports a parser's error in the library's words, except for names of anchors: an unquoted password may begin
// with *.
func (p *parser) addSyntaxProblem(err error, data []byte) {
	text, at := strings.TrimPrefix(err.Error(), "yaml: "), place{file: p.file}
	if m := yamlAnchor.FindStringSubmatch(text); m != nil {
		if i := bytes.Index(data, []byte("*"+m[1])); i >= 0 && !p.fragment {
			at.line = 1 + bytes.Count(data[:i], []byte("\n"))
		}
		p.reportProblem(at, "", "an alias names an anchor that does not exist", "put quotes around a value that begins with *")
		return
	}
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		at.line, _ = strconv.Atoi(text[m[2]:m[3]])
		text = text[:m[0]] + text[m[1]:]
	}
	if yamlShort.MatchString(text) {
		at.line++
	}
	hint := ""
	if rest := bytes.SplitN(
		data,
		[]byte("\n"),
		max(1, at.line),
	); strings.Contains(text, "',' or") &&
		bytes.Contains(rest[len(rest)-1], []byte("${")) {
		hint = `within {} and [] a variable is written in quotes: "${NAME}"`
	}
	if p.fragment {
		at.line = 0
	}
	p.reportProblem(at, "", "this is not YAML: "+text, hint)
}
