package config

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// block loads a chain with one link and gives its block.
func block(t *testing.T, text string) Block {
	t.Helper()
	cfg, _, err := load("providers: {mock: {}}\nchain:\n  - wasm: a.wasm\n    config:\n" + text)
	require.NoError(t, err)
	return cfg.Chain[0].Config
}

type settings struct {
	Common `yaml:",inline"`
	Action string          `yaml:"action" default:"flag" required:"true" eg:"redact"`
	Words  []string        `yaml:"words"`
	Score  float64         `yaml:"score" default:"0.5"`
	Wait   time.Duration   `yaml:"wait" min:"1ms"`
	Size   ByteSize        `yaml:"size"`
	Max    *int            `yaml:"max"`
	Level  Level           `yaml:"level"`
	Types  map[string]rule `yaml:"types"`
	Free   any             `yaml:"free"`
	APIKey string          `yaml:"api_key" default:""`
	Small  uint8           `yaml:"small"`
	hidden int
	Never  chan int `yaml:"-"`
	Plain  bool
}

type rule struct {
	On bool `yaml:"on" default:"true"`
}

type Common struct {
	Lang string `yaml:"lang"`
}

func TestABlockIsDecodedStrictly(t *testing.T) {
	var got settings
	require.NoError(t, block(t, `
      lang: en
      action: redact
      words: [a, "${SET}"]
      wait: 5ms
      size: 1KiB
      max: 7
      level: warn
      types: {EMAIL: {}, CARD: {on: false}}
      free: {a: [1, 1.5, x, true, null, 0x10, 2026-01-01]}
      plain: true
`).Decode(&got))
	seven := 7
	assert.Equal(t, settings{
		Common: Common{Lang: "en"}, Action: "redact", Words: []string{"a", "from-env"}, Score: 0.5,
		Wait: 5 * time.Millisecond, Size: KiB, Max: &seven, Level: LevelWarn,
		Types: map[string]rule{"EMAIL": {On: true}, "CARD": {}},
		Free:  map[string]any{"a": []any{json.Number("1"), json.Number("1.5"), "x", true, nil, 16, "2026-01-01"}},
		Plain: true,
	}, got)
	assert.Zero(t, got.hidden)
}

func TestABlocksProblemsHaveTheirPlace(t *testing.T) {
	var got settings
	err := block(t, `
      actoin: redact
      words: [a, [b]]
      wait: 0s
      score: high
      small: 256
      api_key: [hunter2]
      types: {EMAIL: {of: true}}
      free: &x {a: 1}
      level: ${PASSWORD}
`).Decode(&got)
	require.EqualError(t, err, `gateway.yaml:4:5: chain[0].config.action: is missing; write action: redact
gateway.yaml:6:7: chain[0].config.actoin: unknown key; did you mean action?
gateway.yaml:7:18: chain[0].config.words[1]: is a list where text is wanted; write words: …
gateway.yaml:8:7: chain[0].config.wait: "0s" is too small; write 1ms or more
gateway.yaml:9:7: chain[0].config.score: "high" is not a number; write score: 0.5
gateway.yaml:10:7: chain[0].config.small: "256" is not a whole number; write small: 1
gateway.yaml:11:7: chain[0].config.api_key: is a list where text is wanted; write api_key: …
gateway.yaml:12:23: chain[0].config.types.EMAIL.of: unknown key; did you mean on?
gateway.yaml:14:7: chain[0].config.level: the value of ${PASSWORD} is not one of trace, debug, info, warn, error; write level: trace`)
}

func TestSecretLookingKeysOfABlockAreNotShown(t *testing.T) {
	var got struct {
		Password int `yaml:"password"`
		Auth     struct {
			TokenTTL time.Duration `yaml:"token_ttl"`
		} `yaml:"auth"`
	}
	err := block(t, "      {password: hunter2, auth: {token_ttl: hunter2}}\n").Decode(&got)
	require.ErrorContains(t, err, "password: the value is not a whole number")
	require.ErrorContains(t, err, "token_ttl: the value is not a duration")
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestABlockThatIsNotWritten(t *testing.T) {
	var b Block
	got := settings{Action: "kept", Score: 2}
	require.EqualError(t, b.Decode(&got), "configuration: action: is missing; write action: redact")
	assert.Equal(t, "kept", got.Action)
	var optional struct {
		N int `yaml:"n" default:"3"`
	}
	require.NoError(t, b.Decode(&optional))
	assert.Equal(t, 3, optional.N)
	raw, err := b.JSON()
	require.NoError(t, err)
	assert.Equal(t, "{}", string(raw))
	assert.True(t, b.IsZero())
	assert.Empty(t, b.Pos())
}

func TestABlockNeedsAPointer(t *testing.T) {
	require.EqualError(t, Block{}.Decode(settings{}), "decode block: the target is not a pointer")
	require.EqualError(t, Block{}.Decode(nil), "decode block: the target is not a pointer")
	require.EqualError(t, Block{}.Decode((*settings)(nil)), "decode block: the target is not a pointer")
	var c struct {
		C chan int `yaml:"c"`
	}
	require.ErrorContains(t, block(t, "      c: 1\n").Decode(&c), "has no form in the file")
}

func TestABlockAsJSONKeepsOrderAndSpelling(t *testing.T) {
	got, err := block(t, `
      z: 1
      a: [1.50, 1e3, 0x1f, "1", 'true', true, False, ~, 123456789012345678901234567890, <&>, 2026-01-01]
      bare: ${PORT}
      quoted: "${PORT}"
      text: |
        two
        lines
      deep: {b: {}, c: []}
`).JSON()
	require.NoError(t, err)
	assert.Equal(t, `{"z":1,"a":[1.50,1e3,31,"1","true",true,false,null,123456789012345678901234567890,"<&>","2026-01-01"],`+
		`"bare":8081,"quoted":"8081","text":"two\nlines\n","deep":{"b":{},"c":[]}}`, string(got))
	assert.True(t, json.Valid(got))
	_, err = block(t, "      x: .nan\n").JSON()
	require.EqualError(t, err, "gateway.yaml:5:7: chain[0].config.x: is not a number that JSON has; write a finite number")
}

func TestABlockSaysWhereItStands(t *testing.T) {
	assert.Equal(t, "gateway.yaml:4:5", block(t, "      a: 1\n").Pos())
}
