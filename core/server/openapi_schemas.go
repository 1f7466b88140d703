package server

// sharedSchemas are the schemas that endpoints name, in JSON.
var sharedSchemas = map[string]string{
	"Error": `{
		"type":"object","required":["error"],
		"properties":{
			"error":{
				"type":"object","required":["message","type","code"],
				"properties":{
					"message":{"type":"string"},"type":{"type":"string"},"param":{"type":"string","nullable":true},"code":{"type":"string"}
				}
			}
		}
	}`,
	"MessagesError": `{
		"type":"object","required":["type","error"],
		"properties":{
			"type":{"type":"string","enum":["error"]},
			"error":{"type":"object","required":["type","message"],"properties":{"type":{"type":"string"},"message":{"type":"string"}}}
		}
	}`,
	"GenerateError": `{
		"type":"object","required":["error"],
		"properties":{
			"error":{
				"type":"object","required":["code","message","status"],
				"properties":{"code":{"type":"integer"},"message":{"type":"string"},"status":{"type":"string"}}
			}
		}
	}`,

	"AgentError": jsonRPCError,
	"ToolError":  jsonRPCError,

	"Message": `{
		"type":"object","required":["role"],
		"properties":{
			"role":{"type":"string","enum":["system","developer","user","assistant","tool","function"]},
			"content":{"nullable":true,"oneOf":[{"type":"string"},{"type":"array","items":{"type":"object"}}]},
			"tool_calls":{"type":"array","nullable":true,"items":{"type":"object"}},"tool_call_id":{"type":"string"}
		}
	}`,

	"ChatRequest": `{
		"type":"object","required":["model","messages"],
		"properties":{
			"model":{"type":"string"},"messages":{"type":"array","minItems":1,"items":{"$ref":"#/components/schemas/Message"}},
			"stream":{"type":"boolean","nullable":true},
			"stream_options":{"type":"object","nullable":true,"properties":{"include_usage":{"type":"boolean"}}},
			"temperature":{"type":"number","minimum":0,"maximum":2,"nullable":true},
			"top_p":{"type":"number","minimum":0,"maximum":1,"nullable":true},"max_tokens":{"type":"integer","minimum":1,"nullable":true},
			"max_completion_tokens":{"type":"integer","minimum":1,"nullable":true},
			"frequency_penalty":{"type":"number","minimum":-2,"maximum":2,"nullable":true},
			"presence_penalty":{"type":"number","minimum":-2,"maximum":2,"nullable":true},"n":{"type":"integer","minimum":1,"nullable":true},
			"seed":{"type":"integer","nullable":true},"user":{"type":"string","nullable":true},
			"reasoning_effort":{"type":"string","nullable":true},"parallel_tool_calls":{"type":"boolean","nullable":true},
			"response_format":{"type":"object","nullable":true},
			"tools":{
				"type":"array","nullable":true,
				"items":{"type":"object","required":["type"],"properties":{"type":{"type":"string","enum":["function","custom"]}}}
			},
			"tool_choice":{"nullable":true,"oneOf":[{"type":"string"},{"type":"object"}]},
			"stop":{"nullable":true,"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}
		}
	}`,

	"ChatCompletion": `{
		"type":"object","required":["id","object","created","model","choices"],
		"properties":{
			"id":{"type":"string"},"object":{"type":"string","enum":["chat.completion"]},"created":{"type":"integer"},
			"model":{"type":"string"},
			"choices":{
				"type":"array",
				"items":{
					"type":"object",
					"properties":{
						"index":{"type":"integer"},"message":{"$ref":"#/components/schemas/Message"},
						"finish_reason":{"type":"string","nullable":true}
					}
				}
			},
			"usage":{
				"type":"object",
				"properties":{"prompt_tokens":{"type":"integer"},"completion_tokens":{"type":"integer"},"total_tokens":{"type":"integer"}}
			}
		}
	}`,

	"CompletionRequest": `{
		"type":"object","required":["model","prompt"],
		"properties":{
			"model":{"type":"string"},"prompt":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},
			"max_tokens":{"type":"integer","minimum":1,"nullable":true},
			"temperature":{"type":"number","minimum":0,"maximum":2,"nullable":true},"stream":{"type":"boolean","nullable":true}
		}
	}`,
	"EmbeddingRequest": `{
		"type":"object","required":["model","input"],
		"properties":{
			"model":{"type":"string"},"input":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},
			"encoding_format":{"type":"string","enum":["float","base64"]}
		}
	}`,
	"RerankRequest": `{
		"type":"object","required":["model","query","documents"],
		"properties":{
			"model":{"type":"string"},"query":{"type":"string"},
			"documents":{"type":"array","minItems":1,"items":{"oneOf":[{"type":"string"},{"type":"object"}]}},
			"top_n":{"type":"integer","minimum":1},"top_k":{"type":"integer","minimum":1},"return_documents":{"type":"boolean"}
		}
	}`,
	"ModerationRequest": `{
		"type":"object","required":["input"],
		"properties":{
			"model":{"type":"string"},
			"input":{"oneOf":[{"type":"string"},{"type":"array","items":{"oneOf":[{"type":"string"},{"type":"object"}]}}]}
		}
	}`,
	"ImageRequest": `{
		"type":"object","required":["model","prompt"],
		"properties":{
			"model":{"type":"string"},"prompt":{"type":"string"},"n":{"type":"integer","minimum":1,"maximum":10,"nullable":true},
			"size":{"type":"string","nullable":true},"quality":{"type":"string","nullable":true},"user":{"type":"string"}
		}
	}`,
	"ImageEditRequest": `{
		"type":"object","required":["model","prompt","image"],
		"properties":{
			"model":{"type":"string"},"prompt":{"type":"string"},"image":{"type":"string","format":"binary"},
			"mask":{"type":"string","format":"binary"},"n":{"type":"integer"},"size":{"type":"string"}
		}
	}`,
	"SpeechRequest": `{
		"type":"object","required":["model","input","voice"],
		"properties":{
			"model":{"type":"string"},"input":{"type":"string"},"voice":{"oneOf":[{"type":"string"},{"type":"object"}]},
			"instructions":{"type":"string"},"response_format":{"type":"string"},"speed":{"type":"number","minimum":0,"maximum":4}
		}
	}`,
	"TranscriptionRequest": `{
		"type":"object","required":["model","file"],
		"properties":{
			"model":{"type":"string"},"file":{"type":"string","format":"binary"},"prompt":{"type":"string"},"language":{"type":"string"},
			"response_format":{"type":"string","enum":["json","text","srt","vtt","verbose_json","diarized_json"]},
			"temperature":{"type":"number"}
		}
	}`,
	"ResponsesRequest": `{
		"type":"object","required":["model","input"],
		"properties":{
			"model":{"type":"string"},"input":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"object"}}]},
			"instructions":{"type":"string","nullable":true},"max_output_tokens":{"type":"integer","nullable":true},
			"stream":{"type":"boolean","nullable":true},"tools":{"type":"array","items":{"type":"object"}}
		}
	}`,
	"EditorRequest": `{
		"type":"object","required":["model"],
		"properties":{
			"model":{"type":"string"},"messages":{"type":"array","items":{"$ref":"#/components/schemas/Message"}},
			"input":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"object"}}]},"stream":{"type":"boolean","nullable":true}
		}
	}`,
	"MessagesRequest": `{
		"type":"object","required":["model","max_tokens","messages"],
		"properties":{
			"model":{"type":"string"},"max_tokens":{"type":"integer","minimum":1},
			"messages":{"type":"array","minItems":1,"items":{"$ref":"#/components/schemas/MessagesTurn"}},
			"system":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"object"}}]},"stream":{"type":"boolean"},
			"tools":{"type":"array","items":{"type":"object"}},"metadata":{"type":"object"}
		}
	}`,
	"CountRequest": `{
		"type":"object","required":["model","messages"],
		"properties":{
			"model":{"type":"string"},"messages":{"type":"array","minItems":1,"items":{"$ref":"#/components/schemas/MessagesTurn"}}
		}
	}`,
	"MessagesTurn": `{
		"type":"object","required":["role","content"],
		"properties":{
			"role":{"type":"string","enum":["user","assistant"]},
			"content":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"object"}}]}
		}
	}`,
	"GenerateRequest": `{
		"type":"object","required":["contents"],
		"properties":{
			"contents":{
				"type":"array",
				"items":{"type":"object","properties":{"role":{"type":"string"},"parts":{"type":"array","items":{"type":"object"}}}}
			},
			"systemInstruction":{"type":"object"},"generationConfig":{"type":"object"},"tools":{"type":"array","items":{"type":"object"}}
		}
	}`,
	"Generated": `{
		"oneOf":[{"$ref":"#/components/schemas/GeneratedPart"},{"type":"array","items":{"$ref":"#/components/schemas/GeneratedPart"}}],
		"description":"A generated answer; for countTokens the count; for embedContent and batchEmbedContents the vectors; for streamGenerateContent without alt=sse an array of its parts."
	}`,
	"GeneratedPart": `{
		"type":"object",
		"properties":{
			"candidates":{"type":"array","items":{"type":"object"}},"usageMetadata":{"type":"object"},"totalTokens":{"type":"integer"}
		}
	}`,
	"EstimateRequest": `{
		"type":"object","required":["model"],"properties":{"model":{"type":"string"},"max_tokens":{"type":"integer","minimum":0}}
	}`,
	"Estimate": `{
		"type":"object",
		"required":["estimated_cost_usd","budget_remaining_usd","budget_remaining_tokens","budget_remaining_pct","would_exceed_budget"],
		"properties":{
			"estimated_cost_usd":{"type":"number","nullable":true},"budget_remaining_usd":{"type":"number","nullable":true},
			"budget_remaining_tokens":{"type":"integer","nullable":true},"budget_remaining_pct":{"type":"number","nullable":true},
			"would_exceed_budget":{"type":"boolean"}
		}
	}`,
	"ModelList": `{
		"type":"object","required":["object","data"],
		"properties":{"object":{"type":"string","enum":["list"]},"data":{"type":"array","items":{"$ref":"#/components/schemas/Model"}}}
	}`,
	"Model": `{
		"type":"object","required":["id","object","created","owned_by"],
		"properties":{
			"id":{"type":"string"},"object":{"type":"string","enum":["model"]},"created":{"type":"integer"},"owned_by":{"type":"string"},
			"capabilities":{
				"type":"object",
				"properties":{
					"supports_streaming":{"type":"boolean"},"supports_vision":{"type":"boolean"},"supports_tool_calls":{"type":"boolean"},
					"supports_structured_outputs":{"type":"boolean"},"supports_json_mode":{"type":"boolean"},
					"max_context_tokens":{"type":"integer"}
				}
			}
		}
	}`,
	"Upload": `{
		"type":"object","required":["file","purpose"],
		"properties":{"file":{"type":"string","format":"binary"},"purpose":{"type":"string","enum":["batch"]}}
	}`,
	"BatchRequest": `{
		"type":"object","required":["input_file_id","endpoint","completion_window"],
		"properties":{
			"input_file_id":{"type":"string"},"endpoint":{"type":"string"},"completion_window":{"type":"string"},
			"metadata":{"type":"object","nullable":true}
		}
	}`,
}

// jsonRPCError is the schema of an error of JSON-RPC, in which MCP and A2A answer.
const jsonRPCError = `{
	"type":"object","required":["jsonrpc","error"],
	"properties":{
		"jsonrpc":{"type":"string"},"id":{"oneOf":[{"type":"string"},{"type":"integer"}]},
		"error":{
			"type":"object","required":["code","message"],
			"properties":{"code":{"type":"integer"},"message":{"type":"string"},"data":{"type":"object"}}
		}
	}
}`
