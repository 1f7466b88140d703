package openapi

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// param is a parameter of an operation.
type param struct {
	arg         string // the argument of the tool
	name        string // as the API knows it
	in          string // path, query or header
	style       string
	explode     bool
	required    bool
	schema      any
	description string
}

// readParams returns the parameters of an operation: its own, and those of its path that it does not override.
func (d *document) readParams(item, node map[string]any, reserved func(string) bool) (params []param, err error) {
	byPlace := map[string]param{}
	for _, list := range []any{item["parameters"], node["parameters"]} {
		nodes, _ := list.([]any)
		for _, n := range nodes {
			object, err := d.readObject(n)
			if err != nil {
				return nil, err
			}
			p, err := readParam(object)
			if err != nil {
				return nil, err
			}
			byPlace[p.in+" "+p.name] = p
		}
	}
	names := map[string]int{}
	for _, p := range byPlace {
		names[p.name]++
	}
	for _, place := range slices.Sorted(maps.Keys(byPlace)) {
		p := byPlace[place]
		switch {
		case p.in == "header" && reserved(p.name): // the gateway's own, or the configuration's
			continue
		case p.in == "cookie" && !p.required:
			continue
		case p.in != "path" && p.in != "query" && p.in != "header":
			return nil, errors.New("a required parameter is neither in the path, the query nor a header")
		}
		if p.arg = p.name; names[p.name] > 1 {
			p.arg = p.in + "_" + p.name
		}
		params = append(params, p)
	}
	return params, nil
}

func readParam(object map[string]any) (param, error) {
	p := param{
		name: readText(object["name"]), in: readText(object["in"]), style: readText(object["style"]), required: object["required"] == true,
		schema: object["schema"], description: readText(object["description"]),
	}
	if p.name == "" || len(p.name) > 128 {
		return p, errors.New("a parameter has no name, or one of more than 128 bytes")
	}
	if p.style == "" {
		if p.style = "simple"; p.in == "query" || p.in == "cookie" {
			p.style = "form"
		}
	}
	p.explode = p.style == "form"
	if explode, ok := object["explode"].(bool); ok {
		p.explode = explode
	}
	if p.schema == nil { // content instead of a schema
		return p, errors.New("the parameter " + p.name + " has no schema")
	}
	known := []string{"form", "spaceDelimited", "pipeDelimited", "deepObject"}
	if p.in == "path" || p.in == "header" {
		known = []string{"simple"}
	}
	if p.in != "cookie" && !slices.Contains(known, p.style) {
		return p, errors.New("the parameter " + p.name + " has a style that is not supported")
	}
	p.required = p.required || p.in == "path"
	return p, nil
}

// checkPath refuses a path of the document that could be read as another path. Braces enclose parameters.
func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return errors.New("the path does not start with /")
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		if part == "." || part == ".." {
			return errors.New("the path contains . or ..")
		}
	}
	if strings.Contains(path, "//") || strings.ContainsFunc(path, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`\?#%"<>^|`+"`", r)
	}) {
		return errors.New("the path contains a character that is not allowed there")
	}
	return nil
}

// checkPlaces checks that the parameters in braces are those of the path.
func (o *operation) checkPlaces() error {
	rest, known := o.path, 0
	for _, p := range o.params {
		if p.in != "path" {
			continue
		}
		known++
		if strings.Count(o.path, "{"+p.name+"}") != 1 {
			return errors.New("the path does not contain the parameter " + p.name + " once")
		}
		rest = strings.Replace(rest, "{"+p.name+"}", "", 1)
	}
	if strings.ContainsAny(rest, "{}") {
		return errors.New("the path contains a parameter that is not described")
	}
	return nil
}

var (
	errScalar  = errors.New("must be a text, a number, true or false")
	errSegment = errors.New("must hold between 1 and 1,024 bytes, must not be . or .., and must not hold /, \\, invisible characters, or an encoded form of these")
	errHeader  = errors.New("must be one line of visible characters")
)

// formatScalar returns a value as the text of a parameter.
func formatScalar(raw json.RawMessage) (string, error) {
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case '{', '[', 'n':
		return "", errScalar
	}
	return string(raw), nil
}

// formatScalars returns a value, or those of a list.
func formatScalars(raw json.RawMessage) ([]string, error) {
	if raw[0] != '[' {
		one, err := formatScalar(raw)
		return []string{one}, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	out := make([]string, len(list))
	for i := range list {
		var err error
		if out[i], err = formatScalar(list[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// escapePathText returns a value as text for a path. It stays in its segment even if a server decodes it twice.
func escapePathText(raw json.RawMessage) (string, error) {
	list, err := formatScalars(raw)
	if err != nil {
		return "", err
	}
	text := strings.Join(list, ",")
	if len(text) > maxSegment {
		return "", errSegment
	}
	for seen := text; ; {
		segment, _, _ := strings.Cut(seen, ";") // some servers read the rest as parameters
		if segment == "" || segment == "." || segment == ".." || !utf8.ValidString(seen) || strings.ContainsFunc(seen, func(r rune) bool {
			return r == '/' || r == '\\' || r < ' ' || r == 0x7f
		}) {
			return "", errSegment
		}
		decoded := unescapeText(seen)
		if decoded == seen {
			break
		}
		seen = decoded
	}
	return escapeText(text), nil
}

// maxSegment is the longest value in a path, in bytes: each is decoded as often as it is encoded.
const maxSegment = 1024

// unescapeText decodes each percent-encoded byte, and keeps invalid escapes.
func unescapeText(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// escapeText writes everything but unreserved characters as percent-encoded bytes (RFC 3986, section 2.3).
func escapeText(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '~':
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// appendQuery appends a parameter to a query.
func (p *param) appendQuery(dst string, raw json.RawMessage) (string, error) {
	add := func(name, value string) {
		if dst != "" {
			dst += "&"
		}
		dst += escapeText(name) + "=" + value
	}
	if raw[0] == '{' {
		if p.style != "deepObject" {
			return dst, errScalar
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return dst, err
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			value, err := formatScalar(members[name])
			if err != nil {
				return dst, err
			}
			add(p.name+"["+name+"]", escapeText(value))
		}
		return dst, nil
	}
	list, err := formatScalars(raw)
	if err != nil {
		return dst, err
	}
	for i := range list {
		list[i] = escapeText(list[i])
	}
	if p.explode {
		for _, value := range list {
			add(p.name, value)
		}
		return dst, nil
	}
	between := ","
	switch p.style {
	case "spaceDelimited":
		between = "%20"
	case "pipeDelimited":
		between = "%7C"
	}
	if len(list) > 0 {
		add(p.name, strings.Join(list, between))
	}
	return dst, nil
}

// formatHeaderText returns a value as text for a header.
func formatHeaderText(raw json.RawMessage) (string, error) {
	list, err := formatScalars(raw)
	if err != nil {
		return "", err
	}
	text := strings.Join(list, ",")
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", errHeader
	}
	return text, nil
}
