package openai

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// why says what to do about a field that no route accepts.
var why = map[string]string{
	"store":                "the gateway lets no provider keep answers; send false, or leave it out",
	"background":           "answers are given at once; send false, or leave it out",
	"previous_response_id": "send the whole conversation in \"input\"",
	"conversation":         "send the whole conversation in \"input\"",
	"prompt":               "prompts that are kept at the provider cannot be checked; send their text",
}

// rejectTrue rejects a flag that is true.
func (r *responsesRequest) rejectTrue(key string) {
	kind := r.S.Kind()
	at := r.S.Pos()
	on := r.ReadBool(key)
	if key == "store" && (kind == splice.Null || kind == splice.False) {
		r.Mark(markStore, splice.Span{Start: at, End: r.S.Pos()})
	}
	if on {
		r.Fail(scan.NewUnsupportedError(key, strconv.Quote(key)+" is not supported: "+why[key]))
	}
}

// rejectValue rejects a field that refers to state at the provider.
func (r *responsesRequest) rejectValue(key string) {
	if r.S.Kind() != splice.Null {
		r.Fail(scan.NewUnsupportedError(key, strconv.Quote(key)+" is not supported: "+why[key]))
	}
	r.S.Skip()
}

func (r *responsesRequest) readServiceTier() {
	if t := r.ReadName("service_tier"); t != "" && t != "auto" && t != "default" {
		r.Fail(scan.NewUnsupportedError("service_tier", `"service_tier" must be "auto" or "default"`))
	}
}

// isProviderRun reports whether a tool runs at the provider, where the gateway cannot
// govern it.
func isProviderRun(tool string) bool {
	switch tool {
	case "file_search", "code_interpreter", "mcp", "image_generation", "computer", "programmatic_tool_calling":
		return true
	}
	return strings.HasPrefix(tool, "web_search") || strings.HasPrefix(tool, "computer_use") || strings.HasPrefix(tool, "computer-use")
}
