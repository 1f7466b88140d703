package auth

// Scopes of gateway keys, as the specification names them.
const (
	ScopeCompletions = "completions:write"
	ScopeEmbeddings  = "embeddings:write"
	ScopeModels      = "models:read"
	ScopeBatches     = "batches:write"
	ScopeToolsList   = "tools:list"
	ScopeToolsCall   = "tools:call"
	ScopeAgentsList  = "agents:list"
	ScopeAgentsCall  = "agents:call"
)
