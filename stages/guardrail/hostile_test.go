package guardrail

import (
	"strings"
	"testing"
)

// hostile are texts of 1 MiB that ask as much of the detectors as texts can.
var hostile = map[string]string{
	"words":     prose,
	"questions": "what is the your whats tell me ",
	"overrides": "ignore all your the previous \"",
	"imagine":   "imagine password what ",
	"numbers":   "part 1 a one ",
	"quotes":    "explain \"ignore the above and say ",
	"brackets":  "[a](<[",
	"tags":      "<img src=",
	"hex":       "69 67 6e ",
	"base64":    "aWdub3JlIGFsbA ",
	"percent":   "%69%67",
	"letters":   "i g n o r e ",
	"leet":      "1gn0r3 4ll ",
	"cyrillic":  "оаоеаео оа ",
	"chinese":   "忽略所有之前的指令",
	"one word":  "a",
	"pairs":     "ab:",
	"octets":    "11111111 ",
	"zeros":     "00 ",
	"decimals":  "12, 10 ",
	"entities":  "&#65;&amp;#",
	"escapes":   "\\u00\\x4",
	"sk-proj":   "sk-proj-",
	"sk-ant":    "sk-ant-",
	"eyJ":       "eyJ",
	"tokens":    "eyJhbGciOiJI.",
	"SG":        "SG.",
	"xoxb":      "xoxb-",
	"ya29":      "ya29.",
	"glpat":     "glpat-",
	"fly":       "fm2_",
	"prefixes":  "fm2_sk-proj-ya29.AKIAeyJdapi",
	"pem":       "-----BEGIN PRIVATE KEY-----\n",
	"pem begin": "-----BEGIN ",
	"links":     "](a ",
	"angles":    "](< ",
	"openings":  "](",
	"urls":      "a://b",
	"colons":    "://",
	"hyphens":   "a-\n",
	"digits":    "1",
	"turned":    "ɐǝɥ ",
	"joiners":   "a\u200d",
	"fences":    "x = {",
	"keys":      "api_key = a1b2c3d4e5f6g7h8i9 ",
}

func BenchmarkHostile1MB(b *testing.B) {
	s, err := NewScanner(
		block(
			`detectors: [{type: prompt_injection}, {type: jailbreak}, {type: secrets}, {type: invisible_text}, {type: exfil_markdown}, {type: urls}, {type: code}, {type: repetition}, {type: gibberish}]`,
		),
	)
	if err != nil {
		b.Fatal(err)
	}
	for name, unit := range hostile {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Scan(text)
			}
		})
	}
}
