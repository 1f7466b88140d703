package server

import "net/http"

// newDirectEndpoint returns the entry of an API that passes through in the client's own form.
func newDirectEndpoint(path, id, tag, scope, summary, about string, takes content, gives ...content) endpoint {
	return endpoint{
		method: http.MethodPost, path: path, id: id, tag: tag, scope: scope, summary: summary, about: about,
		takes: &takes, gives: gives, errors: ownErrors, statuses: ofExchanges,
	}
}

// soundMedia are the forms of sound that a request for speech can ask for.
var soundMedia = []content{
	{media: "audio/mpeg"}, {media: "audio/wav"}, {media: "audio/flac"}, {media: "audio/aac"}, {media: "audio/opus"}, {media: "audio/pcm"},
}

const (
	formMedia = "multipart/form-data"

	aboutRerank = "In the form of Cohere, Jina and Voyage, as the provider of the model takes it; Cohere's clients may call /v2/rerank. The query and the documents are judged."

	exampleRerank  = `{"model":"rerank-v3.5","query":"What is due?","documents":["The rent is due.","It rains."],"top_n":1}`
	exampleRanked  = `{"id":"1","results":[{"index":0,"relevance_score":0.98}],"meta":{"billed_units":{"search_units":1}}}`
	examplePicture = `{"created":1767225600,"data":[{"b64_json":"iVBORw0KGgo=","revised_prompt":"A cat."}]}`
	exampleHeard   = `{"text":"Hello.","usage":{"type":"duration","seconds":2}}`
)

var heardText = content{media: "text/plain", example: "Hello."}

var directEndpoints = []endpoint{
	newDirectEndpoint("/v1/rerank", "rerankDocuments", "Rerank", "embeddings:write", "Order of documents by a query", aboutRerank,
		content{schema: "RerankRequest", example: exampleRerank}, content{example: exampleRanked}),
	newDirectEndpoint("/v1/moderations", "createModeration", "Moderations", "embeddings:write", "Categories of harm in texts and pictures",
		"Without a model, omni-moderation-latest is asked.", content{schema: "ModerationRequest", example: `{"model":"omni-moderation-latest","input":"A text."}`},
		content{example: `{"id":"modr-1","model":"omni-moderation-latest","results":[{"flagged":false}]}`}),
	newDirectEndpoint("/v1/images/generations", "createImage", "Images", "completions:write", "Pictures for a prompt",
		"Answered as a whole; a request for events is refused.",
		content{schema: "ImageRequest", example: `{"model":"gpt-image-1","prompt":"A cat.","n":1}`}, content{example: examplePicture}),
	newDirectEndpoint("/v1/images/edits", "createImageEdit", "Images", "completions:write", "Changes of pictures by a prompt",
		"The prompt is judged, the pictures are not.", content{media: formMedia, schema: "ImageEditRequest"}, content{example: examplePicture}),
	newDirectEndpoint("/v1/audio/speech", "createSpeech", "Audio", "completions:write", "Text as sound",
		"The text is judged. The sound is sent while it arrives from the provider.",
		content{schema: "SpeechRequest", example: `{"model":"tts-1","voice":"alloy","input":"Hello."}`}, soundMedia...),
	newDirectEndpoint("/v1/audio/transcriptions", "createTranscription", "Audio", "completions:write", "The text of sound",
		"The prompt and the transcript are judged, the sound is not.",
		content{media: formMedia, schema: "TranscriptionRequest"}, content{example: exampleHeard}, heardText),
	newDirectEndpoint("/v1/audio/translations", "createTranslation", "Audio", "completions:write", "The text of sound, in English",
		"The prompt and the translation are judged, the sound is not.",
		content{media: formMedia, schema: "TranscriptionRequest"}, content{example: exampleHeard}, heardText),
}
