package importtool

import "strings"

// vendor is a provider as another gateway names it.
type vendor struct {
	typ string   // the gateway's provider type
	env string   // the variable that LiteLLM reads if a deployment names no key
	url string   // of a vendor that has no provider type and speaks OpenAI's chat API
	cut []string // further prefixes of the model's name that are removed
}

// vendors are the providers by the prefixes that LiteLLM and the others use.
var vendors = map[string]vendor{
	"openai":                 {typ: "openai", env: "OPENAI_API_KEY"},
	"text-completion-openai": {typ: "openai", env: "OPENAI_API_KEY"},
	"custom_openai":          {typ: "openai"},
	"openai_like":            {typ: "openai"},
	"litellm_proxy":          {typ: "openai"},
	"azure":                  {typ: "azure-openai", env: "AZURE_API_KEY"},
	"azure_text":             {typ: "azure-openai", env: "AZURE_API_KEY"},
	"azure-openai":           {typ: "azure-openai", env: "AZURE_API_KEY"},
	"anthropic":              {typ: "anthropic", env: "ANTHROPIC_API_KEY"},
	"gemini":                 {typ: "gemini", env: "GEMINI_API_KEY"},
	"google":                 {typ: "gemini", env: "GEMINI_API_KEY"},
	"bedrock":                {typ: "bedrock", cut: []string{"converse/", "invoke/", "converse_like/"}},
	"bedrock_converse":       {typ: "bedrock"},
	"vertex_ai":              {typ: "vertex"},
	"vertex_ai_beta":         {typ: "vertex"},
	"vertex-ai":              {typ: "vertex"},
	"vertex":                 {typ: "vertex"},
	"xai":                    {typ: "xai", env: "XAI_API_KEY"},
	"x-ai":                   {typ: "xai", env: "XAI_API_KEY"},
	"mistral":                {typ: "mistral", env: "MISTRAL_API_KEY"},
	"mistral-ai":             {typ: "mistral", env: "MISTRAL_API_KEY"},
	"codestral":              {typ: "openai", env: "CODESTRAL_API_KEY", url: "https://codestral.mistral.ai/v1"},
	"deepseek":               {typ: "deepseek", env: "DEEPSEEK_API_KEY"},
	"moonshot":               {typ: "moonshot", env: "MOONSHOT_API_KEY"},
	"zai":                    {typ: "zhipu", env: "ZAI_API_KEY"},
	"zhipu":                  {typ: "zhipu", env: "ZHIPU_API_KEY"},
	"cohere":                 {typ: "cohere", env: "COHERE_API_KEY"},
	"cohere_chat":            {typ: "cohere", env: "COHERE_API_KEY"},
	"groq":                   {typ: "groq", env: "GROQ_API_KEY"},
	"dashscope":              {typ: "qwen", env: "DASHSCOPE_API_KEY"},
	"ollama":                 {typ: "ollama"},
	"ollama_chat":            {typ: "ollama"},
	"openrouter":             {typ: "openrouter", env: "OPENROUTER_API_KEY"},
	"together_ai":            {typ: "together", env: "TOGETHERAI_API_KEY"},
	"together-ai":            {typ: "together", env: "TOGETHERAI_API_KEY"},
	"fireworks_ai":           {typ: "fireworks", env: "FIREWORKS_AI_API_KEY"},
	"fireworks-ai":           {typ: "fireworks", env: "FIREWORKS_AI_API_KEY"},
	"fireworks":              {typ: "fireworks", env: "FIREWORKS_AI_API_KEY"},
	"vllm":                   {typ: "vllm"},
	"hosted_vllm":            {typ: "vllm"},
	"lm_studio":              {typ: "vllm"},
	"llamafile":              {typ: "vllm"},
	"sgl":                    {typ: "vllm"},
	"perplexity":             {typ: "openai", env: "PERPLEXITYAI_API_KEY", url: "https://api.perplexity.ai"},
	"perplexity-ai":          {typ: "openai", env: "PERPLEXITYAI_API_KEY", url: "https://api.perplexity.ai"},
	"nvidia_nim":             {typ: "openai", env: "NVIDIA_NIM_API_KEY", url: "https://integrate.api.nvidia.com/v1"},
	"cerebras":               {typ: "openai", env: "CEREBRAS_API_KEY", url: "https://api.cerebras.ai/v1"},
	"sambanova":              {typ: "openai", env: "SAMBANOVA_API_KEY", url: "https://api.sambanova.ai/v1"},
	"deepinfra":              {typ: "openai", env: "DEEPINFRA_API_KEY", url: "https://api.deepinfra.com/v1/openai"},
	"voyage":                 {typ: "openai", env: "VOYAGE_API_KEY", url: "https://api.voyageai.com/v1"},
}

// familyOf are the beginnings of model names that LiteLLM knows without a prefix, and the vendor that serves them.
var familyOf = []struct{ start, vendor string }{
	{"gpt-", "openai"},
	{"chatgpt-", "openai"},
	{"o1", "openai"},
	{"o3", "openai"},
	{"o4", "openai"},
	{"codex-", "openai"},
	{"text-embedding-", "openai"},
	{"text-davinci-", "openai"},
	{"ft:gpt-", "openai"},
	{"dall-e-", "openai"},
	{"gpt-image-", "openai"},
	{"tts-", "openai"},
	{"whisper-", "openai"},
	{"omni-moderation-", "openai"},
	{"claude-", "anthropic"},
	{"gemini-", "vertex_ai"},
	{"textembedding-gecko", "vertex_ai"},
	{"command", "cohere"},
	{"embed-english", "cohere"},
	{"embed-multilingual", "cohere"},
	{"anthropic.", "bedrock"},
	{"us.", "bedrock"},
	{"eu.", "bedrock"},
	{"apac.", "bedrock"},
	{"global.", "bedrock"},
	{"amazon.", "bedrock"},
	{"meta.", "bedrock"},
	{"mistral.", "bedrock"},
	{"cohere.", "bedrock"},
	{"ai21.", "bedrock"},
}

// splitModel returns the vendor's prefix and the model of a name such as openai/gpt-4o. known is false for a vendor that the gateway
// does not serve, and named is false if the name says no vendor.
func splitModel(name, custom string) (prefix, model string, known, named bool) {
	prefix, model = custom, name
	if before, rest, ok := strings.Cut(name, "/"); ok && (custom == "" || before == custom) {
		prefix, model = before, rest
	}
	if prefix == "" {
		for _, f := range familyOf {
			if strings.HasPrefix(name, f.start) {
				prefix = f.vendor
				break
			}
		}
	}
	v, known := vendors[prefix]
	for _, c := range v.cut {
		model = strings.TrimPrefix(model, c)
	}
	return prefix, model, known, prefix != ""
}
