package outside

import "github.com/headgate-dev/headgate/plugins/remote"

// Judge is the name of the vendor whose guards are models of the gateway itself.
const Judge = "judge"

// vendors are the guards by their names in a configuration. Windows keep a call within the vendor's limits: 10,000
// characters for Azure, and the 512 tokens of BERT models for classifiers, which are 500 characters in some languages.
// Windows of vendors that report positions are small enough that their findings fit into a verdict.
var vendors = map[string]*vendor{
	"presidio": {
		action: remote.Redact, places: true, threshold: 0.5, window: 4_000, uses: []string{"labels", "language", "threshold"}, ask: askPresidio,
	},
	"classifier": {
		action: remote.Block, threshold: 0.5, window: 500, uses: []string{"labels", "threshold"}, ask: askClassifier,
	},
	"moderations": {
		url: "https://api.openai.com/v1/moderations", action: remote.Block, window: 16_000, texts: 16, keyed: true,
		uses: []string{"labels", "model", "threshold"}, ask: askModerations,
	},
	"lakera": {
		url: "https://api.lakera.ai/v2/guard", action: remote.Block, window: 16_000, keyed: true, uses: []string{"labels", "project"}, ask: askLakera,
	},
	"azure_prompt_shields": {action: remote.Block, window: 9_000, keyed: true, ask: askPromptShields},
	"azure_text_analysis": {
		action: remote.Block, threshold: 0.3, window: 9_000, keyed: true, uses: []string{"labels", "threshold"}, ask: askTextAnalysis,
	},
	"bedrock_guardrail": {action: remote.Block, places: true, window: 4_000, keyed: true, ask: askBedrock},
	Judge: {
		action: remote.Block, threshold: 0.5, window: 8_000, through: true,
		uses: []string{"labels", "model", "policy", "template", "threshold"}, ask: askJudge,
	},
	"model_armor": {action: remote.Block, window: 8_000, keyed: true, uses: []string{"labels"}, ask: askModelArmor},
}
