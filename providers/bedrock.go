package providers

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// bedrockKind serves models through Converse, so that all of them are called in one shape, except where a client speaks
// the vendor's own: Messages to Anthropic's models, chat to OpenAI's. Its prefixes are those of the vendors' model ids,
// with and without the inference profile of a region.
var bedrockKind = kind{
	label: "Bedrock", key: bearer, main: bedrockConverse,
	services: map[string]service{
		bedrockConverse:   {path: "/model/{model}/converse", stream: "/model/{model}/converse-stream"},
		anthropicMessages: {path: "/model/{model}/invoke", stream: "/model/{model}/invoke-with-response-stream"},
		openAIChat:        {path: "/openai/v1/chat/completions"},
		openAIEmbeddings:  {path: "/model/{model}/invoke"},
	},
	pick: pickBedrockWire, adapt: adaptBedrock,
	prefixes: []string{
		"anthropic.", "amazon.", "us.anthropic.", "us.amazon.", "eu.anthropic.", "eu.amazon.", "apac.anthropic.",
		"apac.amazon.", "global.anthropic.", "global.amazon.", "openai.gpt-", "arn:aws:bedrock:",
	},
	// Converse supports schemas for answers, but not a JSON mode without one.
	caps: route.Capabilities{Streaming: true, Vision: true, ToolCalls: true, StructuredOutputs: true},
}

// region matches names of AWS regions. A region becomes part of a host name.
var region = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-[0-9]+$`)

// newBedrock returns a provider that signs calls with access keys or sends an API key. Missing settings are read from
// the environment variables of AWS's tools.
func newBedrock(s Settings) (route.Provider, error) {
	env := s.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	s.Region = cmp.Or(s.Region, env("AWS_REGION"), env("AWS_DEFAULT_REGION"))
	if s.Region == "" {
		return nil, errors.New("region is missing: write region, or set AWS_REGION")
	}
	if !region.MatchString(s.Region) {
		return nil, errors.New("region is not the name of an AWS region, such as eu-central-1")
	}
	if s.BaseURL == "" {
		s.BaseURL = "https://bedrock-runtime." + s.Region + "." + findAWSDomain(s.Region)
	}
	keys := awsKeys{s.AccessKeyID, s.SecretAccessKey, s.SessionToken}
	if s.APIKey == "" && keys == (awsKeys{}) {
		if s.APIKey = env("AWS_BEARER_TOKEN_BEDROCK"); s.APIKey == "" {
			keys = awsKeys{env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY"), env("AWS_SESSION_TOKEN")}
		}
	}
	if s.APIKey == "" && keys == (awsKeys{}) {
		fetch, err := newAWSRole(env, s.Region)
		if err != nil {
			return nil, err
		}
		if fetch != nil {
			s.Client = newBedrockClient(&roleSigned{
				authorized: authorized{Client: s.Client, label: bedrockKind.label, tokens: token.NewCache(fetch)}, region: s.Region,
			})
			p, err := newHosted(&bedrockKind, s)
			if err == nil {
				p.sign = func(*upstream.Request) error { return nil } // the client does
			}
			return p, err
		}
	}
	s.Client = newBedrockClient(s.Client)
	p, err := newHosted(&bedrockKind, s)
	if err != nil || s.APIKey != "" {
		return p, err
	}
	if err := keys.check(); err != nil {
		return nil, err
	}
	p.sign = newSigner(keys, s.Region).sign
	return p, nil
}

// newBedrockClient returns a client that hands over streams of invoked models and answers with vectors in their vendors' shapes.
func newBedrockClient(c upstream.Client) upstream.Client {
	return &embedding{&invokeClient{c}, []*cloudEmbedder{titanEmbed, cohereEmbed}}
}

func findAWSDomain(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// awsKeys are the keys that sign calls.
type awsKeys struct{ id, secret, session string }

func (k awsKeys) check() error {
	switch {
	case k.id == "" && k.secret == "":
		return errors.New("no credentials are set: write api_key, or access_key_id and secret_access_key, " +
			"or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for the role of an EC2 machine set AWS_EC2_METADATA_DISABLED=false")
	case k.id == "":
		return errors.New("access_key_id is missing beside secret_access_key")
	case k.secret == "":
		return errors.New("secret_access_key is missing beside access_key_id")
	case !isSendable(k.id):
		return errors.New("access_key_id contains a character that is not allowed in a header")
	case !isSendable(k.session):
		return errors.New("session_token contains a character that is not allowed in a header")
	}
	return nil
}
