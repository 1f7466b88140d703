package plugintool

import (
	"fmt"
	"io"
	"strings"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
)

// printInspected writes a module's inspection as text.
func printInspected(w io.Writer, i *node.Inspection) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-13s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("file", "%s, %d bytes", i.File, i.Size)
	line("sha256", "%s", i.Digest)
	if m := i.Manifest; m != nil {
		line("plugin", "%s %s, kind %s%s", m.Name, nameOrNone(m.Version, "without a version"), m.Kind, addPrefix(", licence ", m.Licence))
		where := "in the module"
		if i.From == "beside" {
			where = "beside the module, sha256 " + i.Beside
		}
		line("manifest", "%s", where)
		line("labels", "%s", formatList(m.Labels))
		if m.MaxMatch > 0 {
			line("max match", "%d bytes", m.MaxMatch)
		}
		line("samples", "%d", len(m.Samples))
		line("phases", "%s", formatList(i.Touches.Phases))
		line("sees text", "%s", formatList(i.Touches.Text))
		line("sees fields", "%s", formatList(i.Touches.Fields))
		line("capabilities", "%s", formatList(i.Touches.Capabilities))
	}
	if i.Memory > 0 || len(i.Exports)+len(i.Imports) > 0 { // otherwise it is not a module, as the problem says
		line("memory", "%d KiB at the start", i.Memory>>10)
		line("exports", "%s", formatList(i.Exports))
		line("imports", "%s", formatList(i.Imports))
	}
	s := i.Signature
	switch s.State {
	case "good":
		line("signature", "good, by the key %s%s", s.Key, addPrefix(": ", strings.ReplaceAll(s.Comment, "\t", " ")))
	case "none":
		line("signature", "none: %s", s.Reason)
	default:
		line("signature", "%s%s: %s", s.State, addPrefix(", by the key ", s.Key), s.Reason)
	}
	line("pinned", "%s", i.Pinned)
	if i.Problem != "" {
		line("PROBLEM", "%s", i.Problem)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func formatList(words []string) string { return nameOrNone(strings.Join(words, ", "), "none") }

func nameOrNone(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

func addPrefix(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
