package gemini

// field is a known member, in either spelling: Google's JSON accepts protocol buffer
// names in camel case and in snake case.
type field uint8

const (
	fUnknown field = iota
	fContents
	fSystemInstruction
	fTools
	fToolConfig
	fSafetySettings
	fCachedContent
	fGenerationConfig
	fModel
	fGenerateContentRequest
	fRole
	fParts
	fText
	fThought
	fThoughtSignature
	fInlineData
	fFileData
	fFunctionCall
	fFunctionResponse
	fVideoMetadata
	fPartMetadata
	fMediaResolution
	fMIMEType
	fData
	fFileURI
	fDisplayName
	fID
	fName
	fArgs
	fResponse
	fWillContinue
	fScheduling
	fFunctionDeclarations
	fDescription
	fParameters
	fParametersJSONSchema
	fFunctionCallingConfig
	fMode
	fAllowedFunctionNames
	fStreamFunctionCallArguments
	fMaxOutputTokens
	fCandidateCount
	fTemperature
	fTopP
	fTopK
	fStopSequences
	fSeed
	fPresencePenalty
	fFrequencyPenalty
	fResponseLogprobs
	fLogprobs
	fResponseMIMEType
	fResponseSchema
	fResponseJSONSchema
	fResponseModalities
	fThinkingConfig
	fThinkingLevel
	fIncludeThoughts
	fCandidates
	fContent
	fFinishReason
	fIndex
	fLogprobsResult
	fGroundingMetadata
	fUsageMetadata
	fPromptFeedback
	fBlockReason
	fModelVersion
	fResponseID
	fError
	fCode
	fMessage
	fStatus
	fPromptTokenCount
	fToolUsePromptTokenCount
	fCandidatesTokenCount
	fThoughtsTokenCount
	fCachedContentTokenCount
	fTotalTokens
	fChosenCandidates
	fTopCandidates
	fToken
	fLogProbability
	fieldCount
)

// names are the camel case spellings.
var names = [fieldCount]string{
	fContents: "contents", fSystemInstruction: "systemInstruction", fTools: "tools", fToolConfig: "toolConfig",
	fSafetySettings: "safetySettings", fCachedContent: "cachedContent", fGenerationConfig: "generationConfig", fModel: "model",
	fGenerateContentRequest: "generateContentRequest", fRole: "role", fParts: "parts", fText: "text", fThought: "thought",
	fThoughtSignature: "thoughtSignature", fInlineData: "inlineData", fFileData: "fileData", fFunctionCall: "functionCall",
	fFunctionResponse: "functionResponse", fVideoMetadata: "videoMetadata", fPartMetadata: "partMetadata",
	fMediaResolution: "mediaResolution", fMIMEType: "mimeType", fData: "data", fFileURI: "fileUri", fDisplayName: "displayName",
	fID: "id", fName: "name", fArgs: "args", fResponse: "response", fWillContinue: "willContinue", fScheduling: "scheduling",
	fFunctionDeclarations: "functionDeclarations", fDescription: "description", fParameters: "parameters",
	fParametersJSONSchema: "parametersJsonSchema", fFunctionCallingConfig: "functionCallingConfig", fMode: "mode",
	fAllowedFunctionNames: "allowedFunctionNames", fStreamFunctionCallArguments: "streamFunctionCallArguments",
	fMaxOutputTokens: "maxOutputTokens", fCandidateCount: "candidateCount", fTemperature: "temperature", fTopP: "topP",
	fTopK: "topK", fStopSequences: "stopSequences", fSeed: "seed", fPresencePenalty: "presencePenalty",
	fFrequencyPenalty: "frequencyPenalty", fResponseLogprobs: "responseLogprobs", fLogprobs: "logprobs",
	fResponseMIMEType: "responseMimeType", fResponseSchema: "responseSchema", fResponseJSONSchema: "responseJsonSchema",
	fResponseModalities: "responseModalities", fThinkingConfig: "thinkingConfig", fThinkingLevel: "thinkingLevel",
	fIncludeThoughts: "includeThoughts",
	fCandidates:      "candidates", fContent: "content", fFinishReason: "finishReason", fIndex: "index",
	fLogprobsResult: "logprobsResult", fGroundingMetadata: "groundingMetadata", fUsageMetadata: "usageMetadata",
	fPromptFeedback: "promptFeedback", fBlockReason: "blockReason", fModelVersion: "modelVersion", fResponseID: "responseId",
	fError: "error", fCode: "code", fMessage: "message", fStatus: "status", fPromptTokenCount: "promptTokenCount",
	fToolUsePromptTokenCount: "toolUsePromptTokenCount", fCandidatesTokenCount: "candidatesTokenCount",
	fThoughtsTokenCount: "thoughtsTokenCount", fCachedContentTokenCount: "cachedContentTokenCount", fTotalTokens: "totalTokens",
	fChosenCandidates: "chosenCandidates", fTopCandidates: "topCandidates", fToken: "token", fLogProbability: "logProbability",
}

// fields maps both spellings to a field.
var fields = func() map[string]field {
	m := make(map[string]field, 2*fieldCount)
	for f, name := range names {
		if name != "" {
			m[name], m[convertToSnake(name)] = field(f), field(f)
		}
	}
	m["_responseJsonSchema"] = fResponseJSONSchema // as the field was first released
	return m
}()

// convertToSnake converts a name from camel case.
func convertToSnake(name string) string {
	b := make([]byte, 0, len(name)+4)
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			b = append(b, '_', c+'a'-'A')
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// convertToCamel converts a name from snake case.
func convertToCamel(name string) string {
	b, up := make([]byte, 0, len(name)), false
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_':
			up = len(b) > 0
		case up && 'a' <= c && c <= 'z':
			b, up = append(b, c-'a'+'A'), false
		default:
			b, up = append(b, c), false
		}
	}
	return string(b)
}
