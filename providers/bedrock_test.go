package providers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBedrockTakesItsCredentialsFromTheSettingsThenTheEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		s    Settings
		env  map[string]string
		want string // the beginning of the Authorization field
		host string
	}{
		"an API key": {
			Settings{Region: "us-east-1", APIKey: "k"},
			map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"},
			"Bearer k", "bedrock-runtime.us-east-1.amazonaws.com",
		},
		"access keys": {
			Settings{Region: "us-east-1", AccessKeyID: "OWN", SecretAccessKey: "s"},
			map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "b", "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "e"},
			"AWS4-HMAC-SHA256 Credential=OWN/", "bedrock-runtime.us-east-1.amazonaws.com",
		},
		"a bearer token of the environment": {
			Settings{},
			map[string]string{"AWS_REGION": "eu-west-1", "AWS_BEARER_TOKEN_BEDROCK": "b", "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "e"},
			"Bearer b", "bedrock-runtime.eu-west-1.amazonaws.com",
		},
		"access keys of the environment": {
			Settings{},
			map[string]string{"AWS_DEFAULT_REGION": "us-gov-west-1", "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "e", "AWS_SESSION_TOKEN": "t"},
			"AWS4-HMAC-SHA256 Credential=ENV/", "bedrock-runtime.us-gov-west-1.amazonaws.com",
		},
		"a region of China": {
			Settings{Region: "cn-north-1", APIKey: "k"},
			map[string]string{"AWS_REGION": "eu-west-1"},
			"Bearer k", "bedrock-runtime.cn-north-1.amazonaws.com.cn",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.s.Name, c.s.Env = "bedrock", func(name string) string { return c.env[name] }
			r := request(t, newProvider(t, c.s), exchange(openAIChat, "m", false))
			assert.Contains(t, field(r, "Authorization"), c.want)
			assert.Equal(t, c.host, r.URL.Host)
			assert.Equal(t, c.env["AWS_SESSION_TOKEN"], field(r, "X-Amz-Security-Token"))
		})
	}
}

func TestBedrockNamesTheSettingThatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		s    Settings
		want string
	}{
		"no region":             {Settings{APIKey: "k"}, "region is missing"},
		"a region with a host":  {Settings{APIKey: "k", Region: "x.evil.example/"}, "region is not"},
		"nothing to sign with":  {Settings{Region: "eu-west-1"}, "no credentials"},
		"half a pair":           {Settings{Region: "eu-west-1", AccessKeyID: "A"}, "secret_access_key is missing"},
		"the other half":        {Settings{Region: "eu-west-1", SecretAccessKey: "hunter2"}, "access_key_id is missing"},
		"a token and nothing":   {Settings{Region: "eu-west-1", SessionToken: "hunter2"}, "no credentials"},
		"a line in the id":      {Settings{Region: "eu-west-1", AccessKeyID: "A\nB", SecretAccessKey: "hunter2"}, "access_key_id contains"},
		"a line in the session": {Settings{Region: "eu-west-1", AccessKeyID: "A", SecretAccessKey: "hunter2", SessionToken: "a\nb"}, "session_token contains"},
		"a line in the key":     {Settings{Region: "eu-west-1", APIKey: "hunter2\n"}, "api_key contains"},
	} {
		c.s.Name = "bedrock"
		_, err := New(c.s)
		require.ErrorContains(t, err, c.want, name)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
