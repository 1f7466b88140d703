package providers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// vertexKind serves the models of several vendors, each in its vendor's shape. The versions of the API are those of the
// vendors' own clients for Vertex AI.
var vertexKind = kind{
	label: "Vertex AI", key: credential{field: "X-Goog-Api-Key"}, main: geminiGenerate, caps: everyCap,
	forwarded: []forwardedHeader{{name: "Anthropic-Beta", aliases: []string{"Msgapi-Beta"}, shape: true, list: true}},
	// Names are shared with the vendors' own APIs, except those with a version.
	prefixes: nil,
	pick:     pickVertexWire,
	adapt:    adaptVertex,
}

// vertexVersion is the version of the Messages API on Vertex AI. It goes into the body.
const vertexVersion = "vertex-2023-10-16"

// The names of projects and locations become part of a path and of a host name.
var (
	googleProject  = regexp.MustCompile(`^[a-z0-9][a-z0-9.:-]{1,62}$`)
	googleLocation = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)
)

// newVertex returns a provider that signs in with the credentials file, or as the account that Google Cloud attaches to
// the machine. With an API key it needs neither.
func newVertex(s Settings) (route.Provider, error) {
	env := s.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	var fetch token.Fetch
	project := ""
	if s.APIKey == "" {
		var err error
		if fetch, project, err = loadGoogleCredential(cmp.Or(s.CredentialsFile, env("GOOGLE_APPLICATION_CREDENTIALS"))); err != nil {
			return nil, err
		}
	}
	s.Project = cmp.Or(s.Project, env("GOOGLE_CLOUD_PROJECT"), project)
	s.Region = cmp.Or(s.Region, env("GOOGLE_CLOUD_LOCATION"), "global")
	switch {
	case s.Project == "":
		return nil, errors.New("project is missing: write project, or set GOOGLE_CLOUD_PROJECT")
	case !googleProject.MatchString(s.Project):
		return nil, errors.New("project is not the id of a project of Google Cloud")
	case !googleLocation.MatchString(s.Region):
		return nil, errors.New("region is not a location of Vertex AI, such as europe-west4 or global")
	}
	s.BaseURL = cmp.Or(s.BaseURL, formatVertexHost(s.Region))
	k := vertexKind
	k.services = listVertexServices("/projects/" + s.Project + "/locations/" + s.Region)
	if fetch != nil {
		s.Client = &authorized{Client: s.Client, label: k.label, tokens: token.NewCache(fetch)}
	}
	p, err := newHosted(&k, s)
	if err == nil {
		p.answers = &embedding{s.Client, []*cloudEmbedder{vertexEmbed}}
	}
	return p, err
}

// loadGoogleCredential returns the fetch of a credentials file, or of the machine's account if there is no file.
func loadGoogleCredential(file string) (token.Fetch, string, error) {
	if file == "" {
		return token.NewGoogleMetadata(), "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, "", errors.New("credentials_file cannot be read")
	}
	fetch, project, err := token.NewGoogle(data, newIdentityClient(false))
	if err != nil {
		return nil, "", fmt.Errorf("credentials_file: %w", err)
	}
	return fetch, project, nil
}

// formatVertexHost returns the address of a location: global, one of the multi-regions, or a region.
func formatVertexHost(location string) string {
	switch location {
	case "global":
		return "https://aiplatform.googleapis.com"
	case "eu", "us":
		return "https://aiplatform." + location + ".rep.googleapis.com"
	}
	return "https://" + location + "-aiplatform.googleapis.com"
}

func listVertexServices(in string) map[string]service {
	claude, gemini := in+"/publishers/anthropic/models/", in+"/publishers/google/models/{model}:"
	out := map[string]service{
		anthropicMessages: {root: "/v1", path: claude + "{model}:rawPredict", stream: claude + "{model}:streamRawPredict"},
		anthropicCount:    {root: "/v1", path: claude + "count-tokens:rawPredict"},
		openAIChat:        {root: "/v1", path: in + "/endpoints/openapi/chat/completions"},
		openAIEmbeddings:  {root: "/v1", path: gemini + "predict"},
	}
	maps.Copy(out, map[string]service{
		geminiGenerate: {root: "/v1beta1", path: gemini + "generateContent", stream: gemini + "streamGenerateContent?alt=sse"},
		geminiCount:    {root: "/v1beta1", path: gemini + "countTokens"},
	})
	return out
}

// pickVertexWire returns the shape in which a model is called. The OpenAI-compatible endpoint accepts names that start with
// their publisher, such as meta/llama-4-maverick-17b-128e-instruct-maas.
func pickVertexWire(shape, model string) string {
	own := []string{geminiGenerate, geminiCount}
	switch {
	case shape == openAIEmbeddings && vertexEmbed.names.MatchString(model):
		return shape
	case strings.HasPrefix(model, "claude-"):
		own = []string{anthropicMessages, anthropicCount}
	case strings.Contains(model, "/"):
		own = []string{openAIChat}
	}
	return pickWire(shape, own)
}

// adaptVertex puts the version of the API into a Messages body and takes the model out, which is in the path.
func adaptVertex(_ *hosted, x *core.Exchange, r *upstream.Request) (err error) {
	switch x.Target.Wire {
	case anthropicMessages:
		r.Body, err = rewriteMembers(r.Body, []string{"model"}, member{"anthropic_version", `"` + vertexVersion + `"`})
	case openAIEmbeddings:
		return vertexEmbed.write(x, r)
	case anthropicCount:
		r.Body, err = rewriteMembers(r.Body, nil, member{"anthropic_version", `"` + vertexVersion + `"`})
	}
	return err
}
