package gemini

import "github.com/headgate-dev/headgate/core/dialect/scan"

// leaves finds the texts of unknown members.
var leaves = scan.Leaves{IsQuiet: func(name string) bool { return quiet[convertToCamel(name)] }, IsSealed: scan.IsLongBase64}

// quiet are fields, in camel case, whose strings are identifiers, enum values, addresses
// or sealed data; see [scan.Leaves].
var quiet = map[string]bool{
	"id": true, "name": true, "role": true, "type": true, "format": true, "model": true, "mode": true, "behavior": true,
	"allowedFunctionNames": true, "scheduling": true, "thoughtSignature": true, "mimeType": true, "data": true, "fileUri": true,
	"level": true, "language": true, "languageCode": true, "outcome": true, "category": true, "threshold": true, "method": true,
	"responseMimeType": true, "responseModalities": true, "mediaResolution": true, "voiceName": true, "aspectRatio": true,
	"imageSize": true, "thinkingLevel": true, "serviceTier": true, "cachedContent": true, "startOffset": true, "endOffset": true,
	"propertyOrdering": true, "required": true, "enum": true, "const": true, "pattern": true, "$ref": true, "$schema": true,
	"$id": true, "$anchor": true, "ref": true, "defs": true, "uri": true, "toolType": true,
	"probability": true, "severity": true, "blockReason": true, "modelVersion": true, "responseId": true, "createTime": true,
}
