package guardrail

import _ "embed" // data files

//go:embed data/toxicity.txt
var toxicityFile string

//go:embed data/secrets.txt
var secretsFile string

//go:embed data/code.txt
var codeFile string

//go:embed data/refusals.txt
var refusalsFile string
