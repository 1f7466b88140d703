package description

import (
	"fmt"
	"strings"
)

// formatParams renders the parameters of a function; each renders one parameter as one or two.
func (f *Function) formatParams(each func(p Param) []string) string {
	var out []string
	for _, p := range f.Params {
		out = append(out, each(p)...)
	}
	return strings.Join(out, ", ")
}

func (a *ABI) renderC() string {
	var b strings.Builder
	enum := func(group, prefix, about string) {
		fmt.Fprintf(&b, "\n%s", renderComment("//", about))
		list := renderEnum(a.findGroup(group), func(n string) string { return prefix + strings.ToUpper(n) }, " = ")
		b.WriteString("enum {\n" + wrapList("  ", list) + "};\n")
	}
	b.WriteString("\n// Flags of a text.\nenum {\n")
	for _, v := range a.findGroup("flag") {
		fmt.Fprintf(&b, "  HG_%s = %d,  // %s\n", strings.ToUpper(v.Name), v.Value, v.Doc)
	}
	b.WriteString("};\n")
	enum("source", "HG_", "Sources of text: hg_source(flags).")
	enum("level", "HG_LOG_", "Levels of hg_log.")
	enum("phase", "HG_", "Phases of a stage.")
	enum("operation", "HG_", "Operations of hg_stream.")
	enum("role", "HG_ROLE_", "Roles of segments.")
	enum("segment", "HG_SEG_", "Kinds of segments.")
	enum("limit", "HG_LIMIT_", "Kinds of limits.")
	b.WriteString("\n// Fields of the exchange. The manifest lists those that are asked for.\nenum {\n")
	b.WriteString(wrapList("  ", renderEnum(a.Fields, func(n string) string { return "HG_FIELD_" + strings.ToUpper(n) }, " = ")) + "};\n")
	b.WriteString("\n// Results in place of a length.\n")
	for _, r := range a.Results {
		fmt.Fprintf(&b, "#define HG_%s 0x%Xu  // %s\n", strings.ToUpper(r.Name), r.Value, r.Doc)
	}
	for _, v := range a.findGroup("retry") {
		fmt.Fprintf(&b, "\n// Added to retry_ms of hg_deny: %s.\n#define HG_%s 0x%Xu\n", v.Doc, strings.ToUpper(v.Name), v.Value)
	}
	fmt.Fprintf(&b, "\nenum { HG_MAX_SPANS = %d };\n\n// Functions of the host.\n\ntypedef struct hg_limit hg_limit;\n", a.findBound("MaxSpans"))
	names := map[string]string{"seg_info": "seg_packed"} // the header unpacks it
	types := map[string]string{"": "void", "u32": "uint32_t", "size": "uint32_t", "u64": "uint64_t", "i64": "int64_t"}
	for k := range a.Imports {
		f := &a.Imports[k]
		name := f.Name
		if n, ok := names[name]; ok {
			name = n
		}
		list := f.formatParams(func(p Param) []string {
			switch p.Type {
			case "text", "bytes":
				return []string{"const uint8_t *" + p.Name, "uint32_t " + p.formatLengthName()}
			case "buffer":
				return []string{"uint8_t *" + p.Name, "uint32_t " + p.formatLengthName()}
			case "limits":
				return []string{"hg_limit *" + p.Name, "uint32_t n"}
			case "amounts":
				return []string{"const int64_t *" + p.Name, "uint32_t n"}
			}
			return []string{types[p.Type] + " " + p.Name}
		})
		if list == "" {
			list = "void"
		}
		b.WriteString("\n" + renderComment("// hg_"+name+":", f.renderSentence()))
		fmt.Fprintf(&b, "HG_IMPORT(%q)\n%s hg_%s(%s);\n", f.Name, types[f.Result], name, list)
	}
	return b.String() + "\n"
}

func (a *ABI) renderRust() string {
	var b strings.Builder
	for _, m := range []struct{ group, name, about string }{
		{"source", "source", "Where a text comes from."}, {"role", "role", "Roles of segments."}, {"segment", "kind", "Kinds of segments."},
	} {
		fmt.Fprintf(&b, "/// %s\npub mod %s {\n", m.about, m.name)
		for _, v := range a.findGroup(m.group) {
			fmt.Fprintf(&b, "    pub const %s: u8 = %d;\n", strings.ToUpper(v.Name), v.Value)
		}
		b.WriteString("}\n\n")
	}
	for _, e := range []struct{ group, name, derive, about string }{
		{"level", "Level", "Clone, Copy", "How important a line of the log is."},
		{"phase", "Phase", "Clone, Copy, PartialEq, Eq, Debug", "When a stage is called."},
	} {
		fmt.Fprintf(&b, "/// %s\n#[derive(%s)]\n#[repr(u32)]\npub enum %s {\n", e.about, e.derive, e.name)
		for _, v := range a.findGroup(e.group) {
			fmt.Fprintf(&b, "    %s = %d,\n", convertToCamel(v.Name), v.Value)
		}
		b.WriteString("}\n\n")
	}
	b.WriteString("/// Fields of the exchange. The manifest must list those that are asked for.\n#[derive(Clone, Copy)]\n#[repr(u32)]\n" +
		"#[rustfmt::skip]\npub enum Field {\n" + wrapList("    ", renderEnum(a.Fields, convertToCamel, " = ")) + "}\n\n")
	for _, r := range a.Results {
		fmt.Fprintf(&b, "const %s: u32 = 0x%X;\n", strings.ToUpper(r.Name), r.Value)
	}
	for _, v := range a.findGroup("retry") {
		fmt.Fprintf(&b, "\n/// Added to the milliseconds of deny: %s.\npub const %s: u32 = 0x%X;\n\n", v.Doc, strings.ToUpper(v.Name), v.Value)
	}
	fmt.Fprintf(&b, "const MAX_SPANS: usize = %d;\n\n/// Kinds of limits.\n", a.findBound("MaxSpans"))
	for _, v := range a.findGroup("limit") {
		fmt.Fprintf(&b, "pub const %s: u32 = %d;\n", strings.ToUpper(v.Name), v.Value)
	}
	b.WriteString("\n#[rustfmt::skip]\nmod host {\n    #[link(wasm_import_module = \"" + a.Module + "\")]\n    extern \"C\" {\n")
	types := map[string]string{"u32": "u32", "size": "usize", "u64": "u64", "i64": "i64"}
	for k := range a.Imports {
		f := &a.Imports[k]
		list := f.formatParams(func(p Param) []string {
			switch p.Type {
			case "text", "bytes":
				return []string{p.Name + ": *const u8", p.formatLengthName() + ": usize"}
			case "buffer":
				return []string{p.Name + ": *mut u8", p.formatLengthName() + ": usize"}
			case "limits":
				return []string{p.Name + ": *mut super::Limit<'static>", "n: usize"}
			case "amounts":
				return []string{p.Name + ": *const i64", "n: usize"}
			}
			return []string{p.Name + ": " + types[p.Type]}
		})
		result := ""
		if f.Result != "" {
			result = " -> " + types[f.Result]
		}
		b.WriteString(renderComment("        ///", f.renderSentence()))
		fmt.Fprintf(&b, "        pub fn %s(%s)%s;\n", f.Name, list, result)
	}
	return b.String() + "    }\n}\n"
}

func (a *ABI) renderZig() string {
	var b strings.Builder
	same := func(n string) string {
		if n == "error" {
			return "err" // a keyword
		}
		return n
	}
	for _, e := range []struct{ group, head, open, about string }{
		{"source", "Source = enum(u8)", ", _", "Where a text comes from."},
		{"role", "Role = enum(u8)", ", _", "Roles of segments."},
		{"segment", "Kind = enum(u8)", ", _", "Kinds of segments."},
		{"level", "Level = enum(u32)", "", "How important a line of the log is."},
		{"phase", "Phase = enum(u32)", "", "When a stage is called."},
		{"limit", "LimitKind = enum(u32)", "", "Kinds of limits."},
	} {
		fmt.Fprintf(&b, "/// %s\npub const %s { %s%s };\n\n", e.about, e.head, renderEnum(a.findGroup(e.group), same, " = "), e.open)
	}
	b.WriteString("/// Fields of the exchange. The manifest must list those that are asked for.\npub const Field = enum(u32) {\n    // zig fmt: off\n" +
		wrapList("    ", renderEnum(a.Fields, same, " = ")) + "    // zig fmt: on\n};\n\n")
	for _, r := range a.Results {
		fmt.Fprintf(&b, "const %s = 0x%X;\n", r.Name, r.Value)
	}
	for _, v := range a.findGroup("retry") {
		fmt.Fprintf(&b, "\n/// Added to the milliseconds of deny: %s.\npub const %s: u32 = 0x%X;\n\n", v.Doc, v.Name, v.Value)
	}
	fmt.Fprintf(&b, "const max_spans = %d;\n\nconst host = struct {\n", a.findBound("MaxSpans"))
	types := map[string]string{"": "void", "u32": "u32", "size": "usize", "u64": "u64", "i64": "i64"}
	for k := range a.Imports {
		f := &a.Imports[k]
		list := f.formatParams(func(p Param) []string {
			switch p.Type {
			case "text", "bytes":
				return []string{p.Name + ": [*]const u8", p.formatLengthName() + ": usize"}
			case "buffer":
				return []string{p.Name + ": [*]u8", p.formatLengthName() + ": usize"}
			case "limits":
				return []string{p.Name + ": [*]Limit", "n: usize"}
			case "amounts":
				return []string{p.Name + ": [*]const i64", "n: usize"}
			}
			return []string{p.Name + ": " + types[p.Type]}
		})
		b.WriteString(renderComment("    ///", f.renderSentence()))
		fmt.Fprintf(&b, "    extern %q fn %s(%s) %s;\n", a.Module, f.Name, list, types[f.Result])
	}
	return b.String() + "};\n"
}

func (a *ABI) renderAssemblyScript() string {
	var b strings.Builder
	b.WriteString("\n// Flags of a text.\n")
	for _, v := range a.findGroup("flag") {
		fmt.Fprintf(&b, "export const %s: u32 = %d; // %s\n", strings.ToUpper(v.Name), v.Value, v.Doc)
	}
	b.WriteString("\n// Operations of hg_stream: flags & OPERATION.\n")
	for _, v := range a.findGroup("operation") {
		fmt.Fprintf(&b, "export const %s: u32 = %d;\n", strings.ToUpper(v.Name), v.Value)
	}
	b.WriteString("\n// Results in place of a length.\n")
	for _, r := range a.Results {
		fmt.Fprintf(&b, "export const %s: u32 = 0x%x; // %s\n", strings.ToUpper(r.Name), r.Value, r.Doc)
	}
	for _, v := range a.findGroup("retry") {
		fmt.Fprintf(&b, "\n// Added to the milliseconds of deny: %s.\nexport const %s: u32 = 0x%x;\n", v.Doc, strings.ToUpper(v.Name), v.Value)
	}
	fmt.Fprintf(&b, "\nconst MAX_SPANS: u32 = %d;\n", a.findBound("MaxSpans"))
	for _, e := range []struct{ group, name, about string }{
		{"source", "Source", "Where a text comes from: source(flags)."},
		{"role", "Role", "Roles of segments."},
		{"segment", "Kind", "Kinds of segments."},
		{"level", "Level", "How important a line of the log is."},
		{"phase", "Phase", "When a stage is called."},
		{"limit", "LimitKind", "Kinds of limits."},
	} {
		fmt.Fprintf(&b, "\n/** %s */\nexport const enum %s { %s }\n", e.about, e.name, renderEnum(a.findGroup(e.group), convertToCamel, " = "))
	}
	b.WriteString("\n/** Fields of the exchange. The manifest must list those that are asked for. */\nexport const enum Field {\n" +
		wrapList("  ", renderEnum(a.Fields, convertToCamel, " = ")) + "}\n")
	types := map[string]string{"": "void", "u32": "u32", "size": "u32", "u64": "u64", "i64": "i64"}
	low := func(n string) string { n = convertToCamel(n); return strings.ToLower(n[:1]) + n[1:] }
	for k := range a.Imports {
		f := &a.Imports[k]
		name, export := low(f.Name), "export "
		list := f.formatParams(func(p Param) []string {
			switch {
			case p.Type == "text": // the file has a function that takes strings
				name, export = "host"+convertToCamel(f.Name), ""
				fallthrough
			case p.isPair():
				return []string{low(p.Name) + ": usize", low(p.formatLengthName()) + ": u32"}
			case f.Name == "field":
				return []string{"id: Field"}
			}
			return []string{low(p.Name) + ": " + types[p.Type]}
		})
		if strings.HasPrefix(f.Name, "seg_") && f.Name != "seg_count" {
			export = "" // unpacked by functions of the file
		}
		b.WriteString("\n/**\n" + renderComment(" *", f.renderSentence()) + " */\n// @ts-ignore: decorator\n")
		fmt.Fprintf(&b, "@external(%q, %q)\n%sdeclare function %s(%s): %s;\n", a.Module, f.Name, export, name, list, types[f.Result])
	}
	return b.String() + "\n"
}

// goNames are the functions of package guest that are not called host and the import's name.
var goNames = map[string]string{
	"now_ms": "hostNow", "seg_count": "segCount", "seg_info": "segInfo", "cap_tokens": "capTokens",
	"state_take": "hostTake", "state_settle": "hostSettle", "state_get": "hostGet", "state_put": "hostPut",
	"host_call": "hostSend", "host_call_read": "hostReceive",
}

// renderGo renders the imports for stages, or those for all guests.
func (a *ABI) renderGo(stage bool) string {
	var b strings.Builder
	types := map[string]string{"u32": "uint32", "size": "uint32", "u64": "uint64", "i64": "int64"}
	for k := range a.Imports {
		f := &a.Imports[k]
		if f.Stage != stage {
			continue
		}
		name := goNames[f.Name]
		if name == "" {
			name = "host" + convertToCamel(f.Name)
		}
		list := f.formatParams(func(p Param) []string {
			if p.isPair() {
				return []string{convertToLowCamel(p.Name) + " unsafe.Pointer", convertToLowCamel(p.formatLengthName()) + " uint32"}
			}
			return []string{convertToLowCamel(p.Name) + " " + types[p.Type]}
		})
		result := types[f.Result]
		if result != "" {
			result = " " + result
		}
		fmt.Fprintf(&b, "\n//go:wasmimport %s %s\nfunc %s(%s)%s\n", a.Module, f.Name, name, list, result)
	}
	return b.String() + "\n"
}

func convertToLowCamel(name string) string {
	n := convertToCamel(name)
	return strings.ToLower(n[:1]) + n[1:]
}
