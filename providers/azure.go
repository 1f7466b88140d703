package providers

import (
	"maps"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/providers/token"
)

// azureKind has no prefixes: the model is the name that the operator gave to a deployment. Traits are looked up by that
// name, so a deployment should be named after its model.
var azureKind = kind{
	label: "Azure OpenAI", key: credential{field: "Api-Key"}, main: openAIChat, caps: everyCap, batches: true,
	services: addDirectServices("/v1", map[string]service{
		openAIChat:       {root: "/v1", path: "/chat/completions"},
		openAIResponses:  {root: "/v1", path: "/responses"},
		openAICompact:    {root: "/v1", path: "/responses/compact"},
		openAIEmbeddings: {root: "/v1", path: "/embeddings"},
	}, images, imageEdits, speech, transcriptions, translations),
	forwarded: []forwardedHeader{
		{name: "Openai-Beta", shape: true},
		{name: "X-Client-Request-Id"},
		{name: "X-Ms-Client-Request-Id"},
	},
}

// newAzure returns a provider whose base_url is the part before /v1. With an API version, everything but Responses uses
// the older paths, which contain the deployment's name.
func newAzure(s Settings) (route.Provider, error) {
	s.BaseURL = normalizeAzureBase(s.BaseURL)
	k := azureKind
	k.services = maps.Clone(k.services)
	if v := s.APIVersion; v != "" {
		query := "api-version=" + url.QueryEscape(v)
		k.services[openAIChat] = service{path: "/deployments/{model}/chat/completions", query: query}
		k.services[openAIEmbeddings] = service{path: "/deployments/{model}/embeddings", query: query}
		for _, shape := range []string{images, imageEdits, speech, transcriptions, translations} {
			k.services[shape] = service{path: "/deployments/{model}" + directPaths[shape], query: query}
		}
	}
	if v := s.ResponsesAPIVersion; v != "" {
		for _, shape := range []string{openAIResponses, openAICompact} {
			at := k.services[shape]
			at.query = "api-version=" + url.QueryEscape(v)
			k.services[shape] = at
		}
	}
	if s.Entra.Identity != "" {
		fetch, err := newEntraCredential(s)
		if err != nil {
			return nil, err
		}
		s.Client = &authorized{Client: s.Client, label: k.label, tokens: token.NewCache(fetch)}
	}
	return newHosted(&k, s)
}

// normalizeAzureBase adds the API path to a base URL on Azure's domains that names only the host.
func normalizeAzureBase(base string) string {
	u, err := url.Parse(base)
	if err != nil || strings.Trim(u.Path, "/") != "" {
		return base
	}
	for _, domain := range []string{".azure.com", ".azure.us", ".azure.cn"} {
		if strings.HasSuffix(u.Hostname(), domain) {
			return u.JoinPath("openai").String()
		}
	}
	return base
}
