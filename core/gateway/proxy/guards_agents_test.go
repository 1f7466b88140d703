package proxy_test

const (
	agentPlace = "/a2a/planner"
	agentPeer  = "agent"
)

// agentPlaces are messages to an agent.
var agentPlaces = map[string]string{
	inText:      agentBody(send10, "to @ now"),
	inParts:     `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"to @1"},{"text":"@2 now"}]}}}`,
	inArguments: `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"role":"user","messageId":"m","parts":[{"kind":"data","data":{"to":["@"],"text":"{\"to\":\"@\"}"}}]}}}`,
	inMembers:   `{"jsonrpc":"2.0","id":7,"to @ now":1,"method":"SendMessage","params":{"to @ now":1,"message":{"role":"ROLE_USER","messageId":"m","to @ now":1,"metadata":{"to @ now":1},"parts":[{"data":{"to @ now":1},"to @ now":1}]}}}`,
	inNames:     `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"to @ now","parts":[{"text":"hi"}]}}}`,
	inFile:      `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"raw":"@64","mediaType":"text/plain"}]}}}`,
}

// agentTellings returns the places of answers of an agent.
func agentTellings() (out []telling) {
	task := func(artifact string) string {
		return agentResult(`{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[` + artifact + `]}}`)
	}
	for _, c := range []struct{ place, reply string }{
		{inText, task(`{"artifactId":"a","parts":[{"text":"to @ now"},{"data":{"to":["@"]}}]}`)},
		{inMembers, task(`{"artifactId":"a","to @ now":1,"parts":[{"data":{"to @ now":1}}]}`)},
		{inNames, task(`{"artifactId":"to @ now","parts":[{"text":"x"}]}`)},
		{inFile, task(`{"artifactId":"a","parts":[{"raw":"@64","mediaType":"text/plain"}]}`)},
	} {
		out = append(out, telling{"a2a", agentPlace, agentPeer, c.place, agentBody(send10, "hi"), wholly, toolJSON(c.reply)})
		if c.place != inFile { // a stream with a file of text is refused
			out = append(out, telling{"a2a", agentPlace, agentPeer, c.place, agentBody(stream10, "hi"), streamed, toolEvents(c.reply)})
		}
	}
	card := agentResult(`{"name":"Planner","description":"to @ now","skills":[{"id":"s","name":"s","description":"to @ now","tags":["to @ now"]}]}`)
	return append(out, telling{"a2a", agentPlace, agentPeer, inDefinition, `{"jsonrpc":"2.0","id":7,"method":"GetExtendedAgentCard"}`, wholly, toolJSON(card)})
}
