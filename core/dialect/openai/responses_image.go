package openai

import (
	"strings"

	"github.com/headgate-dev/headgate/core/llm"
)

// parseImage parses the URL of an image, which can be a data URL.
func parseImage(url string) llm.Image {
	if rest, ok := strings.CutPrefix(url, "data:"); ok {
		if head, data, ok := strings.Cut(rest, ","); ok {
			if media, ok := strings.CutSuffix(head, ";base64"); ok {
				return llm.Image{MediaType: media, Data: data}
			}
		}
	}
	return llm.Image{URL: url}
}

// formatImageURL returns the URL of an image.
func formatImageURL(m *llm.Image) string {
	if m.URL != "" {
		return m.URL
	}
	return "data:" + m.MediaType + ";base64," + m.Data
}
