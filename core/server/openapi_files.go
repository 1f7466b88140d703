package server

import "net/http"

// pageParameters are the parameters of lists of files and batches.
var pageParameters = []parameter{{"limit", "query", "integer", "Most entries."}, {"after", "query", "string", "The id of the last entry of the page before."}}

var fileEndpoints = []endpoint{
	{
		method: http.MethodPost, path: "/v1/files", id: "uploadFile", tag: "Files", scope: "batches:write", summary: "Upload a file of requests",
		about: "The file is scanned as a whole; a refusal names the line.",
		takes: &content{media: "multipart/form-data", schema: "Upload"}, errors: ownErrors, statuses: ofFiles, gives: []content{{example: exampleFile}},
	},
	{
		method: http.MethodGet, path: "/v1/files", id: "listFiles", tag: "Files", scope: "batches:write", summary: "The files of the tenant, newest first", params: pageParameters,
		errors: ownErrors, statuses: ofFiles, gives: []content{{example: `{"object":"list","data":[` + exampleFile + `],"has_more":false}`}},
	},
	{
		method: http.MethodGet, path: "/v1/files/{id}", id: "getFile", tag: "Files", scope: "batches:write", summary: "One file",
		errors: ownErrors, statuses: ofFiles, gives: []content{{example: exampleFile}},
	},
	{
		method: http.MethodDelete, path: "/v1/files/{id}", id: "deleteFile", tag: "Files", scope: "batches:write", summary: "Delete a file", about: "The provider deletes it too.",
		errors: ownErrors, statuses: ofFiles, gives: []content{{example: `{"id":"file-1","object":"file","deleted":true}`}},
	},
	{
		method: http.MethodGet, path: "/v1/files/{id}/content", id: "getFileContent", tag: "Files", scope: "batches:write", summary: "The content of a file",
		about:  "Results hold the values of the key that uploaded the requests.",
		errors: ownErrors, statuses: ofFiles, gives: []content{{media: "application/octet-stream", example: `{"custom_id":"1"}`}},
	},
	{
		method: http.MethodPost, path: "/v1/batches", id: "createBatch", tag: "Batches", scope: "batches:write", summary: "Submit a batch", about: "All its requests go to one provider.",
		takes:  &content{schema: "BatchRequest", example: `{"input_file_id":"file-1","endpoint":"/v1/chat/completions","completion_window":"24h"}`},
		errors: ownErrors, statuses: ofFiles, gives: []content{{example: exampleBatch}},
	},
	{
		method: http.MethodGet, path: "/v1/batches", id: "listBatches", tag: "Batches", scope: "batches:write", summary: "The batches of the tenant, newest first", params: pageParameters,
		errors: ownErrors, statuses: ofFiles, gives: []content{{example: `{"object":"list","data":[` + exampleBatch + `],"has_more":false}`}},
	},
	{
		method: http.MethodGet, path: "/v1/batches/{id}", id: "getBatch", tag: "Batches", scope: "batches:write", summary: "One batch",
		errors: ownErrors, statuses: ofFiles, gives: []content{{example: exampleBatch}},
	},
	{
		method: http.MethodPost, path: "/v1/batches/{id}/cancel", id: "cancelBatch", tag: "Batches", scope: "batches:write", summary: "Cancel a batch",
		errors: ownErrors, statuses: ofFiles, gives: []content{{example: exampleBatch}},
	},
}
