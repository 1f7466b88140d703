package clients

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pythonRuns are the frameworks for agents that people install from PyPI. @PYTHON stands for the interpreter that has them,
// @SCRIPTS for the folder of the scripts.
var pythonRuns = []clientRun{
	pythonRun("LangChain, chat", "openai.chat", "langchain_agent.py", "@BASE", gatewayKey, "chat"),
	pythonRun("LangChain, Messages", "anthropic.messages", "langchain_agent.py", "@BASE", gatewayKey, "messages"),
	pythonRun("LlamaIndex", "openai.chat", "llamaindex_agent.py", "@BASE", gatewayKey),
	pythonRun("OpenAI Agents SDK", "openai.responses", "openai_agent.py"),
}

// pythonRun is a framework, by a script that takes one streamed turn with a tool.
func pythonRun(name, shape, script string, args ...string) clientRun {
	return clientRun{
		name: name, shape: shape, says: "result: Sunny in Ulm, ask anna@example.org",
		program: append([]string{"@PYTHON", "-B", "@SCRIPTS/" + script}, args...),
		env: append([]string{
			"OPENAI_BASE_URL=@BASE/v1", "OPENAI_API_KEY=" + gatewayKey, "OPENAI_AGENTS_DISABLE_TRACING=1",
		}, noInternet...),
	}
}

// TestPythonClientsRunUnmodified is TestClientsRunUnmodified for packages from PyPI.
func TestPythonClientsRunUnmodified(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	scripts, err := filepath.Abs(filepath.Join("testdata", "python"))
	require.NoError(t, err)
	python := installPython(ctx, t, filepath.Join(scripts, "frameworks.txt"))
	for _, c := range pythonRuns {
		t.Run(c.name, func(t *testing.T) { runClient(t, c, "@PYTHON", python, "@SCRIPTS", scripts) })
	}
}
