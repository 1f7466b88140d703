package providers

import (
	"maps"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/direct"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// directPaths are the paths that vendors have in common for the shapes that are never translated.
var directPaths = map[string]string{
	rerank: "/rerank", moderations: "/moderations", images: "/images/generations", imageEdits: "/images/edits",
	speech: "/audio/speech", transcriptions: "/audio/transcriptions", translations: "/audio/translations",
}

// addDirectServices adds shapes at their common paths below a root.
func addDirectServices(root string, services map[string]service, shapes ...string) map[string]service {
	services = maps.Clone(services)
	for _, s := range shapes {
		services[s] = service{root: root, path: directPaths[s]}
	}
	return services
}

// setContentType replaces the media type if the body is not JSON.
func setContentType(x *core.Exchange, fields []upstream.Field) []upstream.Field {
	media := direct.FindContentType(x, x.Target.Wire)
	if media == "" {
		return fields
	}
	const name = "Content-Type"
	for i := range fields {
		if strings.EqualFold(fields[i].Name, name) {
			fields[i].Value = media
			return fields
		}
	}
	return append(fields, upstream.Field{Name: name, Value: media})
}
