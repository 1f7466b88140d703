// Package learned is the part of the attack detectors that learns from examples: a linear model over hashed words and
// letters, which scores windows of about 400 bytes of normalised text, and a smaller model that selects the windows of a
// long text that need scoring.
//
// It needs only the standard library, so that it also runs as a Wasm module (sdk/samples/guard-model). The
// weights are in data/model.bin. make guard-model trains them, bit for bit the same from the files in data.
package learned
